//! Many caches of limited non-volatile memory over one stream of references.

use super::cache::{LimitedCache, Settings, WritePolicy};
use super::table::table;
use crate::cache::replay::{follow_all, Notes, Replay, Tape, Writer};
use crate::cache::stack_distance::{self, Columns, Options, Pricing, Tally};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;

/// Caches with chosen memory sizes and write-back policies.
#[derive(Debug)]
pub struct Simulator {
    writer: Writer,
    tape: Tape,
    caches: Vec<LimitedCache>,
    threads: usize,
    timed: bool,
}

impl Simulator {
    /// Empty caches that process the stream on `threads` threads. Fails if the settings are invalid.
    pub fn new(options: Options, choices: &[Settings], threads: usize) -> Result<Self, Error> {
        let refuse = |reason: &str| Err(Error::of(reason));
        if options.write_policy != stack_distance::WritePolicy::Allocate {
            return refuse("limited non-volatile memory takes the write policy allocate only");
        }
        let blocks =
            |cache: &Settings| cache.memory.volatile_blocks.checked_add(cache.memory.nonvolatile_blocks);
        if choices.iter().any(|cache| matches!(blocks(cache), None | Some(0))) {
            return refuse("a cache must have at least one block and less than 2^32");
        }
        let mut times_needed = false;
        for cache in choices {
            match cache.write_policy {
                WritePolicy::Periodic(interval_ns) | WritePolicy::Deadline(interval_ns)
                    if interval_ns <= 0 =>
                {
                    return refuse("the time between periodic writes must be more than 0")
                }
                WritePolicy::Periodic(_) | WritePolicy::Deadline(_) => times_needed = true,
                WritePolicy::CopyBack | WritePolicy::WriteThrough => {}
            }
        }
        let processes = choices.iter().any(|cache| cache.memory.process_blocks > 0);
        let notes = Notes { times: true, times_needed, syncs: true, processes, ..Notes::default() };
        Ok(Simulator {
            writer: Writer::new(options, notes)?,
            tape: Tape::default(),
            caches: choices.iter().map(|&cache| LimitedCache::new(cache)).collect(),
            threads,
            timed: true,
        })
    }
}

impl Replay for Simulator {
    fn writing(&mut self) -> (&mut Writer, &mut Tape) {
        (&mut self.writer, &mut self.tape)
    }

    fn follow(&mut self) {
        let caches = self.caches.iter_mut().collect();
        follow_all(caches, &self.tape, self.writer.distinct_blocks(), self.threads);
        self.tape.clear();
    }
}

impl StreamSimulator for Simulator {
    /// Optional columns: `synchronous` (bool) marks the writes that wait, a `component` above 0 the data that may be
    /// lost; `processes` (int32) is the number of processes that run.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.writer.rows())?;
        self.timed &= (0..columns.len()).all(|row| columns.time_ns(row).is_some());
        self.write(&columns)
    }

    fn tally(&self) -> Tally {
        self.writer.tally()
    }

    /// A row for each cache in the order in which they were chosen, with the counts of the result limited_nonvolatile
    /// in queries/results.toml. What depends on time is null if any reference's is unknown.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.follow();
        let outcomes: Vec<_> = self.caches.iter_mut().map(LimitedCache::outcome).collect();
        table(&self.writer, &outcomes, pricing, self.timed)
    }
}
