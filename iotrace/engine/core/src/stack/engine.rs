//! One pass over the reference stream, for the caches of all sizes at once.

use super::blocks::{Block, Blocks, Place, MOST_BLOCKS};
use super::component::{Component, RequestDistances, INFINITE};
use super::coverage::Coverage;
use super::curve::{Curve, Pricing};
use super::options::{Deletes, Options, StackError, WritePolicy};
use super::prefetch::prefetch;
use super::recency::{Recency, NO_SLOT};
use super::references::{Columns, Operation, Reference};
use super::span::{file_key, Span, Spans};
use super::tally::Tally;
use arrow_array::RecordBatch;
use rustc_hash::FxHashMap;

/// The most components.
const MOST_COMPONENTS: usize = 1 << 20;
/// How many references ahead a block's place among the states is brought near.
const FARTHER: usize = 48;
/// How many references ahead a block's state is brought near.
const FAR: usize = 32;
/// How many references ahead its place in the stack is.
const NEAR: usize = 12;

/// The engine: exact LRU caches of every size over one stream of references.
#[derive(Debug, Default)]
pub struct Engine {
    options: Options,
    spans: Spans,
    blocks: Blocks,
    recency: Recency,
    components: Vec<Component>,
    /// The component of each block's last write, by block number; empty as long as there is one component.
    writers: Vec<u32>,
    /// Of dirty blocks, bytes beyond the file's end at the last touch, where there are any.
    shortfalls: FxHashMap<usize, u32>,
    coverage: Option<Coverage>,
    counting: bool,
    tally: Tally,
}

impl Engine {
    /// A new engine; fails where the settings make no sense.
    pub fn new(options: Options) -> Result<Self, StackError> {
        let refuse = |reason: &str| {
            Err(StackError {
                row: None,
                reason: reason.to_owned(),
            })
        };
        if options.block_bytes == 0 || options.block_bytes > 1 << 30 {
            return refuse("the block size must be from 1 byte to 1 GB");
        }
        if options
            .inodes_per_block
            .is_some_and(|inodes| inodes == 0 || inodes > options.block_bytes)
        {
            return refuse("inodes per block must be from 1 to the block's bytes");
        }
        Ok(Engine {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            coverage: (options.write_policy == WritePolicy::DataOverwrite).then(Coverage::default),
            counting: options.warm_up_requests == 0 && options.warm_up_ns.is_none(),
            components: vec![Component::default()],
            options,
            ..Engine::default()
        })
    }

