//! Calls that make sense, column by column.

use super::call::{Call, Name, Operation, Whence, UNKNOWN, UNREADABLE};
use crate::columns::Word;
use crate::fields::{self, without_returns, Keys, Names, Times, LATEST_NS, LONGEST_TRACE_NS};
use serde::Serialize;

/// No byte of a file lies beyond it.
pub const LARGEST_PLACE: i64 = 1 << 62;
/// No call moves more bytes.
pub const LONGEST_BYTES: i64 = 1 << 44;
/// No process has a larger number.
pub const LARGEST_PROCESS: i64 = (1 << 31) - 1;

/// Why a line is not a call. If several are true, the first of them counts, but what is beyond 64 bits comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    NoRow,
    NoRecord,
    NoJson,
    NoEvent,
    NoCall,
    TooFewArguments,
    NoProcess,
    NoTime,
    NoLength,
    UnknownOperation,
    NoFile,
    ProcessOutOfRange,
    ThreadOutOfRange,
    DescriptorOutOfRange,
    NegativeOffset,
    NegativeLength,
    LengthOutOfRange,
    OffsetOutOfRange,
    TimeOutOfRange,
    DurationOutOfRange,
    RequestedOutOfRange,
}

impl Word for Reason {
    const WORDS: &'static [&'static str] = &[
        "no row of eight columns or more",
        "no record of eight fields",
        "no JSON that can be read",
        "no event",
        "no call with its arguments in brackets",
        "too few arguments",
        "no process that can be read",
        "no time that can be read",
        "no length that can be read",
        "unknown operation",
        "no file that can be read",
        "process out of range",
        "thread out of range",
        "descriptor out of range",
        "negative offset",
        "negative length",
        "length out of range",
        "offset out of range",
        "time out of range",
        "duration out of range",
        "requested out of range",
    ];

    fn code(self) -> i32 {
        self as i32
    }
}

/// Durations that are none, of calls that make sense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrongDurations {
    pub unreadable_durations: u64,
    pub negative_durations: u64,
}

/// What calls show of their clock, and how many of them are of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    pub times: Times,
    /// Reads and writes, and those of them that have an offset.
    pub moves: u64,
    pub placed_moves: u64,
}

/// The numbers that names have in the tables of a trace.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Of each process of the calls.
    pub processes: Vec<i32>,
    /// Of each file of the calls.
    pub files: Vec<i32>,
    /// Of each machine of the calls, below 0 if unknown.
    pub nodes: Vec<i32>,
}

/// The calls of some lines, column by column, and the lines that are none.
#[derive(Debug, Default)]
pub struct Calls {
    /// The number of lines.
    pub lines: u64,
    /// The places of lines that are not calls, from 0.
    skipped: Vec<(u32, Reason)>,
    wrong_durations: WrongDurations,
    pub(super) files: NamesOrHashes,
    /// Names in place of these.
    file_names: Option<Vec<String>>,
    pub(super) hosts: NamesOrHashes,
    /// Each at its machine.
    pub(super) processes: Keys<(i64, i32)>,
    remarks: Remarks,
    /// Lines in which a log says that it is incomplete.
    pub warnings: Vec<String>,
    pub(super) record: Vec<u32>,
    pub(super) time: Vec<i64>,
    pub(super) duration: Vec<i64>,
    pub(super) process: Vec<i32>,
    pub(super) thread: Vec<i64>,
    pub(super) layer: Vec<i32>,
    pub(super) operation: Vec<Operation>,
    /// The place among the names, below 0 for none; so are those of machines.
    pub(super) file: Vec<i32>,
    pub(super) offset: Vec<i64>,
    pub(super) length: Vec<i64>,
    pub(super) host: Vec<i32>,
    pub(super) descriptor: Vec<i64>,
    pub(super) whence: Vec<i32>,
    pub(super) requested: Vec<i64>,
    pub(super) flags: Vec<i32>,
    /// The list-I/O call of which each call is a part, or `UNKNOWN`; empty in formats without such calls.
    pub(super) lists: Vec<i64>,
}

