//! Calls that make sense, column by column.

use super::call::{Call, Line, Name, Operation, Whence, UNKNOWN};
use crate::columns::Word;
use crate::fields::{self, without_returns, Keys, Names, Times, LATEST_NS, LONGEST_TRACE_NS};
use serde::Serialize;

/// No byte of a file lies beyond it.
const LARGEST_PLACE: i64 = 1 << 62;
/// No call moves more bytes.
const LONGEST_BYTES: i64 = 1 << 44;
/// No process has a larger number.
const LARGEST_PROCESS: i64 = (1 << 31) - 1;

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
    /// Of each file of the calls, or of each section's.
    pub files: Vec<i32>,
    /// Of each machine of the calls, or of each section's, below 0 if unknown.
    pub nodes: Vec<i32>,
}

/// Calls between two lines that were left to the slower reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// How many such lines there are before it.
    pub others_before: u32,
    pub first_row: usize,
}

/// The calls of some lines, column by column, and the lines that are none in the usual form.
#[derive(Debug, Default)]
pub struct Calls {
    /// The number of lines.
    pub lines: u64,
    /// The places of the other lines, from 0.
    pub others: Vec<u32>,
    /// The text of the other lines.
    pub other_text: Vec<u8>,
    pub(super) has_files: bool,
    pub(super) sections: Vec<Section>,
    pub(super) files: NamesOrHashes,
    pub(super) hosts: NamesOrHashes,
    /// Each at its machine.
    pub(super) processes: Keys<(i64, i32)>,
    remarks: Remarks,
    pub(super) record: Vec<u32>,
    pub(super) time: Vec<i64>,
    pub(super) duration: Vec<i64>,
    pub(super) process: Vec<i32>,
    pub(super) thread: Vec<i64>,
    pub(super) layer: Vec<i32>,
    pub(super) operation: Vec<Operation>,
    /// The place among the names, below 0 for none; empty where sections have it. So are those of machines, and all that
    /// follow.
    pub(super) file: Vec<i32>,
    pub(super) offset: Vec<i64>,
    pub(super) length: Vec<i64>,
    pub(super) host: Vec<i32>,
    pub(super) descriptor: Vec<i64>,
    pub(super) whence: Vec<i32>,
    pub(super) requested: Vec<i64>,
    pub(super) flags: Vec<i32>,
    pub(super) parts: Vec<i64>,
}

