//! Events of the calls of all threads.

use super::arguments::{self, Form, Scratch};
use super::skip::Skip;
use crate::syscalls::call::{Call, CallKind, End, Ended, Event, EventSink, RECORDS_LOST};
use crate::syscalls::roles::{makes_child, moves_data, MOST_MOVED_BYTES};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// A call as it was issued.
#[derive(Debug)]
pub(super) struct Entry {
    pub kind: CallKind,
    pub form: Form,
    /// Its name, and its arguments.
    pub text: Box<[u8]>,
    pub name_length: usize,
}

impl Entry {
    pub fn name(&self) -> &[u8] {
        &self.text[..self.name_length]
    }

    fn call<'a>(&'a self, scratch: &'a mut Scratch) -> Result<(Call<'a>, u64), Skip> {
        let (call, pointers) =
            arguments::call(self.kind, self.form, &self.text[self.name_length..], scratch)?;
        Ok((Call { name: self.name(), ..call }, pointers))
    }
}

/// How a call returned.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub result: Option<i64>,
    pub error: Option<Cow<'static, [u8]>>,
    pub duration_ns: Option<i64>,
}

impl Outcome {
    /// Refuse more bytes than Linux moves in one call.
    pub fn check(&self, kind: CallKind) -> Result<(), Skip> {
        let is_possible = !moves_data(kind) || self.result <= Some(MOST_MOVED_BYTES);
        is_possible.then_some(()).ok_or(Skip::NumberOutOfRange)
    }

    fn of<'a>(&'a self, call: Call<'a>) -> Call<'a> {
        let duration_ns = self.duration_ns.or(call.duration_ns);
        Call { result: self.result, error: self.error.as_deref(), duration_ns, ..call }
    }
}

/// A thread at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadTime {
    pub thread: i32,
    pub time_ns: i64,
}

/// A call that has not returned.
#[derive(Debug)]
struct Pending {
    entry: Entry,
    seq: i64,
    time_ns: i64,
    /// How it will return, if its line shows that.
    outcome: Outcome,
}

/// What a return is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Event,
    /// A child's side of the call that created it.
    ChildReturn,
}

/// Which calls have not returned, by thread; emits the events of calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pending: FxHashMap<i32, Pending>,
    /// Threads with events so far.
    begun: FxHashSet<i32>,
    scratch: Scratch,
    next_seq: i64,
    /// Calls of which the log has only the beginning or only the end, although their thread goes on or has begun.
    pub half_calls: u64,
    /// Paths of which there are addresses only.
    pub pointers: u64,
}

impl Calls {
    /// A call was issued, and its return follows later.
    pub fn issued(&mut self, entry: Entry, place: ThreadTime, sink: &mut dyn EventSink) -> Result<(), Skip> {
        self.issue(entry, place, Outcome::default(), sink)
    }

    /// Whether the arguments of a call can be read.
    pub fn check(&mut self, entry: &Entry) -> Result<(), Skip> {
        entry.call(&mut self.scratch).map(|_| ())
    }

