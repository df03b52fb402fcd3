//! What a controller asks of its caches.

use super::slots::{Home, Slots};
use std::ops::Range;

/// Where a block that is read was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    ReadCache,
    WriteCache,
    Nowhere,
}

/// Caches, block by block. A block's number is unique among all disks.
pub trait Memory {
    /// Whether `fill` must be told where the block is.
    const PLACES_FILLS: bool;

    fn slots(&self) -> &Slots;
    fn slots_mut(&mut self) -> &mut Slots;

    /// A block is read; where it is cached that counts as a use.
    fn read(&mut self, block: u64) -> Found;

    /// Whether a block is cached, which counts as no use.
    fn holds(&self, block: u64) -> bool;

    /// A block has come from the disk; false where there was no room for it.
    fn fill(&mut self, block: u64, home: Home) -> bool;

    /// A block is written by the request of number `stamp`; false, and nothing done, where there is no room for it.
    fn write(&mut self, block: u64, home: Home, stamp: u64) -> bool;

    /// A block was written straight to the disk by the request of number `stamp`.
    fn overtake(&mut self, block: u64, stamp: u64);

    /// The content of these blocks is of no more use. A write to the disk that has begun goes on.
    fn discard(&mut self, blocks: Range<u64>);

    /// The write to the disk of a dirty slot begins.
    fn launch(&mut self, slot: u32);

    /// The write to a disk of a slot ended.
    fn land(&mut self, slot: u32, disk: u32);

    /// The unit to purge at once, where the caches say which.
    fn urgent(&self, _disk: u32) -> Option<u32> {
        None
    }

    /// The disk whose purge would make room, where the caches say which.
    fn urgent_disk(&self) -> Option<u32> {
        None
    }

    /// A unit to purge as soon as the disk is idle, where the caches say so.
    fn target(&mut self, _disk: u32) -> Option<u32> {
        None
    }

    /// Whether a block is dirty, so that writing it again takes no room.
    fn is_dirty(&self, block: u64) -> bool;

    /// How many slots are not dirty.
    fn room(&self) -> u32 {
        self.slots().capacity() - self.slots().unclean()
    }

    /// Whether all of these blocks, no more than there are slots, could be written now.
    fn has_room_for(&self, blocks: Range<u64>) -> bool {
        let room = u64::from(self.room());
        blocks.end - blocks.start <= room
            || blocks.filter(|&block| !self.is_dirty(block)).count() as u64 <= room
    }
}
