//! Which blocks of a cache are dirty.

use rustc_hash::FxHashMap;

/// Blocks in a word.
const WORD: u32 = 64;

/// The dirty blocks of one cache, and the bytes of each beyond its file's end.
#[derive(Debug, Default)]
pub struct DirtyBlocks {
    /// A bit for each block.
    bits: Vec<u64>,
    /// The bytes beyond the file's end at the last reference, if any.
    shortfalls: FxHashMap<u32, u32>,
}

impl DirtyBlocks {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        let words = blocks.div_ceil(WORD as usize);
        if words > self.bits.len() {
            self.bits.resize(words, 0);
        }
    }

    /// A block is written: it is dirty.
    #[inline(always)]
    pub fn write(&mut self, block: u32, shortfall: u32) {
        self.bits[(block / WORD) as usize] |= 1 << (block % WORD);
        self.note(block, shortfall);
    }

    /// A block is read, which may show a new end of its file.
    #[inline(always)]
    pub fn read(&mut self, block: u32, shortfall: u32) {
        if self.bits[(block / WORD) as usize] & (1 << (block % WORD)) != 0 {
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
        let word = &mut self.bits[(block / WORD) as usize];
        let bit = 1 << (block % WORD);
        if *word & bit == 0 {
            return None;
        }
        *word &= !bit;
        if self.shortfalls.is_empty() {
            return Some(0);
        }
        Some(self.shortfalls.remove(&block).unwrap_or(0))
    }

    /// The number of dirty blocks.
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
