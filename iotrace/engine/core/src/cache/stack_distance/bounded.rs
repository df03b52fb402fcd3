//! Caches up to a largest size, in memory that does not grow with the blocks of the stream.
//!
//! What lies deeper in the stack than the largest cache has left all caches. It can be forgotten: a later use of such a
//! block is a miss in all of them, as if the block were new, and the stack above does not depend on it. Its expulsion
//! while dirty is counted when it is forgotten.

use super::blocks::StackPosition;
use super::caches::Caches;
use super::dirty_files::DirtyFiles;
use super::recency::Recency;
use rustc_hash::FxHashMap;

/// Blocks known for each that the largest cache holds when the others are forgotten.
const ROOM: usize = 4;
/// Blocks that are never too many, and stay in the processor's caches.
const FEW_BLOCKS: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// A slot of the stack, and what has it: a block, by file, place in it and number, or a hole.
type Entry = (u32, Option<(u32, u64, usize)>);

impl Caches {
    /// Forget all blocks that are not in the cache of `largest` blocks, where many are known. The bytes of data that the
    /// data-overwrite policy follows are not supported.
    pub fn forget_beyond(&mut self, largest: u32) {
        if self.blocks.states.len() <= FEW_BLOCKS.max(largest as usize * ROOM) || self.follows_bytes() {
            return;
        }
        self.count_expulsions();
        let mut stack = Vec::new();
        for (file, block, number) in self.blocks.stacked() {
            let StackPosition::Slot(slot) = self.blocks.states[number].position() else {
                continue;
            };
            if self.recency.depth(slot) <= largest {
                stack.push((slot, Some((file, block, number))));
                continue;
            }
            let (level, depth) = self.dirty_level_and_depth(number);
            if level != 0 {
                self.evict(number, level, depth);
            }
        }
        let holes = self.recency.holes().filter(|&hole| self.recency.depth(hole) <= largest);
        stack.extend(holes.map(|hole| (hole, None)));
        stack.sort_unstable_by_key(|&(slot, _)| slot);
        self.restack(&stack);
    }

    /// Begin anew with these blocks and holes, the least recently used first.
    fn restack(&mut self, stack: &[Entry]) {
        let states = self.blocks.take_states();
        let mut dirty = self.dirty.is_some().then(DirtyFiles::default);
        let mut shortfalls = FxHashMap::default();
        let mut writers = Vec::new();
        for (rank, (_, entry)) in (0..).zip(stack) {
            let Some((file, block, former)) = *entry else {
                continue;
            };
            let Some(number) = self.blocks.number(file, block) else {
                continue;
            };
            let mut state = states[former];
            state.move_to(Recency::slot_of(rank));
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
        let are_holes: Vec<bool> = stack.iter().map(|(_, entry)| entry.is_none()).collect();
        self.recency = Recency::stacked(&are_holes);
        (self.dirty, self.shortfalls, self.writers) = (dirty, shortfalls, writers);
    }
}
