//! The main road: a log's events go to the process table, the native table and the file table at once, and the
//! tables come out as batches.

mod impossible;
mod last_tables;
mod report;
mod rows;
mod source;

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

pub use impossible::ImpossibleValues;
pub use report::{Counts, Report};
pub use rows::Rows;
pub use source::{open, EventSource, SourceReport, Times};

use crate::error::Error;
use crate::input::InputError;
use crate::reconstruct::file_table::{FileTable, KnownFiles, Model};
use crate::reconstruct::process_table::ProcessTable;
use crate::reconstruct::syscall_table::SyscallTable;
use crate::syscalls::call::{Event, EventSink};

/// A log of which nothing was understood after so many lines is no log.
const LINES_TO_JUDGE: u64 = 100_000;

/// Why a trace cannot be taken in.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The input cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The input has not one system call.
    #[error("{}", no_trace(format, *lines, first.as_ref()))]
    NoTrace {
        /// What it was read as.
        format: &'static str,
        /// Lines seen.
        lines: u64,
        /// The first line that was not understood, and how it begins.
        first: Option<(u64, String)>,
    },
    /// The caller's words do not fit.
    #[error("{0}")]
    Usage(String),
    /// A batch could not be built.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

impl From<Error> for IntakeError {
    fn from(error: Error) -> Self {
        IntakeError::Usage(error.to_string())
    }
}

fn no_trace(format: &str, lines: u64, first: Option<&(u64, String)>) -> String {
    let of_lines = format!("is no {format} log: none of its {lines} lines is a system call");
    match first {
        _ if lines == 0 => "is empty".to_owned(),
        Some((line, excerpt)) => format!("{of_lines}; line {line} is: {excerpt}"),
        None => of_lines,
    }
}

/// A batch of the table of this name.
pub type NamedBatch = (&'static str, RecordBatch);

/// Reads a trace to its tables.
pub struct Intake {
    format: &'static str,
    source: Box<dyn EventSource>,
    tables: Tables,
    finished: bool,
    damage: Option<String>,
}

impl Intake {
    /// Start reading. With `native`, table `syscall` is made too; without, only what is derived from it.
    pub fn new(
        format: &'static str,
        source: Box<dyn EventSource>,
        model: Model,
        known: KnownFiles,
        native: bool,
    ) -> Intake {
        let tables = Tables {
            processes: ProcessTable::default(),
            syscalls: native.then(SyscallTable::new),
            files: FileTable::new(model, known),
            zero_ns: None,
            last_ns: 0,
            calls: 0,
            uses: 0,
            impossible: ImpossibleValues::default(),
            unlisted_disagreements: 0,
            ready: VecDeque::new(),
            failure: None,
        };
        Intake { format, source, tables, finished: false, damage: None }
    }

    /// Read on until some batches are complete; None at the end of the trace. Damaged input ends the trace where the
    /// damage is, which the report says.
    pub fn next_batches(&mut self) -> Result<Option<Vec<NamedBatch>>, IntakeError> {
        while !self.finished && self.tables.ready.is_empty() {
            match self.source.advance(&mut self.tables) {
                Ok(true) => self.judge_early()?,
                Ok(false) => self.finish()?,
                Err(IntakeError::Input(damage @ InputError::Damaged { .. })) => {
                    self.damage = Some(damage.to_string())
                }
                Err(error) => return Err(error),
            }
            if let Some(failure) = self.tables.failure.take() {
                return Err(failure.into());
            }
        }
        if self.tables.ready.is_empty() {
            return Ok(self.tables.rest()?.map(|batch| vec![batch]));
        }
        Ok(Some(self.tables.ready.drain(..).collect()))
    }

    fn judge_early(&self) -> Result<(), IntakeError> {
        if self.tables.calls > 0 || self.source.lines() < LINES_TO_JUDGE {
            return Ok(());
        }
        Err(self.no_trace())
    }

    fn no_trace(&self) -> IntakeError {
        let report = self.source.report();
        let first = report.skipped.iter().min_by_key(|(_, skipped)| skipped.first_line);
        IntakeError::NoTrace {
            format: self.format,
            lines: report.lines,
            first: first.map(|(_, skipped)| (skipped.first_line, skipped.excerpt.clone())),
        }
    }

    fn finish(&mut self) -> Result<(), IntakeError> {
        if self.tables.calls == 0 {
            return Err(match self.damage.take() {
                Some(damage) => IntakeError::Usage(damage),
                None => self.no_trace(),
            });
        }
        self.finished = true;
        self.tables.finish()?;
        Ok(())
    }

    /// Bytes read, and bytes in all where that is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        self.source.progress()
    }

    /// Counts and warnings, at the end.
    pub fn report(&self) -> Report {
        Report::new(&self.source.report(), &self.tables, self.damage.as_deref())
    }
}