/// Read complete lines; `has_sections` says that files are those of sections.
pub(super) fn read<'t>(block: &'t [u8], has_sections: bool, kind_of: impl Fn(&'t [u8]) -> Line<'t>) -> Calls {
    let mut calls = Calls { has_files: !has_sections, ..Calls::default() };
    calls.reserve(block.len() / 64);
    let mut start = 0;
    while start < block.len() {
        let end = memchr::memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
        let line = &block[start..end];
        let is_done = match kind_of(without_returns(line)) {
            Line::Call(call) => calls.take(&call),
            Line::Silent => true,
            Line::Remark(what, of) => calls.remarks.count(what, of, calls.others.len() as u32),
            Line::Other => false,
        };
        if !is_done {
            calls.others.push(calls.lines as u32);
            calls.other_text.extend_from_slice(line);
            calls.other_text.push(b'\n');
        }
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

    /// Take the call of the next line if it makes sense.
    #[inline]
    fn take(&mut self, call: &Call<'_>) -> bool {
        let length = call.length.max(0);
        let is_placed = call.offset >= 0
            || call.offset == UNKNOWN
            || (call.whence.is_some_and(|whence| whence != Whence::Start) && call.offset >= -LARGEST_PLACE);
        let is_right = (0..=LARGEST_PROCESS).contains(&call.process)
            && length <= LONGEST_BYTES
            && is_placed
            && call.offset <= LARGEST_PLACE - length
            && (call.file.is_some() || !self.has_files || call.operation == Operation::Barrier);
        if !is_right {
            return false;
        }
        let others_before = self.others.len() as u32;
        if self.sections.last().is_none_or(|last| last.others_before != others_before) {
            self.sections.push(Section { others_before, first_row: self.record.len() });
        }
        let host = call.host.map_or(-1, |host| self.hosts.number(host));
        if self.has_files {
            self.file.push(call.file.map_or(-1, |file| self.files.number(file)));
            self.host.push(host);
            self.descriptor.push(call.descriptor);
            self.whence.push(call.whence.map_or(-1, |whence| whence as i32));
            self.requested.push(call.requested);
            self.flags.push(call.flags.code());
            self.parts.push(call.parts);
        }
        self.record.push(self.lines as u32);
        self.time.push(call.time);
        self.duration.push(if call.duration < 0 { UNKNOWN } else { call.duration });
        self.process.push(self.processes.number((call.process, host)));
        self.thread.push(call.thread);
        self.layer.push(call.layer.map_or(-1, |layer| layer as i32));
        self.operation.push(call.operation);
        self.offset.push(call.offset);
        self.length.push(call.length);
        true
    }

    /// Whether lines name files and machines, and not the lines between their sections.
    pub fn has_files(&self) -> bool {
        self.has_files
    }

    /// The number of calls.
    pub fn rows(&self) -> usize {
        self.record.len()
    }

    /// For each section, the number of other lines before it and the place of its first row.
    pub fn sections(&self) -> Vec<(u32, usize)> {
        self.sections.iter().map(|section| (section.others_before, section.first_row)).collect()
    }

    /// The processes, in the order of first sight, and each one's place among the machines, below 0 for none.
    pub fn processes(&self) -> &[(i64, i32)] {
        self.processes.all()
    }

    /// The names of files in lines, in the order of first sight, and how many calls each has.
    pub fn files(&self) -> Vec<(String, u64)> {
        let mut rows = vec![0; self.files.texts().count()];
        let known = self.file.iter().filter(|&&file| file >= 0);
        known.for_each(|&file| rows[file as usize] += 1);
        self.files.texts().zip(rows).collect()
    }

    /// The names of machines in lines, in the order of first sight.
    pub fn hosts(&self) -> Vec<String> {
        self.hosts.texts().collect()
    }

    /// Remarks on lines that are not kept, how many lines each is on, and how many other lines are before the first.
    pub fn remarks(&self) -> Vec<(String, u64, u32)> {
        let texts = self.remarks.names.texts().map(text_of);
        texts.zip(&self.remarks.counts).map(|(text, &(count, others))| (text, count, others)).collect()
    }

    /// Whether a call has parts that follow it.
    pub fn has_lists(&self) -> bool {
        self.operation.contains(&Operation::ListIo)
    }

    /// Count times from where they count in each section, in nanoseconds; for each that is the instant of time 0, and the
    /// length of its unit. False, and nothing changes, if a time or duration is out of range.
    pub fn place(&mut self, starts: &[(i64, i64)]) -> bool {
        let rows = self.record.len();
        let ends = self.sections.iter().skip(1).map(|section| section.first_row).chain([rows]);
        let spans: Vec<_> =
            self.sections.iter().map(|section| section.first_row).zip(ends).zip(starts).collect();
        let is_right = spans.iter().all(|&((first, end), &(zero_ns, unit_ns))| {
            let fits = |time: i64| {
                let time_ns = time.checked_mul(unit_ns).and_then(|time_ns| time_ns.checked_add(zero_ns));
                time_ns.is_some_and(|time_ns| (0..=LATEST_NS).contains(&time_ns))
            };
            let (least, most) = bounds(&self.time[first..end]);
            let longest = self.duration[first..end].iter().copied().max().unwrap_or(0).max(0);
            fits(least) && fits(most) && longest <= LONGEST_TRACE_NS / unit_ns.max(1)
        });
        if !is_right || starts.len() != self.sections.len() {
            return false;
        }
        for ((first, end), &(zero_ns, unit_ns)) in spans {
            if (zero_ns, unit_ns) != (0, 1) {
                self.time[first..end].iter_mut().for_each(|time| *time = *time * unit_ns + zero_ns);
            }
            if unit_ns != 1 {
                let known = self.duration[first..end].iter_mut().filter(|duration| **duration != UNKNOWN);
                known.for_each(|duration| *duration *= unit_ns);
            }
        }
        true
    }

    /// Counts of calls whose times were placed.
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

/// The least and the greatest of some numbers; 0 without any.
fn bounds(numbers: &[i64]) -> (i64, i64) {
    let ends = |(least, most): (i64, i64), &number: &i64| (least.min(number), most.max(number));
    numbers.first().map_or((0, 0), |&first| numbers.iter().fold((first, first), ends))
}

/// Text of the usual form, which is ASCII.
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
    /// How many lines each is on, and how many other lines are before the first.
    counts: Vec<(u64, u32)>,
    text: Vec<u8>,
}

impl Remarks {
    /// Count a line; returns that it is done.
    fn count(&mut self, what: &str, of: &[u8], others_before: u32) -> bool {
        self.text.clear();
        self.text.extend_from_slice(what.as_bytes());
        self.text.extend_from_slice(of);
        let number = self.names.number(&self.text) as usize;
        if number == self.counts.len() {
            self.counts.push((0, others_before));
        }
        self.counts[number].0 += 1;
        true
    }
}