    /// A call was issued and has returned. If that was after `horizon_ns`, the time of the next event of another
    /// thread, its return is held until [`Calls::release`], at the time that is returned. A call that creates a child is never held: the child's identity matters more than
    /// the time of the return.
    pub fn whole(
        &mut self,
        entry: Entry,
        outcome: Outcome,
        place: ThreadTime,
        horizon_ns: Option<i64>,
        sink: &mut dyn EventSink,
    ) -> Result<Option<i64>, Skip> {
        let return_ns = place.time_ns.saturating_add(outcome.duration_ns.unwrap_or(0));
        let is_late =
            outcome.duration_ns.is_some() && horizon_ns.is_some_and(|horizon_ns| return_ns > horizon_ns);
        if is_late && !makes_child(entry.kind) {
            self.issue(entry, place, outcome, sink)?;
            return Ok(Some(return_ns));
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let (call, pointers) = entry.call(&mut scratch)?;
        self.pointers += pointers;
        let seq = self.begin(place.thread, sink);
        self.end_call_of_child(entry.kind, outcome.result, seq, sink);
        let call = outcome.of(placed(call, seq, place));
        sink.event(Event::Returned(call));
        self.scratch = scratch;
        Ok(None)
    }

    /// A call of this name returned.
    pub fn returned(
        &mut self,
        name: &[u8],
        kind: CallKind,
        outcome: Outcome,
        place: ThreadTime,
        sink: &mut dyn EventSink,
    ) -> Result<Taken, Skip> {
        outcome.check(kind)?;
        if self.pending.get(&place.thread).is_some_and(|pending| pending.entry.name() == name) {
            self.complete(place.thread, outcome, Some(place.time_ns), sink);
            return Ok(Taken::Event);
        }
        let can_be_ended = self.begun.contains(&place.thread) && outcome.error.is_none();
        if let Some(successor) = self.exec_of_another(name, place.thread).filter(|_| can_be_ended) {
            self.supersede(successor, place, sink);
            self.complete(place.thread, outcome, Some(place.time_ns), sink);
            return Ok(Taken::Event);
        }
        if makes_child(kind) && !self.pending.contains_key(&place.thread) {
            return Ok(Taken::ChildReturn);
        }
        if !self.begun.contains(&place.thread) {
            return Err(Skip::ReturnWithoutCall);
        }
        let seq = self.begin(place.thread, sink);
        self.half_calls += 1;
        let call = Call { kind, name, ..Call::default() };
        sink.event(Event::Returned(outcome.of(placed(call, seq, place))));
        Ok(Taken::Event)
    }

    /// The held return of the thread's call is due. A child with the thread's number may have ended the call.
    pub fn release(&mut self, thread: i32, sink: &mut dyn EventSink) {
        let held = self.pending.get_mut(&thread).map(|pending| std::mem::take(&mut pending.outcome));
        if let Some(outcome) = held {
            self.complete(thread, outcome, None, sink);
        }
    }

    /// The recorder lost records. This is not a call of the thread.
    pub fn lost(&mut self, records: i64, thread: i32, sink: &mut dyn EventSink) {
        let seq = self.take_seq();
        let name = RECORDS_LOST.as_bytes();
        let result = Some(records);
        sink.event(Event::Returned(Call { seq, seq_return: seq, thread, name, result, ..Call::default() }));
    }

    /// The log has ended: emit the calls that never returned.
    pub fn finish(&mut self, sink: &mut dyn EventSink) {
        let mut threads: Vec<_> = self.pending.iter().map(|(&thread, call)| (call.seq, thread)).collect();
        threads.sort_unstable();
        threads.into_iter().for_each(|(_, thread)| self.abandon(thread, sink));
    }

    fn issue(
        &mut self,
        entry: Entry,
        place: ThreadTime,
        outcome: Outcome,
        sink: &mut dyn EventSink,
    ) -> Result<(), Skip> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (call, pointers) = entry.call(&mut scratch)?;
        self.pointers += pointers;
        let seq = self.begin(place.thread, sink);
        sink.event(Event::Issued(placed(call, seq, place)));
        self.scratch = scratch;
        let pending = Pending { entry, seq, time_ns: place.time_ns, outcome };
        self.pending.insert(place.thread, pending);
        Ok(())
    }

    /// The number of the next event, of a thread that begins a call: the one before it, if it has not returned, never
    /// will, unless it is that of an older thread with the same number, whose fork has not returned.
    fn begin(&mut self, thread: i32, sink: &mut dyn EventSink) -> i64 {
        self.begun.insert(thread);
        if let Some(own) = self.pending.get(&thread) {
            let is_fork = |other: &Pending| makes_child(other.entry.kind) && other.seq > own.seq;
            let is_lost = !never_returns(own.entry.name()) && !self.pending.values().any(is_fork);
            self.half_calls += u64::from(is_lost);
            self.abandon(thread, sink);
        }
        self.take_seq()
    }

