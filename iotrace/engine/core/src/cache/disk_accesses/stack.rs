//! An LRU stack that knows its last portion.

use crate::lists::{Lists, NOWHERE};

/// The blocks used more recently than those of the last portion.
const UPPER: u32 = 1;
/// The last portion.
const LAST: u32 = 2;

/// The LRU stack of one cache; its last portion is the part of it that is evicted next.
#[derive(Debug)]
pub struct Stack {
    size_blocks: u32,
    /// The most blocks above the last portion.
    upper_blocks: u32,
    lists: Lists,
}

impl Stack {
    /// The empty stack of a cache of `size_blocks` blocks, of which the last `last_blocks`, 1 to all, are the last
    /// portion when it is full.
    pub fn new(size_blocks: u32, last_blocks: u32) -> Self {
        Stack { size_blocks, upper_blocks: size_blocks - last_blocks, lists: Lists::default() }
    }

    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        self.lists.prepare(blocks);
    }

    /// Whether a block is cached.
    #[inline(always)]
    pub fn contains(&self, block: u32) -> bool {
        self.lists.list_of(block) != NOWHERE
    }

    /// Whether a block is in the last portion; exact when the cache is full.
    #[inline(always)]
    pub fn is_in_last_portion(&self, block: u32) -> bool {
        self.lists.list_of(block) == LAST
    }

    /// Make a block the most recently used one; for a new one there is space.
    #[inline(always)]
    pub fn use_block(&mut self, block: u32) {
        self.lists.take_out(block);
        self.lists.put_in(UPPER, block);
        if self.lists.len(UPPER) > self.upper_blocks {
            if let Some(oldest) = self.lists.take_oldest(UPPER) {
                self.lists.put_in(LAST, oldest);
            }
        }
    }

    /// The block to evict before another one enters; None where there is space.
    #[inline(always)]
    pub fn to_evict(&self) -> Option<u32> {
        let blocks = self.lists.len(UPPER) + self.lists.len(LAST);
        if blocks < self.size_blocks {
            return None;
        }
        self.lists.oldest(LAST)
    }

    /// Remove a block, if it is there.
    pub fn remove(&mut self, block: u32) {
        self.lists.take_out(block);
    }
}
