//! The intake: a log's events go to the process table, the native table and the file table in one pass, and the tables
//! are returned as batches.

mod ahead;
mod error;
mod impossible;
mod last_tables;
mod report;
mod rows;
mod source;
mod tables;

pub use error::IntakeError;
pub use impossible::ImpossibleValues;
pub use report::{Counts, Report};
pub use rows::Rows;
pub use source::{open, EventSource, SourceReport, Times};
pub use tables::NamedBatch;

use crate::input::InputError;
use crate::reconstruct::file_table::{KnownFiles, Model};
use ahead::Ahead;
use tables::Tables;

/// A log is rejected if none of its first lines, up to this number, could be parsed.
const LINES_TO_JUDGE: u64 = 100_000;

/// Reads a trace to its tables.
pub struct Intake {
    format: &'static str,
    source: Ahead,
    tables: Tables,
    finished: bool,
    damage: Option<String>,
}

impl Intake {
    /// Start reading. With `native`, table `syscall` is also made; without it, only the tables derived from it.
    pub fn new(
        format: &'static str,
        source: Box<dyn EventSource>,
        model: Model,
        known: KnownFiles,
        native: bool,
    ) -> Intake {
        let (source, tables) = (Ahead::new(source), Tables::new(model, known, native));
        Intake { format, source, tables, finished: false, damage: None }
    }

    /// Have another thread read the events before their turn.
    pub fn read_ahead(&mut self) {
        self.source.read_ahead();
    }

    /// Read until some batches are complete; None at the end of the trace. Damaged input ends the trace at the damage,
    /// which the report states.
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
        let has_calls = self.tables.calls > 0 || self.source.holds_calls();
        if has_calls || self.source.lines() < LINES_TO_JUDGE {
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
        if let Some((file, skipped)) = self.source.unreadable() {
            return Err(IntakeError::NoTraceOf {
                file: file.to_owned(),
                lines: skipped.lines,
                first: (skipped.first_line, skipped.excerpt.clone()),
            });
        }
        self.finished = true;
        self.tables.finish()?;
        Ok(())
    }

    /// Bytes read, and total bytes if known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        self.source.progress()
    }

    /// Counts and warnings, at the end.
    pub fn report(&self) -> Report {
        let source = self.source.report();
        let damage = self.damage.as_deref().or(source.damage.as_deref());
        Report::new(&source, &self.tables, damage)
    }
}
