//! Caches over one stream of references, and the table of their counts.

use super::caches::{Caches, Run, MOST_CACHES};
use crate::cache::replay::{follow_all, Notes, Replay, Tape, Writer};
use crate::cache::stack_distance::{too_large, Columns, Options, Pricing, Syncs, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// Caches of chosen sizes over one stream.
#[derive(Debug)]
pub struct Simulator {
    writer: Writer,
    tape: Tape,
    caches: Vec<Caches>,
    threads: usize,
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
        Ok(Simulator {
            writer: Writer::new(options, notes)?,
            tape: Tape::default(),
            caches: sizes.chunks(MOST_CACHES).map(|sizes| Caches::new(sizes, honours_syncs)).collect(),
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
        let mut runs: Vec<_> = self.caches.iter_mut().map(|caches| Run { caches, neighbours }).collect();
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

    /// A row for each distinct size, ascending.
    fn finish(mut self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        self.follow();
        let block_bytes = i64::from(self.writer.options().block_bytes);
        let mut rows = Vec::new();
        for (size_blocks, written) in self.caches.iter().flat_map(Caches::written) {
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
