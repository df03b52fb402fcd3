//! One pass over the reference stream, for the caches of all sizes at once.

use super::caches::Caches;
use super::curve::{Curve, Pricing};
use super::options::{Deletes, Options, Syncs, WritePolicy};
use super::references::{Columns, Operation, Reference};
use super::span::{file_key, Spans};
use super::tally::Tally;
use crate::error::Error;
use arrow_array::RecordBatch;

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
    caches: Caches,
    tally: Tally,
}

impl Engine {
    /// A new engine; fails where the settings make no sense.
    pub fn new(options: Options) -> Result<Self, Error> {
        options.check()?;
        Ok(Engine {
            spans: Spans::new(options.block_bytes, options.inodes_per_block),
            caches: Caches::new(
                options.block_bytes,
                options.write_policy == WritePolicy::DataOverwrite,
                options.syncs == Syncs::Honour,
                options.has_no_warm_up(),
            ),
            options,
            ..Engine::default()
        })
    }

    /// Take the next batch of the stream (see `Columns::new` for what it must hold). Fails at the first row that
    /// makes no sense; what came before it has been taken.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
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
    unsafe fn push_with_avx2(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        self.push_columns(columns)
    }

    #[inline(always)]
    fn push_columns(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        let rows = columns.len();
        let plain = columns.are_plain();
        let mut ahead = [0; FAR];
        for index in 0..rows {
            if index + FARTHER < rows {
                let (file, offset) = columns.hint(index + FARTHER);
                self.caches.blocks.prefetch(file_key(file), self.spans.block_of(offset as u64));
            }
            let number = std::mem::take(&mut ahead[index % FAR]);
            if index + FAR < rows {
                ahead[index % FAR] = self.look_far(columns.hint(index + FAR));
            }
            self.caches.look_at_place(ahead[(index + NEAR) % FAR]);
            let reference = if plain { columns.plain(index) } else { columns.checked(index)? };
            if !self.caches.are_counted() {
                let warm = self.end_warm_up(reference.operation, columns.time_ns(index));
                warm.map_err(|reason| columns.error(index, reason))?;
            }
            self.take(reference, number).map_err(|reason| columns.error(index, reason))?;
            self.tally.rows += 1;
        }
        Ok(())
    }

    /// What the stream contained so far.
    pub fn tally(&self) -> Tally {
        Tally { distinct_blocks: self.caches.distinct_blocks() as u64, ..self.tally.clone() }
    }

    /// End the stream and hand out the curve's counts.
    pub fn finish(self, pricing: Pricing) -> Curve {
        Curve::new(self.caches.finish(), self.options.block_bytes, self.options.write_policy, pricing)
    }

    /// Bring near the state of the block that a coming request begins with; return its number, 0 where it has none.
    #[inline(always)]
    fn look_far(&self, (file, offset): (i32, i64)) -> usize {
        let number = self.caches.blocks.find(file_key(file), self.spans.block_of(offset as u64)).unwrap_or(0);
        self.caches.look_at_state(number);
        number
    }

    #[inline(always)]
    fn take(&mut self, reference: Reference, number: usize) -> Result<(), String> {
        match reference.operation {
            Operation::Read | Operation::Write => self.request(reference, number),
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

    /// Take a request; `number` is that of the block at its offset, if that is known already, or 0.
    #[inline(always)]
    fn request(&mut self, reference: Reference, number: usize) -> Result<(), String> {
        let request = self.spans.of_request(reference, &mut self.caches.blocks, &mut self.tally)?;
        let Some(span) = request else {
            return Ok(());
        };
        let component = reference.component as usize;
        self.caches.ensure_component(component)?;
        let write = reference.operation == Operation::Write;
        if write && self.options.write_policy == WritePolicy::NoAllocate {
            self.caches.write_through(&span, component);
            return Ok(());
        }
        let known = reference.offset.is_some() && !self.spans.is_placed(reference);
        self.caches.touch_all(&span, component, write, if known { number } else { 0 })?;
        if write && reference.synchronous && self.options.syncs == Syncs::Honour {
            let blocks = span.first..span.first + u64::from(span.blocks);
            self.caches.sync(span.file, blocks);
        }
        Ok(())
    }

    /// Write what is dirty of a file, of a range of it where the reference has one, or of all files.
    #[inline(never)]
    fn sync(&mut self, reference: Reference) {
        if self.options.syncs == Syncs::Ignore {
            return;
        }
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
            self.caches.start_counting();
        }
        Ok(())
    }
}
