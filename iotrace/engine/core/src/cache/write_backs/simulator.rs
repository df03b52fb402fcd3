//! Caches over one stream of references, and the table of their counts.

use super::caches::{Caches, MOST_CACHES};
use crate::cache::replay::{Notes, Stream};
use crate::cache::stack_distance::{too_large, Options, Pricing, Syncs, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// Caches of chosen sizes over one stream.
#[derive(Debug)]
pub struct Simulator {
    stream: Stream<Caches>,
}

impl Simulator {
    /// Empty caches of these sizes, each at least one block, that process the stream on `threads` threads. Fails if the
    /// settings are invalid.
    pub fn new(options: Options, sizes_blocks: &[u32], threads: usize) -> Result<Self, Error> {
        if options.write_policy != WritePolicy::Allocate {
            return Err(Error::of("coalesced evictions take the write policy allocate only"));
        }
        if options.inodes_per_block.is_some() {
            return Err(Error::of(
                "coalesced evictions need inodes that share no block: their order on the disk is unknown",
            ));
        }
        if sizes_blocks.contains(&0) {
            return Err(Error::of("a cache must have at least one block"));
        }
        let honours_syncs = options.syncs == Syncs::Honour;
        let notes = Notes { neighbours: true, synced_blocks: honours_syncs, ..Notes::default() };
        let mut sizes = sizes_blocks.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let caches = sizes.chunks(MOST_CACHES).map(|sizes| Caches::new(sizes, honours_syncs)).collect();
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

    /// A row for each distinct size, ascending.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.stream.follow();
        let block_bytes = i64::from(self.stream.writer.options().block_bytes);
        let mut rows = Vec::new();
        for (size_blocks, written) in self.stream.caches.iter().flat_map(Caches::written) {
            let bytes = (written.blocks as i64).checked_mul(block_bytes).ok_or_else(too_large)?;
            rows.push((size_blocks, written, pricing.service_time_ns(written.disk_writes as i64, bytes)?));
        }
        let table = table!(rows.iter(), |(size_blocks, written, time_ns)| {
            size_blocks: u64 = u64::from(*size_blocks),
            disk_writes: u64 = written.disk_writes,
            blocks_written: u64 = written.blocks,
            write_service_time_ns: i64 = *time_ns,
        });
        Ok(table.batch()?)
    }
}