/// Read complete lines, each of which `take` puts among the calls.
pub(super) fn read<'t>(block: &'t [u8], mut take: impl FnMut(&mut Calls, &'t [u8])) -> Calls {
    let mut calls = Calls::default();
    calls.reserve(block.len() / 64);
    let mut start = 0;
    while start < block.len() {
        let end = memchr::memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
        take(&mut calls, without_returns(&block[start..end]));
        calls.lines += 1;
        start = end + 1;
    }
    calls
}

impl Calls {
    fn reserve(&mut self, rows: usize) {
        self.record.reserve(rows);
        self.time.reserve(rows);
        self.duration.reserve(rows);
        self.process.reserve(rows);
        self.thread.reserve(rows);
        self.layer.reserve(rows);
        self.operation.reserve(rows);
        self.offset.reserve(rows);
        self.length.reserve(rows);
    }

    /// Count the next line as none that is a call.
    pub(super) fn skip(&mut self, reason: Reason) {
        self.skipped.push((self.lines as u32, reason));
    }

    /// Count the next line under these two parts of a remark.
    pub(super) fn remark(&mut self, what: &str, of: &str) {
        self.remarks.count(what, of);
    }

    /// Take the call of the next line, which names a file unless it is a barrier.
    ///
    /// # Errors
    /// Why it is invalid.
    #[inline]
    pub(super) fn take(&mut self, call: &Call<'_>) -> Result<(), Reason> {
        if call.file.is_none() && call.operation != Operation::Barrier {
            return Err(Reason::NoFile);
        }
        self.take_of_any_file(call)
    }

    /// Take the call of the next line, whose file may be unknown.
    ///
    /// # Errors
    /// Why it is invalid.
    #[inline]
    pub(super) fn take_of_any_file(&mut self, call: &Call<'_>) -> Result<(), Reason> {
        let starts_at_0 = call.whence.is_none_or(|whence| whence == Whence::Start);
        if !(0..=LARGEST_PROCESS).contains(&call.process) {
            return Err(Reason::ProcessOutOfRange);
        }
        if call.offset < 0 && call.offset != UNKNOWN && starts_at_0 {
            return Err(Reason::NegativeOffset);
        }
        if call.length < 0 && call.length != UNKNOWN {
            return Err(Reason::NegativeLength);
        }
        if call.length > LONGEST_BYTES {
            return Err(Reason::LengthOutOfRange);
        }
        let most = LARGEST_PLACE - call.length.max(0);
        if call.offset != UNKNOWN && !(-LARGEST_PLACE..=most).contains(&call.offset) {
            return Err(Reason::OffsetOutOfRange);
        }
        if !(-LATEST_NS..=LATEST_NS).contains(&call.time) {
            return Err(Reason::TimeOutOfRange);
        }
        self.push(call);
        Ok(())
    }

    #[inline]
    fn push(&mut self, call: &Call<'_>) {
        let host = call.host.map_or(-1, |host| self.hosts.number(host));
        self.file.push(call.file.map_or(-1, |file| self.files.number(file)));
        self.host.push(host);
        self.descriptor.push(call.descriptor);
        self.whence.push(call.whence.map_or(-1, |whence| whence as i32));
        self.requested.push(call.requested);
        self.flags.push(call.flags.code());
        self.record.push(self.lines as u32);
        self.time.push(call.time);
        self.duration.push(if call.duration < 0 { UNKNOWN } else { call.duration });
        match call.duration {
            UNKNOWN | 0.. => {}
            UNREADABLE => self.wrong_durations.unreadable_durations += 1,
            _ => self.wrong_durations.negative_durations += 1,
        }
        self.process.push(self.processes.number((call.process, host)));
        self.thread.push(call.thread);
        self.layer.push(call.layer.map_or(-1, |layer| layer as i32));
        self.operation.push(call.operation);
        self.offset.push(call.offset);
        self.length.push(call.length);
    }

