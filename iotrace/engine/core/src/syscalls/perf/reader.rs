//! Converts lines to events.

use super::arguments::{are_named, Form};
use super::calls::{Calls, Entry, Outcome, Taken, ThreadTime};
use super::line::{self, Line, Script, Trace, Tracepoint};
use super::queue::{Queue, Step, What};
use super::skip::{Remark, Skip, Tally};
use crate::fields::{is_of_trace_cmd, lost_events, EventLine};
use crate::syscalls::call::{CallKind, EventSink};
use crate::syscalls::number::{self, Number};
use crate::syscalls::numbers::Numbers;
use crate::syscalls::roles::roles;
use crate::syscalls::strace::Disorder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// How many steps of perf trace are put into order; more than the kernel's buffers of all processors hold.
const MOST_HELD: usize = 1 << 19;
/// The decimals of a second that perf trace shows.
const MICROSECONDS: usize = 6;

/// Takes the lines of a log in order and emits events. Lines of perf script are in the order of time; those of perf
/// trace are put into it.
#[derive(Default)]
pub struct Reader {
    kinds: Kinds,
    numbers: Numbers,
    calls: Calls,
    queue: Queue,
    /// Threads of which there were lines.
    begun: FxHashSet<i32>,
    /// Calls of perf trace that have not returned, by thread.
    open: FxHashMap<i32, Open>,
    /// Threads that are in a call of perf script.
    entered: FxHashSet<i32>,
    last: Option<Last>,
    /// The last time of each thread of perf trace, and that of perf script.
    times: FxHashMap<i32, i64>,
    last_ns: Option<i64>,
    disorder: Disorder,
    decimals: usize,
    lost_records: i64,
    is_of_trace: bool,
    /// Of another machine than x86-64: its name.
    machine: Option<String>,
    tally: Tally,
}

/// A call of perf trace that others interrupted.
struct Open {
    begun_ns: i64,
    line: u64,
    call: Begun,
}

impl Open {
    fn is_of(&self, name: &[u8], begun_ns: i64) -> bool {
        let own = match &self.call {
            Begun::Call(entry) => entry.name(),
            Begun::Return(name) => name,
        };
        own == name && self.begun_ns == begun_ns
    }
}

/// What is known of such a call.
enum Begun {
    Call(Entry),
    /// Its return, of which a further part follows.
    Return(Box<[u8]>),
}

/// Where the last line was.
#[derive(Clone, Copy)]
enum Last {
    Trace(ThreadTime),
    Script(i32),
}

