//! Sources of events: a log of one format, read in parts.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::IntakeError;
use crate::columns::Named;
use crate::input::{self, Blocks, LONGEST_LINE};
use crate::reconstruct::file_table::{KnownDescriptor, KnownFiles};
use crate::recording::RecordingError;
use crate::syscalls::call::EventSink;
use crate::syscalls::perf;
use crate::syscalls::recording::{Processes, Recording};
use crate::syscalls::strace::{Disorder, FileLines, Log, Order, Remark, SetError, Skip, TimeBase};
use crate::syscalls::tally::{Skipped, Tally};
use crate::syscalls::{snoops, text, ultrix};

/// The origin of the log's times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// none, epoch, time_of_day or relative.
    pub base: &'static str,
    /// The first time, in nanoseconds from that base.
    pub first_ns: Option<i64>,
    /// The resolution of the times.
    pub resolution_ns: Option<i64>,
}

/// The message about a last line that is cut.
const CUT: &str = "is not a complete record (cut short): it is left out";

/// A source's report on its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// Lines seen.
    pub lines: u64,
    /// Lines parsed.
    pub parsed: u64,
    /// Lines not parsed, by reason.
    pub skipped: Vec<(&'static str, Skipped)>,
    /// Lines parsed that are not calls, by kind.
    pub remarks: Vec<(&'static str, u64)>,
    /// How the log states times.
    pub times: Times,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Why the end of the log is not among its calls.
    pub damage: Option<String>,
    /// Calls of which the log has only the beginning or only the end.
    pub half_calls: u64,
    /// The files of a log of several that have skipped lines.
    pub skipped_by_file: Vec<(String, FileCounts)>,
    /// What only logs of this format show, with how often.
    pub others: Vec<(&'static str, i64)>,
}

/// How many lines of a file are records, and how many of these were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FileCounts {
    /// Lines parsed or skipped.
    pub records: u64,
    /// Lines skipped.
    pub skipped: u64,
}

impl SourceReport {
    fn new<S: Named, R: Named>(tally: &Tally<S, R>, long_lines: u64, times: Times) -> SourceReport {
        let skips = tally.skips().iter().filter(|(_, skipped)| skipped.lines > 0);
        let remarks = R::ALL.iter().map(|&kind| (kind.name(), tally.remarks(kind)));
        let mut warnings = Vec::new();
        if long_lines > 0 {
            let longest_mb = LONGEST_LINE >> 20;
            warnings.push(format!("{long_lines} lines are longer than {longest_mb} MB and were left out"));
        }
        SourceReport {
            lines: tally.lines,
            parsed: tally.parsed,
            skipped: skips.map(|(reason, skipped)| (reason.name(), skipped.clone())).collect(),
            remarks: remarks.filter(|&(_, count)| count > 0).collect(),
            times,
            warnings,
            damage: None,
            half_calls: 0,
            skipped_by_file: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Say that a file's last line has no end: that it was left out, or that it may be cut.
    fn set_open_end(&mut self, path: &Path, is_lost: bool) {
        let last = format!("{}: the last line has no end", path.display());
        if is_lost {
            self.damage = Some(format!("{last} and {CUT}"));
        } else {
            self.warnings.push(format!("{last}: it may be cut"));
        }
    }

    /// Say that time runs backwards in a log, or in one of its files.
    fn set_disorder(&mut self, disorder: Disorder, file: Option<&str>) {
        if disorder.lines > 0 {
            let of_file = file.map_or(String::new(), |name| format!(" of {name}"));
            self.warnings.push(format!(
                "time runs backwards at {} lines, first at line {}{of_file}: the log is not in the order of its time stamps \
                 (or its clock was set back), and offsets and times that depend on the order may be wrong",
                disorder.lines, disorder.first_line
            ));
        }
    }

    /// Say the same of the files of a set that end with such lines.
    fn set_open_ends(&mut self, count: u64, lost: u64) {
        let last = "of the log's files end with a line that has no end";
        if lost > 0 {
            self.damage = Some(format!("{lost} {last} and {CUT}"));
        }
        if count > lost {
            self.warnings.push(format!("{} {last}: it may be cut", count - lost));
        }
    }
}

impl SourceReport {
    /// Count some of the lines that are not calls as output of the traced program, not as records; `damaged` are the
    /// others.
    fn set_foreign_apart(&mut self, damaged: Skipped, foreign: &Skipped) {
        let not_a_call = |(reason, _): &(&str, Skipped)| *reason == Skip::NotACall.name();
        let Some(place) = self.skipped.iter().position(not_a_call) else {
            return;
        };
        if foreign.lines == 0 {
            return;
        }
        self.warnings.push(format!(
            "{} lines are not calls and were taken for output of the traced program; the first line of that kind \
             is line {}: {}",
            foreign.lines, foreign.first_line, foreign.excerpt
        ));
        if damaged.lines == 0 {
            self.skipped.remove(place);
        } else {
            self.skipped[place].1 = damaged;
        }
        self.remarks.push((Remark::Foreign.name(), foreign.lines));
    }
}

/// A log being read.
pub trait EventSource: Send {
    /// Read a part and emit its events; false at the end. After an error of damaged input, the next call reports the
    /// end.
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError>;
    /// Lines read so far.
    fn lines(&self) -> u64;
    /// Whether calls were read whose events are still to come.
    fn holds_calls(&self) -> bool {
        false
    }
    /// Bytes read so far, and total bytes if known.
    fn progress(&self) -> (u64, Option<u64>);
    /// Add what the source says of processes from before it, and where it starts.
    fn add_known(&self, _known: &mut KnownFiles) {}
    /// The report, at the end.
    fn report(&self) -> SourceReport;
    /// The first file of several of which no line could be parsed, with how many there are, and the first of them.
    fn unreadable(&self) -> Option<(&str, &Skipped)> {
        None
    }
}

/// Start reading the files of one trace of a format. `order` is how a set of files is merged: time or concatenate. The
/// files of an archive may take `most_unpacked_bytes` of temporary space in total.
pub fn open(
    format: &str,
    paths: &[PathBuf],
    order: &str,
    most_unpacked_bytes: u64,
) -> Result<(&'static str, Box<dyn EventSource>), IntakeError> {
    let order = match order {
        "time" => Order::Time,
        "concatenate" => Order::Concatenate,
        other => return Err(IntakeError::Usage(format!("unknown order of files: {other}"))),
    };
    match (format, paths) {
        ("strace", _) => Ok(("strace", Box::new(StraceLog::open(paths, order, most_unpacked_bytes)?))),
        ("ultrix", [path]) => Ok(("ultrix", Box::new(UltrixTrace::open(path)?))),
        ("ultrix", _) => Err(IntakeError::Usage("an ultrix trace must be one file".to_string())),
        ("perf", _) => Ok(("perf", Box::new(PerfLog::open(paths)))),
        ("ftrace", _) => Ok(("ftrace", Box::new(PerfLog::open(paths)))),
        ("opensnoop", [path]) => Ok(("opensnoop", Box::new(SnoopTable::open(path)?))),
        ("opensnoop", _) => Err(IntakeError::Usage("a table of opensnoop must be one file".to_string())),
        ("iorec", [path]) => Ok(("iorec", Box::new(Recorded::open(path, most_unpacked_bytes)?))),
        ("iorec", _) => Err(IntakeError::Usage("a recording must be one file".to_string())),
        (other, _) => Err(IntakeError::Usage(format!("unknown system-call format: {other}"))),
    }
}

/// A strace log: one file, several, or an archive.
struct StraceLog {
    log: Log,
}

impl StraceLog {
    fn open(paths: &[PathBuf], order: Order, most_unpacked_bytes: u64) -> Result<StraceLog, IntakeError> {
        let log = Log::open_within(paths, order, most_unpacked_bytes).map_err(|error| match error {
            SetError::Input(error) => IntakeError::Input(error),
            other => IntakeError::Usage(other.to_string()),
        })?;
        Ok(StraceLog { log })
    }
}

impl EventSource for StraceLog {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        Ok(self.log.advance(sink)?)
    }

    fn lines(&self) -> u64 {
        self.log.scanner().tally().lines
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let progress = self.log.progress();
        (progress.read_bytes(), progress.total_bytes())
    }

    fn report(&self) -> SourceReport {
        let scanner = self.log.scanner();
        let base = match scanner.time_base() {
            TimeBase::None => "none",
            TimeBase::Epoch => "epoch",
            TimeBase::OfDay => "time_of_day",
            TimeBase::Relative => "relative",
        };
        let times =
            Times { base, first_ns: scanner.first_time_ns(), resolution_ns: scanner.time_resolution_ns() };
        let mut report = SourceReport::new(scanner.tally(), self.log.long_lines(), times);
        let (damaged, foreign) = self.log.damaged_and_foreign();
        report.set_foreign_apart(damaged, &foreign);
        for (_, skipped) in &mut report.skipped {
            if let Some((file, line)) = self.log.place_of(skipped.first_line) {
                (skipped.first_line, skipped.file) = (line, Some(file.to_owned()));
            }
        }
        report.skipped_by_file = self.log.by_file().iter().filter_map(counted).collect();
        report.half_calls = scanner.half_calls();
        let (disorder, file) = self.log.disorder();
        report.set_disorder(disorder, file);
        match (self.log.one_path(), self.log.open_ends()) {
            (_, 0) => {}
            (Some(path), _) => report.set_open_end(path, self.log.lost_ends() > 0),
            (None, count) => report.set_open_ends(count, self.log.lost_ends()),
        }
        if let Some(name) = self.log.archive_cut_at() {
            report.damage = Some(format!("the archive is cut short at {name}: what follows is missing"));
        }
        if let [first, ..] = self.log.links() {
            report.warnings.push(format!(
                "the archive holds {} links, which are not read; the first is {first}",
                self.log.links().len()
            ));
        }
        if self.log.tied_lines() > 0 {
            report.warnings.push(format!(
                "{} lines have the time stamp of another process's next line, so that their order is not known; \
                 record with -ttt for finer stamps",
                self.log.tied_lines()
            ));
        }
        report
    }

    /// A log that is only the beginning of a line is that of a thread that ended with strace.
    fn unreadable(&self) -> Option<(&str, &Skipped)> {
        let files = self.log.by_file();
        let is_unreadable =
            |file: &&FileLines<'_>| file.parsed == 0 && file.skipped.lines > u64::from(file.lost_end);
        files.iter().find(is_unreadable).filter(|_| files.len() > 1).map(|file| (file.name, file.skipped))
    }
}

/// A cut last line is damage, which is said of all files together.
fn counted(file: &FileLines<'_>) -> Option<(String, FileCounts)> {
    let skipped = file.skipped.lines - u64::from(file.lost_end);
    (skipped > 0).then(|| (file.name.to_owned(), FileCounts { records: file.parsed + skipped, skipped }))
}

/// The lines of one file.
struct OneFile {
    blocks: Blocks,
    /// The lines that were skipped before a last line without a newline.
    cut_before: Option<u64>,
}

impl OneFile {
    fn open(path: &Path) -> Result<OneFile, IntakeError> {
        Ok(OneFile { blocks: input::open(path)?, cut_before: None })
    }

    /// The next lines; `skipped_lines` are those that the reader has skipped so far.
    fn next(&mut self, skipped_lines: u64) -> Result<Option<&[u8]>, IntakeError> {
        let block = self.blocks.next_block()?;
        if block.is_some_and(|block| !block.ends_with(b"\n")) {
            self.cut_before = Some(skipped_lines);
        }
        Ok(block)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let progress = self.blocks.progress();
        (progress.read_bytes(), progress.total_bytes())
    }

    /// Say that the last line has no end, at the end of the file.
    fn report_open_end(&self, skipped_lines: u64, report: &mut SourceReport) {
        if self.blocks.open_end() {
            let is_lost = self.cut_before.is_some_and(|before| skipped_lines > before);
            report.set_open_end(self.blocks.path(), is_lost);
        }
    }
}

/// One ULTRIX call trace.
struct UltrixTrace {
    file: OneFile,
    reader: ultrix::Reader,
}

impl UltrixTrace {
    fn open(path: &Path) -> Result<UltrixTrace, IntakeError> {
        Ok(UltrixTrace { file: OneFile::open(path)?, reader: ultrix::Reader::default() })
    }
}

impl EventSource for UltrixTrace {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let Some(block) = self.file.next(self.reader.tally().skipped_lines())? else {
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
        self.file.progress()
    }

    fn report(&self) -> SourceReport {
        let times = Times { base: "relative", first_ns: None, resolution_ns: Some(1) };
        let mut report = SourceReport::new(self.reader.tally(), self.file.blocks.long_lines(), times);
        self.file.report_open_end(self.reader.tally().skipped_lines(), &mut report);
        report
    }
}

/// A log of perf trace, perf script or ftrace, in files that follow each other.
struct PerfLog {
    files: VecDeque<PathBuf>,
    blocks: Option<Blocks>,
    reader: perf::Reader,
    /// Bytes of the files that were read to their ends.
    done_bytes: u64,
    total_bytes: Option<u64>,
    long_lines: u64,
    /// The files that end with a line that has no end, and whether that was left out.
    open_ends: Vec<(PathBuf, bool)>,
}

impl PerfLog {
    fn open(paths: &[PathBuf]) -> PerfLog {
        let sizes = paths.iter().map(|path| path.metadata().ok().filter(|data| data.is_file()));
        PerfLog {
            files: paths.iter().cloned().collect(),
            blocks: None,
            reader: perf::Reader::default(),
            done_bytes: 0,
            total_bytes: sizes.map(|data| data.map(|data| data.len())).sum(),
            long_lines: 0,
            open_ends: Vec::new(),
        }
    }

    fn refuse_other_machine(&self) -> Result<(), IntakeError> {
        let Some(machine) = self.reader.other_machine() else { return Ok(()) };
        let path = self.blocks.as_ref().map_or(String::new(), |blocks| blocks.path().display().to_string());
        Err(IntakeError::Usage(format!(
            "{path}: was recorded on {machine}; the calls of perf script are known by number for x86_64 only: record \
             syscalls:* instead of raw_syscalls:*, or use perf trace"
        )))
    }
}

impl EventSource for PerfLog {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let blocks = match &mut self.blocks {
            Some(blocks) => blocks,
            None => match self.files.pop_front() {
                Some(path) => self.blocks.insert(input::open(&path)?),
                None => {
                    self.reader.finish(sink);
                    return Ok(false);
                }
            },
        };
        let Some(block) = blocks.next_block()? else {
            self.done_bytes += blocks.progress().read_bytes();
            self.long_lines += blocks.long_lines();
            self.blocks = None;
            return Ok(true);
        };
        let skipped = self.reader.tally().skipped_lines();
        let has_end = block.ends_with(b"\n");
        self.reader.block(block, sink);
        if !has_end {
            let is_lost = self.reader.tally().skipped_lines() > skipped;
            self.open_ends.push((blocks.path().to_owned(), is_lost));
        }
        self.refuse_other_machine()?;
        Ok(true)
    }

    fn lines(&self) -> u64 {
        self.reader.tally().lines
    }

    fn holds_calls(&self) -> bool {
        self.reader.holds_calls()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let here = self.blocks.as_ref().map_or(0, |blocks| blocks.progress().read_bytes());
        (self.done_bytes + here, self.total_bytes)
    }

    fn report(&self) -> SourceReport {
        let reader = &self.reader;
        let times = Times { base: "relative", first_ns: None, resolution_ns: reader.resolution_ns() };
        let mut report = SourceReport::new(reader.tally(), self.long_lines, times);
        report.half_calls = reader.half_calls();
        report.others =
            vec![("paths_as_pointers", reader.pointers() as i64), ("lost_records", reader.lost_records())];
        if reader.pointers() > 0 {
            let shown_by = if reader.is_of_trace() { "" } else { ", and so may perf trace" };
            report.warnings.push(format!(
                "{} paths are pointers in this log: files are known by process and descriptor only, and look-ups are \
                 missing; iotrace record shows paths{shown_by}",
                reader.pointers()
            ));
        }
        report.set_disorder(reader.disorder(), None);
        if reader.ties() > 0 {
            report.warnings.push(format!(
                "{} lines have the time of another thread's next line, so that their order is not known",
                reader.ties()
            ));
        }
        for (path, is_lost) in &self.open_ends {
            report.set_open_end(path, *is_lost);
        }
        report
    }
}

/// A table of opensnoop or syncsnoop.
struct SnoopTable {
    file: OneFile,
    reader: snoops::Reader,
}

impl SnoopTable {
    fn open(path: &Path) -> Result<SnoopTable, IntakeError> {
        Ok(SnoopTable { file: OneFile::open(path)?, reader: snoops::Reader::default() })
    }
}

impl EventSource for SnoopTable {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let Some(block) = self.file.next(self.reader.tally().skipped_lines())? else {
            return Ok(false);
        };
        self.reader.block(block, sink);
        Ok(true)
    }

    fn lines(&self) -> u64 {
        self.reader.tally().lines
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.file.progress()
    }

    fn report(&self) -> SourceReport {
        let (base, resolution_ns) = self.reader.times();
        let times = Times { base, first_ns: None, resolution_ns };
        let mut report = SourceReport::new(self.reader.tally(), self.file.blocks.long_lines(), times);
        report.others = vec![("lost_records", self.reader.lost_records())];
        report.warnings.push(
            "the table has one kind of call: what was read, written or closed is not in it, and relative paths start in \
             unknown directories"
                .to_owned(),
        );
        if self.reader.cut_paths() > 0 {
            report.warnings.push(format!(
                "{} paths have 63 bytes, at which bpftrace cuts them: they may be longer (BPFTRACE_STRLEN=200 keeps more)",
                self.reader.cut_paths()
            ));
        }
        self.file.report_open_end(self.reader.tally().skipped_lines(), &mut report);
        report
    }
}

