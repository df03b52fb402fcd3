//! One pass over the reference stream, for the caches of all sizes at once.

use super::blocks::{Blocks, KnownBlocks, MOST_BLOCKS};
use super::caches::Caches;
use super::curve::{Curve, Pricing};
use super::options::{Deletes, Options, Syncs, WritePolicy};
use super::plan::{Detail, Plan, Touch};
use super::references::{Columns, Operation, Ranges, Reference};
use super::span::{file_key, Span, Spans};
use super::state::{Slice, State};
use super::tally::Tally;
use crate::error::Error;
use arrow_array::RecordBatch;
use std::ops::Range;

/// How many references ahead where a block's number is found is prefetched.
const AHEAD: usize = 32;

/// The engine: exact LRU caches of every size over one stream of references.
#[derive(Debug, Default)]
pub struct Engine {
    options: Options,
    spans: Spans,
    caches: Caches,
    /// Touches that the caches have not taken yet; none between batches.
    plan: Plan,
    tally: Tally,
}

impl Engine {
    /// A new engine; fails where the settings are invalid.
    pub fn new(options: Options) -> Result<Self, Error> {
        options.check()?;
        Ok(Engine {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            caches: Caches::new(options.write_policy == WritePolicy::DataOverwrite, options.has_no_warm_up()),
            options,
            ..Engine::default()
        })
    }

    /// A new engine for a slice of a stream, which ends with `finish_slice`; fails where the settings are invalid or
    /// slices with them do not merge.
    pub fn of_slice(options: Options) -> Result<Self, Error> {
        options.check_slice()?;
        let mut engine = Engine::new(options)?;
        engine.caches.slice = Some(Box::default());
        Ok(engine)
    }

    /// The same for a few of many blocks: less memory and time than `of_slice` where they lie far from each other.
    pub fn of_sparse_slice(options: Options) -> Result<Self, Error> {
        let mut engine = Engine::of_slice(options)?;
        engine.caches.blocks = Blocks::by_key();
        Ok(engine)
    }

    /// A new engine for a few of many blocks, which can forget blocks (`forget_beyond`); fails where the settings make no
    /// sense.
    pub fn of_few_blocks(options: Options) -> Result<Self, Error> {
        let mut engine = Engine::new(options)?;
        engine.caches.blocks = Blocks::by_key();
        Ok(engine)
    }

    /// Forget what caches of at most `largest` blocks do not need, where more than a few blocks are known: the counts
    /// hold for those sizes then, except for cold misses and bytes beyond files' ends.
    pub fn forget_beyond(&mut self, largest: u32) {
        self.caches.forget_beyond(largest);
        // a plan has room for what the stack takes without a compaction
        self.plan.begin(self.caches.room());
    }

    /// The engine as it runs on another processor.
    #[cfg(test)]
    pub(super) fn on(mut self, processor: super::processor::Processor) -> Self {
        self.caches.processor = processor;
        self
    }

