//! The caches of all sizes: what touching, dropping and writing blocks does to them, and what it counts.

use super::blocks::{Block, Blocks, Place, MOST_BLOCKS};
use super::component::{Component, RequestDistances, INFINITE};
use super::coverage::Coverage;
use super::dirty_files::DirtyFiles;
use super::recency::{Recency, NO_SLOT};
use super::span::Span;
use crate::lists::prefetch;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most components.
const MOST_COMPONENTS: usize = 1 << 20;

/// The caches of all sizes, and their counts.
#[derive(Debug, Default)]
pub struct Caches {
    /// Files and blocks.
    pub blocks: Blocks,
    recency: Recency,
    components: Vec<Component>,
    /// The component of each block's last write, by block number; empty as long as there is one component.
    writers: Vec<u32>,
    /// Of dirty blocks, bytes beyond the file's end at the last touch, where there are any.
    shortfalls: FxHashMap<usize, u32>,
    coverage: Option<Coverage>,
    /// Where syncs are honoured.
    dirty: Option<DirtyFiles>,
    block_bytes: u32,
    counting: bool,
}

impl Caches {
    /// Empty caches; `coverage` follows which bytes are dirty, `syncs` which blocks, `counting` counts from the start.
    pub fn new(block_bytes: u32, coverage: bool, syncs: bool, counting: bool) -> Self {
        Caches {
            components: vec![Component::default()],
            coverage: coverage.then(Coverage::default),
            dirty: syncs.then(DirtyFiles::default),
            block_bytes,
            counting,
            ..Caches::default()
        }
    }

    /// Whether touches are counted.
    #[inline(always)]
    pub fn are_counted(&self) -> bool {
        self.counting
    }

    /// Count from here on. What was expelled before is never counted: the dirty level of each block becomes at least
    /// its depth.
    pub fn start_counting(&mut self) {
        self.counting = true;
        for number in 1..self.blocks.states.len() {
            let (level, depth) = self.dirty_level_and_depth(number);
            if level != 0 {
                self.blocks.states[number].dirty_level = level.max(depth);
            }
        }
    }

    /// Blocks that were ever in a cache.
    pub fn distinct_blocks(&self) -> usize {
        self.blocks.states.iter().filter(|state| state.place() != Place::Never).count()
    }

    /// End the references: count what dirty blocks have become, and hand out all counts.
    pub fn finish(mut self) -> Vec<Component> {
        for number in 1..self.blocks.states.len() {
            let (level, depth) = self.dirty_level_and_depth(number);
            if level == 0 {
                continue;
            }
            let shortfall = self.shortfalls.get(&number).copied().unwrap_or(0);
            let counting = self.counting;
            let component = self.writer_of(number);
            if counting {
                component.expel(level, depth, shortfall);
            }
            component.dirty_at_end.count(level.max(depth));
        }
        self.components.iter_mut().for_each(Component::settle);
        self.components
    }

    /// Make room for a component's counts; fails where there are too many.
    #[inline(always)]
    pub fn ensure_component(&mut self, component: usize) -> Result<(), String> {
        if component < self.components.len() {
            return Ok(());
        }
        self.add_components(component)
    }

    /// Bring near a block's state.
    #[inline(always)]
    pub fn look_at_state(&self, number: usize) {
        if let Some(state) = self.blocks.states.get(number) {
            prefetch(state);
        }
    }

    /// Bring near the stack's bits about a block.
    #[inline(always)]
    pub fn look_at_place(&self, number: usize) {
        if let Some(Place::Slot(slot)) = self.blocks.states.get(number).map(|state| state.place()) {
            self.recency.prefetch(slot);
        }
    }

    /// Touch the blocks of a request one after the other, and count it; `first` is the first one's number, or 0.
    #[inline(always)]
    pub fn touch_all(
        &mut self,
        span: &Span,
        component: usize,
        write: bool,
        first: usize,
    ) -> Result<(), String> {
        let mut distances = RequestDistances::new(span.blocks);
        let mut index = 0;
        while index < span.blocks {
            let block = span.first + u64::from(index);
            let number =
                if index == 0 && first != 0 { Some(first) } else { self.blocks.number(span.file, block) };
            let Some(number) = number else {
                return Err(format!("more than {MOST_BLOCKS} distinct blocks"));
            };
            if index + 1 == span.blocks || write {
                self.touch_one(span, index, number, component, write, &mut distances);
                index += 1;
                continue;
            }
            let most = u64::from(span.blocks - 1 - index).min(Blocks::consecutive(block));
            let run = self.clean_run(number, most as usize);
            if run > 1 {
                let distance = self.touch_run(number, run);
                if self.counting {
                    distances.run(&mut self.components[component].reads, distance, run);
                }
            } else {
                self.touch_one(span, index, number, component, write, &mut distances);
            }
            index += run.max(1);
        }
        if self.counting {
            let component = &mut self.components[component];
            distances.finish(if write { &mut component.writes } else { &mut component.reads });
        }
        Ok(())
    }

