//! From what runs counted to a table of counts: a row for each run.

use super::measures::Measures;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use std::sync::Arc;

type Column = (&'static str, fn(&Measures) -> Option<i64>);

/// The columns of counts; times are sums in nanoseconds, percentiles null where there are none of their requests.
const COLUMNS: &[Column] = &[
    ("reads", |run| Some(run.reads as i64)),
    ("writes", |run| Some(run.writes as i64)),
    ("discards", |run| Some(run.discards as i64)),
    ("flushes", |run| Some(run.flushes as i64)),
    ("read_blocks", |run| Some(run.read_blocks as i64)),
    ("written_blocks", |run| Some(run.written_blocks as i64)),
    ("read_cache_hits", |run| Some(run.read_cache_hits as i64)),
    ("write_cache_hits", |run| Some(run.write_cache_hits as i64)),
    ("disk_reads", |run| Some(run.disk_reads as i64)),
    ("disk_writes", |run| Some(run.disk_writes() as i64)),
    ("idle_purges", |run| Some(run.idle_purges as i64)),
    ("immediate_purges", |run| Some(run.immediate_purges as i64)),
    ("write_throughs", |run| Some(run.write_throughs as i64)),
    ("purged_blocks", |run| Some(run.purged_blocks as i64)),
    ("piggybacked_blocks", |run| {
        Some(run.piggybacked_blocks as i64)
    }),
    ("piggybacked_reads", |run| {
        Some(run.piggybacked_reads as i64)
    }),
    ("stalled_reads", |run| Some(run.stalled_reads as i64)),
    ("stalled_writes", |run| Some(run.stalled_writes as i64)),
    ("read_wait_ns", |run| Some(run.read_wait_ns)),
    ("read_wait_behind_writes_ns", |run| {
        Some(run.read_wait_behind_writes_ns)
    }),
    ("wait_ns", |run| Some(run.wait_ns)),
    ("read_service_ns", |run| Some(run.read_parts.sum_ns())),
    ("read_overhead_ns", |run| Some(run.read_parts.overhead_ns)),
    ("read_seek_ns", |run| Some(run.read_parts.seek_ns)),
    ("read_rotation_ns", |run| Some(run.read_parts.rotation_ns)),
    ("read_transfer_ns", |run| Some(run.read_parts.transfer_ns)),
    ("write_service_ns", |run| Some(run.write_parts.sum_ns())),
    ("write_overhead_ns", |run| Some(run.write_parts.overhead_ns)),
    ("write_seek_ns", |run| Some(run.write_parts.seek_ns)),
    ("write_rotation_ns", |run| Some(run.write_parts.rotation_ns)),
    ("write_transfer_ns", |run| Some(run.write_parts.transfer_ns)),
    ("read_response_ns", |run| Some(run.read_response.sum_ns())),
    ("read_response_p50_ns", |run| {
        run.read_response.within_ns(500)
    }),
    ("read_response_p90_ns", |run| {
        run.read_response.within_ns(900)
    }),
    ("read_response_p95_ns", |run| {
        run.read_response.within_ns(950)
    }),
    ("read_response_p99_ns", |run| {
        run.read_response.within_ns(990)
    }),
    ("read_response_p100_ns", |run| {
        run.read_response.within_ns(1000)
    }),
    ("write_response_ns", |run| Some(run.write_response.sum_ns())),
    ("write_response_p50_ns", |run| {
        run.write_response.within_ns(500)
    }),
    ("write_response_p90_ns", |run| {
        run.write_response.within_ns(900)
    }),
    ("write_response_p95_ns", |run| {
        run.write_response.within_ns(950)
    }),
    ("write_response_p99_ns", |run| {
        run.write_response.within_ns(990)
    }),
    ("write_response_p100_ns", |run| {
        run.write_response.within_ns(1000)
    }),
    ("longest_queue", |run| Some(run.longest_queue as i64)),
    ("first_arrival_ns", |run| Some(run.first_arrival_ns)),
    ("last_arrival_ns", |run| Some(run.last_arrival_ns)),
    ("end_ns", |run| Some(run.end_ns)),
    ("busy_ns", |run| Some(run.busy_ns.iter().sum())),
    ("busiest_ns", |run| run.busy_ns.iter().max().copied()),
    ("dirty_at_end", |run| Some(run.dirty_at_end as i64)),
    ("most_dirty", |run| Some(run.most_dirty as i64)),
    ("dropped_dirty", |run| Some(run.dropped_dirty as i64)),
    ("high_blocks", |run| Some(run.high_blocks as i64)),
    ("low_blocks", |run| Some(run.low_blocks as i64)),
];

/// The table of runs.
pub fn table(runs: &[Measures]) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter(COLUMNS.iter().map(|(name, count)| {
        let column: Int64Array = runs.iter().map(count).collect();
        (*name, Arc::new(column) as ArrayRef)
    }))
}
