//! The logs of `strace -ff -o FILE`, one `FILE.PID` for each thread, as one trace.

use super::clock::{Clock, SmallStamps, TimeBase, DAY_NS};
use super::prefix::{self, Prefix, ThreadTime};
use super::scanner::{Disorder, Scanner};
use super::skip::Skip;
use super::stacks::FRAME;
use crate::input::{Compression, InputError, Lines, Member, Progress};
use crate::syscalls::call::EventSink;
use crate::syscalls::tally::Skipped;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

/// How the logs of a set are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By their time stamps; an error if they have none.
    #[default]
    Time,
    /// One after the other, by the threads' numbers.
    Concatenate,
}

/// Why files cannot be read as a set of logs of one trace.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// There is no file of the form `FILE.PID`.
    #[error("{0}: holds no logs named FILE.PID, as strace -ff writes them")]
    Empty(String),
    /// A file's name does not end in a thread's number.
    #[error(
        "{0}: is not named FILE.PID, as strace -ff names logs: every other log is a trace of its own, of which iotrace \
         ingest --append STORE LOG adds one at a time to a store"
    )]
    NoNumber(String),
    /// The files have more than one `FILE`, or are in several folders.
    #[error(
        "{0} and {1} are of two traces, whose processes may have the same numbers: give the files of one, or add one \
         after the other to a store with iotrace ingest --append STORE FILES"
    )]
    SeveralTraces(String, String),
    /// Two logs are of one thread.
    #[error("{0} and {1} are both the log of thread {2}: give one of them")]
    SameThread(String, String, i32),
    /// A log has no time stamps that could be compared with others.
    #[error(
        "{0}: has no absolute time stamps, so the order between processes is unknown; record with -ff -ttt, or read \
         with --order concatenate"
    )]
    NoTimes(String),
}

/// Several logs being merged. Memory: one small buffer for each thread alive at the current time of the trace.
pub(super) struct LogSet {
    logs: Vec<ThreadLog>,
    /// The next event of each log: its time, the thread's number and the log's.
    queue: BinaryHeap<Reverse<(i64, i32, usize)>>,
    order: Order,
    progress: Progress,
    /// Lines with the same time as another thread's next line.
    pub tied_lines: u64,
    /// The first log in which time ran backwards.
    first_in_disorder: Option<usize>,
    /// Where lines lie that were the first to be skipped for a reason: their numbers in the order of reading, their log,
    /// and their numbers in it.
    first_skips: Vec<(u64, usize, u64)>,
}

/// What was read of one log.
#[derive(Debug, Clone, Copy)]
pub struct FileLines<'a> {
    /// Its name.
    pub name: &'a str,
    /// Lines parsed.
    pub parsed: u64,
    /// Lines skipped, for whatever reason.
    pub skipped: &'a Skipped,
    /// Whether one of these is a last line that is cut.
    pub lost_end: bool,
}

/// One thread's log.
struct ThreadLog {
    thread: i32,
    member: Member,
    clock: Clock,
    /// Open from the time of its first line to its end.
    lines: Option<Lines>,
    next: Next,
    /// The counts of its lines, once it is closed.
    long_lines: u64,
    /// Whether its last line has no newline, once it is closed.
    open_end: bool,
    /// Whether that line was left out.
    lost_end: bool,
    /// Lines read.
    read_lines: u64,
    /// Those that were parsed.
    parsed: u64,
    /// Those that were skipped, for whatever reason.
    skipped: Skipped,
    /// Lines whose time is before that of the previous line.
    disorder: Disorder,
}

/// The next entry of a log.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Its first line.
    Begin,
    /// The peeked line, and the time of the line before it.
    Line { prefix: Result<Prefix, Skip>, time_ns: Option<i64>, before_ns: Option<i64> },
    /// The return of the call whose line was read last.
    Return,
}

/// Number of lines searched for a first time stamp.
const LINES_TO_STAMP: usize = 100;

/// Number of lines read at a time.
const LINES_PER_ADVANCE: usize = 8192;