/// The kinds of calls by name.
struct Kinds(FxHashMap<&'static [u8], CallKind>);

impl Default for Kinds {
    fn default() -> Self {
        Kinds(CallKind::ALL.iter().map(|&kind| (kind.name().as_bytes(), kind)).collect())
    }
}

impl Kinds {
    fn of(&self, name: &[u8]) -> CallKind {
        self.0.get(name).copied().unwrap_or_default()
    }
}

impl Reader {
    /// Read a block of complete lines.
    pub fn block(&mut self, block: &[u8], sink: &mut dyn EventSink) {
        let mut rest = block;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.line(&rest[..end], sink);
            rest = &rest[(end + 1).min(rest.len())..];
        }
    }

    /// Read one line, without its newline.
    pub fn line(&mut self, line: &[u8], sink: &mut dyn EventSink) {
        self.tally.lines += 1;
        let line = line.trim_ascii_end();
        match line::read(line) {
            Some(Line::Script(script)) => {
                let taken = self.script(&script, sink);
                self.count(taken, self.tally.lines, line);
            }
            Some(Line::Trace(trace)) => match self.trace(&trace) {
                Ok(is_parsed) => self.tally.parsed += u64::from(is_parsed),
                Err(reason) => self.tally.skip(reason, self.tally.lines, line),
            },
            None => self.no_call(line.trim_ascii_start(), sink),
        }
        while self.queue.length() > MOST_HELD {
            self.step(sink);
        }
    }

    /// The log has ended: emit what is held, and the calls that never returned.
    pub fn finish(&mut self, sink: &mut dyn EventSink) {
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_unstable_by_key(|(_, call)| call.line);
        for (thread, call) in open {
            if matches!(call.call, Begun::Call(_)) {
                self.end(thread, call, Outcome::default());
            }
        }
        while self.queue.length() > 0 {
            self.step(sink);
        }
        self.calls.finish(sink);
    }

    /// The count of lines so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether calls were read whose events are held.
    pub fn holds_calls(&self) -> bool {
        self.queue.length() > 0
    }

    /// The lines whose time is before that of the line before, of perf trace in the same thread.
    pub fn disorder(&self) -> Disorder {
        self.disorder
    }

    /// Lines of perf trace with the same time as another thread's next.
    pub fn ties(&self) -> u64 {
        self.queue.ties
    }

    /// The resolution of the log's times, in nanoseconds.
    pub fn resolution_ns(&self) -> Option<i64> {
        (self.decimals > 0).then(|| 10i64.pow(9 - self.decimals.min(9) as u32))
    }

    /// Calls of which the log has only the beginning or only the end.
    pub fn half_calls(&self) -> u64 {
        self.calls.half_calls
    }

    /// Paths of which the log has addresses only.
    pub fn pointers(&self) -> u64 {
        self.calls.pointers
    }

    /// Records that perf lost, as it says.
    pub fn lost_records(&self) -> i64 {
        self.lost_records
    }

    /// Whether lines of perf trace have been read.
    pub fn is_of_trace(&self) -> bool {
        self.is_of_trace
    }

    /// The machine on which the log was recorded, if its calls have other numbers.
    pub fn other_machine(&self) -> Option<&str> {
        self.machine.as_deref()
    }

    fn count(&mut self, taken: Result<Taken, Skip>, number: u64, line: &[u8]) {
        match taken {
            Ok(Taken::Event) => self.tally.parsed += 1,
            Ok(Taken::ChildReturn) => self.tally.remark(Remark::ChildReturn),
            Err(reason) => self.tally.skip(reason, number, line),
        }
    }

    fn no_call(&mut self, line: &[u8], sink: &mut dyn EventSink) {
        let of_ftrace = || lost_events(line).map(|lost| lost.unwrap_or(1));
        if let Some(lost) = lost(line).or_else(of_ftrace) {
            self.lost_records = self.lost_records.saturating_add(lost);
            self.tally.remark(Remark::Losses);
            match self.last {
                Some(Last::Script(thread)) => self.calls.lost(lost, thread, sink),
                Some(Last::Trace(ThreadTime { thread, time_ns })) => {
                    self.queue.push(thread, Step { time_ns, line: self.tally.lines, what: What::Lost(lost) });
                }
                None => {}
            }
        } else if line.is_empty() {
            self.tally.remark(Remark::Blank);
        } else if line.starts_with(b"#") {
            self.tally.remark(Remark::Comment);
            let machine = line.strip_prefix(b"# arch : ").filter(|name| !name.starts_with(b"x86_64"));
            let name = machine.and_then(|name| name.split(u8::is_ascii_whitespace).next());
            self.machine = self.machine.take().or_else(|| name.map(|name| name.escape_ascii().to_string()));
        } else if is_of_trace_cmd(line) {
            self.tally.remark(Remark::Comment);
        } else if EventLine::read(line).is_some_and(|event| is_other(event.event)) {
            self.tally.remark(Remark::OtherEvent);
        } else {
            self.tally.skip(Skip::NotACall, self.tally.lines, line);
        }
    }

    fn script(&mut self, line: &Script<'_>, sink: &mut dyn EventSink) -> Result<Taken, Skip> {
        let thread = line.thread;
        let has_begun = !self.begun.insert(thread);
        let time_ns = i64::try_from(line.time_ns).map_err(|_| Skip::NumberOutOfRange)?;
        self.decimals = self.decimals.max(line.decimals);
        self.last = Some(Last::Script(thread));
        let (name, form) = match line.call {
            Tracepoint::Name(name) => (Cow::Borrowed(name), Form::Fields),
            Tracepoint::Function(name) => (Cow::Borrowed(name), Form::Hexadecimal),
            Tracepoint::Number(number) => (self.numbers.call(number), Form::Registers),
        };
        let is_none = matches!(line.call, Tracepoint::Number(..0));
        let kind = self.kinds.of(&name);
        let place = ThreadTime { thread, time_ns };
        let taken = if line.is_entry {
            let entry = entry(kind, form, &name, line.rest);
            if matches!(&*name, b"exit" | b"exit_group") {
                self.calls.whole(entry, Outcome::default(), place, None, sink).map(|_| Taken::Event)
            } else {
                self.entered.insert(thread);
                self.calls.issued(entry, place, sink).map(|()| Taken::Event)
            }
        } else {
            let was_entered = self.entered.remove(&thread);
            // what a signal interrupted goes on
            if is_none || matches!(&*name, b"rt_sigreturn" | b"sigreturn") {
                return Ok(Taken::Event);
            }
            let outcome = self.returned(line.rest).ok_or(Skip::NotACall)?;
            if !was_entered && !has_begun {
                return Ok(Taken::Event);
            }
            self.calls.returned(&name, kind, outcome, place, sink)
        };
        if matches!(taken, Ok(Taken::Event)) {
            self.disorder.note(self.last_ns.replace(time_ns), Some(time_ns), self.tally.lines);
        }
        taken
    }

    /// What a tracepoint of a return shows.
    fn returned(&self, text: &[u8]) -> Option<Outcome> {
        let text = text.strip_prefix(b"= ").unwrap_or(text);
        let (Number::Value { negative, magnitude }, length) = number::parse(text) else { return None };
        if length < text.len() {
            return None;
        }
        // a register of 64 bits
        let value = if negative { 0_i64.wrapping_sub_unsigned(magnitude) } else { magnitude as i64 };
        let (result, error) = self.numbers.outcome(value);
        Some(Outcome { result, error, duration_ns: None })
    }

    /// Whether the line counts as parsed at once; if not, it is counted when its step is taken.
    fn trace(&mut self, line: &Trace<'_>) -> Result<bool, Skip> {
        let thread = line.thread.unwrap_or(0);
        self.is_of_trace = true;
        let has_begun = !self.begun.insert(thread);
        let Some(begun_ns) = line.begun_ns else {
            // the return of a call from before the trace
            return Ok(true);
        };
        let begun_ns = i64::try_from(begun_ns).map_err(|_| Skip::NumberOutOfRange)?;
        let entry = line.arguments.map(|arguments| self.entry(line.name, arguments)).transpose()?;
        // perf counts in 64 bits without a sign: a longer time is a negative one, of the return of an earlier call
        let (took_ns, is_of_other) = match line.took_ns.map(i64::try_from).transpose() {
            Ok(took_ns) => (took_ns, false),
            Err(_) => (None, true),
        };
        let outcome = line.result.filter(|_| !is_of_other).map(shown).transpose()?;
        if let Some(outcome) = &outcome {
            outcome.check(self.kinds.of(line.name))?;
        }
        self.decimals = self.decimals.max(MICROSECONDS);
        if is_of_other && entry.is_none() {
            return Ok(true);
        }
        let time_ns = begun_ns.saturating_add(took_ns.unwrap_or(0));
        self.last = Some(Last::Trace(ThreadTime { thread, time_ns }));
        let former = self.open.remove(&thread);
        if entry.is_none() && former.is_none() && !has_begun {
            return Ok(true);
        }
        let open = match former {
            Some(former) if entry.is_none() && former.is_of(line.name, begun_ns) => former,
            former => {
                // Another call did not return, or its return comes later: perf trace reads the buffers of processors one
                // after the other.
                if let Some(Open { begun_ns, line, call: Begun::Call(entry) }) = former {
                    self.push(thread, begun_ns, line, What::Issued(entry));
                }
                let call = entry.map_or_else(|| Begun::Return(line.name.into()), Begun::Call);
                Open { begun_ns, line: self.tally.lines, call }
            }
        };
        let Some(outcome) = outcome else {
            self.open.insert(thread, open);
            return Ok(true);
        };
        let is_call = matches!(open.call, Begun::Call(_));
        let has_result = line.result.is_some_and(|text| !text.is_empty());
        self.end(thread, open, Outcome { duration_ns: took_ns.filter(|_| has_result), ..outcome });
        Ok(is_call)
    }

    /// A call of perf trace.
    fn entry(&mut self, name: &[u8], arguments: &[u8]) -> Result<Entry, Skip> {
        let kind = self.kinds.of(name);
        if !roles(kind).is_empty() && !are_named(arguments) {
            return Err(Skip::ArgumentsWithoutNames);
        }
        let entry = entry(kind, Form::Symbols, name, arguments);
        self.calls.check(&entry)?;
        Ok(entry)
    }

    fn end(&mut self, thread: i32, open: Open, outcome: Outcome) {
        let what = match open.call {
            Begun::Call(entry) => What::Whole(entry, outcome),
            Begun::Return(name) => What::Returned(name, outcome),
        };
        self.push(thread, open.begun_ns, open.line, what);
    }

    fn push(&mut self, thread: i32, time_ns: i64, line: u64, what: What) {
        self.disorder.note(self.times.insert(thread, time_ns), Some(time_ns), line);
        self.queue.push(thread, Step { time_ns, line, what });
    }

    /// Emit the events of the earliest step that is held.
    fn step(&mut self, sink: &mut dyn EventSink) {
        let Some((thread, Step { time_ns, line, what }, horizon_ns)) = self.queue.pop() else { return };
        let place = ThreadTime { thread, time_ns };
        let due_ns = match what {
            What::Issued(entry) => self.calls.issued(entry, place, sink).map(|()| None),
            What::Whole(entry, outcome) => self.calls.whole(entry, outcome, place, horizon_ns, sink),
            What::Returned(name, outcome) => {
                let taken = self.calls.returned(&name, self.kinds.of(&name), outcome, place, sink);
                self.count(taken, line, &name);
                Ok(None)
            }
            What::Lost(records) => {
                self.calls.lost(records, thread, sink);
                Ok(None)
            }
            What::Due => {
                self.calls.release(thread, sink);
                Ok(None)
            }
        };
        // arguments and results were checked when the line was read
        let due_ns = due_ns.unwrap_or(None);
        self.queue.proceed(thread, due_ns, line);
    }
}

