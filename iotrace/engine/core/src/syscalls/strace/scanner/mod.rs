//! Converts lines to events.

mod calls;
mod no_calls;

use super::assemble::Scratch;
use super::capture::{self, FirstThread, Fragment, Threads, LONGEST_FRAGMENT};
use super::clock::{Clock, SmallStamps, TimeBase};
use super::forms::{call_name, is_notice, resumed_name};
use super::outcome;
use super::pending::PendingCalls;
use super::prefix::{self, Prefix, ThreadTime};
use super::seen::Seen;
use super::skip::{Remark, Skip, Tally};
use super::stacks::{Stacks, FRAME};
use crate::syscalls::call::{CallKind, EventSink};
use crate::syscalls::tally::Skipped;
use no_calls::NoCalls;
use rustc_hash::{FxHashMap, FxHashSet};

/// Turns the lines of one log into events.
///
/// Each [`Event::Issued`] is followed by an [`Event::Returned`] of the same call, at the latest in
/// [`Scanner::finish`]; a call that never returned has neither result nor error.
#[derive(Debug)]
pub struct Scanner {
    kinds: FxHashMap<&'static [u8], CallKind>,
    clock: Clock,
    pending: PendingCalls,
    threads: Threads,
    fragment: Option<Fragment>,
    horizon_ns: Option<i64>,
    held: Option<i64>,
    text_bytes: u64,
    seen: Seen,
    /// Within the table of counts that `-C` prints at the end.
    in_summary: bool,
    disorder: Disorder,
    scratch: Scratch,
    tally: Tally,
    /// Whether events had thread numbers without brackets, which only `-o` writes.
    bare_numbers: bool,
    no_calls: NoCalls,
    stacks: Stacks,
    next_seq: i64,
    /// Threads with events so far, and the last of them.
    begun: FxHashSet<i32>,
    last_begun: Option<i32>,
    half_calls: u64,
    /// The thread of the last line, if that is unfinished.
    unfinished: Option<i32>,
}

impl Default for Scanner {
    fn default() -> Self {
        Scanner::new()
    }
}

impl Scanner {
    /// A scanner at the beginning of a log.
    pub fn new() -> Scanner {
        Scanner {
            kinds: CallKind::ALL.iter().map(|&kind| (kind.name().as_bytes(), kind)).collect(),
            clock: Clock::default(),
            pending: PendingCalls::default(),
            threads: Threads::default(),
            fragment: None,
            horizon_ns: None,
            held: None,
            text_bytes: 0,
            seen: Seen::default(),
            in_summary: false,
            disorder: Disorder::default(),
            scratch: Scratch::default(),
            tally: Tally::default(),
            bare_numbers: false,
            no_calls: NoCalls::default(),
            stacks: Stacks::default(),
            next_seq: 0,
            begun: FxHashSet::default(),
            last_begun: None,
            half_calls: 0,
            unfinished: None,
        }
    }