/// A recording of iotrace.
struct Recorded {
    path: PathBuf,
    recording: Recording,
}

impl Recorded {
    fn open(path: &Path, most_unpacked_bytes: u64) -> Result<Recorded, IntakeError> {
        let recording =
            Recording::open(path, most_unpacked_bytes).map_err(|error| of_recording(path, error))?;
        Ok(Recorded { path: path.to_owned(), recording })
    }
}

impl Recorded {
    /// Why the end of the recording is missing.
    fn damage(&self) -> Option<String> {
        self.recording.damage(&self.path)
    }
}

fn of_recording(path: &Path, error: RecordingError) -> IntakeError {
    match error {
        RecordingError::Input(error) => IntakeError::Input(error),
        other => IntakeError::Usage(format!("{}: {other}", path.display())),
    }
}

impl EventSource for Recorded {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let more = self.recording.advance(sink).map_err(|error| of_recording(&self.path, error))?;
        if let (false, 0, Some(damage)) = (more, self.recording.records(), self.damage()) {
            return Err(IntakeError::Usage(damage));
        }
        Ok(more)
    }

    fn lines(&self) -> u64 {
        self.recording.records()
    }

    fn holds_calls(&self) -> bool {
        self.recording.holds_records()
    }

    fn add_known(&self, known: &mut KnownFiles) {
        let shown = |directory: &[u8]| {
            let mut shown = Vec::new();
            text::show_name(directory, &mut shown);
            shown
        };
        if let (false, Some(directory)) = (known.has_start_directory(), self.recording.start_directory()) {
            known.set_start_directory(&shown(directory));
        }
        let Processes { threads, directories, programs, descriptors } = self.recording.processes();
        for (process, directory) in directories {
            known.set_directory(process, &shown(&directory));
        }
        for (process, program) in programs {
            known.set_program(process, &shown(&program));
        }
        threads.into_iter().for_each(|(thread, process)| known.set_group(thread, process));
        if self.recording.sample().is_some() {
            known.set_sample();
        }
        for (process, fd, position, append) in descriptors {
            known.insert_descriptor(process, fd, KnownDescriptor { position, append });
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.recording.progress()
    }

    fn report(&self) -> SourceReport {
        let recording = &self.recording;
        let records = recording.records();
        let [calls, lives, names, processes, narrow, events] = recording.lost().map(|count| count as i64);
        let mut report = SourceReport {
            lines: records,
            parsed: records,
            times: Times { base: "epoch", first_ns: recording.first_ns(), resolution_ns: Some(1) },
            others: vec![
                ("lost_records", calls + lives),
                ("lost_lives", lives),
                ("lost_events", events),
                ("lost_names", names),
                ("lost_processes", processes),
                ("narrow_calls", narrow),
            ],
            ..SourceReport::default()
        };
        report.others.extend(recording.groups().map(|group| (group, 1)));
        let sample = recording.sample().map(|sample| i64::from(sample.per_million));
        report.others.extend(sample.map(|per_million| ("sampled_files_per_million", per_million)));
        report.warnings.extend(recording.missing());
        if narrow > 0 {
            let calls =
                if narrow == 1 { "call of 32-bit programs is" } else { "calls of 32-bit programs are" };
            report.warnings.push(format!("{narrow} {calls} not in the recording"));
        }
        report.damage = self.damage();
        report
    }
}
