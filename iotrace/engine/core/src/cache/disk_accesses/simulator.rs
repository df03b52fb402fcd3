//! Many caches over one stream of references.

use super::table::{table, Cache, Outcome};
use crate::cache::block_cache::BlockCache;
use crate::cache::fetch::Blocks;
use crate::cache::replacement::PortionedLru;
use crate::cache::replay::{FetchBlocks, Notes, Stream};
use crate::cache::stack_distance::{Options, Pricing, Tally, WritePolicy};
use crate::cache::write_back::Coalesced;
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
    stream: Stream<Cache>,
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
        let cache = |&size: &u32| {
            let replacement = PortionedLru::new(size, settings.last_blocks(size));
            let fetch = Blocks::new(settings.fetch_blocks);
            BlockCache::new(u64::from(size), replacement, fetch, Coalesced::default())
        };
        let caches = sizes_blocks.iter().map(cache).collect();
        Ok(Simulator { stream: Stream::new(options, notes, caches, threads)? })
    }
}

impl StreamSimulator for Simulator {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.stream.push(batch)
    }

    fn tally(&self) -> Tally {
        self.stream.writer.tally()
    }

    /// A row without a cache, and one for each cache in the order of their sizes, with the counts of the result
    /// disk_accesses in queries/results.toml.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.stream.follow();
        let outcomes: Vec<_> = self.stream.caches.iter().map(Outcome::of).collect();
        table(&self.stream.writer, &outcomes, pricing)
    }
}