    /// Read a block of complete lines.
    pub fn block<S: EventSink + ?Sized>(&mut self, block: &[u8], sink: &mut S) {
        if self.tally.lines == 0 {
            self.clock.set_small(SmallStamps::of(block));
        }
        let mut rest = block;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.line(&rest[..end], sink);
            rest = &rest[(end + 1).min(rest.len())..];
        }
    }

    /// Read the last line, which has no newline; return whether it was left out because it is not a complete record.
    pub fn open_line<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) -> bool {
        let damaged = |scanner: &Scanner| {
            let (_, foreign) = scanner.damaged_and_foreign();
            scanner.tally.skipped_lines() - foreign.lines
        };
        let before = damaged(self) + u64::from(self.fragment.is_some());
        let lacks_duration =
            prefix::parse(line).is_ok_and(|prefix| self.lacks_duration(&line[prefix.length..]));
        if lacks_duration || self.begins_prefix(line) {
            self.leave_out(line);
        } else {
            self.block(line, sink);
        }
        self.drop_fragment();
        damaged(self) > before
    }

    /// Whether a line is only the beginning of what stands before a call in this log.
    fn begins_prefix(&self, line: &[u8]) -> bool {
        let has_stamps = self.time_base() != TimeBase::None;
        let is_of_stamp = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b':');
        let has_brackets = self.seen.threads && !self.bare_numbers;
        (has_stamps && line.iter().all(is_of_stamp))
            || (has_brackets && b"[pid ".starts_with(line.trim_ascii_end()))
    }

    /// Whether `text`, a line without its prefix, is a call without a duration in a log that has them: where it is the
    /// last line and has no newline, it is cut.
    pub(super) fn lacks_duration(&self, text: &[u8]) -> bool {
        let name = call_name(text);
        let is_call =
            (!name.is_empty() && text.get(name.len()) == Some(&b'(')) || resumed_name(text).is_some();
        let may_lack = text.ends_with(b" ...>") || text.ends_with(b" = ?");
        self.seen.durations && is_call && !may_lack && !outcome::ends_in_duration(text)
    }

    /// Count a last line that is cut.
    pub(super) fn leave_out(&mut self, line: &[u8]) {
        self.tally.lines += 1;
        self.text_bytes += line.len() as u64 + 1;
        self.tally.skip(Skip::CutShort, self.tally.lines, line);
    }

    /// Read one line, without its newline.
    pub fn line<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        let line = line.trim_ascii_end();
        let unfinished = self.unfinished.take();
        let understood =
            if line.is_empty() { Ok(Understood::Remark(Remark::Blank)) } else { self.event(line, sink) };
        let understood = match (understood, unfinished) {
            (Err(Skip::NotACall), Some(thread)) => self.rest_of(thread, line, sink),
            (understood, _) => understood,
        };
        self.count(line, understood, sink);
    }

    /// Read one line of one of several logs, whose prefix has been read; return whether it is an event.
    pub(super) fn line_of<S: EventSink + ?Sized>(
        &mut self,
        line: &[u8],
        prefix: Result<Prefix, Skip>,
        place: ThreadTime,
        sink: &mut S,
    ) -> bool {
        let line = line.trim_ascii_end();
        let understood = match prefix {
            _ if line.is_empty() => Ok(Understood::Remark(Remark::Blank)),
            Ok(prefix) => self.place(line.get(prefix.length..).unwrap_or_default(), place, sink),
            Err(reason) => Err(reason),
        };
        let is_event = matches!(understood, Ok(Understood::Event));
        self.count(line, understood, sink);
        is_event
    }

    fn count<S: EventSink + ?Sized>(
        &mut self,
        line: &[u8],
        understood: Result<Understood, Skip>,
        sink: &mut S,
    ) {
        self.tally.lines += 1;
        self.text_bytes += line.len() as u64 + 1;
        match understood {
            Ok(Understood::Event) => {
                self.tally.parsed += 1;
                self.in_summary = false;
                self.drop_fragment();
            }
            Ok(Understood::Remark(kind)) => self.tally.remark(kind),
            // Counted when it is known whether the next line continues it.
            Err(Skip::CutShort) if self.fragment.is_some() => {}
            Err(_) if self.in_summary || line.starts_with(b"% time ") => {
                self.in_summary = true;
                self.tally.remark(Remark::Summary);
            }
            Err(Skip::NotACall) if self.fragment.is_some() => self.go_on(line, sink),
            Err(Skip::NotACall) => self.skip_no_call(line),
            Err(reason) => self.tally.skip(reason, self.tally.lines, line),
        }
    }

    /// The log has ended: emit the calls that never returned.
    pub fn finish<S: EventSink + ?Sized>(&mut self, sink: &mut S) {
        self.drop_fragment();
        self.stacks.end(sink);
        for thread in self.pending.threads() {
            self.abandon(thread, sink);
        }
    }

    /// The count of lines so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The lines that are not calls: first the damaged records, then the presumed output of the traced program to the
    /// same standard error. There is no such output if strace wrote to a separate file, or if most lines are not
    /// calls.
    pub fn damaged_and_foreign(&self) -> (Skipped, Skipped) {
        let (damaged, foreign) = self.no_calls.apart(self.time_base());
        if self.bare_numbers || foreign.lines > self.tally.parsed {
            return (self.tally.skipped(Skip::NotACall), Skipped::default());
        }
        (damaged, foreign)
    }

    /// Bytes of text read so far, without spaces at the ends of lines.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// The facts shown by the log's lines so far.
    pub fn seen(&self) -> Seen {
        self.seen
    }

    /// The flags of strace with which the log was made, as shown by its lines: `-f -ttt -T -yy`.
    pub fn flags(&self) -> String {
        self.seen.flags(self.time_base(), self.time_resolution_ns())
    }

    /// The origin of the log's times.
    pub fn time_base(&self) -> TimeBase {
        self.clock.base()
    }

    /// The resolution of the log's times; None without times.
    pub fn time_resolution_ns(&self) -> Option<i64> {
        self.clock.resolution_ns()
    }

    /// The first time of the log, to be subtracted from all others.
    pub fn first_time_ns(&self) -> Option<i64> {
        self.clock.first_ns()
    }

    /// Merge the clock of one of several logs.
    pub(super) fn absorb_clock(&mut self, clock: &Clock) {
        self.clock.absorb(clock);
    }

    /// The kernel's number of thread 0, if a log that began without numbers shows it later.
    pub fn first_thread_number(&self) -> Option<i32> {
        self.threads.first_number()
    }

    fn event<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) -> Result<Understood, Skip> {
        let prefix = prefix::parse(line)?;
        let clock = self.clock;
        let time_ns = self.clock.read(prefix.stamp);
        let text = &line[prefix.length..];
        let thread = match prefix.thread {
            Some(number) if prefix.bracketed => {
                let first_thread = self.first_thread(text);
                self.threads.named(number, first_thread)
            }
            Some(number) => number,
            None => self.threads.nameless(),
        };
        let place = ThreadTime { thread, time_ns };
        let understood = self.place(text, place, sink);
        if matches!(understood, Ok(Understood::Event)) {
            self.note_disorder(clock.last_line_ns(), time_ns);
        }
        match understood {
            Err(Skip::CutShort) => return self.broken(text, place, prefix.thread.is_none(), sink),
            // What looked like a time was not one.
            Err(Skip::NotACall) => self.clock = clock,
            Ok(Understood::Event) if prefix.thread.is_none() => self.threads.began_nameless(),
            Ok(Understood::Event) => {
                self.seen.threads = true;
                self.bare_numbers |= !prefix.bracketed;
            }
            _ => {}
        }
        understood
    }

    /// The event in `text`, a line without its prefix.
    fn place<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        if text.starts_with(FRAME) {
            return self.stacks.frame(text).map(|()| Understood::Remark(Remark::StackFrame));
        }
        self.stacks.end(sink);
        match text.first() {
            Some(b'<') => self.resumed(text, place, sink),
            Some(b'+') => self.ended(text, place, sink),
            Some(b'-') if text.starts_with(b"--- ") && text.ends_with(b" ---") => {
                let is_stop = text.starts_with(b"--- stopped by ");
                Ok(Understood::Remark(if is_stop { Remark::Stop } else { Remark::Signal }))
            }
            _ if is_notice(text) => {
                self.threads.notice(text);
                Ok(Understood::Remark(Remark::Notice))
            }
            _ => self.call(text, place, sink),
        }
    }

    fn first_thread(&self, text: &[u8]) -> FirstThread {
        match self.pending.get(0) {
            None => FirstThread::Runs,
            Some(pending) if resumed_name(text).is_some_and(|(name, _)| name == pending.name()) => {
                FirstThread::Returns
            }
            Some(_) => FirstThread::Waits,
        }
    }

    /// Keep the event of a line that ended inside a call, unless that is only because of foreign output within it.
    fn broken<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: ThreadTime,
        nameless: bool,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        self.drop_fragment();
        if text.len() > LONGEST_FRAGMENT {
            return Err(Skip::CutShort);
        }
        if let Some(mended) = capture::mended(text) {
            if let Ok(understood) = self.place(&mended, place, sink) {
                return Ok(understood);
            }
        }
        self.threads.notice(text);
        self.fragment = Some(Fragment::new(text, place, self.tally.lines + 1, nameless));
        Err(Skip::CutShort)
    }

    /// This line may continue the incomplete one; if not, it is other output in between.
    fn go_on<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        if let Some(mut fragment) = self.fragment.take() {
            for text in fragment.joined(line) {
                if self.place(&text, fragment.place, sink).is_ok() {
                    self.tally.parsed += 2;
                    if fragment.nameless {
                        self.threads.began_nameless();
                    }
                    return;
                }
            }
            let go_on = fragment.has_patience();
            self.fragment = Some(fragment);
            if !go_on {
                self.drop_fragment();
            }
        }
        self.skip_no_call(line);
    }

    fn skip_no_call(&mut self, line: &[u8]) {
        self.tally.skip(Skip::NotACall, self.tally.lines, line);
        self.no_calls.note(self.tally.lines, line);
    }

    fn drop_fragment(&mut self) {
        if let Some(fragment) = self.fragment.take() {
            self.tally.skip(Skip::CutShort, fragment.line_number, &fragment.text);
        }
    }

    fn note_disorder(&mut self, before_ns: Option<i64>, time_ns: Option<i64>) {
        self.disorder.note(before_ns, time_ns, self.tally.lines + 1);
    }

    /// Calls of which the log has only the beginning or only the end, although their thread goes on, or has begun,
    /// in the log.
    pub fn half_calls(&self) -> u64 {
        self.half_calls
    }

    fn note_begun(&mut self, thread: i32) {
        if self.last_begun.replace(thread) != Some(thread) {
            self.begun.insert(thread);
        }
    }

    /// The lines of a single log whose time is before that of the previous line.
    pub fn disorder(&self) -> Disorder {
        self.disorder
    }

    fn kind(&self, name: &[u8]) -> CallKind {
        self.kinds.get(name).copied().unwrap_or_default()
    }

    fn take_seq(&mut self) -> i64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }
}

/// Lines whose time is before that of the line before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disorder {
    /// The number of lines.
    pub lines: u64,
    /// The number of the first, from 1.
    pub first_line: u64,
}

impl Disorder {
    /// Count a line if its time is before that of the previous line; None means no time.
    pub(in crate::syscalls) fn note(
        &mut self,
        before_ns: Option<i64>,
        time_ns: Option<i64>,
        line_number: u64,
    ) {
        if before_ns.zip(time_ns).is_some_and(|(before_ns, time_ns)| time_ns < before_ns) {
            if self.lines == 0 {
                self.first_line = line_number;
            }
            self.lines += 1;
        }
    }
}

/// The kind of a line.
enum Understood {
    Event,
    Remark(Remark),
}
