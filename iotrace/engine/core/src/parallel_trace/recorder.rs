//! Lines of Recorder's text (`iotrace.formats.recorder_text`), and arguments of its calls.

use super::call::{Call, Layer, Name, OpenFlags, Operation, Whence};
use super::calls::{self, Calls, Reason};
use super::named_calls::{open_flags, NamedCall};
use super::numbers::{are, is_integer, is_space, nanoseconds, text_of, whole};
use super::stated::Stated;
use crate::fields::{Cursor, NS_PER_S};
use std::borrow::Cow;

/// Libraries by the types of calls.
const LIBRARIES: [&str; 5] = ["POSIX", "MPI-IO", "MPI", "HDF5", "user functions"];
/// The most digits of a type.
const MOST_DIGITS: usize = 9;

/// The fields of a line.
struct Fields<'t> {
    /// None for what is not a number.
    start_ns: Option<i128>,
    end_ns: Option<i128>,
    name: &'t str,
    kind: &'t str,
    arguments: &'t str,
}

/// What the arguments of a call say.
#[derive(Debug)]
pub struct RecorderArguments<'t> {
    pub layer: Option<Layer>,
    /// The path, which may have spaces; None for a barrier.
    pub file: Option<Cow<'t, str>>,
    pub offset: Option<i128>,
    pub whence: Option<Whence>,
    pub length: Option<i128>,
    pub flags: OpenFlags,
}

/// Read complete lines of the file of a rank.
pub fn read(block: &[u8], rank: i64) -> Calls {
    let mut calls = calls::read(block, |calls, line| take_line(calls, &text_of(line), rank));
    calls.rename_files(|name| {
        let is_descriptor = are(name, |byte| byte.is_ascii_digit());
        let text = String::from_utf8_lossy(name);
        if is_descriptor {
            format!("fd:{rank}:{text}")
        } else {
            text.into_owned()
        }
    });
    calls
}

#[inline]
fn take_line(calls: &mut Calls, line: &str, rank: i64) {
    if line.chars().all(is_space) {
        return;
    }
    let Some(fields) = fields(line) else {
        calls.skip(Reason::NoCall);
        return;
    };
    let Some(named) = NamedCall::of(fields.name.as_bytes()) else {
        let kind = whole(fields.kind.as_bytes()).unwrap_or(-1);
        match usize::try_from(kind).ok().and_then(|kind| LIBRARIES.get(kind)) {
            Some(library) => calls.remark("other calls of ", library),
            None => calls.remark("other calls of type ", &kind.to_string()),
        }
        return;
    };
    if let Err(reason) = take_call(calls, &fields, named, rank) {
        calls.skip(reason);
    }
}

fn take_call(calls: &mut Calls, fields: &Fields<'_>, named: NamedCall<'_>, rank: i64) -> Result<(), Reason> {
    let words: Vec<&str> = fields.arguments.split(is_space).filter(|word| !word.is_empty()).collect();
    let given = RecorderArguments::of(named, &words)?;
    let stated = Stated {
        time: fields.start_ns,
        duration: Some(fields.start_ns.zip(fields.end_ns).map(|(start_ns, end_ns)| end_ns - start_ns)),
        process: Some(i128::from(rank)),
        offset: given.offset,
        length: given.length,
        requested: given.length,
        ..Stated::default()
    };
    let call = stated.call(Some(named.operation))?;
    let file = given.file.as_ref().map(|file| Name::plain(file.as_bytes()));
    calls.take(&Call { layer: given.layer, file, whence: given.whence, flags: given.flags, ..call })
}

/// The fields of a line, between single spaces; the arguments, in brackets, end it.
#[inline]
fn fields(line: &str) -> Option<Fields<'_>> {
    let mut rest = line;
    let (start_ns, end_ns) = (time(field(&mut rest)?)?, time(field(&mut rest)?)?);
    let (name, level, kind) = (field(&mut rest)?, field(&mut rest)?, field(&mut rest)?);
    let is_plain = name.bytes().all(|byte| byte.is_ascii_graphic());
    let is_call = !name.is_empty()
        && (is_plain || !name.contains(is_space))
        && is_integer(level.as_bytes())
        && is_integer(kind.as_bytes())
        && kind.trim_start_matches('-').len() <= MOST_DIGITS;
    let arguments = rest.trim_end_matches(is_space).strip_prefix('(')?.strip_suffix(')')?;
    is_call.then_some(Fields { start_ns, end_ns, name, kind, arguments })
}

