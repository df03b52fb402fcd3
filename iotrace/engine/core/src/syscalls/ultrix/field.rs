//! The fields of a call that an entry can carry, each with its key.

use crate::syscalls::call::{Call, FileKind};

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    Absent,
    Number(i64),
    Text(&'a [u8]),
    /// A file's name as shown in tables (`text::show_name`).
    Name(&'a [u8]),
    Kind(FileKind),
}

/// The text form of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number that fits 32 bits.
    Descriptor,
    Number,
    Text,
    /// A name of any bytes.
    Name,
    Kind,
}

/// A field of `Call`, except its positions, its time and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Fd,
    Fd2,
    Dirfd,
    Dirfd2,
    Path,
    Path2,
    Offset,
    Offset2,
    Count,
    Flags,
    Arguments,
    Result,
    Error,
    Size,
    Type,
    Duration,
}

/// The letters of the kinds of file, and `x`, the classic executable.
const KIND_LETTERS: [(u8, FileKind); 9] = [
    (b'f', FileKind::Regular),
    (b'd', FileKind::Directory),
    (b'l', FileKind::Symlink),
    (b'c', FileKind::CharacterDevice),
    (b'b', FileKind::BlockDevice),
    (b'p', FileKind::Pipe),
    (b's', FileKind::Socket),
    (b'a', FileKind::Anonymous),
    (b'x', FileKind::Regular),
];

impl Field {
    /// The fields that an entry may have by key, in the order in which they are written.
    pub const KEYED: [Field; 14] = [
        Field::Fd,
        Field::Fd2,
        Field::Dirfd,
        Field::Dirfd2,
        Field::Path,
        Field::Path2,
        Field::Offset,
        Field::Offset2,
        Field::Count,
        Field::Flags,
        Field::Arguments,
        Field::Size,
        Field::Type,
        Field::Duration,
    ];

    /// The field's key and its name in the list of calls.
    pub fn key(self) -> &'static str {
        match self {
            Field::Fd => "fd",
            Field::Fd2 => "fd2",
            Field::Dirfd => "dirfd",
            Field::Dirfd2 => "dirfd2",
            Field::Path => "path",
            Field::Path2 => "path2",
            Field::Offset => "offset",
            Field::Offset2 => "offset2",
            Field::Count => "count",
            Field::Flags => "flags",
            Field::Arguments => "arguments",
            Field::Result => "result",
            Field::Error => "error",
            Field::Size => "size",
            Field::Type => "type",
            Field::Duration => "duration",
        }
    }

    /// The field with this key, if an entry may have it by key.
    pub fn from_key(key: &[u8]) -> Option<Field> {
        Self::KEYED.into_iter().find(|field| field.key().as_bytes() == key)
    }

    /// How the field is written.
    pub fn shape(self) -> Shape {
        match self {
            Field::Fd | Field::Fd2 | Field::Dirfd | Field::Dirfd2 => Shape::Descriptor,
            Field::Offset | Field::Offset2 | Field::Count => Shape::Number,
            Field::Result | Field::Size | Field::Duration => Shape::Number,
            Field::Path | Field::Path2 => Shape::Name,
            Field::Flags | Field::Arguments | Field::Error => Shape::Text,
            Field::Type => Shape::Kind,
        }
    }

    /// A call's value of this field.
    pub fn of<'a>(self, call: &Call<'a>) -> Value<'a> {
        let descriptor = |value: Option<i32>| number(value.map(i64::from));
        match self {
            Field::Fd => descriptor(call.fd),
            Field::Fd2 => descriptor(call.fd2),
            Field::Dirfd => descriptor(call.dirfd),
            Field::Dirfd2 => descriptor(call.dirfd2),
            Field::Path => name(call.path),
            Field::Path2 => name(call.path2),
            Field::Offset => number(call.offset),
            Field::Offset2 => number(call.offset2),
            Field::Count => number(call.count),
            Field::Flags => text(call.flags),
            Field::Arguments => text(call.arguments),
            Field::Result => number(call.result),
            Field::Error => text(call.error),
            Field::Size => number(call.size),
            Field::Type => call.file_kind.map_or(Value::Absent, Value::Kind),
            Field::Duration => number(call.duration_ns),
        }
    }

    /// Set this field of a call. A value of another shape than the field's counts as absent.
    pub fn put<'a>(self, call: &mut Call<'a>, value: Value<'a>) {
        let number = match value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        let descriptor = number.and_then(|number| i32::try_from(number).ok());
        let text = match value {
            Value::Text(text) | Value::Name(text) => Some(text),
            _ => None,
        };
        match self {
            Field::Fd => call.fd = descriptor,
            Field::Fd2 => call.fd2 = descriptor,
            Field::Dirfd => call.dirfd = descriptor,
            Field::Dirfd2 => call.dirfd2 = descriptor,
            Field::Path => call.path = text,
            Field::Path2 => call.path2 = text,
            Field::Offset => call.offset = number,
            Field::Offset2 => call.offset2 = number,
            Field::Count => call.count = number,
            Field::Flags => call.flags = text,
            Field::Arguments => call.arguments = text,
            Field::Result => call.result = number,
            Field::Error => call.error = text,
            Field::Size => call.size = number,
            Field::Duration => call.duration_ns = number,
            Field::Type => {
                call.file_kind = match value {
                    Value::Kind(kind) => Some(kind),
                    _ => None,
                }
            }
        }
    }
}

fn number<'a>(value: Option<i64>) -> Value<'a> {
    value.map_or(Value::Absent, Value::Number)
}

fn name(value: Option<&[u8]>) -> Value<'_> {
    value.map_or(Value::Absent, Value::Name)
}

fn text(value: Option<&[u8]>) -> Value<'_> {
    value.map_or(Value::Absent, Value::Text)
}

/// The letter of a kind of file.
pub fn kind_letter(kind: FileKind) -> u8 {
    KIND_LETTERS.iter().find(|(_, of)| *of == kind).map_or(b'-', |(letter, _)| *letter)
}

/// The kind of file of a letter.
pub fn kind_of_letter(text: &[u8]) -> Option<FileKind> {
    let [letter] = text else { return None };
    KIND_LETTERS.iter().find(|(of, _)| of == letter).map(|(_, kind)| *kind)
}
