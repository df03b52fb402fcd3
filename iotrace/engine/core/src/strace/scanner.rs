//! From lines to events.

use super::assemble::{Draft, Form, Head, Scratch};
use super::capture::{FirstThread, Fragment, Threads, LONGEST_FRAGMENT};
use super::clock::{Clock, TimeBase};
use super::forms::{call_name, is_notice, resumed_name};
use super::pending::{Pending, PendingCalls};
use super::roles::makes_child;
use super::skip::{Remark, Skip, Tally};
use super::{capture, number, prefix};
use crate::call::{CallKind, End, Ended, Event, EventSink};
use rustc_hash::FxHashMap;

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
    scratch: Scratch,
    tally: Tally,
    next_seq: i64,
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
            kinds: CallKind::ALL
                .iter()
                .map(|&kind| (kind.name().as_bytes(), kind))
                .collect(),
            clock: Clock::default(),
            pending: PendingCalls::default(),
            threads: Threads::default(),
            fragment: None,
            scratch: Scratch::default(),
            tally: Tally::default(),
            next_seq: 0,
        }
    }

    /// Read a block of complete lines.
    pub fn block<S: EventSink + ?Sized>(&mut self, block: &[u8], sink: &mut S) {
        let mut rest = block;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.line(&rest[..end], sink);
            rest = &rest[(end + 1).min(rest.len())..];
        }
    }

    /// Read one line, without its newline.
    pub fn line<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        self.tally.lines += 1;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            self.tally.remark(Remark::Blank);
            return;
        }
        match self.event(line, sink) {
            Ok(Understood::Event) => {
                self.tally.parsed += 1;
                self.drop_fragment();
            }
            Ok(Understood::Remark(kind)) => self.tally.remark(kind),
            // Counted when it is known whether the next line goes on with it.
            Err(Skip::CutShort) if self.fragment.is_some() => {}
            Err(Skip::NotACall) if self.fragment.is_some() => self.go_on(line, sink),
            Err(reason) => self.tally.skip(reason, self.tally.lines, line),
        }
    }

    /// The log has ended: hand over the calls that never returned.
    pub fn finish<S: EventSink + ?Sized>(&mut self, sink: &mut S) {
        self.drop_fragment();
        for thread in self.pending.threads() {
            self.abandon(thread, sink);
        }
    }

    /// The count of lines so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What the log's times count from.
    pub fn time_base(&self) -> TimeBase {
        self.clock.base()
    }

    /// The finest step that the log's times can show; None without times.
    pub fn time_resolution_ns(&self) -> Option<i64> {
        self.clock.resolution_ns()
    }

    /// The first time of the log, to be subtracted from all others.
    pub fn first_time_ns(&self) -> Option<i64> {
        self.clock.first_ns()
    }

    /// The kernel's number of thread 0, where a log that began without numbers gave it one later.
    pub fn first_thread_number(&self) -> Option<i32> {
        self.threads.first_number()
    }

    fn event<S: EventSink + ?Sized>(
        &mut self,
        line: &[u8],
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let prefix = prefix::parse(line)?;
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
        let place = Place { thread, time_ns };
        let understood = self.place(text, place, sink);
        if matches!(understood, Err(Skip::CutShort)) {
            return self.broken(text, place, sink);
        }
        understood
    }

    /// The event in `text`, which a line shows without its prefix.
    fn place<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: Place,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        match text.first() {
            Some(b'<') => self.resumed(text, place, sink),
            Some(b'+') => self.ended(text, place, sink),
            Some(b'-') if text.starts_with(b"--- ") && text.ends_with(b" ---") => {
                Ok(Understood::Remark(Remark::Signal))
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
        place: Place,
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
        self.fragment = Some(Fragment::new(text, place, self.tally.lines));
        Err(Skip::CutShort)
    }

    /// This line may go on with the one that was cut short; if not, it is what someone else wrote in between.
    fn go_on<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        if let Some(mut fragment) = self.fragment.take() {
            for text in fragment.joined(line) {
                if self.place(&text, fragment.place, sink).is_ok() {
                    self.tally.parsed += 2;
                    return;
                }
            }
            let go_on = fragment.has_patience();
            self.fragment = Some(fragment);
            if !go_on {
                self.drop_fragment();
            }
        }
        self.tally.skip(Skip::NotACall, self.tally.lines, line);
    }

    fn drop_fragment(&mut self) {
        if let Some(fragment) = self.fragment.take() {
            self.tally
                .skip(Skip::CutShort, fragment.line_number, &fragment.text);
        }
    }

    /// `name(arguments...`
    fn call<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: Place,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let name = call_name(text);
        if name.is_empty() || text.get(name.len()) != Some(&b'(') {
            return Err(Skip::NotACall);
        }
        let kind = self.kind(name);
        let mut draft = Draft::default();
        let form = draft.read(text, name.len() + 1, kind)?;
        if form == Form::CutShort {
            return Err(Skip::CutShort);
        }
        if self.pending.is_pending(place.thread) {
            self.abandon(place.thread, sink);
        }
        let seq = self.take_seq();
        let Place { thread, time_ns } = place;
        let head = Head {
            seq,
            seq_return: seq,
            thread,
            time_ns,
            waited_ns: None,
            kind,
            name,
        };
        if let Form::Unfinished(at) = form {
            sink.event(&Event::Issued(draft.decode(head, &mut self.scratch)));
            self.pending
                .keep(thread, &text[..at], name.len(), kind, seq, time_ns);
            return Ok(Understood::Event);
        }
        self.tally.calls += 1;
        self.threads.result(kind, draft.result());
        sink.event(&Event::Returned(draft.decode(head, &mut self.scratch)));
        if form == Form::Detached {
            self.end(End::Detached, None, None, place, sink);
        }
        Ok(Understood::Event)
    }

    /// `<... name resumed>rest of the arguments) = result`
    fn resumed<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: Place,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let inside = text.strip_prefix(b"<... ").ok_or(Skip::NotACall)?;
        let name = call_name(inside);
        let rest = inside[name.len()..]
            .strip_prefix(b" resumed>")
            .ok_or(Skip::NotACall)?;
        let Some(mut pending) = self.pending.take_named(place.thread, name) else {
            if makes_child(self.kind(name)) && !self.pending.is_pending(place.thread) {
                return Ok(Understood::Remark(Remark::ChildReturn));
            }
            return Err(Skip::ResumedWithoutUnfinished);
        };
        let issued_length = pending.text.len();
        pending.text.extend_from_slice(rest);
        let returned = self.returned(&pending, place, sink);
        if returned.is_ok() {
            self.pending.recycle(pending);
        } else {
            pending.text.truncate(issued_length);
            self.pending.insert(place.thread, pending);
        }
        returned
    }

    /// A call of which both halves are there now.
    fn returned<S: EventSink + ?Sized>(
        &mut self,
        pending: &Pending,
        place: Place,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let mut draft = Draft::default();
        let form = draft.read(&pending.text, pending.name_length + 1, pending.kind)?;
        match form {
            Form::Unfinished(_) => return Err(Skip::NoResult),
            Form::CutShort => return Err(Skip::CutShort),
            Form::Complete | Form::Detached => {}
        }
        let head = Head {
            seq_return: self.take_seq(),
            waited_ns: place
                .time_ns
                .zip(pending.time_ns)
                .map(|(end, start)| end.saturating_sub(start)),
            ..pending.head(place.thread)
        };
        self.tally.calls += 1;
        self.threads.result(pending.kind, draft.result());
        sink.event(&Event::Returned(draft.decode(head, &mut self.scratch)));
        if form == Form::Detached {
            self.end(End::Detached, None, None, place, sink);
        }
        Ok(Understood::Event)
    }

    /// `+++ exited with 0 +++`, `+++ killed by SIGKILL (core dumped) +++`, `+++ superseded by execve in pid 7 +++`
    fn ended<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: Place,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let inside = text
            .strip_prefix(b"+++ ")
            .and_then(|text| text.strip_suffix(b" +++"))
            .ok_or(Skip::NotACall)?;
        let status = |text: &[u8]| number::parse(text).0.signed().ok_or(Skip::NumberOutOfRange);
        if let Some(rest) = inside.strip_prefix(b"exited with ") {
            let status = status(rest)?;
            self.abandon(place.thread, sink);
            self.end(End::Exited, Some(status), None, place, sink);
        } else if let Some(rest) = inside.strip_prefix(b"killed by ") {
            self.abandon(place.thread, sink);
            self.end(End::Killed, None, Some(call_name(rest)), place, sink);
        } else if let Some(rest) = inside.strip_prefix(b"superseded by execve in pid ") {
            let successor = status(rest)?;
            self.abandon(place.thread, sink);
            self.end(End::Superseded, Some(successor), None, place, sink);
            // The successor's execve returns under this thread's number.
            let moved = i32::try_from(successor)
                .ok()
                .and_then(|successor| self.pending.take(successor));
            if let Some(pending) = moved {
                self.pending.insert(place.thread, pending);
            }
        } else {
            return Err(Skip::NotACall);
        }
        Ok(Understood::Event)
    }

    fn end<S: EventSink + ?Sized>(
        &mut self,
        how: End,
        status: Option<i64>,
        signal: Option<&[u8]>,
        place: Place,
        sink: &mut S,
    ) {
        let seq = self.take_seq();
        self.threads.ended(place.thread);
        sink.event(&Event::Ended(Ended {
            seq,
            time_ns: place.time_ns,
            thread: place.thread,
            how,
            status,
            signal,
        }));
    }

    /// The thread's pending call, if it has one, will not return.
    fn abandon<S: EventSink + ?Sized>(&mut self, thread: i32, sink: &mut S) {
        let Some(pending) = self.pending.take(thread) else {
            return;
        };
        let mut draft = Draft::default();
        // The text was read when the call was issued, so what is not understood now is only that it is open.
        let _ = draft.read(&pending.text, pending.name_length + 1, pending.kind);
        let head = Head {
            seq_return: self.take_seq(),
            ..pending.head(thread)
        };
        self.tally.calls += 1;
        sink.event(&Event::Returned(draft.decode(head, &mut self.scratch)));
        self.pending.recycle(pending);
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

/// What a line was.
enum Understood {
    Event,
    Remark(Remark),
}

/// Who and when, from a line's prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub thread: i32,
    pub time_ns: Option<i64>,
}