    /// Take the next batch of the stream (see `Columns::new` for what it must hold). Fails at the first
    /// invalid row; what came before it has been taken.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.tally.rows)?;
        let taken = self.push_columns(&columns);
        self.touch_planned();
        if taken.is_err() {
            self.caches.abandon_request();
        }
        taken
    }

    fn push_columns(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        let rows = columns.len();
        let plain = columns.are_plain();
        let takes_ranges = self.options.write_policy == WritePolicy::Allocate;
        let ranges = columns.ranges(self.options.syncs == Syncs::Honour).filter(|_| takes_ranges);
        let mut index = 0;
        while index < rows {
            let follows_more = !self.caches.are_counted() || self.caches.need_details();
            if let (Some(ranges), false) = (&ranges, follows_more) {
                index = self.plan_ranges(ranges, index..rows);
                if index == rows {
                    break;
                }
            }
            let reference = if plain { columns.plain(index) } else { columns.checked(index)? };
            if !self.caches.are_counted() {
                let warm = self.end_warm_up(reference.operation, columns.time_ns(index));
                warm.map_err(|reason| columns.error(index, reason))?;
            }
            self.take(reference).map_err(|reason| columns.error(index, reason))?;
            self.tally.rows += 1;
            index += 1;
        }
        Ok(())
    }

    /// Plan the first of these rows, while the plan has room and they read or write blocks which have numbers, of
    /// files of unknown size; return the first that is left.
    #[inline(always)]
    fn plan_ranges(&mut self, ranges: &Ranges<'_>, rows: Range<usize>) -> usize {
        let mut index = rows.start;
        while index < rows.end {
            let file = ranges.file(index);
            let mut end = index + 1;
            let stop = rows.end.min(index + self.plan.room());
            while end < stop && ranges.file(end) == file {
                end += 1;
            }
            let planned = self.plan_file(ranges, file_key(file), index..end);
            index += planned;
            if index < end {
                break;
            }
        }
        let planned = (index - rows.start) as u64;
        self.tally.rows += planned;
        self.tally.requests += planned;
        index
    }

    /// `plan_file` where blocks are numbered by their keys: each has a number then, which is given to it here if it is
    /// new.
    #[inline(always)]
    fn plan_keys(&mut self, ranges: &Ranges<'_>, file: u32, rows: Range<usize>) -> usize {
        if self.caches.blocks.size(file).is_some() {
            return 0;
        }
        let components = self.caches.components();
        let (mut planned, mut extent) = (0, 0);
        'rows: for index in rows {
            if let Some(offset) = ranges.offset(index + AHEAD) {
                self.caches.blocks.prefetch_key(file, self.spans.block_of(offset as u64));
            }
            let (offset, length) = ranges.bytes(index);
            let component = ranges.component(index);
            let (Some(write), Some(end)) = (ranges.write(index), offset.checked_add(length)) else {
                break;
            };
            if length == 0 || component >= components {
                break;
            }
            let blocks = self.spans.block_of(offset as u64)..self.spans.block_of(end as u64 - 1) + 1;
            if blocks.end - blocks.start > self.plan.room() as u64 {
                break;
            }
            let planned_before = self.plan.touches().len();
            for block in blocks {
                let Some(number) = self.caches.blocks.number_by_key(file, block) else {
                    self.plan.truncate(planned_before);
                    break 'rows;
                };
                self.plan.add(Touch::new(number, component, write), 1);
            }
            self.plan.end_request();
            extent = extent.max(end);
            planned += 1;
        }
        if planned > 0 {
            self.caches.blocks.extend_to(file, extent);
            if let Some(slice) = &mut self.caches.slice {
                slice.ranges(file, extent);
            }
        }
        planned
    }

    /// `plan_ranges` for rows of one file; return how many were planned.
    #[inline(always)]
    fn plan_file(&mut self, ranges: &Ranges<'_>, file: u32, rows: Range<usize>) -> usize {
        if self.caches.blocks.are_by_key() {
            return self.plan_keys(ranges, file, rows);
        }
        let Some(known) = self.caches.blocks.known(file) else {
            return 0;
        };
        let components = self.caches.components();
        let (mut planned, mut extent) = (0, 0);
        for index in rows {
            if let Some(offset) = ranges.offset(index + AHEAD) {
                known.prefetch(self.spans.block_of(offset as u64));
            }
            let (offset, length) = ranges.bytes(index);
            let component = ranges.component(index);
            let (Some(write), Some(end)) = (ranges.write(index), offset.checked_add(length)) else {
                break;
            };
            if length == 0 || component >= components || self.plan.room() == 0 {
                break;
            }
            let blocks = self.spans.block_of(offset as u64)..self.spans.block_of(end as u64 - 1) + 1;
            let touch = |number| Touch::new(number, component, write);
            if blocks.start + 1 == blocks.end {
                let Some(number) = known.number(blocks.start) else {
                    break;
                };
                self.caches.prefetch(number as usize, 1);
                self.plan.add_request(touch(number));
            } else if !plan_blocks(&mut self.plan, &self.caches, &known, blocks, touch) {
                break;
            }
            extent = extent.max(end);
            planned += 1;
        }
        self.caches.blocks.extend_to(file, extent);
        if let Some(slice) = self.caches.slice.as_mut().filter(|_| planned > 0) {
            slice.ranges(file, extent);
        }
        planned
    }

    /// Let the caches take what is planned.
    fn touch_planned(&mut self) {
        if !self.plan.touches().is_empty() {
            self.caches.touch_all(&self.plan);
        }
        self.plan.begin(self.caches.room());
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        Tally { distinct_blocks: self.caches.distinct_blocks() as u64, ..self.tally.clone() }
    }

    /// End the stream and return the curve's counts.
    pub fn finish(self, pricing: Pricing) -> Curve {
        Curve::new(self.caches.finish(), self.options.block_bytes, self.options.write_policy, pricing)
    }

    /// End the slice and return its state.
    pub fn finish_slice(self) -> State {
        self.caches.finish_slice()
    }

    #[inline(always)]
    fn take(&mut self, reference: Reference) -> Result<(), String> {
        if let Some(slice) = &mut self.caches.slice {
            note_in_slice(slice, reference, &self.options)?;
        }
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference),
            Operation::Truncate | Operation::Delete => {
                self.remove(reference);
                Ok(())
            }
            Operation::Evict => {
                self.evict(reference.file);
                Ok(())
            }
            Operation::Sync => {
                self.tally.syncs += 1;
                self.sync(reference);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn request(&mut self, reference: Reference) -> Result<(), String> {
        let request = self.spans.of_request(reference, &mut self.caches.blocks, &mut self.tally)?;
        let Some(span) = request else {
            return Ok(());
        };
        let component = reference.component as usize;
        self.caches.ensure_component(component)?;
        let write = reference.operation == Operation::Write;
        if write && self.options.write_policy == WritePolicy::NoAllocate {
            self.touch_planned();
            self.caches.write_through(&span, component);
            return Ok(());
        }
        self.plan_touches(&span, component, write)?;
        if write && reference.synchronous && self.options.syncs == Syncs::Honour {
            self.touch_planned();
            let blocks = span.first..span.first + u64::from(span.blocks);
            self.caches.sync(span.file, blocks);
        }
        Ok(())
    }

    /// Plan to touch the blocks of a request one after the other.
    #[inline(always)]
    fn plan_touches(&mut self, span: &Span, component: usize, write: bool) -> Result<(), String> {
        let mut index = 0;
        while index < span.blocks {
            if self.plan.room() == 0 {
                self.touch_planned();
            }
            let block = span.first + u64::from(index);
            let Some(number) = self.caches.blocks.number(span.file, block) else {
                return Err(format!("more than {MOST_BLOCKS} distinct blocks"));
            };
            let most = (span.blocks - index).min(self.plan.room() as u32);
            let count =
                if most == 1 { 1 } else { u64::from(most).min(self.caches.blocks.run_from(block)) as u32 };
            self.caches.prefetch(number, count as usize);
            let place = self.plan.touches().len();
            self.plan.add(Touch::new(number as u32, component, write), count);
            let ends = index + count == span.blocks;
            if self.caches.need_details() || (ends && span.last_shortfall != 0) {
                self.plan_details(span, place, index..index + count);
            }
            index += count;
        }
        self.plan.end_request();
        Ok(())
    }

    /// Plan the details of some blocks of a request.
    #[inline(never)]
    fn plan_details(&mut self, span: &Span, place: usize, blocks: Range<u32>) {
        for (place, index) in (place..).zip(blocks) {
            let is_last = index + 1 == span.blocks;
            let detail = Detail {
                file: span.file,
                block: span.first + u64::from(index),
                start: if index == 0 { span.start } else { 0 },
                end: if is_last { span.end } else { self.options.block_bytes },
                shortfall: if is_last { span.last_shortfall } else { 0 },
            };
            self.plan.add_detail(place, detail);
        }
    }

    /// Write what is dirty of a file, of a range of it where the reference has one, or of all files.
    #[inline(never)]
    fn sync(&mut self, reference: Reference) {
        if self.options.syncs == Syncs::Ignore {
            return;
        }
        self.touch_planned();
        let Some(file) = reference.file else {
            self.caches.sync_everything();
            return;
        };
        self.caches.sync(file_key(file), self.spans.of_sync(reference));
    }

    /// Truncate or delete a file.
    #[inline(never)]
    fn remove(&mut self, reference: Reference) {
        let removed = self.spans.of_removal(reference, &mut self.caches.blocks, &mut self.tally);
        if self.options.deletes == Deletes::Honour {
            self.touch_planned();
            if let Some(file) = reference.file {
                let kept = match reference.operation {
                    Operation::Truncate => reference.offset.unwrap_or(i64::MAX) as u64,
                    _ => 0,
                };
                let first = self.spans.blocks_in(kept);
                self.caches.forget_dirty(file_key(file), first..u64::MAX);
            }
            for number in removed {
                self.caches.drop_block(number);
            }
        }
    }

    /// Send a file's blocks out of the caches, dirty ones to the disk.
    #[inline(never)]
    fn evict(&mut self, file: Option<i32>) {
        let Some(file) = file else {
            self.tally.unplaced += 1;
            return;
        };
        self.touch_planned();
        for number in self.caches.blocks.numbers_from(file_key(file), 0) {
            self.caches.evict_block(number);
        }
        self.caches.forget_dirty(file_key(file), 0..u64::MAX);
    }

    /// Begin to count if the warm-up is over with this reference.
    #[cold]
    fn end_warm_up(&mut self, operation: Operation, time_ns: Option<i64>) -> Result<(), String> {
        if !matches!(operation, Operation::Read | Operation::Write) {
            return Ok(());
        }
        if self.options.is_warm(self.tally.requests, time_ns)? {
            self.touch_planned();
            self.caches.start_counting();
        }
        Ok(())
    }
}

