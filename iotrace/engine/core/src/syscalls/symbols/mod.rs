//! Names of flags for the numbers of `-Xraw`.

mod names;

use super::number::{self, Number};
use crate::syscalls::call::FileKind;
pub(super) use names::Family;
use names::{naming, Naming};
use std::io::Write;

/// Whether flags are numbers, which need names for the table.
pub(super) fn is_number(flags: &[u8]) -> bool {
    flags.first().is_some_and(u8::is_ascii_digit)
}

/// Append flags by name, from names or numbers in the log, after a `|` if the text is not empty.
pub(super) fn append(flags: &[u8], family: Family, out: &mut Vec<u8>) {
    match value(flags) {
        Some(value) => append_value(value, family, out),
        None => join(out, flags),
    }
}

/// The value of `0x80001`, or of `0x1 /* SOCK_STREAM */|0x80800 /* SOCK_CLOEXEC|SOCK_NONBLOCK */`.
pub(super) fn value(flags: &[u8]) -> Option<u64> {
    let mut value = 0;
    let mut rest = flags;
    loop {
        let (number, length) = number::parse(rest);
        let Number::Value { negative: false, magnitude } = number else {
            return None;
        };
        value |= magnitude;
        rest = rest[length..].trim_ascii_start();
        if rest.starts_with(b"/*") {
            let end = memchr::memmem::find(rest, b"*/")?;
            rest = rest[end + 2..].trim_ascii_start();
        }
        match rest.strip_prefix(b"|") {
            Some(more) => rest = more,
            None => return rest.is_empty().then_some(value),
        }
    }
}

/// Append the names of flags by their value.
pub(super) fn append_value(value: u64, family: Family, out: &mut Vec<u8>) {
    let (mask, values, flags, last) = match naming(family) {
        Naming::Flags(flags) => (0, &[][..], flags, false),
        Naming::Mixed(mask, values, flags) => (mask, values, flags, false),
        Naming::MixedLast(mask, values, flags) => (mask, values, flags, true),
    };
    let named = values.iter().find(|(named, _)| *named == value & mask);
    let mut left = value & !named.map_or(0, |(named, _)| *named);
    if let (Some((_, name)), false) = (named, last) {
        join(out, name.as_bytes());
    }
    for (bits, name) in flags {
        if left & bits == *bits {
            join(out, name.as_bytes());
            left &= !bits;
        }
    }
    if let (Some((_, name)), true) = (named, last) {
        join(out, name.as_bytes());
    }
    if left != 0 {
        join(out, b"");
        // Writing to a vector cannot fail.
        let _ = write!(out, "{left:#x}");
    }
}

/// Append a text, after a `|` if there is one before it.
pub(super) fn join(out: &mut Vec<u8>, name: &[u8]) {
    if !out.is_empty() {
        out.push(b'|');
    }
    out.extend_from_slice(name);
}

/// The kind of file in a mode: `S_IFREG|0644`, `0100644`. None if it is neither.
pub(super) fn file_kind(mode: &[u8]) -> Option<FileKind> {
    if let Some(kind) = mode.strip_prefix(b"S_IF") {
        let end = kind.iter().position(|byte| !byte.is_ascii_uppercase()).unwrap_or(kind.len());
        return match &kind[..end] {
            b"REG" => Some(FileKind::Regular),
            b"DIR" => Some(FileKind::Directory),
            b"LNK" => Some(FileKind::Symlink),
            b"CHR" => Some(FileKind::CharacterDevice),
            b"BLK" => Some(FileKind::BlockDevice),
            b"IFO" => Some(FileKind::Pipe),
            b"SOCK" => Some(FileKind::Socket),
            _ => None,
        };
    }
    match number::parse(mode) {
        (Number::Value { negative: false, magnitude }, _) => kind_of_mode(magnitude),
        _ => None,
    }
}

/// The same of a mode as a number.
pub(super) fn kind_of_mode(mode: u64) -> Option<FileKind> {
    match mode & 0o170000 {
        0o100000 => Some(FileKind::Regular),
        0o040000 => Some(FileKind::Directory),
        0o120000 => Some(FileKind::Symlink),
        0o020000 => Some(FileKind::CharacterDevice),
        0o060000 => Some(FileKind::BlockDevice),
        0o010000 => Some(FileKind::Pipe),
        0o140000 => Some(FileKind::Socket),
        0 => Some(FileKind::Anonymous),
        _ => None,
    }
}

/// The flag of mknod that creates a file of this kind; `Anonymous` means a mode without a kind, which creates a
/// regular file.
pub(super) fn node_flag(kind: FileKind) -> &'static [u8] {
    match kind {
        FileKind::Regular | FileKind::Anonymous => b"S_IFREG",
        FileKind::Directory => b"S_IFDIR",
        FileKind::Symlink => b"S_IFLNK",
        FileKind::CharacterDevice => b"S_IFCHR",
        FileKind::BlockDevice => b"S_IFBLK",
        FileKind::Pipe => b"S_IFIFO",
        FileKind::Socket => b"S_IFSOCK",
    }
}
