//! The tables of runs' results. The column run numbers the runs in the order of the settings.

use super::measures::Measures;
use super::process_state::ProcessState;
use super::simulator::Outcome;
use super::windows::Gauge;
use crate::columns::table;
use crate::columns::Named;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

/// The tables of some runs.
#[derive(Clone, Debug)]
pub struct Tables {
    /// A row for each run: counts, and the sums of all processes' times.
    pub totals: RecordBatch,
    /// A row for each process of each run.
    pub processes: RecordBatch,
    /// A row for each window of the runs that have windows: integrals over it, in units times nanoseconds.
    pub windows: RecordBatch,
    /// A row for each event of the runs with a log, in order.
    pub log: RecordBatch,
}

impl Tables {
    pub fn of(outcomes: &[Outcome]) -> Result<Self, ArrowError> {
        Ok(Tables {
            totals: totals(outcomes)?,
            processes: processes(outcomes)?,
            windows: windows(outcomes)?,
            log: log(outcomes)?,
        })
    }
}

/// The runs with their numbers.
fn numbered(outcomes: &[Outcome]) -> impl Iterator<Item = (i32, &Outcome)> + Clone {
    (0..).zip(outcomes)
}

fn totals(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let runs = numbered(outcomes).map(|(number, outcome)| (number, &outcome.measures));
    let mut table = table!(runs.clone(), |(number, run)| {
        run: i32 = number,
        execution_ns: i64 = run.execution_ns,
        ideal_ns: i64 = run.ideal_ns,
        ideal_io_ns: i64 = run.ideal_io_ns,
        ideal_compute_ns: i64 = run.ideal_compute_ns,
        records: u64 = run.records,
        accesses: u64 = run.accesses,
        hits: u64 = run.hits,
        pending_hits: u64 = run.pending_hits,
        buffer_waits: u64 = run.buffer_waits,
        disk_reads: u64 = run.disk_reads,
        disk_writes: u64 = run.disk_writes,
        prefetches: u64 = run.prefetches,
        rereads: u64 = run.rereads,
        rewrites: u64 = run.rewrites,
        busy_ns: f64 = run.busy_ns as f64,
        busiest_ns: i64 = run.busiest_ns,
        longest_queue: u64 = run.longest_queue,
        events: u64 = run.events,
        clock_events: u64 = run.clock_events,
        hit_ratio: Option<f64> = (run.accesses > 0).then(|| run.hits as f64 / run.accesses as f64),
    });
    for &state in ProcessState::ALL {
        let spent_ns = |run: &Measures| {
            let processes = run.processes.iter();
            processes.map(|process| i128::from(process.spent_ns[state as usize])).sum::<i128>() as f64
        };
        table.column::<f64>(state.name(), runs.clone().map(|(_, run)| spent_ns(run)))?;
    }
    table.batch()
}

fn processes(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let rows = numbered(outcomes).flat_map(|(run, outcome)| {
        let processes = (0..).zip(&outcome.measures.processes);
        processes.map(move |(number, process)| (run, number, process))
    });
    let mut table = table!(rows.clone(), |(number, process_number, process)| {
        run: i32 = number,
        application: i32 = process.application as i32,
        process: i32 = process_number,
        records: u64 = process.records,
        requests: u64 = process.requests,
        finished_ns: i64 = process.finished_ns,
    });
    for &state in ProcessState::ALL {
        let spent_ns = rows.clone().map(|(.., process)| process.spent_ns[state as usize]);
        table.column::<i64>(state.name(), spent_ns)?;
    }
    table.batch()
}

fn windows(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let runs = numbered(outcomes);
    let runs = runs.filter_map(|(run, outcome)| Some((run, outcome.windows.as_ref()?)));
    let rows = runs.flat_map(|(run, windows)| {
        let numbered = (0u32..).zip(&windows.sums);
        numbered.map(move |(number, sums)| (run, windows, number, sums))
    });
    let mut table = table!(rows.clone(), |(number, windows, window_number, _)| {
        run: i32 = number,
        window: i32 = window_number as i32,
        start_ns: i64 = windows.start_ns(window_number),
        end_ns: i64 = windows.start_ns(window_number + 1),
    });
    for &gauge in Gauge::ALL {
        let sums = rows.clone().map(|(.., sums)| sums[gauge as usize]);
        table.column(gauge.name(), sums.map(|sum| i64::try_from(sum).unwrap_or(i64::MAX)))?;
    }
    table.batch()
}

fn log(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let rows = numbered(outcomes).flat_map(|(run, outcome)| outcome.log.iter().map(move |line| (run, line)));
    let table = table!(rows, |(number, line)| {
        run: i32 = number,
        time_ns: i64 = line.time_ns,
        event: &str = line.what.name(),
        process: Option<i32> = line.process.map(|process| process as i32),
        file: Option<i32> = line.place.map(|place| place.file as i32),
        block: Option<i64> = line.place.map(|place| place.block as i64),
        disk: Option<i32> = line.disk.map(|disk| disk as i32),
    });
    table.batch()
}
