//! Converts lines to events.

use super::entry::{next_column, Direction, Entry};
use super::open::{Open, OpenCalls};
use super::skip::{Remark, Skip, Tally};
use super::{Version, MAGIC};
use crate::syscalls::call::{CallKind, Event, EventSink};

/// Takes the lines of an ULTRIX call trace in order and emits events. A call entry that its return follows immediately
/// becomes one event; any other is issued first and returned later, at the latest in [`Reader::finish`]; a call that
/// never returned has neither result nor error. The events are numbered densely from 0. Lines that cannot be parsed
/// are counted by reason, and have no other effect.
pub struct Reader {
    /// None after a header of an unknown version.
    version: Option<Version>,
    next_seq: i64,
    /// The last call entry, until it is known whether its return follows.
    held: Option<Entry>,
    open: OpenCalls,
    /// Entries for reuse.
    spare: Vec<Entry>,
    tally: Tally,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            version: Some(Version::Classic),
            next_seq: 0,
            held: None,
            open: OpenCalls::default(),
            spare: Vec::new(),
            tally: Tally::default(),
        }
    }
}

impl Reader {
    /// A reader at the beginning of a trace.
    pub fn new() -> Reader {
        Reader::default()
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
        let line = line.trim_ascii();
        if line.starts_with(b"#") {
            self.header(line);
        }
        match next_column(line, &mut 0).map(|column| &line[column]) {
            None if line.is_empty() => self.tally.remark(Remark::Blank),
            None | Some(b"seq") => self.tally.remark(Remark::Comment),
            Some(_) => match self.entry(line, sink) {
                Ok(()) => self.tally.parsed += 1,
                Err(reason) => self.tally.skip(reason, self.tally.lines, line),
            },
        }
    }

    /// The trace has ended: emit the calls that never returned.
    pub fn finish<S: EventSink + ?Sized>(&mut self, sink: &mut S) {
        self.release(sink);
        self.open.all().into_iter().for_each(|call| self.abandon(call, sink));
    }

    /// The count of lines so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    fn header(&mut self, line: &[u8]) {
        if let Some(version) = line.strip_prefix(MAGIC) {
            self.version = match version {
                b"1" => Some(Version::Classic),
                b"2" => Some(Version::Extended),
                _ => None,
            };
        }
    }

    fn entry<S: EventSink + ?Sized>(&mut self, line: &[u8], sink: &mut S) -> Result<(), Skip> {
        let version = self.version.ok_or(Skip::UnknownVersion)?;
        let mut entry = self.spare.pop().unwrap_or_default();
        if let Err(reason) = entry.fill(line, version) {
            self.spare.push(entry);
            return Err(reason);
        }
        match entry.direction {
            Direction::Call => {
                self.release(sink);
                self.held = Some(entry);
            }
            Direction::Return => return self.returned(entry, sink),
            Direction::End(how) => {
                self.release(sink);
                self.open.of_thread(entry.thread).into_iter().for_each(|call| self.abandon(call, sink));
                let seq = self.place();
                sink.event(Event::Ended(entry.ended(how, seq)));
                self.spare.push(entry);
            }
        }
        Ok(())
    }

    fn returned<S: EventSink + ?Sized>(&mut self, entry: Entry, sink: &mut S) -> Result<(), Skip> {
        let older = self.open.contains(entry.thread, entry.name());
        let direct = |held: &mut Entry| !older && held.thread == entry.thread && held.name() == entry.name();
        if let Some(call) = self.held.take_if(direct) {
            let seq = self.place();
            self.hand_out(&Open { seq, entry: call }, Some(&entry), seq, sink);
            self.spare.push(entry);
            return Ok(());
        }
        self.release(sink);
        let call = self.open.take(entry.thread, entry.name()).ok_or(Skip::ReturnWithoutCall)?;
        let seq_return = self.place();
        self.hand_out(&call, Some(&entry), seq_return, sink);
        self.spare.extend([call.entry, entry]);
        Ok(())
    }

    /// A call whose return is not in the trace.
    fn abandon<S: EventSink + ?Sized>(&mut self, call: Open, sink: &mut S) {
        let seq_return = self.place();
        self.hand_out(&call, None, seq_return, sink);
        self.spare.push(call.entry);
    }

    fn hand_out<S: EventSink + ?Sized>(
        &mut self,
        call: &Open,
        returned: Option<&Entry>,
        seq_return: i64,
        sink: &mut S,
    ) {
        let mut whole = call.entry.call(call.seq);
        whole.seq_return = seq_return;
        if let Some(entry) = returned {
            entry.complete(&mut whole);
        }
        self.tally.calls += 1;
        sink.event(Event::Returned(whole));
    }

    /// No return followed the held call entry immediately: its call is issued and stays open. A classic exit is
    /// complete.
    fn release<S: EventSink + ?Sized>(&mut self, sink: &mut S) {
        let Some(entry) = self.held.take() else {
            return;
        };
        let seq = self.place();
        let call = Open { seq, entry };
        if self.version == Some(Version::Classic) && call.entry.kind == CallKind::Exit {
            self.hand_out(&call, None, seq, sink);
            self.spare.push(call.entry);
        } else {
            sink.event(Event::Issued(call.entry.call(seq)));
            self.open.push(call);
        }
    }

    fn place(&mut self) -> i64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }
}
