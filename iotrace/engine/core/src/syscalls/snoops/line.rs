//! Headers, and lines of the columns that they name.

use crate::fields::{is_blank, Cursor, NS_PER_S};

/// The kernel's names of threads have 15 bytes; tools give them this many.
const NAME_WIDTH: usize = 16;
const PID_WIDTH: usize = 6;

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Seconds since the start.
    Seconds,
    /// `12:00:01`
    TimeOfDay,
    User,
    /// The process, and the name that follows it.
    Process,
    Descriptor,
    Error,
    /// Octal digits.
    Flags,
    Mode,
    /// The last one: a path, or a tracepoint.
    Path,
    Event,
}

/// The columns of a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header(Vec<Column>);

/// A line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SnoopLine<'t> {
    pub time_ns: Option<i64>,
    pub decimals: usize,
    pub process: i32,
    pub descriptor: Option<i32>,
    pub error: Option<u16>,
    pub flags: Option<u64>,
    pub path: Option<&'t [u8]>,
    pub event: Option<&'t [u8]>,
}

impl Header {
    /// Read a header; None if a line is not one.
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut columns = Vec::new();
        let mut words = line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            columns.push(match word {
                b"TIME(s)" => Column::Seconds,
                b"TIME" => Column::TimeOfDay,
                b"UID" => Column::User,
                b"PID" if words.next() == Some(b"COMM") => Column::Process,
                b"FD" => Column::Descriptor,
                b"ERR" => Column::Error,
                b"FLAGS" => Column::Flags,
                b"MODE" => Column::Mode,
                b"PATH" => Column::Path,
                b"EVENT" => Column::Event,
                _ => return None,
            });
        }
        let has = |column| columns.contains(&column);
        let is_of_opens =
            has(Column::Descriptor) && has(Column::Error) && columns.last() == Some(&Column::Path);
        let is_whole = has(Column::Process) && (is_of_opens || columns.last() == Some(&Column::Event));
        is_whole.then_some(Header(columns))
    }

    /// Whether there are times of a clock on the wall; None without times.
    pub fn has_times_of_day(&self) -> Option<bool> {
        let is_time = |column: &&Column| matches!(column, Column::Seconds | Column::TimeOfDay);
        self.0.iter().find(is_time).map(|column| *column == Column::TimeOfDay)
    }

    /// Read a line; None if it has not these columns. A name may hold blanks if it stands in its usual width.
    pub fn row<'t>(&self, line: &'t [u8]) -> Option<SnoopLine<'t>> {
        let place = self.0.iter().position(|column| *column == Column::Process)?;
        let (before, after) = (&self.0[..place], &self.0[place + 1..]);
        let mut row = SnoopLine::default();
        let mut rest = line.trim_ascii_start();
        for column in before {
            let (word, after) = word(rest)?;
            row.set(*column, word)?;
            rest = after.trim_ascii_start();
        }
        let (process, _) = word(rest)?;
        row.process = i32::try_from(whole(process)?).ok()?;
        let name_start = process.len().max(PID_WIDTH) + 1;
        let in_width =
            rest.get(name_start + NAME_WIDTH..).filter(|after| after.first().copied().is_some_and(is_blank));
        let after_word = || word(rest[process.len()..].trim_ascii_start()).map(|(_, after)| after);
        in_width.and_then(|text| row.with(after, text)).or_else(|| row.with(after, after_word()?))
    }
}

impl<'t> SnoopLine<'t> {
    /// The row with columns behind the name.
    fn with(&self, columns: &[Column], mut text: &'t [u8]) -> Option<Self> {
        let mut row = SnoopLine {
            time_ns: self.time_ns,
            decimals: self.decimals,
            process: self.process,
            ..SnoopLine::default()
        };
        for column in columns {
            match column {
                // an empty path leaves nothing
                Column::Path => row.path = Some(text.strip_prefix(b" ").unwrap_or(text)),
                _ => {
                    let (value, after) = word(text.trim_ascii_start())?;
                    row.set(*column, value)?;
                    text = after;
                }
            }
        }
        Some(row)
    }

    fn set(&mut self, column: Column, word: &'t [u8]) -> Option<()> {
        match column {
            Column::Seconds => {
                let mut cursor = Cursor::new(word);
                self.time_ns = Some(cursor.decimal(NS_PER_S).filter(|_| cursor.is_at_end())?);
                self.decimals = memchr::memchr(b'.', word).map_or(0, |point| word.len() - point - 1);
            }
            Column::TimeOfDay => self.time_ns = Some(time_of_day(word)?),
            Column::Descriptor => {
                let (sign, digits) = word.strip_prefix(b"-").map_or((1, word), |digits| (-1, digits));
                self.descriptor = Some(i32::try_from(sign * whole(digits)?).ok()?);
            }
            Column::Error => self.error = Some(u16::try_from(whole(word)?).ok()?),
            Column::Flags => self.flags = Some(u64::from_str_radix(std::str::from_utf8(word).ok()?, 8).ok()?),
            Column::Event => self.event = Some(word),
            Column::User | Column::Mode => {
                whole(word)?;
            }
            Column::Path | Column::Process => return None,
        }
        Some(())
    }
}

/// `12:00:01`, in nanoseconds.
fn time_of_day(word: &[u8]) -> Option<i64> {
    let mut parts = word.split(|&byte| byte == b':').map(whole);
    let (Some(Some(hours @ 0..24)), Some(Some(minutes @ 0..60)), Some(Some(seconds @ 0..=60)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some(((hours * 60 + minutes) * 60 + seconds) * NS_PER_S)
}

fn whole(word: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(word);
    cursor.whole().filter(|_| cursor.is_at_end())
}

/// The word that a text begins with, and what follows.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len());
    (length > 0).then(|| text.split_at(length))
}
