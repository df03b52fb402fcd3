//! The table of the caches' counts.

use super::cache::Outcome;
use crate::cache::replay::{Demand, Writer};
use crate::cache::stack_distance::{too_large, Pricing};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

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
        block_misses: [reads.blocks, writes.blocks],
        request_misses: [reads.requests, writes.requests],
        write_expulsions: writes.blocks,
        disk_writes: writes.requests,
        blocks_written: writes.blocks,
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
        let blocks_read = outcome.block_misses[0] + outcome.prefetched_blocks;
        let read = transfer(outcome.request_misses[0], blocks_read, known(outcome.read_shortfall))?;
        let written = transfer(outcome.disk_writes, outcome.blocks_written, known(outcome.write_shortfall))?;
        rows.push((outcome, read, written, bytes(u64::from(outcome.size_blocks))?));
    }
    let table = table!(rows.iter(), |(outcome, read, written, size_bytes)| {
        size_blocks: u64 = u64::from(outcome.size_blocks),
        size_bytes: i64 = *size_bytes,
        block_references: u64 = reads.blocks + writes.blocks,
        read_requests: u64 = reads.requests,
        read_request_misses: u64 = outcome.request_misses[0],
        read_block_misses: u64 = outcome.block_misses[0],
        write_requests: u64 = writes.requests,
        write_request_misses: u64 = outcome.request_misses[1],
        write_block_misses: u64 = outcome.block_misses[1],
        fetches: u64 = outcome.fetches,
        prefetched_blocks: u64 = outcome.prefetched_blocks,
        prefetched_hits: u64 = outcome.prefetched_hits,
        prefetched_unused: u64 = outcome.prefetched_unused,
        prefetched_at_end: u64 = outcome.prefetched_at_end,
        write_expulsions: u64 = outcome.write_expulsions,
        disk_writes: u64 = outcome.disk_writes,
        blocks_written: u64 = outcome.blocks_written,
        dirty_at_end: u64 = outcome.dirty_at_end,
        read_bytes_estimated: i64 = read.bytes,
        read_bytes_exact: Option<i64> = read.exact_bytes,
        write_bytes_estimated: i64 = written.bytes,
        write_bytes_exact: Option<i64> = written.exact_bytes,
        read_service_time_ns: i64 = read.time_ns,
        write_service_time_ns: i64 = written.time_ns,
    });
    Ok(table.batch()?)
}
