//! What is known of one block: its place in the LRU stack, and the caches in which it is dirty.

use super::recency::{DROPPED, NO_SLOT};

/// What is known of one block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Block {
    pub(super) slot: u32,
    /// The dirty level: 0 where the block is clean, else the largest distance at which it was touched since it
    /// was last written. It is dirty in the caches of at least that many blocks that still hold it.
    pub dirty_level: u32,
}

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPosition {
    /// It has never been in the cache.
    Never,
    /// It was in the cache and was dropped.
    Dropped,
    /// It has this slot of the LRU stack.
    Slot(u32),
}

impl Block {
    /// Where the block is.
    #[inline(always)]
    pub fn position(self) -> StackPosition {
        match self.slot {
            NO_SLOT => StackPosition::Never,
            DROPPED => StackPosition::Dropped,
            slot => StackPosition::Slot(slot),
        }
    }

    /// Note the block's slot.
    #[inline(always)]
    pub fn move_to(&mut self, slot: u32) {
        self.slot = slot;
    }

    /// Note a touch at a distance: the dirty level of a block that is written is 1, and that of a dirty block that is read
    /// is at least the distance. Return the former level.
    #[inline(always)]
    pub fn touch(&mut self, write: bool, distance: u32) -> u32 {
        let level = self.dirty_level;
        let raised = if level == 0 { 0 } else { level.max(distance) };
        self.dirty_level = if write { 1 } else { raised };
        level
    }

    /// Note the block's slot and return the former one, which may be `NO_SLOT` or `DROPPED`.
    #[inline(always)]
    pub fn replace_slot(&mut self, slot: u32) -> u32 {
        std::mem::replace(&mut self.slot, slot)
    }

    /// Note that the block was dropped: it is in no cache, and not dirty.
    pub fn drop_out(&mut self) {
        *self = Block { slot: DROPPED, dirty_level: 0 };
    }
}
