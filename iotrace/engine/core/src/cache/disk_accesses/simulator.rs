//! Many caches over one stream of references.

use super::cache::{Cache, Run};
use super::table::table;
use crate::cache::replay::{follow_all, FetchBlocks, Notes, Replay, Tape, Writer};
use crate::cache::stack_distance::{Columns, Options, Pricing, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;

/// The largest fetch block, in blocks.
const MOST_FETCH_BLOCKS: u32 = 1024;

/// What a miss fetches, and what an eviction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Blocks of a fetch block, at least 1.
    pub fetch_blocks: u32,
    /// The most blocks of fetch blocks that no request has touched.
    pub budget_blocks: u64,
    /// The percentage of a cache's blocks, at the end of its LRU stack, in which dirty blocks are coalesced; 0 for
    /// none.
    pub coalesce_percent: u32,
}

impl Settings {
    fn check(&self, options: &Options) -> Result<(), Error> {
        let reason = if options.write_policy != WritePolicy::Allocate {
            "fetch blocks and coalesced evictions take the write policy allocate only"
        } else if options.inodes_per_block.is_some() {
            "fetch blocks and coalesced evictions need inodes that share no block: their order on the disk is unknown"
        } else if !(1..=MOST_FETCH_BLOCKS).contains(&self.fetch_blocks) {
            "a fetch block must be 1 to 1024 cache blocks"
        } else if self.coalesce_percent > 100 {
            "the portion of the LRU stack in which evictions are coalesced must be 0 to 100 percent"
        } else {
            return Ok(());
        };
        Err(Error::of(reason))
    }

    /// The last portion of a cache, in blocks: at least the one that is evicted.
    fn last_blocks(&self, size_blocks: u32) -> u32 {
        let last = u64::from(size_blocks) * u64::from(self.coalesce_percent) / 100;
        last.max(1) as u32
    }
}

/// Caches of chosen sizes over one stream.
#[derive(Debug)]
pub struct Simulator {
    writer: Writer,
    tape: Tape,
    caches: Vec<Cache>,
    threads: usize,
}

impl Simulator {
    /// Empty caches of these sizes, each at least one block, that process the stream on `threads` threads. Fails if the
    /// settings are invalid.
    pub fn new(
        options: Options,
        settings: Settings,
        sizes_blocks: &[u32],
        threads: usize,
    ) -> Result<Self, Error> {
        settings.check(&options)?;
        if sizes_blocks.contains(&0) {
            return Err(Error::of("a cache must have at least one block"));
        }
        let fetch = FetchBlocks { blocks: settings.fetch_blocks, budget_blocks: settings.budget_blocks };
        let notes = Notes {
            fetch: Some(fetch).filter(|fetch| fetch.blocks > 1),
            neighbours: settings.coalesce_percent > 0,
            ..Notes::default()
        };
        let cache = |&size: &u32| Cache::new(size, settings.fetch_blocks, settings.last_blocks(size));
        Ok(Simulator {
            writer: Writer::new(options, notes)?,
            tape: Tape::default(),
            caches: sizes_blocks.iter().map(cache).collect(),
            threads,
        })
    }
}

impl Replay for Simulator {
    fn writing(&mut self) -> (&mut Writer, &mut Tape) {
        (&mut self.writer, &mut self.tape)
    }

    fn follow(&mut self) {
        let neighbours = self.writer.neighbours();
        let mut runs: Vec<_> = self.caches.iter_mut().map(|cache| Run { cache, neighbours }).collect();
        follow_all(runs.iter_mut().collect(), &self.tape, self.writer.distinct_blocks(), self.threads);
        self.tape.clear();
    }
}

impl StreamSimulator for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.writer.rows())?;
        self.write(&columns)
    }

    fn tally(&self) -> Tally {
        self.writer.tally()
    }

    /// A row without a cache, and one for each cache in the order of their sizes, with the counts of the result disk_accesses in
    /// queries/results.toml.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.follow();
        let outcomes: Vec<_> = self.caches.iter().map(Cache::outcome).collect();
        table(&self.writer, &outcomes, pricing)
    }
}