fn entry(kind: CallKind, form: Form, name: &[u8], arguments: &[u8]) -> Entry {
    Entry { kind, form, text: [name, arguments].concat().into(), name_length: name.len() }
}

/// The result and error that perf trace shows: `3`, `0x7f00`, `-1 ENOENT (No such file or directory)`, `0 (Timeout)`.
fn shown(text: &[u8]) -> Result<Outcome, Skip> {
    let (number, length) = number::parse(text);
    let value = match number {
        Number::Missing => return Ok(Outcome::default()),
        Number::TooLarge => return Err(Skip::NumberOutOfRange),
        Number::Value { negative: false, magnitude } if text.starts_with(b"0x") => magnitude as i64,
        Number::Value { .. } => number.signed().ok_or(Skip::NumberOutOfRange)?,
    };
    let name = text[length..].strip_prefix(b" ").unwrap_or_default();
    let name =
        &name[..name.iter().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count()];
    let is_error = name.len() > 1 && name.starts_with(b"E");
    Ok(Outcome {
        result: Some(if is_error { -1 } else { value }),
        error: is_error.then(|| Cow::Owned(name.to_vec())),
        duration_ns: None,
    })
}

/// Whether an event of this name is of no call.
fn is_other(event: &[u8]) -> bool {
    !event.is_empty() && !event.starts_with(b"sys_")
}

