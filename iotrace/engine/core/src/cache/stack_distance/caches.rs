//! The caches of all sizes: what touching, dropping and writing blocks does to them, and what it counts.
//!
//! Touches are planned by the engine, up to a line of slots at a time. Such a sub-batch then takes three stages, each a
//! short loop whose memory the one before has prefetched: `look_up` swaps new slots for former ones, `count` turns
//! those into distances, `settle` follows the blocks' dirty levels and counts.

use super::block::StackPosition;
use super::blocks::Blocks;
use super::component::{Component, RequestDistances, INFINITE};
use super::coverage::Coverage;
use super::dirty_files::DirtyFiles;
use super::occupancy::LINE_SLOTS;
use super::plan::Plan;
use super::processor::Processor;
use super::recency::{is_slot, Recency};
use super::span::Span;
use super::state::{Slice, State};
use super::sub_batch::SubBatch;
use crate::lists::{make_room, prefetch_at};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most components.
pub(crate) const MOST_COMPONENTS: usize = 1 << 20;
/// The first components take memory for each distance; further ones for those at which they count.
const PLAIN_COMPONENTS: usize = 4;
/// How many states ahead a walk through all of them prefetches what it reads of each.
const AHEAD: usize = 16;

/// A block that is dirty at the end.
struct DirtyBlock {
    number: usize,
    level: u32,
    depth: u32,
}

/// The caches of all sizes, and their counts.
#[derive(Debug, Default)]
pub struct Caches {
    /// Files and blocks.
    pub blocks: Blocks,
    pub(super) recency: Recency,
    pub(super) components: Vec<Component>,
    /// The component of each block's last write, by block number; empty as long as there is one component.
    pub(super) writers: Vec<u32>,
    /// Of dirty blocks, bytes beyond the file's end at the last touch, where there are any.
    pub(super) shortfalls: FxHashMap<usize, u32>,
    pub(super) coverage: Option<Coverage>,
    /// From the first sync on that is honoured.
    pub(super) dirty: Option<DirtyFiles>,
    /// The request that the last sub-batch ended in.
    pub(super) request: RequestDistances,
    pub(super) sub_batch: Box<SubBatch>,
    pub(super) processor: Processor,
    pub(super) counting: bool,
    /// Where the stream is a slice: what a state of it needs.
    pub(super) slice: Option<Box<Slice>>,
}

impl Caches {
    /// Empty caches; `coverage` follows which bytes are dirty, `counting` counts from the start.
    pub fn new(coverage: bool, counting: bool) -> Self {
        Caches {
            components: vec![Component::plain()],
            coverage: coverage.then(Coverage::default),
            counting,
            ..Caches::default()
        }
    }

    /// Whether touches are counted.
    #[inline(always)]
    pub fn are_counted(&self) -> bool {
        self.counting
    }