impl LogSet {
    /// Find each log's thread and first time. `place` is the set's name in error messages.
    pub fn open(mut members: Vec<Member>, order: Order, place: &str) -> Result<LogSet, SetError> {
        members.sort_by(|one, other| one.name.cmp(&other.name));
        let mut logs = Vec::new();
        let mut first = None;
        for member in members {
            let (stem, thread) =
                stem_and_thread(&member.name).ok_or_else(|| SetError::NoNumber(member.name.clone()))?;
            let (trace, name) = ((member.folder(), stem), member.name.clone());
            let (first_trace, first_name) = first.get_or_insert_with(|| (trace.clone(), name.clone()));
            if *first_trace != trace {
                return Err(SetError::SeveralTraces(first_name.clone(), name));
            }
            logs.push(ThreadLog {
                thread,
                clock: clock_of(&member)?,
                member,
                lines: None,
                next: Next::Begin,
                long_lines: 0,
                open_end: false,
                lost_end: false,
                read_lines: 0,
                parsed: 0,
                skipped: Skipped::default(),
                disorder: Disorder::default(),
            });
        }
        if logs.is_empty() {
            return Err(SetError::Empty(place.to_string()));
        }
        logs.sort_by_key(|log| log.thread);
        if let Some([one, other]) = logs.windows(2).find(|two| two[0].thread == two[1].thread) {
            return Err(SetError::SameThread(one.member.name.clone(), other.member.name.clone(), one.thread));
        }
        let total_bytes = logs.iter().map(|log| log.member.stored_bytes()).sum();
        let mut set = LogSet {
            logs,
            queue: BinaryHeap::new(),
            order,
            progress: Progress::of(Some(total_bytes)),
            tied_lines: 0,
            first_in_disorder: None,
            first_skips: Vec::new(),
        };
        set.arrange()?;
        Ok(set)
    }

    /// Overlong lines that were left out, in the logs read so far.
    pub fn long_lines(&self) -> u64 {
        let open = self.logs.iter().filter_map(|log| log.lines.as_ref());
        self.logs.iter().map(|log| log.long_lines).sum::<u64>()
            + open.map(|lines| lines.blocks().long_lines()).sum::<u64>()
    }

    /// How many of the logs that were read to their ends have a last line without a newline.
    pub fn open_ends(&self) -> u64 {
        self.logs.iter().filter(|log| log.open_end).count() as u64
    }

    pub fn lost_ends(&self) -> u64 {
        self.logs.iter().filter(|log| log.lost_end).count() as u64
    }

    /// The lines whose time is before that of the line before them in the same log, and the name of the log with the
    /// first of them, in which its number counts.
    pub fn disorder(&self) -> (Disorder, Option<&str>) {
        let first = self.first_in_disorder.map(|index| &self.logs[index]);
        let disorder = Disorder {
            lines: self.logs.iter().map(|log| log.disorder.lines).sum(),
            first_line: first.map_or(0, |log| log.disorder.first_line),
        };
        (disorder, first.map(|log| log.member.name.as_str()))
    }