/// Note in a slice what a reference says of its file; fails where what it does depends on earlier slices.
#[inline(never)]
fn note_in_slice(slice: &mut Slice, reference: Reference, options: &Options) -> Result<(), String> {
    match reference.operation {
        Operation::Read | Operation::Write => slice.request(reference),
        Operation::Truncate | Operation::Delete if options.deletes == Deletes::Honour => {
            let syncs =
                if options.syncs == Syncs::Honour { ", and --syncs ignore if it has syncs" } else { "" };
            return Err(format!(
                "what a deletion or truncation removes depends on earlier slices; give --deletes ignore{syncs}"
            ));
        }
        Operation::Truncate => slice.truncate(reference),
        Operation::Sync if options.syncs == Syncs::Honour => {
            return Err("what a sync writes depends on earlier slices; give --syncs ignore".to_owned());
        }
        Operation::Evict => return Err("a state cannot contain the eviction of a file".to_owned()),
        Operation::Delete | Operation::Sync => {}
    }
    Ok(())
}

/// Plan a request of several blocks; false, and nothing planned, where one of them has no number or there is no room.
#[inline(always)]
fn plan_blocks(
    plan: &mut Plan,
    caches: &Caches,
    known: &KnownBlocks<'_>,
    blocks: Range<u64>,
    touch: impl Fn(u32) -> Touch,
) -> bool {
    if blocks.end - blocks.start > plan.room() as u64 {
        return false;
    }
    let planned_before = plan.touches().len();
    let mut block = blocks.start;
    while block < blocks.end {
        let Some(number) = known.number(block) else {
            plan.truncate(planned_before);
            return false;
        };
        let count = Blocks::consecutive(block).min(blocks.end - block) as u32;
        caches.prefetch(number as usize, count as usize);
        plan.add(touch(number), count);
        block += u64::from(count);
    }
    plan.end_request();
    true
}