    /// The thread's pending call returns.
    fn complete(&mut self, thread: i32, outcome: Outcome, time_ns: Option<i64>, sink: &mut dyn EventSink) {
        let Some(pending) = self.pending.remove(&thread) else { return };
        let seq_return = self.take_seq();
        self.end_call_of_child(pending.entry.kind, outcome.result, pending.seq, sink);
        let waited_ns = time_ns.map(|time_ns| time_ns.saturating_sub(pending.time_ns));
        self.emit(&pending, seq_return, &outcome, waited_ns, thread, sink);
    }

    /// The thread's pending call, if it has one, will not return, or has returned if its return is held.
    fn abandon(&mut self, thread: i32, sink: &mut dyn EventSink) {
        let Some(pending) = self.pending.remove(&thread) else { return };
        let seq_return = self.take_seq();
        self.emit(&pending, seq_return, &pending.outcome, None, thread, sink);
    }

    fn emit(
        &mut self,
        pending: &Pending,
        seq_return: i64,
        outcome: &Outcome,
        waited_ns: Option<i64>,
        thread: i32,
        sink: &mut dyn EventSink,
    ) {
        // the arguments were read when the call was issued
        let Ok((call, _)) = pending.entry.call(&mut self.scratch) else { return };
        let place = ThreadTime { thread, time_ns: pending.time_ns };
        let call = Call { seq_return, duration_ns: waited_ns, ..placed(call, pending.seq, place) };
        sink.event(Event::Returned(outcome.of(call)));
    }

    /// A child whose number was that of an earlier thread ends that thread's call.
    fn end_call_of_child(&mut self, kind: CallKind, result: Option<i64>, seq: i64, sink: &mut dyn EventSink) {
        let child = result.filter(|_| makes_child(kind)).and_then(|child| i32::try_from(child).ok());
        let older = child.filter(|child| self.pending.get(child).is_some_and(|call| call.seq < seq));
        if let Some(child) = older {
            self.abandon(child, sink);
        }
    }

    /// The only thread that is in this exec; exec goes on under the number of the group's first thread.
    fn exec_of_another(&self, name: &[u8], thread: i32) -> Option<i32> {
        if !matches!(name, b"execve" | b"execveat") {
            return None;
        }
        let is_in_it = |(of, pending): &(&i32, &Pending)| **of != thread && pending.entry.name() == name;
        let mut threads = self.pending.iter().filter(is_in_it);
        match (threads.next(), threads.next()) {
            (Some((&successor, _)), None) => Some(successor),
            _ => None,
        }
    }

    /// The exec of another thread of the group ends this one, whose number it takes.
    fn supersede(&mut self, successor: i32, place: ThreadTime, sink: &mut dyn EventSink) {
        self.abandon(place.thread, sink);
        let seq = self.take_seq();
        let ThreadTime { thread, time_ns } = place;
        let (how, status) = (End::Superseded, Some(i64::from(successor)));
        sink.event(Event::Ended(Ended { seq, time_ns: Some(time_ns), thread, how, status, signal: None }));
        if let Some(pending) = self.pending.remove(&successor) {
            self.pending.insert(thread, pending);
        }
    }

    fn take_seq(&mut self) -> i64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }
}

fn placed(call: Call<'_>, seq: i64, place: ThreadTime) -> Call<'_> {
    let ThreadTime { thread, time_ns } = place;
    Call { seq, seq_return: seq, thread, time_ns: Some(time_ns), ..call }
}

/// Whether a call ends its thread, or restores what was before a signal.
fn never_returns(name: &[u8]) -> bool {
    matches!(name, b"exit" | b"exit_group" | b"rt_sigreturn" | b"sigreturn")
}
