//! Which blocks of a cache are dirty.

use super::block_set::BlockSet;
use rustc_hash::FxHashMap;

/// The dirty blocks of one cache, and the bytes of each beyond its file's end.
#[derive(Debug, Default)]
pub struct DirtyBlocks {
    blocks: BlockSet,
    /// The bytes beyond the file's end at the last reference, if any.
    shortfalls: FxHashMap<u32, u32>,
}

impl DirtyBlocks {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        self.blocks.prepare(blocks);
    }

    /// A block is written: it is dirty.
    #[inline(always)]
    pub fn write(&mut self, block: u32, shortfall: u32) {
        self.blocks.insert(block);
        self.note(block, shortfall);
    }

    /// A block is read, which may show a new end of its file.
    #[inline(always)]
    pub fn read(&mut self, block: u32, shortfall: u32) {
        if self.blocks.contains(block) {
            self.note(block, shortfall);
        }
    }

    #[inline(always)]
    fn note(&mut self, block: u32, shortfall: u32) {
        if shortfall != 0 {
            self.shortfalls.insert(block, shortfall);
        } else if !self.shortfalls.is_empty() {
            self.shortfalls.remove(&block);
        }
    }

    /// A block leaves the cache, or is written back: it is clean. Return the bytes of it beyond its file's end if it
    /// was dirty.
    #[inline(always)]
    pub fn clean(&mut self, block: u32) -> Option<u32> {
        if !self.blocks.remove(block) {
            return None;
        }
        if self.shortfalls.is_empty() {
            return Some(0);
        }
        Some(self.shortfalls.remove(&block).unwrap_or(0))
    }

    /// The number of dirty blocks.
    pub fn count(&self) -> u64 {
        self.blocks.count()
    }
}
