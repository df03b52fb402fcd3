//! Tables of a run's counts.

use super::clock::Times;
use super::log::Log;
use super::machine::Machine;
use super::tally::Tally;
use crate::columns::table;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

/// All results of a run; times are absent without a clock.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A row for each application, node, phase and file: counts.
    pub counts: RecordBatch,
    /// A row for each request, if the log was kept.
    pub requests: RecordBatch,
    /// A row for each resource: its busy time.
    pub resources: RecordBatch,
    /// The end time of each process.
    pub processes: RecordBatch,
    pub execution_ns: Option<i64>,
    pub drained_ns: Option<i64>,
    pub distinct_blocks: u64,
    pub thresholds: Option<(u32, u32)>,
}

pub(super) fn outcome(machine: &Machine, log: &Log, times: Option<Times>) -> Result<Outcome, ArrowError> {
    let has_clock = times.is_some();
    let times = times.unwrap_or_default();
    Ok(Outcome {
        counts: counts(machine)?,
        requests: requests(log)?,
        resources: resources(&times)?,
        processes: processes(&times)?,
        execution_ns: has_clock.then_some(times.execution_ns),
        drained_ns: has_clock.then_some(times.drained_ns),
        distinct_blocks: machine.distinct_blocks() as u64,
        thresholds: machine.thresholds(),
    })
}

fn counts(machine: &Machine) -> Result<RecordBatch, ArrowError> {
    let tallies: Vec<_> = machine.tallies().map(|(key, tally)| (key, tally.values())).collect();
    let mut table = table!(tallies.iter(), |((application, node, phase, file), _)| {
        application: i64 = i64::from(*application),
        node: i64 = i64::from(*node),
        phase: Option<i64> = phase.map(i64::from),
        file: i64 = i64::from(*file),
    });
    for (number, name) in Tally::NAMES.iter().enumerate() {
        table.column(name, tallies.iter().map(|(_, values)| values[number]))?;
    }
    table.batch()
}

fn requests(log: &Log) -> Result<RecordBatch, ArrowError> {
    let table = table!(log.entries.iter(), |entry| {
        row: u64 = entry.row,
        local_hits: u64 = entry.local_hits,
        global_hits: u64 = entry.global_hits,
        global_misses: u64 = entry.global_misses,
        round: u64 = entry.bypass,
        begin_ns: i64 = entry.begin_ns,
        end_ns: i64 = entry.end_ns,
    });
    table.batch()
}

fn resources(times: &Times) -> Result<RecordBatch, ArrowError> {
    let table = table!(times.resources.iter(), |(kind, number, queue, busy_ns)| {
        resource: &str = *kind,
        number: i64 = i64::from(*number),
        busy_ns: i64 = *busy_ns,
        waited_ns: f64 = queue.waited_ns as f64,
        served: u64 = queue.served,
    });
    table.batch()
}

fn processes(times: &Times) -> Result<RecordBatch, ArrowError> {
    let table = table!((0..).zip(&times.ended_ns), |(process, ended_ns)| {
        process: i64 = process,
        ended_ns: i64 = *ended_ns,
    });
    table.batch()
}
