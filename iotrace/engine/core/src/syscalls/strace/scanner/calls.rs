//! Events of calls and of threads' ends, from their text.

use super::super::assemble::{Draft, Form, Head};
use super::super::forms::{call_name, resumed_name};
use super::super::number;
use super::super::pending::Pending;
use super::super::prefix::ThreadTime;
use super::super::roles::makes_child;
use super::super::skip::{Remark, Skip};
use super::{Scanner, Understood};
use crate::syscalls::call::{CallKind, End, Ended, Event, EventSink};

impl Scanner {
    /// `name(arguments...`
    pub(super) fn call<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let name = call_name(text);
        if name.is_empty() || text.get(name.len()) != Some(&b'(') {
            return Err(Skip::NotACall);
        }
        let kind = self.kind(name);
        let mut draft = Draft::default();
        let form = draft.read(text, name.len() + 1, kind)?;
        self.note_seen(&draft);
        if form == Form::CutShort {
            return Err(Skip::CutShort);
        }
        self.lose_return(place.thread, sink);
        self.note_begun(place.thread);
        let seq = self.take_seq();
        let ThreadTime { thread, time_ns } = place;
        let head = Head { seq, seq_return: seq, thread, time_ns, waited_ns: None, kind, name };
        if let Form::Unfinished(at) = form {
            sink.event(Event::Issued(draft.decode(head, &mut self.scratch)));
            self.pending.keep(thread, &text[..at], name.len(), kind, seq, time_ns);
            self.unfinished = Some(thread);
            return Ok(Understood::Event);
        }
        if let Some(return_ns) = self.held_until(&draft, kind, place) {
            draft.forget_outcome(kind);
            sink.event(Event::Issued(draft.decode(head, &mut self.scratch)));
            self.pending.keep(thread, text, name.len(), kind, seq, time_ns);
            self.held = Some(return_ns);
            self.stacks.begin(seq, sink);
            return Ok(Understood::Event);
        }
        self.tally.calls += 1;
        self.note_result(kind, draft.result(), seq, sink);
        sink.event(Event::Returned(draft.decode(head, &mut self.scratch)));
        self.stacks.begin(seq, sink);
        if form == Form::Detached {
            self.end(End::Detached, None, None, place, sink);
        }
        Ok(Understood::Event)
    }

    fn note_seen(&mut self, draft: &Draft<'_>) {
        self.seen.durations |= draft.duration_ns().is_some();
        if let Some(annotation) = draft.fd_annotation() {
            self.seen.annotation(annotation);
        }
    }

    /// When the call returns, if other threads' events come before. A call that creates a child is never held: the
    /// child's identity matters more than the time of the return.
    fn held_until(&self, draft: &Draft<'_>, kind: CallKind, place: ThreadTime) -> Option<i64> {
        let return_ns = place.time_ns?.saturating_add(draft.duration_ns()?.max(0));
        (return_ns > self.horizon_ns? && !makes_child(kind)).then_some(return_ns)
    }

    /// From now on, hold the return of calls that return later than this time: for sets of logs with durations, in
    /// which the time of the next event of another thread is known when a call's line is read.
    pub(in crate::syscalls::strace) fn set_horizon(&mut self, horizon_ns: Option<i64>) {
        self.horizon_ns = horizon_ns;
    }

    /// When the call of the last line returns, if its return was held.
    pub(in crate::syscalls::strace) fn take_held(&mut self) -> Option<i64> {
        self.held.take()
    }

    /// Emit the held return of this thread's call.
    pub(in crate::syscalls::strace) fn release<S: EventSink + ?Sized>(&mut self, thread: i32, sink: &mut S) {
        if let Some(pending) = self.pending.take(thread) {
            // The whole text was parsed when it was held.
            let _ = self.returned(&pending, ThreadTime { thread, time_ns: None }, sink);
            self.stacks.end(sink); // its frames followed its line
            self.pending.recycle(pending);
        }
    }

    /// `<... name resumed>rest of the arguments) = result`
    pub(super) fn resumed<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let (name, rest) = resumed_name(text).ok_or(Skip::NotACall)?;
        let Some(pending) = self.pending.take_named(place.thread, name) else {
            let has_failed = memchr::memmem::find(rest, b") = -1 ").is_some();
            let can_be_ended = self.begun.contains(&place.thread) && !has_failed;
            let successor = self.pending.exec_of_another(name).filter(|_| can_be_ended);
            if let Some(successor) = successor {
                // The line that says so is left out with -qqq. This thread may have been in a call or between two.
                self.supersede(successor, place, sink);
                return self.resumed(text, place, sink);
            }
            if makes_child(self.kind(name)) && !self.pending.is_pending(place.thread) {
                return Ok(Understood::Remark(Remark::ChildReturn));
            }
            return self.second_half(name, rest, place, sink);
        };
        self.complete(pending, rest, place, sink)
    }

    /// With -z and -Z, the rest of a call stands alone on the line after its beginning.
    pub(super) fn rest_of<S: EventSink + ?Sized>(
        &mut self,
        thread: i32,
        line: &[u8],
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let Some(pending) = self.pending.take(thread) else { return Err(Skip::NotACall) };
        self.complete(pending, line, ThreadTime { thread, time_ns: None }, sink).map_err(|_| Skip::NotACall)
    }

    fn complete<S: EventSink + ?Sized>(
        &mut self,
        mut pending: Pending,
        rest: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
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

    /// A call whose entry the log does not have: its result is known, its arguments are not. The first line of a thread
    /// is no loss: the log began within its call.
    fn second_half<S: EventSink + ?Sized>(
        &mut self,
        name: &[u8],
        rest: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        if !self.begun.contains(&place.thread) {
            return Err(Skip::ResumedWithoutUnfinished);
        }
        let close = memchr::memmem::rfind(rest, b") ").ok_or(Skip::CutShort)?;
        let text = [name, b"(", &rest[close..]].concat();
        let kind = self.kind(name);
        let mut draft = Draft::default();
        draft.read(&text, name.len() + 1, kind)?;
        self.lose_return(place.thread, sink);
        let seq = self.take_seq();
        let ThreadTime { thread, time_ns } = place;
        self.tally.calls += 1;
        self.half_calls += 1;
        self.threads.result(kind, draft.result());
        let head = Head { seq, seq_return: seq, thread, time_ns, waited_ns: None, kind, name };
        sink.event(Event::Returned(draft.decode(head, &mut self.scratch)));
        self.stacks.begin(seq, sink);
        Ok(Understood::Event)
    }

    /// A call with both halves.
    fn returned<S: EventSink + ?Sized>(
        &mut self,
        pending: &Pending,
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let mut draft = Draft::default();
        let form = draft.read(&pending.text, pending.name_length + 1, pending.kind)?;
        self.note_seen(&draft);
        match form {
            Form::Unfinished(_) => return Err(Skip::NoResult),
            Form::CutShort => return Err(Skip::CutShort),
            Form::Complete | Form::Detached => {}
        }
        let head = Head {
            seq_return: self.take_seq(),
            waited_ns: place.time_ns.zip(pending.time_ns).map(|(end, start)| end.saturating_sub(start)),
            ..pending.head(place.thread)
        };
        self.tally.calls += 1;
        self.note_result(pending.kind, draft.result(), pending.seq, sink);
        sink.event(Event::Returned(draft.decode(head, &mut self.scratch)));
        self.stacks.begin(pending.seq, sink);
        if form == Form::Detached {
            self.end(End::Detached, None, None, place, sink);
        }
        Ok(Understood::Event)
    }

    /// `+++ exited with 0 +++`, `+++ killed by SIGKILL (core dumped) +++`, `+++ superseded by execve in pid 7 +++`
    pub(super) fn ended<S: EventSink + ?Sized>(
        &mut self,
        text: &[u8],
        place: ThreadTime,
        sink: &mut S,
    ) -> Result<Understood, Skip> {
        let inside =
            text.strip_prefix(b"+++ ").and_then(|text| text.strip_suffix(b" +++")).ok_or(Skip::NotACall)?;
        let status = |text: &[u8]| number::parse(text).0.signed().ok_or(Skip::NumberOutOfRange);
        if let Some(rest) = inside.strip_prefix(b"exited with ") {
            let status = status(rest)?;
            self.abandon(place.thread, sink);
            self.end(End::Exited, Some(status), None, place, sink);
        } else if let Some(rest) = inside.strip_prefix(b"killed by ") {
            self.abandon(place.thread, sink);
            self.end(End::Killed, None, Some(call_name(rest)), place, sink);
        } else if let Some(rest) = inside.strip_prefix(b"superseded by execve in pid ") {
            let number = i32::try_from(status(rest)?).map_err(|_| Skip::NumberOutOfRange)?;
            let successor = self.threads.known(number);
            self.supersede(successor, place, sink);
        } else {
            return Err(Skip::NotACall);
        }
        Ok(Understood::Event)
    }

    fn supersede<S: EventSink + ?Sized>(&mut self, successor: i32, place: ThreadTime, sink: &mut S) {
        self.abandon(place.thread, sink);
        self.end(End::Superseded, Some(i64::from(successor)), None, place, sink);
        self.threads.superseded(place.thread, successor);
        // The successor's execve returns under this thread's number.
        if let Some(pending) = self.pending.take(successor) {
            self.pending.insert(place.thread, pending);
        }
    }

    /// The result of a call; a child whose number was that of an earlier thread ends that thread's call, too.
    fn note_result<S: EventSink + ?Sized>(
        &mut self,
        kind: CallKind,
        result: Option<i64>,
        seq: i64,
        sink: &mut S,
    ) {
        self.threads.result(kind, result);
        let child = result.filter(|_| makes_child(kind)).and_then(|child| i32::try_from(child).ok());
        if let Some(child) = child {
            if self.pending.get(child).is_some_and(|pending| pending.seq < seq) {
                self.abandon(child, sink);
            }
        }
    }

    fn end<S: EventSink + ?Sized>(
        &mut self,
        how: End,
        status: Option<i64>,
        signal: Option<&[u8]>,
        place: ThreadTime,
        sink: &mut S,
    ) {
        let seq = self.take_seq();
        self.threads.ended(place.thread);
        sink.event(Event::Ended(Ended {
            seq,
            time_ns: place.time_ns,
            thread: place.thread,
            how,
            status,
            signal,
        }));
    }

    /// The return of the thread's pending call, if it has one, is not in the log: the thread goes on without it, unless
    /// it is a new one with the same number, whose fork has not returned.
    fn lose_return<S: EventSink + ?Sized>(&mut self, thread: i32, sink: &mut S) {
        if let Some(pending) = self.pending.get(thread) {
            let is_lost = !never_returns(pending.name()) && !self.pending.has_later_fork(thread);
            self.half_calls += u64::from(is_lost);
            self.abandon(thread, sink);
        }
    }

    /// The thread's pending call, if it has one, will not return.
    pub(super) fn abandon<S: EventSink + ?Sized>(&mut self, thread: i32, sink: &mut S) {
        let Some(pending) = self.pending.take(thread) else {
            return;
        };
        let mut draft = Draft::default();
        // The text was parsed when the call was issued, so the only error now is that it is incomplete.
        let _ = draft.read(&pending.text, pending.name_length + 1, pending.kind);
        let head = Head { seq_return: self.take_seq(), ..pending.head(thread) };
        self.tally.calls += 1;
        sink.event(Event::Returned(draft.decode(head, &mut self.scratch)));
        self.pending.recycle(pending);
    }
}

/// Whether a call ends its thread, or restores what was before a signal.
fn never_returns(name: &[u8]) -> bool {
    matches!(name, b"exit" | b"exit_group" | b"rt_sigreturn" | b"sigreturn")
}
