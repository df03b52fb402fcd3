//! Lines of fields.

use super::form::{Field, Form};
use super::rows::{Latency, Operation, Place, Request, Rows};
use crate::fields::{is_blank, Cursor, Names, NS_PER_MS, NS_PER_S, NS_PER_US};

/// The requests of some lines, and the lines that are none in the usual form.
#[derive(Debug, Default)]
pub struct Lines {
    pub rows: Rows,
    /// The number of lines.
    pub lines: u64,
    /// The places of the other lines, from 0.
    pub others: Vec<u32>,
    /// The text of the other lines.
    pub other_text: Vec<u8>,
}

/// Read complete lines, which come in parts.
pub fn read_lines(parts: &[&[u8]], form: &Form) -> Lines {
    let mut reader = Reader {
        form,
        has_offset: form.fields.contains(&Field::OffsetBytes),
        devices: Names::default(),
        hosts: Names::default(),
    };
    let mut found = Lines::default();
    found.rows.reserve(parts.iter().map(|part| part.len()).sum::<usize>() / 32);
    for part in parts {
        read_part(part, &mut reader, &mut found);
    }
    let template = form.device.split("{}").collect::<Vec<_>>();
    let separator = if form.is_blank_separated { b' ' } else { b',' };
    found.rows.devices = reader.devices.texts().map(|key| filled(&template, key, separator)).collect();
    found.rows.hosts = reader.hosts.texts().map(text_of).collect();
    found
}

fn read_part(part: &[u8], reader: &mut Reader<'_>, found: &mut Lines) {
    let mut start = 0;
    while start < part.len() {
        let text = &part[start..];
        let usual = reader.line(text).and_then(|line| Some((line.request.checked()?, line)));
        start += match usual {
            Some((checked, line)) => {
                found.rows.push(found.lines, reader.named(&line), checked);
                line.next
            }
            None => {
                let next = next_line(text);
                found.others.push(found.lines as u32);
                found.other_text.extend_from_slice(without_end(&text[..next]));
                found.other_text.push(b'\n');
                next
            }
        };
        found.lines += 1;
    }
}

/// Where the second line of a text begins.
fn next_line(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).map_or(text.len(), |length| length + 1)
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// A template's parts with the fields of a key between them.
fn filled(parts: &[&str], key: &[u8], separator: u8) -> String {
    let mut fields = key.split(|&byte| byte == separator).map(text_of);
    let mut name = String::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            name.push_str(&fields.next().unwrap_or_default());
        }
        name.push_str(part);
    }
    name
}

/// Text of a name, which is ASCII.
fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

struct Reader<'f> {
    form: &'f Form,
    /// Whether places are in bytes.
    has_offset: bool,
    devices: Names,
    hosts: Names,
}

/// A line in the usual form: its request without the numbers of names, these names, and where the next line begins.
struct Line<'t> {
    request: Request,
    device: &'t [u8],
    host: Option<&'t [u8]>,
    next: usize,
}

const FILETIME_OF_1970: i64 = 116_444_736_000_000_000;
const NS_PER_FILETIME: i64 = 100;

impl Reader<'_> {
    /// A line's request with the numbers of its names; names are numbered only of requests that are taken.
    #[inline]
    fn named(&mut self, line: &Line<'_>) -> Request {
        let host = line.host.map_or(0, |host| self.hosts.number(host));
        Request { device: self.devices.number(line.device), host, ..line.request }
    }

    /// The first line of a text; None if it is not in the usual form.
    #[inline]
    fn line<'t>(&self, text: &'t [u8]) -> Option<Line<'t>> {
        let mut cursor = Cursor::new(text);
        let mut request = Request::default();
        let mut host = None;
        let (mut offset, mut device_start, mut device_end) = (0, usize::MAX, 0);
        if self.form.is_blank_separated {
            cursor.run(is_blank);
        }
        for (number, field) in self.form.fields.iter().enumerate() {
            if number > 0 && !self.passes_separator(&mut cursor) {
                return None;
            }
            match field {
                Field::Filetime => {
                    let steps = cursor.whole()? - FILETIME_OF_1970;
                    request.time_ns = steps.checked_mul(NS_PER_FILETIME)?;
                }
                Field::TimeS => request.time_ns = cursor.whole()?.checked_mul(NS_PER_S)?,
                Field::TimeUs => request.time_ns = cursor.whole()?.checked_mul(NS_PER_US)?,
                Field::TimeNs => request.time_ns = cursor.whole()?,
                Field::DecimalS => request.time_ns = cursor.decimal(NS_PER_S)?,
                Field::DecimalMs => request.time_ns = cursor.decimal(NS_PER_MS)?,
                Field::Name | Field::Host => {
                    device_start = device_start.min(cursor.at());
                    let name = self.name(&mut cursor)?;
                    device_end = cursor.at();
                    if *field == Field::Host {
                        host = Some(name);
                    }
                }
                Field::Operation => request.operation = self.operation(&mut cursor)?,
                Field::FlagsHex => {
                    let reads = cursor.hexadecimal_is_odd()?;
                    request.operation = if reads { Operation::Read } else { Operation::Write };
                }
                Field::Lbn => request.lbn = cursor.whole()?,
                Field::Blocks => request.place = Place::Blocks(cursor.whole()?),
                Field::OffsetBytes => offset = cursor.whole()?,
                Field::LengthBytes => request.place = Place::Bytes(cursor.whole()?),
                Field::Latency100ns => {
                    request.latency = Latency::Known(cursor.whole()?.checked_mul(NS_PER_FILETIME)?);
                }
                Field::LatencyDecimalS => request.latency = latency(&mut cursor)?,
            }
        }
        if self.form.is_blank_separated {
            cursor.run(is_blank);
        }
        let next = cursor.line_end()?;
        if device_start > device_end {
            return None;
        }
        if let (true, Place::Bytes(length)) = (self.has_offset, request.place) {
            request.place = Place::Range { offset, length };
        }
        Some(Line { request, device: &text[device_start..device_end], host, next })
    }

    #[inline]
    fn passes_separator(&self, cursor: &mut Cursor<'_>) -> bool {
        if self.form.is_blank_separated {
            cursor.field().is_some()
        } else {
            cursor.passes(b',')
        }
    }

    /// A name, which has no blanks and is ASCII.
    #[inline]
    fn name<'t>(&self, cursor: &mut Cursor<'t>) -> Option<&'t [u8]> {
        let name = cursor.run(|byte| byte.is_ascii_graphic() && byte != b',');
        (!name.is_empty()).then_some(name)
    }

    #[inline]
    fn operation(&self, cursor: &mut Cursor<'_>) -> Option<Operation> {
        let word = cursor.run(|byte| byte.is_ascii_alphanumeric());
        let known =
            self.form.operations.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word));
        known.map(|(_, operation)| *operation)
    }
}

fn latency(cursor: &mut Cursor<'_>) -> Option<Latency> {
    let mut ahead = *cursor;
    if ahead.line_end().is_some() || ahead.passes(b',') {
        return Some(Latency::Unknown);
    }
    cursor.decimal(NS_PER_S).map(Latency::Known)
}