/// The tables under construction.
struct Tables {
    processes: ProcessTable,
    syscalls: Option<SyscallTable>,
    files: FileTable,
    zero_ns: Option<i64>,
    last_ns: i64,
    calls: i64,
    uses: i64,
    impossible: ImpossibleValues,
    unlisted_disagreements: i64,
    ready: VecDeque<NamedBatch>,
    failure: Option<ArrowError>,
}

impl EventSink for Tables {
    fn event(&mut self, mut event: Event<'_>) {
        if let Event::Issued(call) | Event::Returned(call) = &mut event {
            self.impossible.remove_from(call);
        }
        self.count_from_zero(&mut event);
        let process = self.processes.row(&event);
        self.files.event(&event, process);
        if let Err(failure) = self.collect(&event, process) {
            self.failure.get_or_insert(failure);
        }
    }
}

impl Tables {
    /// Count the event's time from the first event of the trace.
    fn count_from_zero(&mut self, event: &mut Event<'_>) {
        let (time_ns, duration_ns) = match event {
            Event::Issued(call) | Event::Returned(call) => (&mut call.time_ns, call.duration_ns),
            Event::Ended(ended) => (&mut ended.time_ns, None),
        };
        if let Some(time) = time_ns {
            let zero = *self.zero_ns.get_or_insert(*time);
            *time = time.saturating_sub(zero);
            self.last_ns = self.last_ns.max(time.saturating_add(duration_ns.unwrap_or(0)));
        }
    }

    fn collect(&mut self, event: &Event<'_>, process: i32) -> Result<(), ArrowError> {
        match event {
            Event::Issued(_) => return Ok(()),
            Event::Returned(call) => {
                self.calls += 1;
                if let Some(syscalls) = &mut self.syscalls {
                    syscalls.push(call, process);
                }
            }
            Event::Ended(ended) => {
                if let Some(syscalls) = &mut self.syscalls {
                    syscalls.push_end(ended, process);
                }
            }
        }
        if let Some(syscalls) = self.syscalls.as_mut().filter(|syscalls| syscalls.is_full()) {
            self.ready.push_back(("syscall", syscalls.take_batch()?));
        }
        self.derived(false)
    }

    fn derived(&mut self, last: bool) -> Result<(), ArrowError> {
        if let Some(batch) = self.files.references(last)? {
            self.ready.push_back(("reference", batch));
        }
        if let Some(batch) = self.files.uses(last)? {
            self.uses += batch.num_rows() as i64;
            self.ready.push_back(("use", batch));
        }
        if let Some(batch) = self.files.mappings(last)? {
            self.ready.push_back(("mapping", batch));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ArrowError> {
        self.files.finish();
        if let Some(syscalls) = self.syscalls.as_mut().filter(|syscalls| syscalls.rows() > 0) {
            self.ready.push_back(("syscall", syscalls.take_batch()?));
        }
        self.derived(true)?;
        if self.syscalls.is_some() {
            let disagreements = self.files.disagreements();
            self.unlisted_disagreements = disagreements.unlisted;
            let batch = last_tables::disagreements(&disagreements.listed)?;
            self.ready.push_back(("disagreement", batch));
            let mut left = self.files.inherited_descriptors();
            loop {
                let (batch, rest) = last_tables::inherited_descriptors(left)?;
                self.ready.push_back(("inherited_descriptor", batch));
                if rest.is_empty() {
                    break;
                }
                left = rest;
            }
        }
        Ok(())
    }

    /// The next batch of the tables that are complete only at the end.
    fn rest(&mut self) -> Result<Option<NamedBatch>, ArrowError> {
        if let Some(batch) = self.processes.next_batch()? {
            return Ok(Some(("process", batch)));
        }
        Ok(self.files.next_files()?.map(|batch| ("file", batch)))
    }
}
