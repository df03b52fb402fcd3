//! Converts lines to events.

use super::line::{Header, SnoopLine};
use crate::columns::named;
use crate::fields::{Cursor, NS_PER_S};
use crate::syscalls::call::{Call, CallKind, Event, EventSink, RECORDS_LOST};
use crate::syscalls::numbers::Numbers;
use crate::syscalls::symbols::{self, Family};
use crate::syscalls::{tally, text};

/// bpftrace keeps 64 bytes of a string, with the zero at its end.
const CUT_LENGTH: usize = 63;
const DAY_NS: i64 = 86_400 * NS_PER_S;

named! {
    /// Why a line was not parsed.
    pub enum Skip {
        /// Its columns are not those of the header.
        NotARow = "not a line of the table's columns",
    }
}

named! {
    /// A line that is not a call, and is valid.
    pub enum Remark {
        /// A header, which may come again.
        Header = "headers",
        /// An empty line.
        Blank = "blank lines",
        /// What the tool says before its table.
        Preamble = "lines before the header",
        /// `Lost 3 events`
        Losses = "records of losses",
    }
}

/// The count of a table's lines.
pub type Tally = tally::Tally<Skip, Remark>;

/// Takes the lines of a table in order and emits events: each call has returned.
#[derive(Default)]
pub struct Reader {
    header: Option<Header>,
    numbers: Numbers,
    tally: Tally,
    next_seq: i64,
    decimals: usize,
    /// The last time of day, and how many days went before it.
    last_ns: i64,
    days_ns: i64,
    cut_paths: u64,
    lost_records: i64,
    path: Vec<u8>,
    flags: Vec<u8>,
}

impl Reader {
    /// Read a block of complete lines.
    pub fn block(&mut self, block: &[u8], sink: &mut dyn EventSink) {
        for line in block.strip_suffix(b"\n").unwrap_or(block).split(|&byte| byte == b'\n') {
            self.line(line, sink);
        }
    }

    fn line(&mut self, line: &[u8], sink: &mut dyn EventSink) {
        self.tally.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(header) = Header::read(line) {
            self.header = Some(header);
            return self.tally.remark(Remark::Header);
        }
        if line.trim_ascii().is_empty() {
            return self.tally.remark(Remark::Blank);
        }
        if let Some(lost) = lost(line) {
            self.lost_records = self.lost_records.saturating_add(lost);
            let call = Call { name: RECORDS_LOST.as_bytes(), result: Some(lost), ..Call::default() };
            self.emit(call, sink);
            return self.tally.remark(Remark::Losses);
        }
        let Some(header) = self.header.take() else {
            return self.tally.remark(Remark::Preamble);
        };
        match header.row(line) {
            Some(row) => self.call(&header, &row, sink),
            None => self.tally.skip(Skip::NotARow, self.tally.lines, line),
        }
        self.header = Some(header);
    }

    fn call(&mut self, header: &Header, row: &SnoopLine<'_>, sink: &mut dyn EventSink) {
        self.tally.parsed += 1;
        let time_ns = row.time_ns.map(|time_ns| match header.has_times_of_day() {
            Some(true) => self.after_midnight(time_ns),
            _ => time_ns,
        });
        self.decimals = self.decimals.max(row.decimals);
        // whether it was open or openat is not shown
        let name = row.event.map_or(&b"openat"[..], of_tracepoint);
        let kind =
            CallKind::ALL.iter().copied().find(|kind| kind.name().as_bytes() == name).unwrap_or_default();
        let error =
            row.error.filter(|&error| error > 0).and_then(|error| self.numbers.error(-i64::from(error)));
        let result = match (row.error, row.descriptor) {
            (Some(1..), _) => Some(-1),
            (_, descriptor) => descriptor.map(i64::from),
        };
        self.cut_paths += u64::from(row.path.is_some_and(|path| path.len() == CUT_LENGTH));
        let (mut path, mut flags) = (std::mem::take(&mut self.path), std::mem::take(&mut self.flags));
        path.clear();
        flags.clear();
        if let Some(value) = row.flags {
            symbols::append_value(value, Family::Open, &mut flags);
        }
        let shown = row.path.map(|name| {
            if text::stands_for_itself(name) {
                return name;
            }
            text::show_name(name, &mut path);
            &path
        });
        let call = Call {
            thread: row.process,
            time_ns,
            kind,
            name,
            path: shown,
            result,
            error: error.as_deref(),
            flags: row.flags.map(|_| &*flags),
            ..Call::default()
        };
        self.emit(call, sink);
        (self.path, self.flags) = (path, flags);
    }

    fn emit(&mut self, call: Call<'_>, sink: &mut dyn EventSink) {
        let seq = self.next_seq;
        self.next_seq += 1;
        sink.event(Event::Returned(Call { seq, seq_return: seq, ..call }));
    }

    /// A time of day, in the days since the first.
    fn after_midnight(&mut self, time_ns: i64) -> i64 {
        if self.last_ns - time_ns > DAY_NS / 2 {
            self.days_ns += DAY_NS;
        }
        self.last_ns = time_ns;
        self.days_ns + time_ns
    }

    /// The count of lines so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The base of times: none, time_of_day or relative; and their resolution in nanoseconds.
    pub fn times(&self) -> (&'static str, Option<i64>) {
        match self.header.as_ref().and_then(Header::has_times_of_day) {
            None => ("none", None),
            Some(true) => ("time_of_day", Some(NS_PER_S)),
            Some(false) => ("relative", Some(10_i64.pow(9 - self.decimals.min(9) as u32))),
        }
    }

    /// Paths of the length at which bpftrace cuts them.
    pub fn cut_paths(&self) -> u64 {
        self.cut_paths
    }

    /// Records that the tool says were lost.
    pub fn lost_records(&self) -> i64 {
        self.lost_records
    }
}

/// The call of `tracepoint:syscalls:sys_enter_fsync`.
fn of_tracepoint(event: &[u8]) -> &[u8] {
    let name = memchr::memrchr(b':', event).map_or(event, |colon| &event[colon + 1..]);
    name.strip_prefix(b"sys_enter_").unwrap_or(name)
}

/// How many events a line says are lost: `Lost 3 events`, `Possibly lost 3 samples`, `lost 3 events on CPU #1`.
fn lost(line: &[u8]) -> Option<i64> {
    let text = line.strip_prefix(b"Possibly ").unwrap_or(line);
    let mut number = Cursor::new(text.strip_prefix(b"Lost ").or_else(|| text.strip_prefix(b"lost "))?);
    let count = number.whole()?;
    let rest = &text[b"lost ".len() + number.at()..];
    (rest.starts_with(b" events") || rest.starts_with(b" samples")).then_some(count)
}
