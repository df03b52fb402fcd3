//! Lines of fields.

use super::form::{Field, Form};
use super::line_fields::{split, AnyFields, Fields, PlainFields};
use super::rows::{Latency, Operation, Reason, Request, Rows, Units};
use crate::fields::{text_of, Keys, Names, NS_PER_MS, NS_PER_S, NS_PER_US};

/// The requests of some lines, and why the others are none.
#[derive(Debug, Default)]
pub struct Lines {
    pub rows: Rows,
    /// The number of lines, or of records of several lines.
    pub lines: u64,
    /// How many of them are blank.
    pub blank: u64,
}

/// A record of a text in which some fields are in quotes.
#[derive(Clone, Debug)]
pub enum Record {
    /// A line without quotes.
    Line(String),
    /// The fields of one or more lines; there are none where a quote has no end.
    Fields(Vec<String>),
}

/// Read complete lines, which come in parts.
pub fn read_lines(parts: &[&[u8]], form: &Form) -> Lines {
    let mut reader = Reader::new(form);
    reader.found.rows.reserve(parts.iter().map(|part| part.len()).sum::<usize>() / 32);
    for part in parts {
        let mut start = 0;
        while start < part.len() {
            start += reader.take_line(&part[start..]);
        }
    }
    reader.end()
}

/// Read records of a text in which some fields are in quotes, each with the place of its first line, from 0.
pub fn read_fields(records: &[(u32, Record)], form: &Form) -> Lines {
    let mut reader = Reader::new(form);
    for (place, record) in records {
        reader.found.lines = u64::from(*place);
        match record {
            Record::Line(line) => reader.take_odd_line(line),
            Record::Fields(fields) if fields.is_empty() => reader.found.skip(Reason::OpenQuote),
            Record::Fields(fields) => reader.take_fields(fields),
        }
    }
    reader.found.lines = records.len() as u64;
    reader.end()
}

impl Lines {
    fn skip(&mut self, reason: Reason) {
        self.rows.skip(self.lines as u32, reason);
    }
}

/// The names in a line: of a disk, and of its machine.
#[derive(Clone, Copy, Default)]
struct LineNames<'t> {
    disk: &'t [u8],
    host: Option<&'t [u8]>,
}

struct Reader<'f> {
    form: &'f Form,
    units: Units,
    disks: Names,
    hosts: Names,
    /// Disks of machines, in formats that name these.
    disks_of_hosts: Keys<(i32, i32)>,
    found: Lines,
}

const FILETIME_OF_1970: i64 = 116_444_736_000_000_000;
const NS_PER_FILETIME: i64 = 100;

impl<'f> Reader<'f> {
    fn new(form: &'f Form) -> Self {
        let units = if form.fields.contains(&Field::OffsetBytes) {
            Units::Bytes
        } else if form.fields.contains(&Field::LengthBytes) {
            Units::BlocksAndBytes
        } else {
            Units::Blocks
        };
        Reader {
            form,
            units,
            disks: Names::default(),
            hosts: Names::default(),
            disks_of_hosts: Keys::default(),
            found: Lines::default(),
        }
    }

    /// Take the first line of a text; returns where the next begins.
    #[inline]
    fn take_line(&mut self, text: &[u8]) -> usize {
        let mut fields = PlainFields::new(text, self.form);
        let (request, names) = self.request(&mut fields);
        let next = if let Some(next) = fields.line_end() {
            self.take(&request, names);
            next
        } else {
            let end = memchr::memchr(b'\n', text);
            self.take_odd_line(&text_of(&text[..end.unwrap_or(text.len())]));
            end.map_or(text.len(), |end| end + 1)
        };
        self.found.lines += 1;
        next
    }