    /// Touch one block of a request, and count it.
    #[inline(always)]
    fn touch_one(
        &mut self,
        span: &Span,
        index: u32,
        number: usize,
        component: usize,
        write: bool,
        distances: &mut RequestDistances,
    ) {
        let is_last = index + 1 == span.blocks;
        let shortfall = if is_last { span.last_shortfall } else { 0 };
        if let (true, Some(dirty)) = (write, &mut self.dirty) {
            if self.blocks.states[number].dirty_level == 0 {
                dirty.note(span.file, span.first + u64::from(index), number);
            }
        }
        let (distance, cold) = self.touch(number, component, write, shortfall);
        if self.coverage.is_some() {
            let start = if index == 0 { span.start } else { 0 };
            let end = if is_last { span.end } else { self.block_bytes };
            self.cover(number, component, distance, write.then_some((start, end)));
        }
        if self.counting {
            let component = &mut self.components[component];
            if write {
                distances.block(&mut component.writes, distance, cold);
            } else {
                distances.block(&mut component.reads, distance, cold);
                component.read_shortfall(distance, shortfall);
            }
        }
    }

    /// How many clean blocks from this one on lie in consecutive slots above all holes, so that a read can move them
    /// together; 0 or 1 where it cannot.
    #[inline(always)]
    fn clean_run(&self, number: usize, most: usize) -> u32 {
        let Some(states) = self.blocks.states.get(number..number + most) else {
            return 0;
        };
        let Some(Place::Slot(slot)) = states.first().map(|state| state.place()) else {
            return 0;
        };
        if !self.recency.is_above_holes(slot) {
            return 0;
        }
        let follows =
            |(state, slot): &(&Block, u32)| state.dirty_level == 0 && state.place() == Place::Slot(*slot);
        states.iter().zip(slot..).take_while(follows).count() as u32
    }

    /// Move a `clean_run` to the top of the stack; return the distance of each of its blocks.
    fn touch_run(&mut self, number: usize, run: u32) -> u32 {
        if !self.recency.has_room(run) {
            self.compact();
        }
        let states = &mut self.blocks.states[number..number + run as usize];
        let Some(Place::Slot(slot)) = states.first().map(|state| state.place()) else {
            return INFINITE;
        };
        let distance = self.recency.depth(slot);
        let to = self.recency.use_run(slot, run);
        states.iter_mut().zip(to..).for_each(|(state, slot)| state.move_to(slot));
        distance
    }

    /// Move one block to the top of the stack; return its distance and whether it had never been in the cache.
    #[inline(always)]
    fn touch(&mut self, number: usize, component: usize, write: bool, shortfall: u32) -> (u32, bool) {
        if !self.recency.has_room(1) {
            self.compact();
        }
        let block = self.blocks.states[number];
        let place = block.place();
        let (slot, distance) = match place {
            Place::Slot(slot) => (slot, self.recency.depth(slot)),
            Place::Never | Place::Dropped => (NO_SLOT, INFINITE),
        };
        let slot = self.recency.use_block(slot);
        let level = block.dirty_level;
        let state = &mut self.blocks.states[number];
        state.move_to(slot);
        state.dirty_level = match (write, level) {
            (true, _) => 1,
            (false, 0) => 0,
            (false, level) => level.max(distance),
        };
        if level != 0 || write {
            self.settle(number, level, distance, shortfall);
            if write && (component != 0 || !self.writers.is_empty()) {
                self.note_writer(number, component);
            }
        }
        (distance, place == Place::Never)
    }

    /// Count the expulsions of a block that was dirty before this touch, and note its new shortfall.
    #[inline(always)]
    fn settle(&mut self, number: usize, level: u32, distance: u32, shortfall: u32) {
        let former = match (shortfall, self.shortfalls.is_empty()) {
            (0, true) => None,
            (0, false) => self.shortfalls.remove(&number),
            _ => self.shortfalls.insert(number, shortfall),
        };
        if self.counting && level != 0 {
            self.writer_of(number).expel(level, distance, former.unwrap_or(0));
        }
    }

    #[inline(always)]
    fn writer_of(&mut self, number: usize) -> &mut Component {
        let writer = self.writers.get(number).map_or(0, |&writer| writer as usize);
        &mut self.components[writer]
    }

