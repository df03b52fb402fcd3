//! Lines of the University of Maryland's traces as text (`iotrace.formats.umd_ascii`).

use super::call::{Call, Line, Name, Operation};
use crate::fields::{is_blank, Cursor, NS_PER_S};

/// Operations by their numbers.
const BY_NUMBER: [Operation; 6] = [
    Operation::Open,
    Operation::Close,
    Operation::Read,
    Operation::Write,
    Operation::Seek,
    Operation::ListIo,
];

/// Operations by the words of the readable text.
const BY_WORD: [(&[u8], Operation); 7] = [
    (b"read", Operation::Read),
    (b"write", Operation::Write),
    (b"open", Operation::Open),
    (b"close", Operation::Close),
    (b"seek", Operation::Seek),
    (b"listio_header", Operation::ListIo),
    (b"list_io", Operation::ListIo),
];

pub fn kind_of(line: &[u8]) -> Line<'_> {
    match line {
        [] => Line::Silent,
        _ => call(line).map_or(Line::Other, Line::Call),
    }
}

/// A record; None if it is not in the usual form.
#[inline]
fn call(line: &[u8]) -> Option<Call<'_>> {
    let mut cursor = Cursor::new(line);
    cursor.run(is_blank);
    let operation = operation(cursor.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))?;
    let parts = cursor.field()?.whole()?;
    let process = cursor.field()?.whole()?;
    let file_start = cursor.field()?.at();
    cursor.whole()?;
    let file = &line[file_start..cursor.at()];
    let time_ns = cursor.field()?.decimal(NS_PER_S)?;
    if cursor.field()?.run(|byte| byte.is_ascii_graphic()).is_empty() {
        return None;
    }
    let offset = cursor.field()?.whole()?;
    let length = cursor.field()?.whole()?;
    cursor.run(is_blank);
    if !cursor.is_at_end() {
        return None;
    }
    let call = Call { time: time_ns, process, file: Some(Name::plain(file)), parts, ..Call::of(operation) };
    Some(match operation {
        Operation::Read | Operation::Write | Operation::ListIo => Call { offset, length, ..call },
        Operation::Seek => Call { offset, ..call },
        _ => call,
    })
}

#[inline]
fn operation(word: &[u8]) -> Option<Operation> {
    match word {
        [digit @ b'0'..=b'9'] => BY_NUMBER.get(usize::from(digit - b'0')).copied(),
        _ => BY_WORD
            .iter()
            .find(|(known, _)| word.eq_ignore_ascii_case(known))
            .map(|(_, operation)| *operation),
    }
}