    /// Count from here on. What was evicted before is never counted: the dirty level of each block becomes at least
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
        self.blocks.states.iter().filter(|state| state.position() != StackPosition::Never).count()
    }

    /// End the references: count what dirty blocks have become, and return all counts.
    pub fn finish(mut self) -> Vec<Component> {
        self.count_expulsions();
        self.processor.run(|| self.count_all_dirty());
        self.components
    }

    /// End the references of a slice, and return its state.
    pub fn finish_slice(mut self) -> State {
        self.count_expulsions();
        let slice = self.slice.unwrap_or_default();
        slice.finish(self.components, &self.blocks, &self.recency.into_ranks(), &self.writers)
    }

    /// Count what dirty blocks have become, some hundred at a time while their counts are prefetched.
    #[inline(always)]
    fn count_all_dirty(&mut self) {
        let mut found = Vec::with_capacity(LINE_SLOTS as usize);
        for number in 1..self.blocks.states.len() {
            if let Some(StackPosition::Slot(slot)) =
                self.blocks.states.get(number + AHEAD).map(|state| state.position())
            {
                self.recency.prefetch(slot);
            }
            let (level, depth) = self.dirty_level_and_depth(number);
            if level == 0 {
                continue;
            }
            let Component { expulsions, dirty_at_end, .. } = self.writer_of(number);
            expulsions.prefetch(level);
            expulsions.prefetch(depth);
            dirty_at_end.prefetch(level.max(depth));
            found.push(DirtyBlock { number, level, depth });
            if found.len() == found.capacity() {
                self.count_dirty(&found);
                found.clear();
            }
        }
        self.count_dirty(&found);
    }

    #[inline(always)]
    fn count_dirty(&mut self, blocks: &[DirtyBlock]) {
        for &DirtyBlock { number, level, depth } in blocks {
            let shortfall = self.shortfalls.get(&number).copied().unwrap_or(0);
            let counting = self.counting;
            let component = self.writer_of(number);
            if counting {
                component.evict(level, depth, shortfall);
            }
            component.dirty_at_end.count(level.max(depth));
        }
    }

    /// Prefetch what is known of blocks with consecutive numbers.
    #[inline(always)]
    pub fn prefetch(&self, number: usize, count: usize) {
        self.blocks.prefetch_states(number, count);
        if self.components.len() > 1 {
            prefetch_at(&self.writers, number);
        }
    }

    /// How many components there are.
    pub fn components(&self) -> usize {
        self.components.len()
    }

    /// Make room for a component's counts; fails where there are too many.
    #[inline(always)]
    pub fn ensure_component(&mut self, component: usize) -> Result<(), String> {
        if component < self.components.len() {
            return Ok(());
        }
        self.add_components(component)
    }

    /// Whether it is known which bytes are dirty.
    pub(super) fn follows_bytes(&self) -> bool {
        self.coverage.is_some()
    }

    /// Whether each touch needs its detail.
    #[inline(always)]
    pub fn need_details(&self) -> bool {
        self.coverage.is_some() || self.dirty.is_some()
    }

    /// How many blocks the next sub-batch can touch: at least one.
    pub fn room(&mut self) -> usize {
        match self.recency.room() {
            0 => {
                self.compact();
                self.recency.room()
            }
            room => room,
        }
    }

    /// Leave out what was touched of a request that failed.
    pub fn abandon_request(&mut self) {
        self.request = RequestDistances::default();
    }

    /// Touch the blocks of a sub-batch, at most `room`, one after the other, and count their requests.
    pub fn touch_all(&mut self, plan: &Plan) {
        self.processor.run(|| self.touch_in_stages(plan));
    }

    #[inline(always)]
    fn touch_in_stages(&mut self, plan: &Plan) {
        self.look_up(plan);
        let several = self.components.len() > 1;
        match (several, plan.ends_everywhere()) {
            (false, true) => self.count::<false, false>(plan),
            (false, false) => self.count::<false, true>(plan),
            (true, true) => self.count::<true, false>(plan),
            (true, false) => self.count::<true, true>(plan),
        }
        self.count_expulsions();
        if several && self.writers.len() < self.blocks.states.len() {
            make_room(&mut self.writers, self.blocks.states.len());
            self.writers.resize(self.blocks.states.len(), 0);
        }
        let is_plain = self.counting && self.shortfalls.is_empty() && !plan.has_details();
        if let Some(slice) = &self.slice {
            return match is_plain && slice.has_no_shortfalls() {
                true => self.settle_slice::<true>(plan),
                false => self.settle_slice::<false>(plan),
            };
        }
        let is_single = plan.ends_everywhere() && self.request.is_at_start();
        match (is_plain, is_single, several) {
            (true, true, false) => self.settle_single::<false>(plan),
            (true, true, true) => self.settle_single::<true>(plan),
            (true, false, false) => self.settle::<true, false>(plan),
            (true, false, true) => self.settle::<true, true>(plan),
            (false, _, _) => self.settle::<false, true>(plan),
        }
    }

    /// Give each block touched the next slot, and keep its former one.
    #[inline(always)]
    fn look_up(&mut self, plan: &Plan) {
        let SubBatch { former, hits, hit_count, distances, .. } = &mut *self.sub_batch;
        let states = self.blocks.states.as_mut_slice();
        let next = self.recency.next();
        let mut hit = 0;
        let places = (0_u32..).zip(plan.touches()).zip(former).zip(distances);
        for (((place, touch), former), distance) in places {
            *former = states[touch.number()].replace_slot(next + place);
            *distance = INFINITE;
            hits[hit] = place;
            hit += usize::from(is_slot(*former));
            self.recency.prefetch(*former);
        }
        *hit_count = hit;
    }

    /// Turn former slots into distances. `SEVERAL`: there may be more than one component. `RUNS`: some requests touch
    /// several blocks.
    #[inline(always)]
    fn count<const SEVERAL: bool, const RUNS: bool>(&mut self, plan: &Plan) {
        let SubBatch { former, hits, hit_count, distances, .. } = &mut *self.sub_batch;
        let touches = plan.touches();
        let components = &mut self.components;
        self.recency.use_blocks::<RUNS>(
            &former[..touches.len()],
            &hits[..*hit_count],
            distances,
            |place, distance| {
                let touch = touches[place];
                let component = if SEVERAL { touch.component() } else { 0 };
                let direction = components[component].direction(touch.is_write());
                direction.largest.prefetch(distance);
                if RUNS {
                    direction.others.prefetch(distance);
                }
            },
        );
    }

    /// Count the expulsions of the sub-batch before.
    #[inline(always)]
    pub(super) fn count_expulsions(&mut self) {
        let SubBatch { expulsions, expulsion_count, .. } = &mut *self.sub_batch;
        for expulsion in &expulsions[..std::mem::take(expulsion_count)] {
            let component = &mut self.components[expulsion.component as usize];
            component.expulsions.count_stretch(expulsion.from, expulsion.to);
        }
    }

    /// Count the expulsions of a block that was dirty until now.
    pub(super) fn evict(&mut self, number: usize, level: u32, depth: u32) {
        let shortfall = replace(&mut self.shortfalls, number, 0);
        if self.counting {
            self.writer_of(number).evict(level, depth, shortfall);
        }
    }

    #[inline(always)]
    fn writer_of(&mut self, number: usize) -> &mut Component {
        let writer = self.writers.get(number).map_or(0, |&writer| writer as usize);
        &mut self.components[writer]
    }

    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        self.processor.run(|| {
            let compaction = self.recency.compact();
            self.blocks.follow(&compaction);
        });
    }

    #[cold]
    fn add_components(&mut self, component: usize) -> Result<(), String> {
        if component >= MOST_COMPONENTS {
            return Err(format!("more than {MOST_COMPONENTS} components"));
        }
        let plain = self.components.len()..PLAIN_COMPONENTS.min(component + 1);
        self.components.extend(plain.map(|_| Component::plain()));
        self.components.resize_with(component + 1, Component::default);
        Ok(())
    }

    /// A write under no-allocate: all its blocks go to the disk, and leave the cache.
    pub fn write_through(&mut self, span: &Span, component: usize) {
        let mut cold = false;
        for block in span.first..span.first + u64::from(span.blocks) {
            let number = self.blocks.find(span.file, block);
            cold |= number.is_none_or(|number| self.blocks.states[number].position() == StackPosition::Never);
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
        let StackPosition::Slot(slot) = self.blocks.states[number].position() else {
            return;
        };
        let (level, depth) = self.dirty_level_and_depth(number);
        if level != 0 {
            self.evict(number, level, depth);
        }
        self.recency.drop_block(slot);
        self.blocks.states[number].drop_out();
        if let Some(coverage) = &mut self.coverage {
            coverage.forget(number);
        }
    }

    /// Write a file's dirty blocks in a range, in each cache in which they are dirty.
    pub fn sync(&mut self, file: u32, range: Range<u64>) {
        let taken = self.dirty_files().take(file, range);
        taken.into_iter().for_each(|number| self.sync_block(number));
    }

    /// Write all dirty blocks.
    pub fn sync_everything(&mut self) {
        let taken = self.dirty_files().take_all();
        taken.into_iter().for_each(|number| self.sync_block(number));
    }

    /// The blocks that may be dirty, which are followed from here on.
    fn dirty_files(&mut self) -> &mut DirtyFiles {
        let blocks = &self.blocks;
        self.dirty.get_or_insert_with(|| {
            let mut dirty = DirtyFiles::default();
            blocks.dirty().into_iter().for_each(|(file, block, number)| dirty.note(file, block, number));
            dirty
        })
    }

    /// Forget that a file's blocks in a range were written: they have been dropped.
    pub fn forget_dirty(&mut self, file: u32, range: Range<u64>) {
        if let Some(dirty) = &mut self.dirty {
            dirty.take(file, range);
        }
    }

    /// Write a block in the caches in which it is dirty: those of at least its dirty level that still hold it. Smaller
    /// ones have evicted it.
    fn sync_block(&mut self, number: usize) {
        let (level, depth) = self.dirty_level_and_depth(number);
        if level == 0 {
            return;
        }
        let shortfall = self.shortfalls.remove(&number).unwrap_or(0);
        if self.counting {
            let component = self.writer_of(number);
            component.evict(level, depth, shortfall);
            component.sync_from(level.max(depth), shortfall);
        }
        self.blocks.states[number].dirty_level = 0;
        if let Some(coverage) = &mut self.coverage {
            coverage.forget(number);
        }
    }

    /// Drop a block from all caches; those in which it is dirty write it first.
    pub fn evict_block(&mut self, number: usize) {
        let (level, depth) = self.dirty_level_and_depth(number);
        if level != 0 && self.counting {
            let shortfall = self.shortfalls.get(&number).copied().unwrap_or(0);
            self.writer_of(number).evict_from(level.max(depth), shortfall);
        }
        self.drop_block(number);
    }

    /// A block's dirty level, 0 where it is clean, and then its depth.
    #[inline(always)]
    pub(super) fn dirty_level_and_depth(&self, number: usize) -> (u32, u32) {
        let block = self.blocks.states[number];
        match block.position() {
            StackPosition::Slot(slot) if block.dirty_level != 0 => {
                (block.dirty_level, self.recency.depth(slot))
            }
            _ => (0, 0),
        }
    }
}

/// Replace a block's shortfall, 0 where it has none, and return the former one.
#[inline(always)]
pub(super) fn replace(shortfalls: &mut FxHashMap<usize, u32>, number: usize, shortfall: u32) -> u32 {
    let former = match (shortfall, shortfalls.is_empty()) {
        (0, true) => None,
        (0, false) => shortfalls.remove(&number),
        _ => shortfalls.insert(number, shortfall),
    };
    former.unwrap_or(0)
}
