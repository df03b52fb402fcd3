//! Lines of Darshan's extended tracing as text (`iotrace.formats.darshan_dxt`).

use super::call::{Call, Layer, Line, Operation, UNKNOWN};
use crate::fields::{is_blank, Cursor, NS_PER_S};

/// How comments begin that say something.
const SAYING: [&[u8]; 3] = [b"# DXT, file_id:", b"# DXT, rank:", b"# start_time:"];

pub fn kind_of(line: &[u8]) -> Line<'_> {
    match line {
        [] => Line::Silent,
        [b'#', ..] if is_silent(line) => Line::Silent,
        [b'#', ..] => Line::Other,
        _ => call(line).map_or(Line::Other, Line::Call),
    }
}

/// Whether a comment says nothing: it is none of those that do, nor a warning or an error.
fn is_silent(line: &[u8]) -> bool {
    let text = line.strip_prefix(b"# ").unwrap_or_default();
    let word = text.strip_prefix(b"*").unwrap_or(text);
    !SAYING.iter().any(|start| line.starts_with(start))
        && !word.first().is_some_and(|first| b"eEwW".contains(first))
}

/// A row; None if it is not in the usual form.
#[inline]
fn call(line: &[u8]) -> Option<Call<'_>> {
    let mut cursor = Cursor::new(line);
    cursor.run(is_blank);
    if !(cursor.passes(b'X') && cursor.passes(b'_')) {
        return None;
    }
    let layer = match cursor.run(|byte| byte.is_ascii_uppercase()) {
        b"POSIX" => Layer::Posix,
        b"MPIIO" => Layer::Mpiio,
        b"STDIO" => Layer::Stdio,
        _ => return None,
    };
    let process = cursor.field()?.whole()?;
    let operation = match cursor.field()?.run(|byte| byte.is_ascii_lowercase()) {
        b"read" => Operation::Read,
        b"write" => Operation::Write,
        _ => return None,
    };
    cursor.field()?.whole()?;
    let offset = offset(cursor.field()?)?;
    let length = cursor.field()?.whole()?;
    let start_ns = cursor.field()?.decimal(NS_PER_S)?;
    let end_ns = cursor.field()?.decimal(NS_PER_S).filter(|&end_ns| end_ns >= start_ns)?;
    let thread = thread(&mut cursor)?;
    let duration = end_ns - start_ns;
    let layer = Some(layer);
    Some(Call { time: start_ns, duration, process, thread, layer, offset, length, ..Call::of(operation) })
}

/// An offset, of which older logs have -1 for an unknown one.
#[inline]
fn offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    if cursor.passes(b'-') {
        return (cursor.whole()? == 1).then_some(UNKNOWN);
    }
    cursor.whole()
}

/// Pass the numbers of storage targets, each in brackets, and return the thread's number, if there is one; then the line
/// ends.
#[inline]
fn thread(cursor: &mut Cursor<'_>) -> Option<i64> {
    let mut thread = UNKNOWN;
    while !cursor.is_at_end() {
        cursor.field()?;
        if cursor.is_at_end() {
            break;
        }
        if cursor.passes(b'[') {
            cursor.run(is_blank);
            cursor.whole()?;
            if !cursor.passes(b']') {
                return None;
            }
        } else {
            if cursor.passes(b'N') {
                // N/A: not known
                (cursor.passes(b'/') && cursor.passes(b'A')).then_some(())?;
            } else {
                thread = cursor.whole()?;
            }
            cursor.run(is_blank);
            return cursor.is_at_end().then_some(thread);
        }
    }
    Some(thread)
}
