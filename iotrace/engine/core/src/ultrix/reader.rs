//! From lines to events.

use super::entry::{next_column, Direction, Entry, Reason};
use super::open::{Open, OpenCalls};
use super::{Version, MAGIC};
use crate::call::{CallKind, Event, EventSink};
use crate::skipped::Skipped;

/// Takes the lines of an ULTRIX call trace in order and hands out events. A call entry that its return follows at
/// once becomes one event; any other is issued first and returned later. The places of the events are their own,
/// dense from 0. Lines that cannot be understood are counted by reason, and change nothing else.
pub struct Reader {
    /// None after a header of a version that is not known.
    version: Option<Version>,
    line_number: u64,
    next_seq: i64,
    /// The last call entry, until it is known whether its return follows.
    held: Option<Entry>,
    open: OpenCalls,
    /// Entries to fill again.
    spare: Vec<Entry>,
    skipped: Skipped,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            version: Some(Version::Classic),
            line_number: 0,
            next_seq: 0,
            held: None,
            open: OpenCalls::default(),
            spare: Vec::new(),
            skipped: Skipped::default(),
        }
    }
}

impl Reader {
    /// Take one line, with or without its end.
    pub fn line(&mut self, line: &[u8], sink: &mut impl EventSink) {
        self.line_number += 1;
        let line = line.trim_ascii();
        if line.starts_with(b"#") {
            self.header(line);
            return;
        }
        match next_column(line, &mut 0).map(|column| &line[column]) {
            None | Some(b"seq") => {}
            Some(_) => self.entry(line, sink),
        }
    }

    /// The trace is over: hand out what is left and return what was skipped.
    pub fn finish(mut self, sink: &mut impl EventSink) -> Skipped {
        self.release(sink);
        self.skipped
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

    fn entry(&mut self, line: &[u8], sink: &mut impl EventSink) {
        let mut entry = self.spare.pop().unwrap_or_default();
        let filled = self
            .version
            .ok_or(Reason::UnknownVersion)
            .and_then(|version| entry.fill(line, version));
        if let Err(reason) = filled {
            self.skip(reason, line);
            self.spare.push(entry);
            return;
        }
        match entry.direction {
            Direction::Call => {
                self.release(sink);
                self.held = Some(entry);
            }
            Direction::Return => self.returned(entry, line, sink),
            Direction::End(how) => {
                self.release(sink);
                let seq = self.place();
                sink.event(&Event::Ended(entry.ended(how, seq)));
                self.open.forget(entry.thread);
                self.spare.push(entry);
            }
        }
    }

    fn returned(&mut self, entry: Entry, line: &[u8], sink: &mut impl EventSink) {
        let older = self.open.contains(entry.thread, entry.name());
        let direct =
            |held: &mut Entry| !older && held.thread == entry.thread && held.name() == entry.name();
        if let Some(call) = self.held.take_if(direct) {
            let seq = self.place();
            self.hand_out(Open { seq, entry: call }, entry, seq, sink);
            return;
        }
        self.release(sink);
        match self.open.take(entry.thread, entry.name()) {
            Some(call) => {
                let seq_return = self.place();
                self.hand_out(call, entry, seq_return, sink);
            }
            None => {
                self.skip(Reason::ReturnWithoutCall, line);
                self.spare.push(entry);
            }
        }
    }

    fn hand_out(&mut self, call: Open, entry: Entry, seq_return: i64, sink: &mut impl EventSink) {
        let mut whole = call.entry.call(call.seq);
        whole.seq_return = seq_return;
        entry.complete(&mut whole);
        sink.event(&Event::Returned(whole));
        self.spare.extend([call.entry, entry]);
    }

    /// No return followed the held call entry at once: its call is issued and stays open. A classic exit is over.
    fn release(&mut self, sink: &mut impl EventSink) {
        let Some(entry) = self.held.take() else {
            return;
        };
        let seq = self.place();
        let call = entry.call(seq);
        if self.version == Some(Version::Classic) && entry.kind == CallKind::Exit {
            sink.event(&Event::Returned(call));
            self.spare.push(entry);
        } else {
            sink.event(&Event::Issued(call));
            self.open.push(Open { seq, entry });
        }
    }

    fn place(&mut self) -> i64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }

    fn skip(&mut self, reason: Reason, line: &[u8]) {
        self.skipped.note(reason.describe(), self.line_number, line);
    }
}