    /// What was read of each log.
    pub fn by_file(&self) -> impl Iterator<Item = FileLines<'_>> {
        self.logs.iter().map(|log| FileLines {
            name: &log.member.name,
            parsed: log.parsed,
            skipped: &log.skipped,
            lost_end: log.lost_end,
        })
    }

    /// The name of the log, and the line in it, of a line that was the first to be skipped for a reason.
    pub fn place_of(&self, first_line: u64) -> Option<(&str, u64)> {
        let found = self.first_skips.iter().find(|(line, ..)| *line == first_line);
        found.map(|&(_, index, line)| (self.logs[index].member.name.as_str(), line))
    }

    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Read some lines; false at the end.
    pub fn advance<S: EventSink + ?Sized>(
        &mut self,
        scanner: &mut Scanner,
        sink: &mut S,
    ) -> Result<bool, InputError> {
        for _ in 0..LINES_PER_ADVANCE {
            let Some(Reverse((time_ns, _, index))) = self.queue.pop() else {
                return Ok(false);
            };
            let others_ns = self.queue.peek().map(|Reverse((others_ns, ..))| *others_ns);
            let by_time = self.order == Order::Time;
            if by_time && others_ns == Some(time_ns) {
                self.tied_lines += 1;
            }
            scanner.set_horizon(others_ns.filter(|_| by_time));
            let skipped = self.logs[index].skipped.lines;
            let next_ns = self.logs[index].step(scanner, sink, &self.progress, by_time);
            if self.logs[index].skipped.lines > skipped {
                self.note_first_skip(scanner, index);
            }
            let next_ns = next_ns?;
            if self.first_in_disorder.is_none() && self.logs[index].disorder.lines > 0 {
                self.first_in_disorder = Some(index);
            }
            if let Some(next_ns) = next_ns {
                // Concatenated logs keep their order.
                let key = if by_time { next_ns } else { time_ns };
                self.queue.push(Reverse((key, self.logs[index].thread, index)));
            }
        }
        Ok(true)
    }

    /// Keep the place of the line read last, if it is the first to be skipped for its reason.
    fn note_first_skip(&mut self, scanner: &Scanner, index: usize) {
        let line = scanner.tally().lines;
        if scanner.tally().skips().iter().any(|(_, skipped)| skipped.first_line == line) {
            self.first_skips.push((line, index, self.logs[index].read_lines));
        }
    }

    /// Fill the queue.
    fn arrange(&mut self) -> Result<(), SetError> {
        let mut firsts = Vec::new();
        let mut of_day = false;
        for (index, log) in self.logs.iter().enumerate() {
            let first = log.first_stamp()?;
            match (self.order, first) {
                (_, None) => {}
                (Order::Concatenate, Some(_)) => firsts.push((index as i64, index)),
                (Order::Time, Some((TimeBase::None | TimeBase::Relative, _))) => {
                    return Err(SetError::NoTimes(log.member.name.clone()));
                }
                (Order::Time, Some((base, first_ns))) => {
                    firsts.push((first_ns, index));
                    of_day |= base == TimeBase::OfDay;
                }
            }
        }
        let begin_ns = if of_day { begin_of_trace(&firsts) } else { i64::MIN };
        for (first_ns, index) in firsts {
            let next_day = first_ns < begin_ns;
            if next_day {
                self.logs[index].clock = Clock::starting_on_day(1);
            }
            let first_ns = if next_day { first_ns + DAY_NS } else { first_ns };
            self.queue.push(Reverse((first_ns, self.logs[index].thread, index)));
        }
        Ok(())
    }
}

/// The first time of a trace whose logs begin at these times of day: after the longest stretch of the day in which no
/// log begins.
fn begin_of_trace(firsts: &[(i64, usize)]) -> i64 {
    let mut times: Vec<i64> = firsts.iter().map(|&(first_ns, _)| first_ns).collect();
    times.sort_unstable();
    let before = times.iter().skip(1).zip(&times).map(|(time, before)| (time - before, *time));
    let over_midnight = times.first().zip(times.last()).map(|(first, last)| (first + DAY_NS - last, *first));
    before.chain(over_midnight).max().map_or(0, |(_, begin)| begin)
}

/// A clock for the stamps of a log, as its first lines show them.
fn clock_of(member: &Member) -> Result<Clock, InputError> {
    let (mut lines, mut small) = (member.open()?, SmallStamps::default());
    for _ in 0..LINES_TO_STAMP {
        // Damage is reported when the log is read.
        let Ok(Some(line)) = lines.peek() else { break };
        small.note(prefix::leading_stamp(line));
        lines.advance();
    }
    let mut clock = Clock::default();
    clock.set_small(small);
    Ok(clock)
}

impl ThreadLog {
    /// The log's first time stamp and its kind; None for an empty log.
    fn first_stamp(&self) -> Result<Option<(TimeBase, i64)>, InputError> {
        let mut lines = self.member.open()?;
        let mut clock = self.clock;
        let mut empty = true;
        for _ in 0..LINES_TO_STAMP {
            // Damage is reported when the log is read.
            let Ok(Some(line)) = lines.peek() else { break };
            empty = false;
            let stamp = prefix::parse(line).ok().map(|prefix| prefix.stamp);
            if let Some(time_ns) = stamp.and_then(|stamp| clock.read(stamp)) {
                return Ok(Some((clock.base(), time_ns)));
            }
            lines.advance();
        }
        Ok((!empty).then_some((TimeBase::None, 0)))
    }