    /// Take a line with fields in any form.
    fn take_odd_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.found.blank += 1;
        } else {
            self.take_fields(&split(line, self.form));
        }
    }

    fn take_fields(&mut self, fields: &[String]) {
        if fields.len() < self.form.at_least {
            return self.found.skip(Reason::TooFewFields);
        }
        let (request, names) = self.request(&mut AnyFields::new(fields));
        self.take(&request, names);
    }

    /// Take a request; names are numbered only of those that make sense.
    #[inline]
    fn take(&mut self, request: &Request, names: LineNames<'_>) {
        match request.checked() {
            Ok(checked) => {
                let disk = self.disks.number(names.disk);
                let (device, host) = names.host.map_or((disk, 0), |host| {
                    let host = self.hosts.number(host);
                    (self.disks_of_hosts.number((host, disk)), host)
                });
                self.found.rows.push(self.found.lines as u32, device, host, checked);
            }
            Err(reason) => self.found.skip(reason),
        }
    }

    /// The request that fields make, and its names.
    #[inline]
    fn request<'t>(&self, fields: &mut impl Fields<'t>) -> (Request, LineNames<'t>) {
        let mut request = Request { units: self.units, ..Request::default() };
        let mut names = LineNames::default();
        for field in &self.form.fields {
            match field {
                Field::Filetime => {
                    let steps = fields.whole().and_then(|steps| steps.checked_sub(FILETIME_OF_1970));
                    request.time_ns = times(steps, NS_PER_FILETIME);
                }
                Field::TimeS => request.time_ns = times(fields.whole(), NS_PER_S),
                Field::TimeUs => request.time_ns = times(fields.whole(), NS_PER_US),
                Field::TimeNs => request.time_ns = fields.whole(),
                Field::DecimalS => request.time_ns = fields.decimal(NS_PER_S),
                Field::DecimalMs => request.time_ns = fields.decimal(NS_PER_MS),
                Field::Name => names.disk = fields.text(),
                Field::Host => names.host = Some(fields.text()),
                Field::Operation => {
                    let word = fields.text();
                    let mut known = self.form.operations.iter();
                    let meaning = known.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word));
                    request.operation = meaning.map(|(_, operation)| *operation);
                }
                Field::FlagsHex => {
                    let reads = fields.hexadecimal_is_odd();
                    request.operation =
                        reads.map(|reads| if reads { Operation::Read } else { Operation::Write });
                }
                Field::Lbn | Field::OffsetBytes => request.start = fields.whole(),
                Field::Blocks | Field::LengthBytes => request.length = fields.whole(),
                Field::Latency100ns => {
                    request.latency = latency(fields, |fields| times(fields.whole(), NS_PER_FILETIME));
                }
                Field::LatencyDecimalS => {
                    request.latency = latency(fields, |fields| fields.decimal(NS_PER_S));
                }
            }
        }
        (request, names)
    }

    fn end(mut self) -> Lines {
        let texts = |names: &Names| names.texts().map(|name| text_of(name).into_owned()).collect();
        let (disks, hosts): (Vec<String>, Vec<String>) = (texts(&self.disks), texts(&self.hosts));
        let template: Vec<&str> = self.form.device.split("{}").collect();
        self.found.rows.devices = if hosts.is_empty() {
            disks.iter().map(|disk| filled(&template, &[disk])).collect()
        } else {
            let of_hosts = self.disks_of_hosts.all().iter();
            of_hosts
                .map(|&(host, disk)| filled(&template, &[&hosts[host as usize], &disks[disk as usize]]))
                .collect()
        };
        self.found.rows.hosts = hosts;
        self.found
    }
}

/// A template's parts with names between them.
fn filled(template: &[&str], names: &[&str]) -> String {
    template
        .iter()
        .enumerate()
        .map(|(place, part)| [part, *names.get(place).unwrap_or(&"")].concat())
        .collect()
}

#[inline]
fn times(number: Option<i64>, factor: i64) -> Option<i64> {
    number?.checked_mul(factor)
}

#[inline]
fn latency<'t, F: Fields<'t>>(fields: &mut F, read: impl FnOnce(&mut F) -> Option<i64>) -> Latency {
    if fields.passes_empty() {
        return Latency::Unstated;
    }
    read(fields).map_or(Latency::Unreadable, Latency::Ns)
}