/// The field before the next space, which is passed.
#[inline]
fn field<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let end = rest.bytes().position(|byte| byte == b' ')?;
    let field = rest.get(..end);
    *rest = rest.get(end + 1..)?;
    field
}

/// A time in nanoseconds: None within for digits and points that are not a number, None for other text.
#[inline]
fn time(text: &str) -> Option<Option<i128>> {
    let mut cursor = Cursor::new(text.as_bytes());
    match cursor.decimal(NS_PER_S) {
        Some(ns) if cursor.is_at_end() => Some(Some(i128::from(ns))),
        _ => is_time(text).then(|| nanoseconds(text.as_bytes())),
    }
}

/// Whether a text consists of digits and points, perhaps after a sign or before an exponent.
fn is_time(text: &str) -> bool {
    let mut cursor = Cursor::new(text.as_bytes());
    cursor.passes(b'-');
    let mut has_digits = !cursor.run(|byte| byte.is_ascii_digit() || byte == b'.').is_empty();
    if cursor.passes(b'e') {
        let _ = cursor.passes(b'-') || cursor.passes(b'+');
        has_digits &= !cursor.run(|byte| byte.is_ascii_digit()).is_empty();
    }
    has_digits && cursor.is_at_end()
}

impl<'t> RecorderArguments<'t> {
    /// The arguments of a call.
    ///
    /// # Errors
    /// If there are too few, or a stream's call has no length.
    pub fn of(named: NamedCall<'_>, words: &[&'t str]) -> Result<Self, Reason> {
        use Operation::{Barrier, Open, Read, Seek, Truncate, Write};
        let given = RecorderArguments {
            layer: Some(if named.is_of_stream() { Layer::Stdio } else { Layer::Posix }),
            file: None,
            offset: None,
            whence: None,
            length: None,
            flags: OpenFlags(0),
        };
        let after_path = match (named.operation, named.name) {
            (Barrier, _) => return Ok(RecorderArguments { layer: None, ..given }),
            (Open, _) => return given.of_open(named, words),
            (_, b"fread" | b"fwrite") => return given.of_stream(words),
            (Read | Write, _) if named.has_offset() => 3,
            (Read | Write | Seek, _) => 2,
            (Truncate, _) => 1,
            _ => 0,
        };
        if words.len() <= after_path {
            return Err(Reason::TooFewArguments);
        }
        let (path, rest) = words.split_at(words.len() - after_path);
        let given = RecorderArguments { file: Some(joined(path)), ..given };
        Ok(match (named.operation, named.name) {
            (Seek, _) => {
                let whence = Some(Whence::of(number(rest, 1).unwrap_or(2)));
                RecorderArguments { offset: number(rest, 0), whence, ..given }
            }
            (Truncate, _) => RecorderArguments { offset: number(rest, 0), ..given },
            (_, b"readv" | b"writev") => RecorderArguments { length: number(rest, 0), ..given },
            _ => RecorderArguments { length: number(rest, 1), offset: number(rest, 2), ..given },
        })
    }

    /// The size of an item and their number stand before the path.
    fn of_stream(self, words: &[&'t str]) -> Result<Self, Reason> {
        if words.len() < 4 {
            return Err(Reason::TooFewArguments);
        }
        let (size, items) = number(words, 1).zip(number(words, 2)).ok_or(Reason::NoLength)?;
        Ok(RecorderArguments {
            file: Some(joined(&words[3..])),
            length: Some(size.saturating_mul(items)),
            ..self
        })
    }

    /// A stream's mode follows its path; otherwise flags and permissions may follow it.
    fn of_open(self, named: NamedCall<'_>, words: &[&'t str]) -> Result<Self, Reason> {
        let (mode, before) = words.split_last().ok_or(Reason::TooFewArguments)?;
        if named.is_of_stream() {
            let path = if before.is_empty() { words } else { before };
            return Ok(RecorderArguments {
                file: Some(joined(path)),
                flags: open_flags(None, mode.as_bytes()),
                ..self
            });
        }
        let is_number = |at: &usize| number(words, *at).is_some();
        let path = (1..words.len()).rev().take(2).take_while(is_number).last().unwrap_or(words.len());
        let flags = open_flags(number(words, path), b"");
        Ok(RecorderArguments { file: Some(joined(&words[..path])), flags, ..self })
    }
}

fn number(words: &[&str], at: usize) -> Option<i128> {
    whole(words.get(at)?.as_bytes())
}

fn joined<'t>(words: &[&'t str]) -> Cow<'t, str> {
    match words {
        [word] => Cow::Borrowed(word),
        _ => Cow::Owned(words.join(" ")),
    }
}