    /// The lines that are not calls, from 0, and why.
    pub fn skipped(&self) -> &[(u32, Reason)] {
        &self.skipped
    }

    /// The durations that are none.
    pub fn wrong_durations(&self) -> WrongDurations {
        self.wrong_durations
    }

    /// The number of calls.
    pub fn rows(&self) -> usize {
        self.record.len()
    }

    /// The processes, in the order of first sight, and each one's place among the machines, below 0 for none.
    pub fn processes(&self) -> &[(i64, i32)] {
        self.processes.all()
    }

    /// The names of files, in the order of first sight.
    pub fn files(&self) -> Vec<String> {
        self.file_names.clone().unwrap_or_else(|| self.files.texts().collect())
    }

    /// Name files otherwise than their lines do.
    pub(super) fn rename_files(&mut self, name: impl Fn(&[u8]) -> String) {
        self.file_names = Some(self.files.names.texts().map(name).collect());
    }

    /// The list-I/O call of which the last call is a part.
    pub(super) fn push_list(&mut self, list: Option<i64>) {
        self.lists.push(list.unwrap_or(UNKNOWN));
    }

    /// The process of the last call.
    pub(super) fn last_process(&self) -> Option<i64> {
        self.process.last().map(|&process| self.processes()[process as usize].0)
    }

    /// The names of machines in lines, in the order of first sight.
    pub fn hosts(&self) -> Vec<String> {
        self.hosts.texts().collect()
    }

    /// Remarks on lines that are not kept, and how many lines each is on.
    pub fn remarks(&self) -> Vec<(String, u64)> {
        self.remarks.names.texts().map(text_of).zip(self.remarks.counts.iter().copied()).collect()
    }

    /// Whether all times and durations are those of a clock: few traces have others.
    pub fn is_in_range(&self) -> bool {
        self.time.iter().all(|time_ns| (0..=LATEST_NS).contains(time_ns))
            && self.duration.iter().all(|&duration_ns| duration_ns <= LONGEST_TRACE_NS)
    }

    /// Counts of calls.
    pub fn summary(&self) -> Summary {
        let mut seen = Summary::default();
        for (row, &time_ns) in self.time.iter().enumerate() {
            seen.times.see(time_ns, self.duration[row]);
            let moves = self.operation[row].moves();
            seen.moves += u64::from(moves);
            seen.placed_moves += u64::from(moves && self.offset[row] != UNKNOWN);
        }
        seen
    }

    /// How many calls came before an earlier one in time, of which the latest before these was at `reached_ns`.
    pub fn unsorted(&self, reached_ns: i64) -> u64 {
        fields::unsorted(&self.time, reached_ns)
    }
}

fn text_of(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Names as numbers, in the order of first sight, those of which there is only a hash with a prefix.
#[derive(Debug, Default)]
pub(super) struct NamesOrHashes {
    names: Names,
    text: Vec<u8>,
}

impl NamesOrHashes {
    #[inline]
    fn number(&mut self, name: Name<'_>) -> i32 {
        if !name.is_hash {
            return self.names.number(name.text);
        }
        self.text.clear();
        self.text.extend_from_slice(b"hash:");
        self.text.extend_from_slice(name.text);
        self.names.number(&self.text)
    }

    fn texts(&self) -> impl Iterator<Item = String> + '_ {
        self.names.texts().map(text_of)
    }
}

/// Remarks on lines, in the order of first sight.
#[derive(Debug, Default)]
struct Remarks {
    names: Names,
    /// How many lines each is on.
    counts: Vec<u64>,
    text: Vec<u8>,
}

impl Remarks {
    /// Count a line.
    fn count(&mut self, what: &str, of: &str) {
        self.text.clear();
        self.text.extend_from_slice(what.as_bytes());
        self.text.extend_from_slice(of.as_bytes());
        let number = self.names.number(&self.text) as usize;
        if number == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[number] += 1;
    }
}
