//! Many caches of limited non-volatile memory over one stream of references.

use super::table::table;
use crate::cache::block_cache::BlockCache;
use crate::cache::fetch::Demand;
use crate::cache::replacement::Lru;
use crate::cache::replay::{Notes, Stream};
use crate::cache::stack_distance::{self, Columns, Options, Pricing, Tally};
use crate::cache::write_back::nonvolatile::{Nonvolatile, Settings, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use crate::lists::One;
use arrow_array::RecordBatch;

type Cache = BlockCache<Lru<One>, Demand, Nonvolatile>;

/// Caches with chosen memory sizes and write-back policies.
#[derive(Debug)]
pub struct Simulator {
    stream: Stream<Cache>,
    timed: bool,
}

impl Simulator {
    /// Empty caches that process the stream on `threads` threads. Fails if the settings are invalid.
    pub fn new(options: Options, choices: &[Settings], threads: usize) -> Result<Self, Error> {
        let refuse = |reason: &str| Err(Error::of(reason));
        if options.write_policy != stack_distance::WritePolicy::Allocate {
            return refuse("limited non-volatile memory takes the write policy allocate only");
        }
        if choices.iter().any(|cache| matches!(cache.memory.blocks(), None | Some(0))) {
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
        let caches = choices.iter().map(|&settings| cache(settings)).collect();
        Ok(Simulator { stream: Stream::new(options, notes, caches, threads)?, timed: true })
    }
}

fn cache(settings: Settings) -> Cache {
    let blocks = settings.memory.blocks().map_or(u64::MAX, u64::from);
    BlockCache::new(blocks, Lru::new(blocks), Demand, Nonvolatile::new(settings))
}

impl StreamSimulator for Simulator {
    /// Optional columns: `synchronous` (bool) marks the writes that wait, a `component` above 0 the data that may be
    /// lost; `processes` (int32) is the number of processes that run.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.stream.writer.rows())?;
        self.timed &= (0..columns.len()).all(|row| columns.time_ns(row).is_some());
        self.stream.push(batch)
    }

    fn tally(&self) -> Tally {
        self.stream.writer.tally()
    }

    /// A row for each cache in the order in which they were chosen, with the counts of the result limited_nonvolatile
    /// in queries/results.toml. What depends on time is null if any reference's is unknown.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.stream.follow();
        let caches = self.stream.caches.iter_mut();
        let rows: Vec<_> = caches.map(|cache| (cache.misses(), cache.write_back.outcome())).collect();
        table(&self.stream.writer, &rows, pricing, self.timed)
    }
}
