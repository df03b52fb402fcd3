//! From what the parts counted to a table.

use super::adaptive::Report;
use crate::stack::{too_large, Pricing, StackError};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use std::sync::Arc;

/// The table: a row for each part, its space summed over so many requests.
pub fn table(
    reports: &[Report],
    quantum_bytes: u64,
    requests: u64,
    pricing: Pricing,
) -> Result<RecordBatch, StackError> {
    let mut times_ns = [Vec::new(), Vec::new()];
    for report in reports {
        let bytes = |blocks: u64| {
            (blocks as i64)
                .checked_mul(i64::from(report.block_bytes))
                .ok_or_else(too_large)
        };
        let outcome = report.outcome;
        times_ns[0].push(pricing.service_time_ns(
            outcome.request_misses[0] as i64,
            bytes(outcome.block_misses[0])?,
        )?);
        times_ns[1].push(pricing.service_time_ns(
            outcome.write_expulsions as i64,
            bytes(outcome.write_expulsions)?,
        )?);
    }
    let numbers = |of: &dyn Fn(&Report) -> u64| -> ArrayRef {
        let column: Int64Array = reports.iter().map(|report| of(report) as i64).collect();
        Arc::new(column)
    };
    let mean = |report: &Report| {
        let first = report.quanta.now as f64;
        let mean = if requests == 0 {
            first
        } else {
            report.quanta.sum as f64 / requests as f64
        };
        mean * quantum_bytes as f64
    };
    let means: Float64Array = reports.iter().map(|report| Some(mean(report))).collect();
    let [read_times_ns, write_times_ns] = times_ns.map(|times| Arc::new(Int64Array::from(times)));
    RecordBatch::try_from_iter([
        (
            "block_bytes",
            numbers(&|report| u64::from(report.block_bytes)),
        ),
        (
            "first_bytes",
            numbers(&|report| report.part.map_or(0, |part| part.quanta) * quantum_bytes),
        ),
        (
            "last_bytes",
            numbers(&|report| report.quanta.now * quantum_bytes),
        ),
        (
            "least_bytes",
            numbers(&|report| report.quanta.least * quantum_bytes),
        ),
        (
            "most_bytes",
            numbers(&|report| report.quanta.most * quantum_bytes),
        ),
        ("mean_bytes", Arc::new(means) as ArrayRef),
        (
            "block_references",
            numbers(&|report| report.reads.blocks + report.writes.blocks),
        ),
        (
            "read_block_misses",
            numbers(&|report| report.outcome.block_misses[0]),
        ),
        (
            "write_block_misses",
            numbers(&|report| report.outcome.block_misses[1]),
        ),
        ("read_requests", numbers(&|report| report.reads.requests)),
        (
            "read_request_misses",
            numbers(&|report| report.outcome.request_misses[0]),
        ),
        ("write_requests", numbers(&|report| report.writes.requests)),
        (
            "write_request_misses",
            numbers(&|report| report.outcome.request_misses[1]),
        ),
        (
            "write_expulsions",
            numbers(&|report| report.outcome.write_expulsions),
        ),
        (
            "dirty_at_end",
            numbers(&|report| report.outcome.dirty_at_end),
        ),
        ("read_service_time_ns", read_times_ns),
        ("write_service_time_ns", write_times_ns),
    ])
    .map_err(|error| StackError {
        row: None,
        reason: error.to_string(),
    })
}