    fn note_writer(&mut self, number: usize, component: usize) {
        if self.writers.len() <= number {
            self.writers.resize(self.blocks.states.len(), 0);
        }
        self.writers[number] = component as u32;
    }

    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        let compaction = self.recency.compact();
        self.blocks.follow(&compaction);
    }

    #[cold]
    fn add_components(&mut self, component: usize) -> Result<(), String> {
        if component >= MOST_COMPONENTS {
            return Err(format!("more than {MOST_COMPONENTS} components"));
        }
        self.components.resize_with(component + 1, Component::default);
        Ok(())
    }

    /// Note dirty bytes for the data-overwrite policy; `written` is None for a read.
    fn cover(&mut self, number: usize, component: usize, distance: u32, written: Option<(u32, u32)>) {
        let Some(coverage) = &mut self.coverage else {
            return;
        };
        coverage.touch(number, distance);
        if let Some((start, end)) = written {
            let counts = self.counting.then_some(&mut self.components[component]);
            coverage.write(number, start, end, counts);
        }
    }

    /// A write under no-allocate: all its blocks go to the disk, and leave the cache.
    pub fn write_through(&mut self, span: &Span, component: usize) {
        let mut cold = false;
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = self.blocks.find(span.file, block);
            cold |= number.is_none_or(|number| self.blocks.states[number].place() == Place::Never);
            if let Some(number) = number {
                self.drop_block(number);
            }
        }
        if self.counting {
            let component = &mut self.components[component];
            component.writes.requests += 1;
            component.writes.blocks += u64::from(span.blocks);
            component.writes.cold_requests += u64::from(cold);
            component.written_through += u64::from(span.blocks);
            component.written_through_shortfall += u64::from(span.last_shortfall);
        }
    }

    /// Drop a block from all caches, dirty or not.
    pub fn drop_block(&mut self, number: usize) {
        let Place::Slot(slot) = self.blocks.states[number].place() else {
            return;
        };
        let (level, depth) = self.dirty_level_and_depth(number);
        if level != 0 {
            self.settle(number, level, depth, 0);
        }
        self.recency.drop_block(slot);
        self.blocks.states[number].drop_out();
        if let Some(coverage) = &mut self.coverage {
            coverage.forget(number);
        }
    }

    /// Write a file's dirty blocks in a range, in each cache in which they are dirty.
    pub fn sync(&mut self, file: u32, range: Range<u64>) {
        let taken = self.dirty.as_mut().map(|dirty| dirty.take(file, range));
        taken.into_iter().flatten().for_each(|number| self.sync_block(number));
    }

    /// Write all dirty blocks.
    pub fn sync_everything(&mut self) {
        let taken = self.dirty.as_mut().map(DirtyFiles::take_all);
        taken.into_iter().flatten().for_each(|number| self.sync_block(number));
    }

    /// Forget that a file's blocks in a range were written: they have been dropped.
    pub fn forget_dirty(&mut self, file: u32, range: Range<u64>) {
        if let Some(dirty) = &mut self.dirty {
            dirty.take(file, range);
        }
    }

    /// Write a block in the caches in which it is dirty: those of at least its dirty level that still hold it. Smaller
    /// ones have expelled it.
    fn sync_block(&mut self, number: usize) {
        let (level, depth) = self.dirty_level_and_depth(number);
        if level == 0 {
            return;
        }
        let shortfall = self.shortfalls.remove(&number).unwrap_or(0);
        if self.counting {
            let component = self.writer_of(number);
            component.expel(level, depth, shortfall);
            component.sync_from(level.max(depth), shortfall);
        }
        self.blocks.states[number].dirty_level = 0;
        if let Some(coverage) = &mut self.coverage {
            coverage.forget(number);
        }
    }

    /// Drop a block from all caches; those in which it is dirty write it first.
    pub fn expel_block(&mut self, number: usize) {
        let (level, depth) = self.dirty_level_and_depth(number);
        if level != 0 && self.counting {
            let shortfall = self.shortfalls.get(&number).copied().unwrap_or(0);
            self.writer_of(number).expel_from(level.max(depth), shortfall);
        }
        self.drop_block(number);
    }

    /// A block's dirty level, 0 where it is clean, and then its depth.
    fn dirty_level_and_depth(&self, number: usize) -> (u32, u32) {
        let block = self.blocks.states[number];
        match block.place() {
            Place::Slot(slot) if block.dirty_level != 0 => (block.dirty_level, self.recency.depth(slot)),
            _ => (0, 0),
        }
    }
}
