//! The table of the caches' counts.

use crate::cache::block_cache::{BlockCache, Misses};
use crate::cache::fetch::{Blocks, Fetched};
use crate::cache::replacement::PortionedLru;
use crate::cache::replay::{Demand, Writer};
use crate::cache::stack_distance::{too_large, Pricing};
use crate::cache::write_back::{Coalesced, DiskWrites};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// A cache that reads whole fetch blocks and writes neighbours together.
pub type Cache = BlockCache<PortionedLru, Blocks, Coalesced>;

/// Counts of one cache.
#[derive(Debug, Default)]
pub struct Outcome {
    size_blocks: u64,
    misses: Misses,
    fetched: Fetched,
    written: DiskWrites,
    /// Blocks that would be written if each were written alone.
    written_alone: u64,
}

impl Outcome {
    /// Those of a cache so far.
    pub fn of(cache: &Cache) -> Self {
        Outcome {
            size_blocks: cache.size_blocks(),
            misses: cache.misses(),
            fetched: cache.fetch.counts(),
            written: cache.write_back.written(),
            written_alone: cache.write_back.written_alone().blocks,
        }
    }
}

/// Bytes moved, and the disk's time for them.
#[derive(Debug, Clone, Copy)]
struct Transfer {
    bytes: i64,
    /// None without a cache.
    exact_bytes: Option<i64>,
    time_ns: i64,
}

/// What requests read and write without a cache: each is one access for all its blocks.
fn without_cache(reads: Demand, writes: Demand) -> Outcome {
    Outcome {
        misses: Misses {
            blocks: [reads.blocks, writes.blocks],
            requests: [reads.requests, writes.requests],
            ..Misses::default()
        },
        written: DiskWrites { runs: writes.requests, blocks: writes.blocks, ..DiskWrites::default() },
        written_alone: writes.blocks,
        ..Outcome::default()
    }
}

/// A row without a cache, of size 0, and one for each cache.
pub fn table(writer: &Writer, outcomes: &[Outcome], pricing: Pricing) -> Result<RecordBatch, Error> {
    let block_bytes = i64::from(writer.options().block_bytes);
    let bytes = |blocks: u64| (blocks as i64).checked_mul(block_bytes).ok_or_else(too_large);
    let transfer = |accesses: u64, blocks: u64, shortfall: Option<u64>| -> Result<Transfer, Error> {
        let bytes = bytes(blocks)?;
        let time_ns = pricing.service_time_ns(accesses as i64, bytes)?;
        Ok(Transfer { bytes, exact_bytes: shortfall.map(|shortfall| bytes - shortfall as i64), time_ns })
    };
    let mut rows = Vec::new();
    let (reads, writes) = (writer.reads, writer.writes);
    let without = without_cache(reads, writes);
    for outcome in std::iter::once(&without).chain(outcomes) {
        let known = |shortfall: u64| (outcome.size_blocks > 0).then_some(shortfall);
        let Outcome { misses, fetched, written, .. } = outcome;
        let blocks_read = misses.blocks[0] + fetched.prefetched_blocks;
        let read_shortfall = known(misses.read_shortfall + fetched.shortfall);
        let read = transfer(misses.requests[0], blocks_read, read_shortfall)?;
        let written = transfer(written.runs, written.blocks, known(written.shortfall))?;
        rows.push((outcome, read, written, bytes(outcome.size_blocks)?));
    }
    let table = table!(rows.iter(), |(outcome, read, written, size_bytes)| {
        size_blocks: u64 = outcome.size_blocks,
        size_bytes: i64 = *size_bytes,
        block_references: u64 = reads.blocks + writes.blocks,
        read_requests: u64 = reads.requests,
        read_request_misses: u64 = outcome.misses.requests[0],
        read_block_misses: u64 = outcome.misses.blocks[0],
        write_requests: u64 = writes.requests,
        write_request_misses: u64 = outcome.misses.requests[1],
        write_block_misses: u64 = outcome.misses.blocks[1],
        fetches: u64 = outcome.fetched.fetches,
        prefetched_blocks: u64 = outcome.fetched.prefetched_blocks,
        prefetched_hits: u64 = outcome.fetched.prefetched_hits,
        prefetched_unused: u64 = outcome.fetched.prefetched_unused,
        prefetched_at_end: u64 = outcome.fetched.prefetched_at_end,
        write_expulsions: u64 = outcome.written_alone,
        disk_writes: u64 = outcome.written.runs,
        blocks_written: u64 = outcome.written.blocks,
        dirty_at_end: u64 = outcome.written.dirty_at_end,
        read_bytes_estimated: i64 = read.bytes,
        read_bytes_exact: Option<i64> = read.exact_bytes,
        write_bytes_estimated: i64 = written.bytes,
        write_bytes_exact: Option<i64> = written.exact_bytes,
        read_service_time_ns: i64 = read.time_ns,
        write_service_time_ns: i64 = written.time_ns,
    });
    Ok(table.batch()?)
}
