//! The table of runs' counts: a row for each run.

use super::measures::Measures;
use crate::columns::table;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

/// The table of runs; times are sums in nanoseconds, those over waiting requests to the precision of a float, since
/// they can exceed 64 bits. Percentiles are null without requests of their kind.
pub fn table(runs: &[Measures]) -> Result<RecordBatch, ArrowError> {
    let table = table!(runs.iter(), |run| {
        reads: u64 = run.reads,
        writes: u64 = run.writes,
        discards: u64 = run.discards,
        flushes: u64 = run.flushes,
        read_blocks: u64 = run.read_blocks,
        written_blocks: u64 = run.written_blocks,
        written_units: u64 = run.written_units,
        partial_entries: u64 = run.partial_entries,
        read_cache_hits: u64 = run.read_cache_hits,
        write_cache_hits: u64 = run.write_cache_hits,
        disk_reads: u64 = run.disk_reads,
        disk_writes: u64 = run.disk_writes(),
        idle_purges: u64 = run.idle_purges,
        immediate_purges: u64 = run.immediate_purges,
        write_throughs: u64 = run.write_throughs,
        purged_blocks: u64 = run.purged_blocks,
        piggybacked_blocks: u64 = run.piggybacked_blocks,
        piggybacked_reads: u64 = run.piggybacked_reads,
        stalled_reads: u64 = run.stalled_reads,
        stalled_writes: u64 = run.stalled_writes,
        read_wait_ns: f64 = run.read_wait_ns as f64,
        read_wait_behind_writes_ns: f64 = run.read_wait_behind_writes_ns as f64,
        wait_ns: f64 = run.wait_ns as f64,
        read_service_ns: i64 = run.read_parts.sum_ns(),
        read_overhead_ns: i64 = run.read_parts.overhead_ns,
        read_seek_ns: i64 = run.read_parts.seek_ns,
        read_rotation_ns: i64 = run.read_parts.rotation_ns,
        read_transfer_ns: i64 = run.read_parts.transfer_ns,
        write_service_ns: i64 = run.write_parts.sum_ns(),
        write_overhead_ns: i64 = run.write_parts.overhead_ns,
        write_seek_ns: i64 = run.write_parts.seek_ns,
        write_rotation_ns: i64 = run.write_parts.rotation_ns,
        write_transfer_ns: i64 = run.write_parts.transfer_ns,
        read_response_ns: f64 = run.read_response.sum_ns() as f64,
        read_response_p50_ns: Option<i64> = run.read_response.within_ns(500),
        read_response_p90_ns: Option<i64> = run.read_response.within_ns(900),
        read_response_p95_ns: Option<i64> = run.read_response.within_ns(950),
        read_response_p99_ns: Option<i64> = run.read_response.within_ns(990),
        read_response_p100_ns: Option<i64> = run.read_response.within_ns(1000),
        write_response_ns: f64 = run.write_response.sum_ns() as f64,
        write_response_p50_ns: Option<i64> = run.write_response.within_ns(500),
        write_response_p90_ns: Option<i64> = run.write_response.within_ns(900),
        write_response_p95_ns: Option<i64> = run.write_response.within_ns(950),
        write_response_p99_ns: Option<i64> = run.write_response.within_ns(990),
        write_response_p100_ns: Option<i64> = run.write_response.within_ns(1000),
        longest_queue: u64 = run.longest_queue,
        first_arrival_ns: i64 = run.first_arrival_ns,
        last_arrival_ns: i64 = run.last_arrival_ns,
        end_ns: i64 = run.end_ns,
        busy_ns: f64 = run.busy_ns.iter().map(|&ns| i128::from(ns)).sum::<i128>() as f64,
        busiest_ns: Option<i64> = run.busy_ns.iter().max().copied(),
        dirty_at_start: u64 = run.dirty_at_start,
        dirty_at_end: u64 = run.dirty_at_end,
        most_dirty: u64 = run.most_dirty,
        dropped_dirty: u64 = run.dropped_dirty,
        high_blocks: u64 = run.high_blocks,
        low_blocks: u64 = run.low_blocks,
    });
    table.batch()
}