    /// Take the next batch of the stream (see `Columns::new` for what it must hold). Fails at the first row that
    /// makes no sense; what came before it has been taken.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), StackError> {
        let columns = Columns::new(batch, self.tally.rows)?;
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has the features that the function is compiled for, as was just asked.
            return unsafe { self.push_with_avx2(&columns) };
        }
        self.push_columns(&columns)
    }

    /// `push_columns`, compiled for processors with wide vectors and bit counts.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn push_with_avx2(&mut self, columns: &Columns<'_>) -> Result<(), StackError> {
        self.push_columns(columns)
    }

    #[inline(always)]
    fn push_columns(&mut self, columns: &Columns<'_>) -> Result<(), StackError> {
        let rows = columns.len();
        let plain = columns.are_plain();
        let mut ahead = [0; FAR];
        for index in 0..rows {
            if index + FARTHER < rows {
                let (file, offset) = columns.hint(index + FARTHER);
                self.blocks
                    .prefetch(file_key(file), self.spans.block_of(offset as u64));
            }
            let number = std::mem::take(&mut ahead[index % FAR]);
            if index + FAR < rows {
                ahead[index % FAR] = self.look_far(columns.hint(index + FAR));
            }
            self.look_near(ahead[(index + NEAR) % FAR]);
            let reference = if plain {
                columns.plain(index)
            } else {
                columns.checked(index)?
            };
            if !self.counting {
                let warm = self.end_warm_up(reference.operation, columns.time_ns(index));
                warm.map_err(|reason| columns.error(index, reason))?;
            }
            self.take(reference, number)
                .map_err(|reason| columns.error(index, reason))?;
            self.tally.rows += 1;
        }
        Ok(())
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        let seen = self
            .blocks
            .states
            .iter()
            .filter(|state| state.place() != Place::Never)
            .count();
        Tally {
            distinct_blocks: seen as u64,
            ..self.tally.clone()
        }
    }

    /// End the stream and hand out the curve's counts.
    pub fn finish(mut self, pricing: Pricing) -> Curve {
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
        Curve::new(
            self.components,
            self.options.block_bytes,
            self.options.write_policy,
            pricing,
        )
    }

    /// Bring near the state of the block that a coming request begins with; return its number, 0 where it has none.
    #[inline(always)]
    fn look_far(&self, (file, offset): (i32, i64)) -> usize {
        let number = self
            .blocks
            .find(file_key(file), self.spans.block_of(offset as u64))
            .unwrap_or(0);
        if let Some(state) = self.blocks.states.get(number) {
            prefetch(state);
        }
        number
    }

    /// Bring near the stack's bits about a block.
    #[inline(always)]
    fn look_near(&self, number: usize) {
        if let Some(Place::Slot(slot)) = self.blocks.states.get(number).map(|state| state.place()) {
            self.recency.prefetch(slot);
        }
    }

    #[inline(always)]
    fn take(&mut self, reference: Reference, number: usize) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference, number),
            Operation::Truncate | Operation::Delete => {
                self.remove(reference.operation, reference.file, reference.offset);
                Ok(())
            }
            Operation::Sync => {
                self.tally.syncs += 1;
                Ok(())
            }
        }
    }

    /// Take a request; `number` is that of the block at its offset, if that is known already, or 0.
    #[inline(always)]
    fn request(&mut self, reference: Reference, number: usize) -> Result<(), String> {
        let Some(file) = reference.file else {
            self.tally.unplaced += 1;
            return Ok(());
        };
        let Some(span) = self
            .spans
            .span(reference, file, &mut self.blocks, &mut self.tally)?
        else {
            self.tally.empty_requests += 1;
            return Ok(());
        };
        self.tally.requests += 1;
        let component = reference.component as usize;
        if component >= self.components.len() {
            self.add_components(component)?;
        }
        let write = reference.operation == Operation::Write;
        if write && self.options.write_policy == WritePolicy::NoAllocate {
            self.write_through(&span, component);
            return Ok(());
        }
        let known = reference.offset.is_some() && !self.spans.is_placed(reference);
        self.touch_all(&span, component, write, if known { number } else { 0 })
    }

    /// Touch the blocks of a request one after the other, and count it; `first` is the first one's number, or 0.
    #[inline(always)]
    fn touch_all(
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
            let number = if index == 0 && first != 0 {
                Some(first)
            } else {
                self.blocks.number(span.file, block)
            };
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
            distances.finish(if write {
                &mut component.writes
            } else {
                &mut component.reads
            });
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
        let (distance, cold) = self.touch(number, component, write, shortfall);
        if self.coverage.is_some() {
            let start = if index == 0 { span.start } else { 0 };
            let end = if is_last {
                span.end
            } else {
                self.options.block_bytes
            };
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
        let follows = |(state, slot): &(&Block, u32)| {
            state.dirty_level == 0 && state.place() == Place::Slot(*slot)
        };
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
        states
            .iter_mut()
            .zip(to..)
            .for_each(|(state, slot)| state.move_to(slot));
        distance
    }

    /// Move one block to the top of the stack; return its distance and whether it had never been in the cache.
    #[inline(always)]
    fn touch(
        &mut self,
        number: usize,
        component: usize,
        write: bool,
        shortfall: u32,
    ) -> (u32, bool) {
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
            self.writer_of(number)
                .expel(level, distance, former.unwrap_or(0));
        }
    }

    #[inline(always)]
    fn writer_of(&mut self, number: usize) -> &mut Component {
        let writer = self
            .writers
            .get(number)
            .map_or(0, |&writer| writer as usize);
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
        self.components
            .resize_with(component + 1, Component::default);
        Ok(())
    }

    /// Note dirty bytes for the data-overwrite policy; `written` is None for a read.
    fn cover(
        &mut self,
        number: usize,
        component: usize,
        distance: u32,
        written: Option<(u32, u32)>,
    ) {
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
    fn write_through(&mut self, span: &Span, component: usize) {
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

    /// Truncate or delete a file.
    #[inline(never)]
    fn remove(&mut self, operation: Operation, file: Option<i32>, offset: Option<i64>) {
        let truncate = operation == Operation::Truncate;
        *(if truncate {
            &mut self.tally.truncates
        } else {
            &mut self.tally.deletes
        }) += 1;
        let length = if truncate { offset } else { Some(0) };
        let (Some(file), Some(length)) = (file, length) else {
            self.tally.unplaced += 1;
            return;
        };
        if truncate {
            self.blocks.truncate(file_key(file), length);
        }
        if self.options.deletes == Deletes::Honour {
            for number in self
                .blocks
                .numbers_from(file_key(file), self.spans.blocks_in(length as u64))
            {
                self.drop_block(number);
            }
        }
    }

    fn drop_block(&mut self, number: usize) {
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

    /// A block's dirty level, 0 where it is clean, and then its depth.
    fn dirty_level_and_depth(&self, number: usize) -> (u32, u32) {
        let block = self.blocks.states[number];
        match block.place() {
            Place::Slot(slot) if block.dirty_level != 0 => {
                (block.dirty_level, self.recency.depth(slot))
            }
            _ => (0, 0),
        }
    }

    /// Begin to count if the warm-up is over with this reference. What was expelled during it is never counted: the
    /// dirty level of each block becomes at least its depth.
    #[cold]
    fn end_warm_up(&mut self, operation: Operation, time_ns: Option<i64>) -> Result<(), String> {
        if !matches!(operation, Operation::Read | Operation::Write) {
            return Ok(());
        }
        if let Some(warm_up_ns) = self.options.warm_up_ns {
            let time_ns = time_ns.ok_or("warm-up by time needs a time stamp at each request")?;
            if time_ns < warm_up_ns {
                return Ok(());
            }
        }
        if self.tally.requests < self.options.warm_up_requests {
            return Ok(());
        }
        self.counting = true;
        for number in 1..self.blocks.states.len() {
            let (level, depth) = self.dirty_level_and_depth(number);
            if level != 0 {
                self.blocks.states[number].dirty_level = level.max(depth);
            }
        }
        Ok(())
    }
}