/// How many records a line says are lost: of perf trace, `perf script --show-lost-events`, or perf record at its end.
fn lost(line: &[u8]) -> Option<i64> {
    let after = |word: &[u8], rest: &dyn Fn(&[u8]) -> Option<i64>| {
        memchr::memmem::find_iter(line, word)
            .filter(|&at| at == 0 || !is_of_word(line[at - 1]))
            .find_map(|at| rest(&line[at + word.len()..]))
    };
    let counted = |text: &[u8], units: &[&[u8]]| {
        let digits = number::digits(text);
        let (count, rest) = (number::decimal(digits).filter(|_| digits.len() <= 18)?, &text[digits.len()..]);
        let is_of = |unit: &&[u8]| {
            rest.strip_prefix(*unit).is_some_and(|rest| !rest.first().is_some_and(|&byte| is_of_word(byte)))
        };
        (units.is_empty() || units.iter().any(is_of)).then_some(count as i64)
    };
    let record = |text: &[u8]| {
        let text = text.strip_prefix(b"_SAMPLES").unwrap_or(text);
        let text = text.strip_prefix(b":").unwrap_or(text).strip_prefix(b" lost")?;
        let text = text.strip_prefix(b":").unwrap_or(text);
        counted(text.strip_prefix(b" ").unwrap_or(text), &[])
    };
    after(b"LOST ", &|text| counted(text, &[b" events", b" EVENTS"]))
        .or_else(|| after(b"PERF_RECORD_LOST", &record))
        .or_else(|| after(b"lost ", &|text| counted(text, &[b" chunks"])))
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
