//! One line of the trace, decoded.

use super::classic;
use super::field::{kind_of_letter, Field, Shape, Value};
use super::forms::{self, Slot};
use super::name::decode_in_place;
use super::skip::Skip;
use super::Version;
use crate::syscalls::call::{Call, CallKind, End, Ended, FileKind};
use crate::syscalls::text;
use std::ops::Range;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    #[default]
    Call,
    Return,
    End(End),
}

/// A field's value; texts by their position in the entry.
#[derive(Debug, Clone)]
enum Stored {
    Absent,
    Number(i64),
    Text(Range<usize>),
    Name(Range<usize>),
    Kind(FileKind),
}

/// A decoded line; owns its text, so that a call can wait for its return. Reusable.
#[derive(Debug, Default)]
pub struct Entry {
    pub direction: Direction,
    pub time_ns: Option<i64>,
    pub thread: i32,
    pub kind: CallKind,
    name: Range<usize>,
    text: Vec<u8>,
    values: Vec<(Field, Stored)>,
}

impl Entry {
    /// Fill from a line without its newline, which has a first column. After an error the contents are undefined.
    pub fn fill(&mut self, line: &[u8], version: Version) -> Result<(), Skip> {
        self.text.clear();
        self.text.extend_from_slice(line);
        self.values.clear();
        let mut at = 0;
        let mut column = || next_column(line, &mut at).ok_or(Skip::NotAnEntry);
        optional_number(&line[column()?])?;
        self.time_ns = scaled(optional_number(&line[column()?])?, version)?;
        self.thread = i32::try_from(number(&line[column()?])?).map_err(|_| Skip::BadNumber)?;
        let direction = column()?;
        let name = column()?;
        self.name = self.decode(name.clone())?;
        self.kind = CallKind::from_name(self.name());
        let slots = match &line[direction] {
            b"C" => self.begin(Direction::Call, forms::arguments(self.kind)),
            b"R" => self.begin(Direction::Return, forms::RETURN),
            b"E" => {
                let found = forms::ENDS.iter().find(|(of, ..)| of.as_bytes() == &line[name.clone()]);
                let (_, end, slots) = found.ok_or(Skip::UnknownEnd)?;
                self.begin(Direction::End(*end), slots)
            }
            _ => return Err(Skip::NotAnEntry),
        };
        self.fill_values(line, at, slots, version)?;
        self.fill_left_out_flags();
        Ok(())
    }

    /// sync_file_range with omitted flags, unlike `-`, is one that writes.
    fn fill_left_out_flags(&mut self) {
        let is_given = |(field, _): &(Field, Stored)| *field == Field::Flags;
        let is_call = self.direction == Direction::Call && self.kind == CallKind::SyncFileRange;
        if is_call && !self.values.iter().any(is_given) {
            let flags = self.append(b"SYNC_FILE_RANGE_WRITE");
            self.values.push((Field::Flags, Stored::Text(flags)));
        }
    }

