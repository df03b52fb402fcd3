//! What came of runs, as tables. The column run counts them in the order of the settings.

use super::measures::Measures;
use super::processes::Doing;
use super::simulator::Outcome;
use super::windows::Gauge;
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use std::sync::Arc;

type Count = (&'static str, fn(&Measures) -> i64);

/// The columns of counts; times in nanoseconds.
const COUNTS: &[Count] = &[
    ("execution_ns", |run| run.execution_ns),
    ("ideal_ns", |run| run.ideal_ns),
    ("ideal_io_ns", |run| run.ideal_io_ns),
    ("ideal_compute_ns", |run| run.ideal_compute_ns),
    ("records", |run| run.records as i64),
    ("accesses", |run| run.accesses as i64),
    ("hits", |run| run.hits as i64),
    ("pending_hits", |run| run.pending_hits as i64),
    ("buffer_waits", |run| run.buffer_waits as i64),
    ("disk_reads", |run| run.disk_reads as i64),
    ("disk_writes", |run| run.disk_writes as i64),
    ("prefetches", |run| run.prefetches as i64),
    ("rereads", |run| run.rereads as i64),
    ("rewrites", |run| run.rewrites as i64),
    ("busy_ns", |run| run.busy_ns),
    ("busiest_ns", |run| run.busiest_ns),
    ("longest_queue", |run| run.longest_queue as i64),
    ("events", |run| run.events as i64),
    ("clock_events", |run| run.clock_events as i64),
];

/// The tables of some runs.
#[derive(Clone, Debug)]
pub struct Tables {
    /// A row for each run: counts, and the sums of all processes' times.
    pub totals: RecordBatch,
    /// A row for each process of each run.
    pub processes: RecordBatch,
    /// A row for each window of the runs that have windows: integrals over it, in units times nanoseconds.
    pub windows: RecordBatch,
    /// A row for all that happened in the runs that have a log, in its order.
    pub log: RecordBatch,
}

type Column = (&'static str, ArrayRef);

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

fn whole(name: &'static str, values: impl Iterator<Item = i64>) -> Column {
    (name, Arc::new(Int64Array::from_iter_values(values)))
}

fn number(name: &'static str, values: impl Iterator<Item = i32>) -> Column {
    (name, Arc::new(Int32Array::from_iter_values(values)))
}

fn totals(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let runs = || outcomes.iter().map(|outcome| &outcome.measures);
    let mut columns = vec![number("run", 0..outcomes.len() as i32)];
    columns.extend(
        COUNTS
            .iter()
            .map(|(name, count)| whole(name, runs().map(count))),
    );
    let hit_ratio =
        runs().map(|run| (run.accesses > 0).then(|| run.hits as f64 / run.accesses as f64));
    columns.push(("hit_ratio", Arc::new(Float64Array::from_iter(hit_ratio))));
    columns.extend(Doing::ALL.iter().map(|&(doing, name)| {
        let sum = |run: &Measures| {
            run.processes
                .iter()
                .map(|one| one.spent_ns[doing as usize])
                .sum()
        };
        whole(name, runs().map(sum))
    }));
    RecordBatch::try_from_iter(columns)
}

fn processes(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let rows = || {
        let runs = outcomes.iter().zip(0i32..);
        runs.flat_map(|(outcome, run)| {
            let numbered = outcome.measures.processes.iter().zip(0i32..);
            numbered.map(move |(lifetime, process)| (run, process, lifetime))
        })
    };
    let mut columns = vec![
        number("run", rows().map(|(run, ..)| run)),
        number(
            "application",
            rows().map(|(.., one)| one.application as i32),
        ),
        number("process", rows().map(|(_, process, _)| process)),
        whole("records", rows().map(|(.., one)| one.records as i64)),
        whole("requests", rows().map(|(.., one)| one.requests as i64)),
        whole("finished_ns", rows().map(|(.., one)| one.finished_ns)),
    ];
    columns.extend(Doing::ALL.iter().map(|&(doing, name)| {
        whole(
            name,
            rows().map(move |(.., one)| one.spent_ns[doing as usize]),
        )
    }));
    RecordBatch::try_from_iter(columns)
}

fn windows(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let runs = outcomes.iter().zip(0i32..);
    let of_runs: Vec<_> = runs
        .filter_map(|(outcome, run)| outcome.windows.as_ref().map(|windows| (run, windows)))
        .collect();
    let rows = || {
        of_runs.iter().flat_map(|(run, windows)| {
            (0u32..)
                .zip(&windows.sums)
                .map(move |(window, sums)| (*run, *windows, window, sums))
        })
    };
    let mut columns = vec![
        number("run", rows().map(|(run, ..)| run)),
        number("window", rows().map(|(_, _, window, _)| window as i32)),
        whole(
            "start_ns",
            rows().map(|(_, windows, window, _)| windows.start_ns(window)),
        ),
        whole(
            "end_ns",
            rows().map(|(_, windows, window, _)| windows.start_ns(window + 1)),
        ),
    ];
    columns.extend(Gauge::NAMES.iter().enumerate().map(|(gauge, name)| {
        let sum = move |sums: &[i128; Gauge::COUNT]| i64::try_from(sums[gauge]).unwrap_or(i64::MAX);
        whole(name, rows().map(move |(.., sums)| sum(sums)))
    }));
    RecordBatch::try_from_iter(columns)
}

fn log(outcomes: &[Outcome]) -> Result<RecordBatch, ArrowError> {
    let rows = || {
        let runs = outcomes.iter().zip(0i32..);
        runs.flat_map(|(outcome, run)| outcome.log.iter().map(move |line| (run, line)))
    };
    let small = |values: &mut dyn Iterator<Item = Option<u32>>| -> ArrayRef {
        Arc::new(Int32Array::from_iter(
            values.map(|value| value.map(|value| value as i32)),
        ))
    };
    let names: Vec<_> = rows().map(|(_, line)| line.what.name()).collect();
    let blocks = rows().map(|(_, line)| line.place.map(|place| place.block as i64));
    RecordBatch::try_from_iter([
        number("run", rows().map(|(run, _)| run)),
        whole("time_ns", rows().map(|(_, line)| line.time_ns)),
        (
            "event",
            Arc::new(StringArray::from_iter_values(names)) as ArrayRef,
        ),
        ("process", small(&mut rows().map(|(_, line)| line.process))),
        (
            "file",
            small(&mut rows().map(|(_, line)| line.place.map(|place| place.file))),
        ),
        ("block", Arc::new(Int64Array::from_iter(blocks)) as ArrayRef),
        ("disk", small(&mut rows().map(|(_, line)| line.disk))),
    ])
}
