//! Lines of Recorder's text (`iotrace.formats.recorder_text`).

use super::call::{Call, Layer, Line, Name, OpenFlags, Operation, Whence};
use super::named_calls::{open_flags, NamedCall};
use crate::fields::{is_blank, Cursor, NS_PER_S};

/// Remarks on calls that are not kept, by their type.
const OTHER_CALLS: [&str; 5] = [
    "other calls of POSIX",
    "other calls of MPI-IO",
    "other calls of MPI",
    "other calls of HDF5",
    "other calls of user functions",
];

/// What a line is; the calls are all of one process.
pub fn kind_of(line: &[u8], process: i64) -> Line<'_> {
    match line {
        [] => Line::Silent,
        _ => read(line, process).unwrap_or(Line::Other),
    }
}

#[inline]
fn read(line: &[u8], process: i64) -> Option<Line<'_>> {
    let mut cursor = Cursor::new(line);
    let start_ns = cursor.decimal(NS_PER_S)?;
    cursor.passes(b' ').then_some(())?;
    let end_ns = cursor.decimal(NS_PER_S)?;
    (end_ns >= start_ns && cursor.passes(b' ')).then_some(())?;
    let name = cursor.run(|byte| byte.is_ascii_graphic());
    cursor.passes(b' ').then_some(())?;
    cursor.whole()?;
    cursor.passes(b' ').then_some(())?;
    let kind_at = cursor.at();
    let kind = cursor.whole()?;
    (cursor.at() - kind_at < 10).then_some(())?;
    (cursor.passes(b' ') && cursor.passes(b'(')).then_some(())?;
    let arguments = arguments(&line[cursor.at()..])?;
    let Some(named) = NamedCall::of(name) else {
        let said = OTHER_CALLS.get(usize::try_from(kind).ok()?)?;
        return Some(Line::Remark(said, b""));
    };
    let call = Call { time: start_ns, duration: end_ns - start_ns, process, ..Call::of(named.operation) };
    of_arguments(call, named, arguments).map(Line::Call)
}

/// The arguments, which end with a bracket and have single spaces between them; the spaces around them are cut off.
#[inline]
fn arguments(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().rposition(|&byte| !is_blank(byte))?;
    let mut inside = text[..=end].strip_suffix(b")")?;
    while let [b' ', rest @ ..] | [rest @ .., b' '] = inside {
        inside = rest;
    }
    let is_plain = inside.iter().all(|&byte| byte == b' ' || byte.is_ascii_graphic());
    (is_plain && memchr::memmem::find(inside, b"  ").is_none()).then_some(inside)
}

/// A call with what its arguments say.
#[inline]
fn of_arguments<'t>(call: Call<'t>, named: NamedCall<'t>, arguments: &'t [u8]) -> Option<Call<'t>> {
    if named.operation == Operation::Barrier {
        return Some(call);
    }
    if arguments.is_empty() {
        return None;
    }
    let layer = Some(if named.is_of_stream() { Layer::Stdio } else { Layer::Posix });
    let call = Call { layer, ..call };
    match (named.operation, named.name) {
        (Operation::Read | Operation::Write, b"fread" | b"fwrite") => {
            let mut parts = arguments.splitn(4, |&byte| byte == b' ');
            parts.next()?;
            let (size, items) = (number(parts.next()?)?, number(parts.next()?)?);
            let length = size.checked_mul(items)?;
            Some(Call { file: Some(Name::plain(parts.next()?)), length, requested: length, ..call })
        }
        (Operation::Read | Operation::Write, _) if named.has_offset() => {
            let (rest, offset) = last(arguments)?;
            let (rest, length) = last(rest)?;
            let (path, _) = last(rest)?;
            let (offset, length) = (number(offset)?, number(length)?);
            Some(Call { file: Some(Name::plain(path)), offset, length, requested: length, ..call })
        }
        (Operation::Read | Operation::Write, name) => {
            let (rest, second) = last(arguments)?;
            let (path, first) = last(rest)?;
            let length = number(if name.ends_with(b"v") { first } else { second })?;
            Some(Call { file: Some(Name::plain(path)), length, requested: length, ..call })
        }
        (Operation::Seek, _) => {
            let (rest, whence) = last(arguments)?;
            let (path, offset) = last(rest)?;
            let whence = Some(Whence::of(number(whence)?));
            Some(Call { file: Some(Name::plain(path)), offset: signed(offset)?, whence, ..call })
        }
        (Operation::Truncate, _) => {
            let (path, length) = last(arguments)?;
            Some(Call { file: Some(Name::plain(path)), offset: number(length)?, ..call })
        }
        (Operation::Open, _) if named.is_of_stream() => {
            let (path, mode) = last(arguments).unwrap_or((arguments, arguments));
            Some(Call { file: Some(Name::plain(path)), flags: open_flags(None, mode), ..call })
        }
        (Operation::Open, _) => open(call, arguments),
        _ => Some(Call { file: Some(Name::plain(arguments)), ..call }),
    }
}

/// An open of a path, after which its flags and its mode may stand.
fn open<'t>(call: Call<'t>, arguments: &'t [u8]) -> Option<Call<'t>> {
    let (mut path, mut flags) = (arguments, None);
    for _ in 0..2 {
        match last(path) {
            Some((rest, word)) if word.iter().all(u8::is_ascii_digit) => {
                (path, flags) = (rest, Some(number(word)?));
            }
            // it may be a number in another form
            Some((_, [b'+' | b'-', ..])) => return None,
            _ => break,
        }
    }
    let flags = flags.map_or(OpenFlags(0), |flags| open_flags(Some(flags), b""));
    Some(Call { file: Some(Name::plain(path)), flags, ..call })
}

/// The last word, and what is before it.
#[inline]
fn last(words: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memrchr(b' ', words)?;
    Some((&words[..space], &words[space + 1..]))
}

#[inline]
fn number(text: &[u8]) -> Option<i64> {
    let mut cursor = Cursor::new(text);
    let number = cursor.whole()?;
    cursor.is_at_end().then_some(number)
}

fn signed(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => number(digits).map(|number| -number),
        _ => number(text),
    }
}
