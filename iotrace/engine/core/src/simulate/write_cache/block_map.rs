//! A map from blocks to their slots, with open addressing. It grows with the blocks that are cached, so that memory
//! depends on no more than the cache holds, not on the disk or the trace.
//!
//! Four neighbouring blocks share a home of 64 bytes (a cache line), so that a request's blocks are found together.

use crate::lists::NONE;
use std::ops::Range;

const VACANT: u64 = u64::MAX;

/// A block's slots in the read cache and in the write cache, or NONE.
#[derive(Clone, Copy, Debug)]
pub struct Cached {
    block: u64,
    pub read: u32,
    pub write: u32,
}

const LEAST_ENTRIES: usize = 64;

const NOWHERE: Cached = Cached { block: VACANT, read: NONE, write: NONE };

#[derive(Debug)]
pub struct BlockMap {
    entries: Vec<Cached>,
    /// The number of blocks with slots.
    blocks: usize,
    mask: usize,
    shift: u32,
}

impl Default for BlockMap {
    fn default() -> Self {
        Self::of_size(LEAST_ENTRIES)
    }
}

impl BlockMap {
    fn of_size(size: usize) -> Self {
        let shift = 64 - (size / 4).trailing_zeros();
        BlockMap { entries: vec![NOWHERE; size], blocks: 0, mask: size - 1, shift }
    }

    /// Double the size, so that at most half of the entries are in use.
    fn grow(&mut self) {
        let old = std::mem::replace(self, Self::of_size(2 * self.entries.len()));
        for cached in old.entries.into_iter().filter(|cached| cached.block != VACANT) {
            *self.entry(cached.block) = cached;
        }
    }

    fn home(&self, block: u64) -> usize {
        let line = (block >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        (line as usize) << 2 | (block & 3) as usize
    }

    fn place(&self, block: u64) -> Result<usize, usize> {
        let mut at = self.home(block);
        loop {
            let found = self.entries[at].block;
            if found == block {
                return Ok(at);
            }
            if found == VACANT {
                return Err(at);
            }
            at = (at + 1) & self.mask;
        }
    }

    pub fn get(&self, block: u64) -> Cached {
        match self.place(block) {
            Ok(at) => self.entries[at],
            Err(_) => NOWHERE,
        }
    }

    /// The blocks of a range that may be cached, ascending: a range longer than the map is not scanned.
    pub fn candidates(&self, range: Range<u64>) -> Vec<u64> {
        if range.end - range.start <= self.entries.len() as u64 {
            return range.collect();
        }
        let blocks = self.entries.iter().map(|entry| entry.block);
        let mut found: Vec<u64> = blocks.filter(|block| range.contains(block)).collect();
        found.sort_unstable();
        found
    }

    /// A block's slots, mutable; at least one of them must be set afterwards.
    pub fn entry(&mut self, block: u64) -> &mut Cached {
        let at = match self.place(block) {
            Ok(at) => at,
            Err(_) if 2 * (self.blocks + 1) > self.entries.len() => {
                self.grow();
                return self.entry(block);
            }
            Err(at) => {
                self.entries[at].block = block;
                self.blocks += 1;
                at
            }
        };
        &mut self.entries[at]
    }

    pub fn set_write(&mut self, block: u64, slot: u32) {
        self.entry(block).write = slot;
    }

    pub fn clear_read(&mut self, block: u64) {
        if let Ok(at) = self.place(block) {
            self.entries[at].read = NONE;
            self.vacate_unused(at);
        }
    }

    pub fn clear_write(&mut self, block: u64) {
        if let Ok(at) = self.place(block) {
            self.entries[at].write = NONE;
            self.vacate_unused(at);
        }
    }

    /// Remove an entry without slots, and move later entries nearer to their homes if this is possible.
    fn vacate_unused(&mut self, mut hole: usize) {
        if self.entries[hole].read != NONE || self.entries[hole].write != NONE {
            return;
        }
        let mut at = hole;
        loop {
            at = (at + 1) & self.mask;
            let block = self.entries[at].block;
            if block == VACANT {
                break;
            }
            let from_home = at.wrapping_sub(self.home(block)) & self.mask;
            let from_hole = at.wrapping_sub(hole) & self.mask;
            if from_home >= from_hole {
                self.entries[hole] = self.entries[at];
                hole = at;
            }
        }
        self.entries[hole] = NOWHERE;
        self.blocks -= 1;
    }
}
