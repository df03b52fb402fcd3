//! Partitions of a cache over the same references, side by side.

use super::lane::{Lane, Rows};
use super::settings::{Part, Settings};
use super::table::{table, Report};
use crate::cache::replay::{Notes, Writer, TAPE_BLOCKS};
use crate::cache::stack_distance::{Columns, Operation, Options, Pricing, Reference, Tally, WritePolicy};
use crate::cache::StreamSimulator;
use crate::error::Error;
use arrow_array::RecordBatch;

/// The block size in which requests that no part takes are counted.
const UNCACHED_BLOCK_BYTES: u32 = 4096;

/// Caches split among the components of a stream; each part is an LRU cache with its own block size. All caches have
/// parts of the same block sizes, so that the blocks of a request are numbered once for all; see `Lane` for the rest.
#[derive(Debug)]
pub struct AdaptivePartition {
    lanes: Vec<Lane>,
    /// Of each part, and of what no part takes.
    writers: Vec<Writer>,
    rows: Rows,
    tally: Tally,
}

impl AdaptivePartition {
    /// Empty caches; `options` has everything but the block size. Fails if the settings are invalid.
    pub fn new(options: &Options, settings: Vec<Settings>) -> Result<Self, Error> {
        if options.write_policy != WritePolicy::Allocate || options.inodes_per_block.is_some() {
            let reason = "an adaptive partition takes the write policy allocate, and each inode by itself";
            return Err(Error::of(reason));
        }
        if options.warm_up_requests > 0 {
            return Err(Error::of("the warm-up of an adaptive partition must be a time"));
        }
        settings.iter().try_for_each(check)?;
        let uncached = Part { block_bytes: UNCACHED_BLOCK_BYTES, quanta: 0, weight: 0.0 };
        let lanes: Vec<Lane> = settings.into_iter().map(|own| Lane::new(own, uncached)).collect();
        let blocks = |lane: &Lane| lane.parts.iter().map(|busy| busy.part.block_bytes).collect::<Vec<_>>();
        let block_bytes = lanes.first().map(blocks).unwrap_or_default();
        if lanes.iter().any(|lane| blocks(lane) != block_bytes) {
            return Err(Error::of("partitions side by side have parts of the same block sizes"));
        }
        let writer = |block_bytes: &u32| {
            let own = Options { block_bytes: *block_bytes, warm_up_requests: 0, ..options.clone() };
            Writer::new(own, Notes::default())
        };
        Ok(AdaptivePartition {
            writers: block_bytes.iter().map(writer).collect::<Result<_, _>>()?,
            lanes,
            rows: Rows::default(),
            tally: Tally::default(),
        })
    }

    /// Write what one row does to a part.
    fn give(
        &mut self,
        place: usize,
        columns: &Columns<'_>,
        row: usize,
        reference: Reference,
    ) -> Result<(), Error> {
        if let Some(writer) = self.writers.get_mut(place) {
            writer.write_one(columns, row, reference, &mut self.rows.tape)?;
            self.rows.places.resize(self.rows.tape.steps.len(), place);
        }
        Ok(())
    }

    /// Let each cache in turn follow the rows that were written, so that its lists stay in the processor's caches.
    fn follow(&mut self) {
        let blocks: Vec<usize> = self.writers.iter().map(Writer::distinct_blocks).collect();
        for lane in &mut self.lanes {
            lane.follow(&self.rows, &blocks);
        }
        self.rows.tape.clear();
        self.rows.places.clear();
    }
}

fn check(settings: &Settings) -> Result<(), Error> {
    let refuse = |reason: &str| Err(Error::of(reason));
    let whole = |part: &Part| {
        let blocks = settings.quantum_bytes.checked_rem(u64::from(part.block_bytes));
        settings.quantum_bytes > 0 && blocks == Some(0)
    };
    if !settings.parts.iter().all(whole) {
        return refuse("the space that moves must be a multiple of every part's block size");
    }
    if settings.parts.iter().any(|part| part.quanta == 0) {
        return refuse("each part needs at least the space that moves at a time");
    }
    let total = settings.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.quanta));
    if total.is_none_or(|quanta| quanta.checked_mul(settings.quantum_bytes).is_none()) {
        return refuse("the cache is larger than 2^64 bytes");
    }
    Ok(())
}

impl StreamSimulator for AdaptivePartition {
    /// `component` is the number of the part; any other number means no part.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch, self.tally.rows)?;
        for row in 0..columns.len() {
            let reference = columns.reference(row)?;
            match reference.operation {
                Operation::Read | Operation::Write => {
                    let place = (reference.component as usize).min(self.writers.len().saturating_sub(1));
                    self.give(place, &columns, row, reference)?;
                }
                Operation::Truncate | Operation::Delete | Operation::Evict => {
                    for place in 0..self.writers.len() {
                        self.give(place, &columns, row, reference)?;
                    }
                }
                Operation::Sync => self.tally.syncs += 1,
            }
            self.tally.rows += 1;
            if self.rows.tape.touches.len() >= TAPE_BLOCKS {
                self.follow();
            }
        }
        self.follow();
        Ok(())
    }

    /// Quanta that moved so far.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("moves", self.lanes.iter().map(|lane| lane.moves).sum())]
    }

    /// What the stream contained so far; blocks are distinct within each part.
    fn tally(&self) -> Tally {
        let mut sum = self.tally.clone();
        for writer in &self.writers {
            let own = writer.tally();
            sum.requests += own.requests;
            sum.empty_requests += own.empty_requests;
            sum.unknown_lengths += own.unknown_lengths;
            sum.unknown_offsets += own.unknown_offsets;
            sum.distinct_blocks += own.distinct_blocks;
            (sum.truncates, sum.deletes) = (own.truncates, own.deletes);
        }
        sum
    }

    /// For each cache a row for each part in order, and one for requests that no part takes: the columns of the result
    /// adaptive_partition in queries/results.toml but its first, and the moves of the cache.
    fn finish(self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error> {
        let mut reports = Vec::new();
        for lane in &self.lanes {
            let last = lane.parts.len() - 1;
            for (place, (busy, writer)) in lane.parts.iter().zip(&self.writers).enumerate() {
                reports.push(Report {
                    part: (place < last).then_some(busy.part),
                    block_bytes: busy.part.block_bytes,
                    quanta: busy.quanta,
                    quantum_bytes: lane.settings.quantum_bytes,
                    requests: lane.counted_requests,
                    moves: lane.moves,
                    reads: writer.reads,
                    writes: writer.writes,
                    outcome: busy.subcache.outcome(),
                });
            }
        }
        table(&reports, pricing)
    }
}
