//! The table of the parts' counts.

use super::settings::Part;
use super::subcache::Outcome;
use crate::cache::replay::Demand;
use crate::cache::stack_distance::{too_large, Pricing};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// The space of a part over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quanta {
    /// Now.
    pub now: u64,
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// Summed over all requests since counting began.
    pub sum: u128,
}

/// One row of the result.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// The part's settings; None for the requests that no part takes.
    pub part: Option<Part>,
    /// The size of its blocks.
    pub block_bytes: u32,
    /// Its space.
    pub quanta: Quanta,
    /// The unit of its space.
    pub quantum_bytes: u64,
    /// The requests over which its space is summed.
    pub requests: u64,
    /// Quanta that moved between the parts of its cache.
    pub moves: u64,
    /// Reads from it.
    pub reads: Demand,
    /// Writes to it.
    pub writes: Demand,
    /// Its results.
    pub outcome: Outcome,
}

/// The table: a row for each part.
pub fn table(reports: &[Report], pricing: Pricing) -> Result<RecordBatch, Error> {
    let mut times_ns = Vec::new();
    for report in reports {
        let bytes =
            |blocks: u64| (blocks as i64).checked_mul(i64::from(report.block_bytes)).ok_or_else(too_large);
        let outcome = report.outcome;
        let time_ns = |accesses: u64, blocks| pricing.service_time_ns(accesses as i64, bytes(blocks)?);
        times_ns.push([
            time_ns(outcome.request_misses[0], outcome.block_misses[0])?,
            time_ns(outcome.write_expulsions, outcome.write_expulsions)?,
        ]);
    }
    let mean = |report: &Report| {
        let first = report.quanta.now as f64;
        let requests = report.requests;
        let mean = if requests == 0 { first } else { report.quanta.sum as f64 / requests as f64 };
        mean * report.quantum_bytes as f64
    };
    let table = table!(reports.iter().zip(&times_ns), |(report, times_ns)| {
        block_bytes: i64 = i64::from(report.block_bytes),
        first_bytes: u64 = report.part.map_or(0, |part| part.quanta) * report.quantum_bytes,
        last_bytes: u64 = report.quanta.now * report.quantum_bytes,
        least_bytes: u64 = report.quanta.least * report.quantum_bytes,
        most_bytes: u64 = report.quanta.most * report.quantum_bytes,
        mean_bytes: f64 = mean(report),
        block_references: u64 = report.reads.blocks + report.writes.blocks,
        read_block_misses: u64 = report.outcome.block_misses[0],
        write_block_misses: u64 = report.outcome.block_misses[1],
        read_requests: u64 = report.reads.requests,
        read_request_misses: u64 = report.outcome.request_misses[0],
        write_requests: u64 = report.writes.requests,
        write_request_misses: u64 = report.outcome.request_misses[1],
        write_expulsions: u64 = report.outcome.write_expulsions,
        dirty_at_end: u64 = report.outcome.dirty_at_end,
        read_service_time_ns: i64 = times_ns[0],
        write_service_time_ns: i64 = times_ns[1],
        moves: u64 = report.moves,
    });
    Ok(table.batch()?)
}
