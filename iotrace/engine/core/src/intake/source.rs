//! Where events come from: a log of one format, read a little at a time.

use std::path::{Path, PathBuf};

use super::IntakeError;
use crate::call::EventSink;
use crate::input::{self, Blocks, InputError};
use crate::strace::{Scanner, TimeBase};
use crate::tally::{Reason, Skipped, Tally};
use crate::ultrix;

/// What times in the log count from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// none, epoch, time_of_day or relative.
    pub base: &'static str,
    /// The first time, in nanoseconds from that base.
    pub first_ns: Option<i64>,
    /// The finest step that the times can show.
    pub resolution_ns: Option<i64>,
}

/// What a source tells of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// Lines seen.
    pub lines: u64,
    /// Lines understood.
    pub parsed: u64,
    /// Lines not understood, by reason.
    pub skipped: Vec<(&'static str, Skipped)>,
    /// Lines understood that are no calls, by kind.
    pub remarks: Vec<(&'static str, u64)>,
    /// How times are told.
    pub times: Times,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl SourceReport {
    fn new<S: Reason, R: Reason>(
        tally: &Tally<S, R>,
        blocks: &Blocks,
        times: Times,
    ) -> SourceReport {
        let skips = tally
            .skips()
            .iter()
            .filter(|(_, skipped)| skipped.lines > 0);
        let remarks = R::ALL
            .iter()
            .map(|&kind| (kind.name(), tally.remarks(kind)));
        let mut warnings = Vec::new();
        if blocks.cut_lines() > 0 {
            warnings.push(format!(
                "{} lines are longer than 64 MB and were cut there",
                blocks.cut_lines()
            ));
        }
        SourceReport {
            lines: tally.lines,
            parsed: tally.parsed,
            skipped: skips
                .map(|(reason, skipped)| (reason.name(), skipped.clone()))
                .collect(),
            remarks: remarks.filter(|&(_, count)| count > 0).collect(),
            times,
            warnings,
        }
    }
}

/// A log being read.
pub trait EventSource: Send {
    /// Read on a little and hand over the events; false at the end. After an error of damaged input, reading on gives
    /// the end.
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, InputError>;
    /// Lines read so far.
    fn lines(&self) -> u64;
    /// Bytes read so far, and in all where that is known.
    fn progress(&self) -> (u64, Option<u64>);
    /// What there is to tell, at the end.
    fn report(&self) -> SourceReport;
}

/// Start reading files of a format.
pub fn open(
    format: &str,
    paths: &[PathBuf],
    _order: &str,
) -> Result<(&'static str, Box<dyn EventSource>), IntakeError> {
    let [path] = paths else {
        return Err(IntakeError::Usage(format!(
            "{} files cannot be read as one trace",
            paths.len()
        )));
    };
    match format {
        "strace" => Ok(("strace", Box::new(StraceLog::open(path)?))),
        "ultrix" => Ok(("ultrix", Box::new(UltrixTrace::open(path)?))),
        other => Err(IntakeError::Usage(format!("{other} is no format"))),
    }
}

/// One strace log.
struct StraceLog {
    blocks: Blocks,
    scanner: Scanner,
}

impl StraceLog {
    fn open(path: &Path) -> Result<StraceLog, InputError> {
        Ok(StraceLog {
            blocks: input::open(path)?,
            scanner: Scanner::new(),
        })
    }
}

impl EventSource for StraceLog {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, InputError> {
        match self.blocks.next_block()? {
            Some(block) => {
                self.scanner.block(block, sink);
                Ok(true)
            }
            None => {
                self.scanner.finish(sink);
                Ok(false)
            }
        }
    }

    fn lines(&self) -> u64 {
        self.scanner.tally().lines
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let progress = self.blocks.progress();
        (progress.read_bytes(), progress.total_bytes())
    }

    fn report(&self) -> SourceReport {
        let base = match self.scanner.time_base() {
            TimeBase::None => "none",
            TimeBase::Epoch => "epoch",
            TimeBase::OfDay => "time_of_day",
            TimeBase::Relative => "relative",
        };
        let times = Times {
            base,
            first_ns: self.scanner.first_time_ns(),
            resolution_ns: self.scanner.time_resolution_ns(),
        };
        SourceReport::new(self.scanner.tally(), &self.blocks, times)
    }
}

/// One ULTRIX call trace.
struct UltrixTrace {
    blocks: Blocks,
    reader: ultrix::Reader,
}

impl UltrixTrace {
    fn open(path: &Path) -> Result<UltrixTrace, InputError> {
        Ok(UltrixTrace {
            blocks: input::open(path)?,
            reader: ultrix::Reader::default(),
        })
    }
}

impl EventSource for UltrixTrace {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, InputError> {
        let Some(block) = self.blocks.next_block()? else {
            self.reader.finish(sink);
            return Ok(false);
        };
        self.reader.block(block, sink);
        Ok(true)
    }

    fn lines(&self) -> u64 {
        self.reader.tally().lines
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let progress = self.blocks.progress();
        (progress.read_bytes(), progress.total_bytes())
    }

    fn report(&self) -> SourceReport {
        let times = Times {
            base: "relative",
            first_ns: None,
            resolution_ns: Some(1),
        };
        SourceReport::new(self.reader.tally(), &self.blocks, times)
    }
}
