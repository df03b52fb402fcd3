//! Caches up to a largest size, in memory that does not grow with the blocks of the stream.
//!
//! What lies deeper in the stack than the largest cache has left all caches. It can be forgotten: a later use of such a
//! block is a miss in all of them, as if the block were new, and the stack above does not depend on it. Its expulsion
//! while dirty is counted when it is forgotten.

use super::block::StackPosition;
use super::caches::Caches;
use super::dirty_files::DirtyFiles;
use super::recency::Recency;
use rustc_hash::FxHashMap;

/// Blocks known for each that the largest cache holds when the others are forgotten.
const ROOM: usize = 4;
/// Blocks that are never too many, and stay in the processor's caches.
const FEW_BLOCKS: usize = if cfg!(test) { 64 } else { 1 << 15 };

impl Caches {
    /// Forget all blocks that are not in the cache of `largest` blocks (at least 1), where many are known. The bytes of
    /// data that the data-overwrite policy follows are not supported.
    pub fn forget_beyond(&mut self, largest: u32) {
        let is_few = self.blocks.states.len() <= FEW_BLOCKS.max(largest as usize * ROOM);
        if is_few || self.follows_bytes() || self.recency.occupied() == 0 {
            return;
        }
        self.count_expulsions();
        let first = self.recency.first_within(largest);
        for number in 1..self.blocks.states.len() {
            let state = self.blocks.states[number];
            let is_beyond = matches!(state.position(), StackPosition::Slot(slot) if slot < first);
            if is_beyond && state.dirty_level != 0 {
                let (level, depth) = self.dirty_level_and_depth(number);
                self.evict(number, level, depth);
            }
        }
        self.restack(first);
    }

    /// Begin anew with the blocks and holes in slots from `first` on.
    fn restack(&mut self, first: u32) {
        let stacked = self.recency.depth(first);
        let rank_of = |recency: &Recency, slot| stacked - recency.depth(slot);
        let mut dirty = self.dirty.is_some().then(DirtyFiles::default);
        let mut shortfalls = FxHashMap::default();
        let mut writers = Vec::new();
        for (former, (file, block, mut state)) in (1..).zip(self.blocks.take_all()) {
            let slot = match state.position() {
                StackPosition::Slot(slot) if slot >= first => slot,
                _ => continue,
            };
            let Some(number) = self.blocks.number(file, block) else {
                continue;
            };
            state.move_to(Recency::slot_of(rank_of(&self.recency, slot)));
            self.blocks.states[number] = state;
            if let Some(&shortfall) = self.shortfalls.get(&former) {
                shortfalls.insert(number, shortfall);
            }
            if let Some(&writer) = self.writers.get(former) {
                writers.resize(self.blocks.states.len(), 0);
                writers[number] = writer;
            }
            if let (Some(dirty), true) = (&mut dirty, state.dirty_level != 0) {
                dirty.note(file, block, number);
            }
        }
        let mut are_holes = vec![false; stacked as usize];
        for hole in self.recency.holes().filter(|&hole| hole >= first) {
            are_holes[rank_of(&self.recency, hole) as usize] = true;
        }
        self.recency = Recency::stacked(&are_holes);
        (self.dirty, self.shortfalls, self.writers) = (dirty, shortfalls, writers);
    }
}
