//! Converts events to lines.

use super::entry::Entry;
use super::field::{kind_letter, Field, Value};
use super::forms::{self, Slot};
use super::name::encode;
use super::open::{Open, OpenCalls};
use super::Version;
use crate::syscalls::call::{Call, End, Ended, Event, EventSink};
use crate::syscalls::text;
use std::io::{self, Write};

/// Writes events as an ULTRIX call trace of version 2, in their order: a call is issued at its `seq` and returned at
/// its `seq_return`. Entries are numbered from 0. Results (return value, file size, readlink's target) are written
/// only at the return; the kernel's paths of descriptors are not written.
pub struct Writer<W: Write> {
    out: W,
    next_seq: i64,
    line: Vec<u8>,
    /// The bytes of the name that is being written.
    name: Vec<u8>,
    open: OpenCalls,
    /// The first write error, after which nothing is written.
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Start a trace with its header.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"# iotrace ultrix-calls 2\n# seq time_ns thread dir call arguments...\n")?;
        Ok(Writer {
            out,
            next_seq: 0,
            line: Vec::new(),
            name: Vec::new(),
            open: OpenCalls::default(),
            failure: None,
        })
    }

    /// Return the output, or the first write error.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Issued(call) => {
                self.call_entry(call);
                self.keep_open();
                self.end_line()
            }
            Event::Returned(call) => {
                let issued = self.open.take(call.thread, call.name);
                if issued.is_none() {
                    self.call_entry(call);
                    self.end_line()?;
                }
                self.return_entry(call, issued.as_ref().map(|open| &open.entry));
                self.end_line()
            }
            Event::Ended(ended) => {
                self.end_entry(ended);
                self.end_line()
            }
        }
    }

    /// Keep the current entry until its return is written.
    fn keep_open(&mut self) {
        let mut entry = Entry::default();
        if entry.fill(&self.line, Version::Extended).is_ok() {
            self.open.push(Open { seq: self.next_seq, entry });
        }
    }

    fn call_entry(&mut self, call: &Call<'_>) {
        self.begin(call.time_ns, call.thread, b'C', call.name);
        let slots = forms::arguments(call.kind);
        for slot in slots {
            match slot {
                Slot::Must(field) | Slot::May(field) => self.column(field.of(call)),
                Slot::Ignored(_) => self.column(Value::Absent),
            }
        }
        for field in Field::KEYED {
            let placed = slots.iter().any(|slot| *slot == Slot::Must(field) || *slot == Slot::May(field));
            if !placed && !forms::is_answer(call.kind, field) && field.of(call) != Value::Absent {
                self.keyed(field, field.of(call));
            }
        }
    }

    /// Write a call's return, with the values that its entry does not have by key.
    fn return_entry(&mut self, call: &Call<'_>, issued: Option<&Entry>) {
        let called_ns = issued.map_or(call.time_ns, |entry| entry.time_ns);
        let time_ns = called_ns.zip(call.duration_ns).and_then(|(from, duration)| from.checked_add(duration));
        self.begin(time_ns, call.thread, b'R', call.name);
        self.column(Field::Result.of(call));
        self.column(Field::Error.of(call));
        for field in Field::KEYED {
            let value = field.of(call);
            let inferred = match (field, issued) {
                (Field::Duration, _) if time_ns.is_some() => value,
                (_, Some(entry)) => entry.value(field).unwrap_or(Value::Absent),
                (_, None) if forms::is_answer(call.kind, field) => Value::Absent,
                (_, None) => value,
            };
            if inferred != value {
                self.keyed(field, value);
            }
        }
    }

    fn end_entry(&mut self, ended: &Ended<'_>) {
        self.open.of_thread(ended.thread);
        let status = ended.status.map_or(Value::Absent, Value::Number);
        let signal = ended.signal.map_or(Value::Absent, Value::Text);
        let (name, value) = match ended.how {
            End::Exited => ("process_exited", Some(status)),
            End::Killed => ("process_killed", Some(signal)),
            End::Superseded => ("process_superseded", Some(status)),
            End::Detached => ("process_detached", None),
        };
        self.begin(ended.time_ns, ended.thread, b'E', name.as_bytes());
        if let Some(value) = value {
            self.column(value);
        }
    }

    fn begin(&mut self, time_ns: Option<i64>, thread: i32, direction: u8, name: &[u8]) {
        self.line.clear();
        self.value(Value::Number(self.next_seq));
        self.column(time_ns.map_or(Value::Absent, Value::Number));
        self.column(Value::Number(i64::from(thread)));
        self.line.extend_from_slice(&[b' ', direction]);
        self.column(Value::Text(name));
    }

    fn column(&mut self, value: Value<'_>) {
        self.line.push(b' ');
        self.value(value);
    }

    fn keyed(&mut self, field: Field, value: Value<'_>) {
        self.line.push(b' ');
        self.line.extend_from_slice(field.key().as_bytes());
        self.line.push(b'=');
        self.value(value);
    }

    fn value(&mut self, value: Value<'_>) {
        match value {
            Value::Absent => encode(None, &mut self.line),
            Value::Text(text) => encode(Some(text), &mut self.line),
            Value::Name(shown) => {
                self.name.clear();
                text::name_bytes(shown, &mut self.name);
                encode(Some(&self.name), &mut self.line);
            }
            Value::Number(number) => self.line.extend_from_slice(number.to_string().as_bytes()),
            Value::Kind(kind) => self.line.push(kind_letter(kind)),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.next_seq += 1;
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}

impl<W: Write> EventSink for Writer<W> {
    fn event(&mut self, event: Event<'_>) {
        if self.failure.is_none() {
            self.failure = self.write(&event).err();
        }
    }
}
