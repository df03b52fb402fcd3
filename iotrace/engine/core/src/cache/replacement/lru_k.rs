//! LRU-K.

use super::policy::{Access, Replacement};
use crate::lists::{prefetch_at, Weight};
use std::collections::BTreeSet;

/// What is known of a block.
#[derive(Debug, Clone, Copy)]
struct Block<W, const K: usize> {
    /// The times of its last K references, the latest first; 0 for those that there were not.
    times: [u64; K],
    weight: W,
    is_cached: bool,
}

/// LRU-K (O'Neil, O'Neil and Weikum, The LRU-K Page Replacement Algorithm for Database Disk Buffering, SIGMOD 1993,
/// figure 2.1): the block replaced is the one whose K-th last reference lies furthest back; a block with fewer references
/// goes before all others. Of equal ones the least recently used is replaced, which is the paper's example of a subsidiary
/// policy. Times are numbers of references.
///
/// The paper leaves two periods to the system. The Correlated Reference Period, in which further references to a block
/// are one with its last, is 0 here: every reference counts. The Retained Information Period, for which the references of
/// a block are remembered after it was replaced, has no end; only a removed block is forgotten.
#[derive(Debug)]
pub struct LruK<W, const K: usize> {
    size: u64,
    used: u64,
    time: u64,
    blocks: Vec<Block<W, K>>,
    /// The cached blocks in the order in which they are replaced: K-th last reference, last reference, number.
    queue: BTreeSet<(u64, u64, u32)>,
}

impl<W: Weight, const K: usize> LruK<W, K> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        LruK { size, used: 0, time: 0, blocks: Vec::new(), queue: BTreeSet::new() }
    }

    fn key(&self, number: u32) -> (u64, u64, u32) {
        let times = &self.blocks[number as usize].times;
        (times[K - 1], times[0], number)
    }

    /// Put a block that is referenced now into the cache.
    fn put_in(&mut self, access: &Access<W>) {
        self.time += 1;
        let block = &mut self.blocks[access.number as usize];
        block.times.rotate_right(1);
        block.times[0] = self.time;
        (block.weight, block.is_cached) = (access.weight, true);
        self.used += access.weight.get();
        self.queue.insert(self.key(access.number));
    }

    /// Take a block that is cached out of the cache.
    fn take_out(&mut self, number: u32) {
        self.queue.remove(&self.key(number));
        let block = &mut self.blocks[number as usize];
        block.is_cached = false;
        self.used -= block.weight.get();
    }

    /// Evict until no more than `most` is cached.
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.used > most {
            let Some(&(.., victim)) = self.queue.first() else { break };
            self.take_out(victim);
            evicted(victim);
        }
    }
}

impl<W: Weight, const K: usize> Replacement for LruK<W, K> {
    type Weight = W;

    fn prepare(&mut self, numbers: usize) {
        let unknown = Block { times: [0; K], weight: W::default(), is_cached: false };
        self.blocks.resize(numbers.max(self.blocks.len()), unknown);
    }

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        prefetch_at(&self.blocks, number as usize);
    }

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.blocks[number as usize].is_cached
    }

    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.take_out(access.number);
        self.put_in(access);
        self.shrink(self.size, evicted);
    }

    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        self.put_in(access);
    }

    fn remove(&mut self, number: u32) {
        if self.contains(number) {
            self.take_out(number);
        }
        self.blocks[number as usize].times = [0; K];
    }
}
