//! From what the caches counted to a table.

use super::cache::Outcome;
use crate::replay::Writer;
use crate::stack::{too_large, Pricing, StackError};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use std::sync::Arc;

fn blocks_written(outcome: &Outcome) -> i64 {
    let written = outcome.written;
    (written.expelled + written.flushed + written.synced + written.through) as i64
}

fn mean_at_risk(outcome: &Outcome) -> f64 {
    if outcome.counted_ns == 0 {
        return 0.0;
    }
    outcome.at_risk_block_ns as f64 / outcome.counted_ns as f64
}

/// The table; `timed` where all references have a time.
pub fn table(
    writer: &Writer,
    rows: &[Outcome],
    pricing: Pricing,
    timed: bool,
) -> Result<RecordBatch, StackError> {
    let block_bytes = i64::from(writer.options().block_bytes);
    let bytes = |blocks: i64| blocks.checked_mul(block_bytes).ok_or_else(too_large);
    let mut read_times_ns = Vec::new();
    let mut write_times_ns = Vec::new();
    for outcome in rows {
        let read_bytes = bytes(outcome.block_misses[0] as i64)?;
        let written = blocks_written(outcome);
        read_times_ns.push(pricing.service_time_ns(outcome.request_misses[0] as i64, read_bytes)?);
        write_times_ns.push(pricing.service_time_ns(written, bytes(written)?)?);
    }
    let numbers = |of: &dyn Fn(&Outcome) -> i64| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    let counts = |of: &dyn Fn(&Outcome) -> u64| numbers(&|outcome| of(outcome) as i64);
    let means = rows.iter().map(|row| timed.then(|| mean_at_risk(row)));
    let longest = rows
        .iter()
        .map(|row| timed.then_some(row.longest_at_risk_ns));
    RecordBatch::try_from_iter_with_nullable([
        (
            "read_requests",
            numbers(&|_| writer.reads.requests as i64),
            false,
        ),
        (
            "read_request_misses",
            counts(&|outcome| outcome.request_misses[0]),
            false,
        ),
        (
            "read_block_misses",
            counts(&|outcome| outcome.block_misses[0]),
            false,
        ),
        (
            "write_requests",
            numbers(&|_| writer.writes.requests as i64),
            false,
        ),
        (
            "write_request_misses",
            counts(&|outcome| outcome.request_misses[1]),
            false,
        ),
        (
            "write_block_references",
            numbers(&|_| writer.writes.blocks as i64),
            false,
        ),
        (
            "write_block_misses",
            counts(&|outcome| outcome.block_misses[1]),
            false,
        ),
        ("blocks_written", numbers(&blocks_written), false),
        (
            "blocks_expelled",
            counts(&|outcome| outcome.written.expelled),
            false,
        ),
        (
            "blocks_flushed",
            counts(&|outcome| outcome.written.flushed),
            false,
        ),
        (
            "blocks_synced",
            counts(&|outcome| outcome.written.synced),
            false,
        ),
        (
            "blocks_written_through",
            counts(&|outcome| outcome.written.through),
            false,
        ),
        (
            "safe_at_end",
            counts(&|outcome| outcome.dirty_at_end[0]),
            false,
        ),
        (
            "at_risk_at_end",
            counts(&|outcome| outcome.dirty_at_end[1]),
            false,
        ),
        (
            "most_at_risk",
            counts(&|outcome| outcome.most_at_risk),
            false,
        ),
        (
            "mean_at_risk",
            Arc::new(means.collect::<Float64Array>()),
            true,
        ),
        (
            "longest_at_risk_ns",
            Arc::new(longest.collect::<Int64Array>()),
            true,
        ),
        (
            "read_service_time_ns",
            Arc::new(Int64Array::from(read_times_ns)),
            false,
        ),
        (
            "write_service_time_ns",
            Arc::new(Int64Array::from(write_times_ns)),
            false,
        ),
    ])
    .map_err(|error| StackError {
        row: None,
        reason: error.to_string(),
    })
}
