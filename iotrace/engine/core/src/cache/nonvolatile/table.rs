//! The table of the caches' counts.

use crate::cache::block_cache::Misses;
use crate::cache::replay::Writer;
use crate::cache::stack_distance::{too_large, Pricing};
use crate::cache::write_back::nonvolatile::Outcome;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

fn blocks_written(outcome: &Outcome) -> i64 {
    let written = outcome.written;
    (written.evicted + written.flushed + written.synced + written.through) as i64
}

/// The mean of a number of blocks, given blocks times ns.
fn mean_blocks(block_ns: i128, counted_ns: i64) -> f64 {
    if counted_ns == 0 {
        return 0.0;
    }
    block_ns as f64 / counted_ns as f64
}

/// The table; `timed` if all references have a time.
pub fn table(
    writer: &Writer,
    rows: &[(Misses, Outcome)],
    pricing: Pricing,
    timed: bool,
) -> Result<RecordBatch, Error> {
    let block_bytes = i64::from(writer.options().block_bytes);
    let bytes = |blocks: i64| blocks.checked_mul(block_bytes).ok_or_else(too_large);
    let mut times_ns = Vec::new();
    for (misses, outcome) in rows {
        let read_bytes = bytes(misses.blocks[0] as i64)?;
        let written = blocks_written(outcome);
        times_ns.push([
            pricing.service_time_ns(misses.requests[0] as i64, read_bytes)?,
            pricing.service_time_ns(written, bytes(written)?)?,
        ]);
    }
    let (reads, writes) = (writer.reads, writer.writes);
    let table = table!(rows.iter().zip(&times_ns), |((misses, outcome), times_ns)| {
        read_requests: u64 = reads.requests,
        read_request_misses: u64 = misses.requests[0],
        read_block_misses: u64 = misses.blocks[0],
        write_requests: u64 = writes.requests,
        write_request_misses: u64 = misses.requests[1],
        write_block_references: u64 = writes.blocks,
        write_block_misses: u64 = misses.blocks[1],
        blocks_written: i64 = blocks_written(outcome),
        blocks_expelled: u64 = outcome.written.evicted,
        blocks_flushed: u64 = outcome.written.flushed,
        blocks_synced: u64 = outcome.written.synced,
        blocks_written_through: u64 = outcome.written.through,
        nonvolatile_block_writes: u64 = outcome.nonvolatile_writes,
        safe_at_end: u64 = outcome.dirty_at_end[0],
        at_risk_at_end: u64 = outcome.dirty_at_end[1],
        most_at_risk: u64 = outcome.most_at_risk,
        mean_at_risk: Option<f64> = timed.then(|| mean_blocks(outcome.at_risk_block_ns, outcome.counted_ns)),
        longest_at_risk_ns: Option<i64> = timed.then_some(outcome.longest_at_risk_ns),
        unsecured_blocks_written: u64 = outcome.unsecured_written,
        unsecured_at_end: u64 = outcome.dirty_at_end[2],
        most_unsecured: u64 = outcome.most_unsecured,
        mean_unsecured: Option<f64> =
            timed.then(|| mean_blocks(outcome.unsecured_block_ns, outcome.counted_ns)),
        least_volatile_blocks: i64 = i64::from(outcome.least_volatile_blocks),
        read_service_time_ns: i64 = times_ns[0],
        write_service_time_ns: i64 = times_ns[1],
    });
    Ok(table.batch()?)
}