    /// Read the next line, or emit the held return; then return the time of the log's next entry.
    fn step<S: EventSink + ?Sized>(
        &mut self,
        scanner: &mut Scanner,
        sink: &mut S,
        progress: &Progress,
        by_time: bool,
    ) -> Result<Option<i64>, InputError> {
        let thread = self.thread;
        match self.next {
            Next::Begin => self.lines = Some(self.member.open()?),
            Next::Return => scanner.release(thread, sink),
            Next::Line { prefix, time_ns, before_ns } => {
                let Some(lines) = &mut self.lines else {
                    return Ok(None);
                };
                let is_open = lines.blocks().open_end();
                let Some(line) = lines.peek()? else {
                    return Ok(None);
                };
                let length = line.len() as u64 + 1;
                let time_ns = time_ns.filter(|_| by_time || self.clock.base() != TimeBase::Relative);
                self.read_lines += 1;
                let (parsed, skipped) = (scanner.tally().parsed, scanner.tally().skipped_lines());
                let text = prefix.ok().and_then(|prefix| line.get(prefix.length..));
                if is_open && text.is_some_and(|text| scanner.lacks_duration(text)) {
                    scanner.leave_out(line);
                } else if scanner.line_of(line, prefix, ThreadTime { thread, time_ns }, sink) {
                    self.disorder.note(before_ns, time_ns, self.read_lines);
                }
                self.parsed += scanner.tally().parsed - parsed;
                if scanner.tally().skipped_lines() > skipped {
                    self.skipped.note(self.read_lines, line);
                    self.lost_end = is_open;
                }
                lines.advance();
                let mut read_bytes = length;
                while let Some(frame) = lines.peek()?.filter(|line| line.starts_with(FRAME)) {
                    self.read_lines += 1;
                    read_bytes += frame.len() as u64 + 1;
                    scanner.line_of(
                        frame,
                        prefix::parse(frame),
                        prefix::ThreadTime { thread, time_ns },
                        sink,
                    );
                    lines.advance();
                }
                if lines.blocks().compression() == Compression::None {
                    progress.add(read_bytes);
                }
                if let Some(return_ns) = scanner.take_held() {
                    self.next = Next::Return;
                    return Ok(Some(return_ns));
                }
            }
        }
        let next_ns = self.peek_time();
        match next_ns {
            Ok(Some(_)) => scanner.absorb_clock(&self.clock),
            Ok(None) | Err(_) => self.close(progress),
        }
        next_ns
    }

    /// The time of the next line; None at the end of the log.
    fn peek_time(&mut self) -> Result<Option<i64>, InputError> {
        let Some(lines) = &mut self.lines else {
            return Ok(None);
        };
        let Some(line) = lines.peek()? else {
            return Ok(None);
        };
        let prefix = prefix::parse(line);
        let before_ns = self.clock.last_line_ns();
        let time_ns = prefix.ok().and_then(|prefix| self.clock.read(prefix.stamp));
        self.next = Next::Line { prefix, time_ns, before_ns };
        Ok(Some(self.clock.last_ns()))
    }

    fn close(&mut self, progress: &Progress) {
        if let Some(lines) = self.lines.take() {
            self.long_lines = lines.blocks().long_lines();
            self.open_end = lines.blocks().open_end();
            if lines.blocks().compression() != Compression::None {
                progress.add(self.member.stored_bytes());
            }
        }
    }
}

/// `FILE` and `PID` of a log named `FILE.PID`, optionally followed by a compressor's suffix.
pub(super) fn stem_and_thread(name: &str) -> Option<(String, i32)> {
    let plain = [".gz", ".zst", ".xz", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let (stem, number) = plain.rsplit_once('.')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let stem = Path::new(stem).file_name()?.to_str()?;
    Some((stem.to_string(), number.parse().ok().filter(|_| digits)?))
}
