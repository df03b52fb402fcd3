//! From what a run counted to tables.

use super::clock::Times;
use super::log::Log;
use super::machine::Machine;
use super::tally::Tally;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// All that a run tells; times are absent where there was no clock.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A row for each application, node, phase and file: counts.
    pub counts: RecordBatch,
    /// A row for each request, where the log was kept.
    pub requests: RecordBatch,
    /// A row for each resource: how busy.
    pub resources: RecordBatch,
    /// When each process ended.
    pub processes: RecordBatch,
    pub execution_ns: Option<i64>,
    pub drained_ns: Option<i64>,
    pub distinct_blocks: u64,
    pub thresholds: Option<(u32, u32)>,
}

fn integers(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

pub(super) fn outcome(
    machine: &Machine,
    log: &Log,
    times: Option<Times>,
) -> Result<Outcome, ArrowError> {
    let has_clock = times.is_some();
    let times = times.unwrap_or_default();
    Ok(Outcome {
        counts: counts(machine)?,
        requests: requests(log)?,
        resources: resources(&times)?,
        processes: RecordBatch::try_from_iter([
            ("process", integers(0..times.ended_ns.len() as i64)),
            ("ended_ns", integers(times.ended_ns.iter().copied())),
        ])?,
        execution_ns: has_clock.then_some(times.execution_ns),
        drained_ns: has_clock.then_some(times.drained_ns),
        distinct_blocks: machine.distinct_blocks() as u64,
        thresholds: machine.thresholds(),
    })
}

fn counts(machine: &Machine) -> Result<RecordBatch, ArrowError> {
    let keys = || machine.tallies().map(|(key, _)| key);
    let phases: Int64Array = keys().map(|key| key.2.map(i64::from)).collect();
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("application", integers(keys().map(|key| i64::from(key.0)))),
        ("node", integers(keys().map(|key| i64::from(key.1)))),
        ("phase", Arc::new(phases)),
        ("file", integers(keys().map(|key| i64::from(key.3)))),
    ];
    let values: Vec<Vec<u64>> = machine.tallies().map(|(_, tally)| tally.values()).collect();
    for (number, name) in Tally::NAMES.iter().enumerate() {
        let column = values.iter().map(|row| row[number] as i64);
        columns.push((name, integers(column)));
    }
    RecordBatch::try_from_iter(columns)
}

fn requests(log: &Log) -> Result<RecordBatch, ArrowError> {
    let all = &log.entries;
    RecordBatch::try_from_iter([
        ("row", integers(all.iter().map(|one| one.row as i64))),
        (
            "local_hits",
            integers(all.iter().map(|one| one.local_hits as i64)),
        ),
        (
            "global_hits",
            integers(all.iter().map(|one| one.global_hits as i64)),
        ),
        (
            "global_misses",
            integers(all.iter().map(|one| one.global_misses as i64)),
        ),
        ("round", integers(all.iter().map(|one| one.round as i64))),
        ("begin_ns", integers(all.iter().map(|one| one.begin_ns))),
        ("end_ns", integers(all.iter().map(|one| one.end_ns))),
    ])
}

fn resources(times: &Times) -> Result<RecordBatch, ArrowError> {
    let all = &times.resources;
    let kinds = StringArray::from_iter_values(all.iter().map(|one| one.0));
    RecordBatch::try_from_iter([
        ("resource", Arc::new(kinds) as ArrayRef),
        ("number", integers(all.iter().map(|one| i64::from(one.1)))),
        ("busy_ns", integers(all.iter().map(|one| one.3))),
        ("waited_ns", integers(all.iter().map(|one| one.2.waited_ns))),
        (
            "served",
            integers(all.iter().map(|one| one.2.served as i64)),
        ),
    ])
}