    fn append(&mut self, text: &[u8]) -> Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        start..self.text.len()
    }

    fn begin(&mut self, direction: Direction, slots: &'static [Slot]) -> &'static [Slot] {
        self.direction = direction;
        slots
    }

    fn fill_values(
        &mut self,
        line: &[u8],
        mut at: usize,
        slots: &[Slot],
        version: Version,
    ) -> Result<(), Skip> {
        let mut slots = slots.iter().peekable();
        while let Some(column) = next_column(line, &mut at) {
            let keyed = split_key(&line[column.clone()]);
            match (slots.peek().copied(), keyed) {
                (Some(Slot::Must(field)), _) => {
                    self.store(*field, column, version)?;
                    slots.next();
                }
                (_, Some((key, value))) => {
                    slots.by_ref().for_each(drop);
                    self.store_keyed(key, column.start + value..column.end, version)?;
                }
                (Some(Slot::May(field)), None) => {
                    self.store(*field, column, version)?;
                    slots.next();
                }
                (Some(Slot::Ignored(_)), None) => {
                    slots.next();
                }
                (None, None) => return Err(Skip::UnknownArgument),
            }
        }
        match slots.peek() {
            Some(Slot::Must(_)) => Err(Skip::TooFewArguments),
            _ => Ok(()),
        }
    }

    fn store_keyed(&mut self, key: Key, column: Range<usize>, version: Version) -> Result<(), Skip> {
        match key {
            Key::Field(field) => self.store(field, column, version),
            Key::InodeNumber => Ok(()),
        }
    }

    fn store(&mut self, field: Field, column: Range<usize>, version: Version) -> Result<(), Skip> {
        let raw = &self.text[column.clone()];
        let directory = matches!(field, Field::Dirfd | Field::Dirfd2);
        let stored = match field.shape() {
            _ if raw == b"-" => Stored::Absent,
            Shape::Descriptor if directory && matches!(raw, b"AT_FDCWD" | b"-100") => Stored::Absent,
            Shape::Descriptor => {
                let value = number(raw)?;
                i32::try_from(value).map_err(|_| Skip::BadNumber)?;
                Stored::Number(value)
            }
            Shape::Number => Stored::Number(number(raw)?),
            Shape::Kind => Stored::Kind(kind_of_letter(raw).ok_or(Skip::BadType)?),
            Shape::Text => match (version, number(raw)) {
                (Version::Classic, Ok(value)) => self.name_of_number(field, value, column)?,
                _ => Stored::Text(self.decode(column)?),
            },
            Shape::Name => {
                let bytes = decoded(&mut self.text, column)?;
                Stored::Name(self.keep(bytes, text::show_name))
            }
        };
        self.values.push((field, stored));
        Ok(())
    }

    /// The name of an ULTRIX number of a flag, an origin or an error; other numbers are unchanged.
    fn name_of_number(&mut self, field: Field, value: i64, column: Range<usize>) -> Result<Stored, Skip> {
        let name = match (field, self.kind) {
            (Field::Error, _) if value == 0 => return Ok(Stored::Absent),
            (Field::Error, _) => classic::error(value).map(str::to_owned),
            (Field::Flags, CallKind::Open) => classic::open_flags(value),
            (Field::Flags, CallKind::Lseek) => classic::origin(value).map(str::to_owned),
            _ => None,
        };
        let Some(name) = name else {
            return Ok(Stored::Text(self.decode(column)?));
        };
        Ok(Stored::Text(self.append(name.as_bytes())))
    }

    /// A text other than a file's name: bytes that are not UTF-8 are replaced, since tables hold UTF-8.
    fn decode(&mut self, column: Range<usize>) -> Result<Range<usize>, Skip> {
        let bytes = decoded(&mut self.text, column)?;
        Ok(self.keep(bytes, |bytes, shown| {
            shown.extend_from_slice(text::printable(bytes, &mut Vec::new()));
        }))
    }

    /// The position of the text that `show` makes of bytes, which is that of the bytes if they are unchanged.
    fn keep(&mut self, place: Range<usize>, show: impl Fn(&[u8], &mut Vec<u8>)) -> Range<usize> {
        let bytes = &self.text[place.clone()];
        if bytes.is_ascii() && !bytes.contains(&b'\\') {
            return place;
        }
        let bytes = bytes.to_vec();
        let start = self.text.len();
        show(&bytes, &mut self.text);
        start..self.text.len()
    }

    /// The call's name.
    pub fn name(&self) -> &[u8] {
        &self.text[self.name.clone()]
    }

    /// The entry's value of a field; None if it has none.
    pub fn value(&self, field: Field) -> Option<Value<'_>> {
        let (_, stored) = self.values.iter().rev().find(|(of, _)| *of == field)?;
        Some(self.borrow(stored))
    }

    fn borrow<'a>(&'a self, stored: &Stored) -> Value<'a> {
        match stored {
            Stored::Absent => Value::Absent,
            Stored::Number(number) => Value::Number(*number),
            Stored::Text(place) => Value::Text(&self.text[place.clone()]),
            Stored::Name(place) => Value::Name(&self.text[place.clone()]),
            Stored::Kind(kind) => Value::Kind(*kind),
        }
    }

    /// The call of a call entry, at a position of the trace.
    pub fn call(&self, seq: i64) -> Call<'_> {
        let mut call = Call {
            seq,
            seq_return: seq,
            thread: self.thread,
            time_ns: self.time_ns,
            kind: self.kind,
            name: self.name(),
            ..Call::default()
        };
        self.apply(&mut call);
        call
    }

    /// Complete the call of a call entry from its return entry. If the clock ran backwards, the duration is negative.
    pub fn complete<'a>(&'a self, call: &mut Call<'a>) {
        if let (Some(from), Some(to)) = (call.time_ns, self.time_ns) {
            call.duration_ns = to.checked_sub(from);
        }
        self.apply(call);
    }

    fn apply<'a>(&'a self, call: &mut Call<'a>) {
        for (field, stored) in &self.values {
            field.put(call, self.borrow(stored));
        }
    }

    /// The thread end of an end entry.
    pub fn ended(&self, how: End, seq: i64) -> Ended<'_> {
        let status = match self.value(Field::Result) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        let signal = match self.value(Field::Flags) {
            Some(Value::Text(signal)) => Some(signal),
            _ => None,
        };
        Ended { seq, time_ns: self.time_ns, thread: self.thread, how, status, signal }
    }
}

/// The text before `=` in a column.
#[derive(Debug, Clone, Copy)]
enum Key {
    Field(Field),
    /// `ino`, which no table holds.
    InodeNumber,
}

/// A column's key and the start of its value; None if it has no known key.
fn split_key(column: &[u8]) -> Option<(Key, usize)> {
    let equals = memchr::memchr(b'=', column)?;
    let key = match &column[..equals] {
        b"ino" => Key::InodeNumber,
        key => Key::Field(Field::from_key(key)?),
    };
    Some((key, equals + 1))
}

/// Take the next column; None at the end of the line or at a comment.
pub fn next_column(line: &[u8], at: &mut usize) -> Option<Range<usize>> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let start = *at + line[*at..].iter().position(|byte| !blank(byte))?;
    if line[start] == b'#' {
        return None;
    }
    *at = line[start..].iter().position(blank).map_or(line.len(), |length| start + length);
    Some(start..*at)
}

fn decoded(text: &mut [u8], column: Range<usize>) -> Result<Range<usize>, Skip> {
    let length = decode_in_place(&mut text[column.clone()]).ok_or(Skip::BadEscape)?;
    Ok(column.start..column.start + length)
}

fn scaled(time: Option<i64>, version: Version) -> Result<Option<i64>, Skip> {
    const NS_PER_US: i64 = 1000;
    match (time, version) {
        (Some(time), Version::Classic) => time.checked_mul(NS_PER_US).map(Some).ok_or(Skip::BadNumber),
        (time, _) => Ok(time),
    }
}

fn optional_number(text: &[u8]) -> Result<Option<i64>, Skip> {
    if text == b"-" {
        return Ok(None);
    }
    number(text).map(Some)
}

/// A decimal number, or a hexadecimal one after `0x`.
fn number(text: &[u8]) -> Result<i64, Skip> {
    let text = std::str::from_utf8(text).map_err(|_| Skip::BadNumber)?;
    let parsed = match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with(['+', '-']) => i64::from_str_radix(digits, 16),
        _ => text.parse(),
    };
    parsed.map_err(|_| Skip::BadNumber)
}
