//! One pass over the reference stream, for the caches of all sizes at once.

use super::blocks::{Blocks, MOST_BLOCKS};
use super::caches::Caches;
use super::curve::{Curve, Pricing};
use super::options::{Deletes, Options, Syncs, WritePolicy};
use super::plan::{Detail, Plan, Touch};
use super::references::{Columns, Operation, Ranges, Reference};
use super::span::{file_key, Span, Spans};
use super::tally::Tally;
use crate::error::Error;
use arrow_array::RecordBatch;
use std::ops::Range;

/// How many references ahead a block's place among the states is brought near.
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
    /// A new engine; fails where the settings make no sense.
    pub fn new(options: Options) -> Result<Self, Error> {
        options.check()?;
        Ok(Engine {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            caches: Caches::new(
                options.write_policy == WritePolicy::DataOverwrite,
                options.syncs == Syncs::Honour,
                options.has_no_warm_up(),
            ),
            options,
            ..Engine::default()
        })
    }

    /// The engine as it runs on another processor.
    #[cfg(test)]
    pub(super) fn on(mut self, processor: super::processor::Processor) -> Self {
        self.caches.processor = processor;
        self
    }

    /// Take the next batch of the stream (see `Columns::new` for what it must hold). Fails at the first row that
    /// makes no sense; what came before it has been taken.
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
        let takes_ranges =
            self.options.write_policy == WritePolicy::Allocate && self.options.syncs == Syncs::Ignore;
        let ranges = columns.ranges().filter(|_| takes_ranges);
        let mut index = 0;
        while index < rows {
            if let (Some(ranges), true) = (&ranges, self.caches.are_counted()) {
                index = self.plan_single_blocks(ranges, index..rows);
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

    /// Plan the first of these rows that touch a single block each, which has a number, of a file of unknown size, as
    /// long as the plan has room; return the first that is left.
    #[inline(always)]
    fn plan_single_blocks(&mut self, ranges: &Ranges<'_>, rows: Range<usize>) -> usize {
        let components = self.caches.components();
        let stop = rows.end.min(rows.start + self.plan.room());
        let mut index = rows.start;
        while index < stop {
            if index + AHEAD < rows.end {
                let (file, offset, _) = ranges.bytes(index + AHEAD);
                self.caches.blocks.prefetch(file_key(file), self.spans.block_of(offset as u64));
            }
            let (file, offset, length) = ranges.bytes(index);
            let component = ranges.component(index);
            let (Some(write), Some(end)) = (ranges.write(index), offset.checked_add(length)) else {
                break;
            };
            let block = self.spans.block_of(offset as u64);
            if length == 0 || component >= components || self.spans.block_of(end as u64 - 1) != block {
                break;
            }
            let Some(number) = self.caches.blocks.touch(file_key(file), block, end) else {
                break;
            };
            self.caches.blocks.prefetch_states(number, 1);
            self.plan.add(Touch::new(number as u32, component, write), 1);
            self.plan.end_request();
            index += 1;
        }
        let planned = (index - rows.start) as u64;
        self.tally.rows += planned;
        self.tally.requests += planned;
        index
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

    #[inline(always)]
    fn take(&mut self, reference: Reference) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference),
            Operation::Truncate | Operation::Delete => {
                self.remove(reference);
                Ok(())
            }
            Operation::Expel => {
                self.expel(reference.file);
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
            let count = if most == 1 { 1 } else { u64::from(most).min(Blocks::consecutive(block)) as u32 };
            self.caches.blocks.prefetch_states(number, count as usize);
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
    fn expel(&mut self, file: Option<i32>) {
        let Some(file) = file else {
            self.tally.unplaced += 1;
            return;
        };
        self.touch_planned();
        for number in self.caches.blocks.numbers_from(file_key(file), 0) {
            self.caches.expel_block(number);
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
