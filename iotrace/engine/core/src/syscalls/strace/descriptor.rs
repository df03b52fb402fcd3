//! Descriptors, with the annotations of `-y` and `-yy`: `3</etc/passwd>`, `4</tmp/x>(deleted)`, `1</dev/null<char
//! 1:3>>`, `5<TCP:[127.0.0.1:1->127.0.0.1:2]>`, `AT_FDCWD</home>`.

use super::number::{self, Number};
use super::skip::Skip;
use crate::syscalls::call::DescriptorPath;
use crate::syscalls::text;

/// A descriptor argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Descriptor<'t> {
    /// The working directory, `AT_FDCWD` or `-100`, and its annotation with brackets.
    WorkingDirectory(Option<&'t [u8]>),
    /// A number, and its annotation with brackets.
    Number(i32, Option<&'t [u8]>),
    /// Something else: an address, or nothing yet.
    None,
}

const AT_FDCWD: i64 = -100;

/// Read a descriptor argument.
pub(super) fn parse(argument: &[u8]) -> Result<Descriptor<'_>, Skip> {
    if let Some(rest) = argument.strip_prefix(b"AT_FDCWD") {
        return Ok(Descriptor::WorkingDirectory(annotation(rest)));
    }
    let (number, length) = number::parse(argument);
    let value = match number {
        Number::Missing => return Ok(Descriptor::None),
        Number::TooLarge => return Err(Skip::BadDescriptor),
        Number::Value { .. } => number.signed().ok_or(Skip::BadDescriptor)?,
    };
    let rest = &argument[length..];
    // -Xverbose writes `-100 /* AT_FDCWD */`
    let of_directory = annotation(rest.strip_prefix(b" /* AT_FDCWD */").unwrap_or(rest));
    if value == AT_FDCWD {
        return Ok(Descriptor::WorkingDirectory(of_directory));
    }
    // -Xraw shows some as unsigned numbers of 32 bits.
    let fd = i32::try_from(value).or_else(|_| u32::try_from(value).map(|bits| bits as i32));
    let fd = fd.map_err(|_| Skip::BadDescriptor)?;
    if i64::from(fd) == AT_FDCWD {
        return Ok(Descriptor::WorkingDirectory(of_directory));
    }
    Ok(Descriptor::Number(fd, annotation(rest)))
}

/// The text after a descriptor, if it is an annotation.
fn annotation(rest: &[u8]) -> Option<&[u8]> {
    rest.starts_with(b"<").then_some(rest)
}

/// The path in an annotation, decoded.
pub(super) fn path<'a>(annotation: &'a [u8], scratch: &'a mut Vec<u8>) -> DescriptorPath<'a> {
    let (annotation, marked) = match annotation.strip_suffix(b"(deleted)") {
        Some(rest) => (rest, true),
        None => (annotation, false),
    };
    let inside = annotation.strip_prefix(b"<").unwrap_or(annotation);
    let mut inside = inside.strip_suffix(b">").unwrap_or(inside);
    if inside.starts_with(b"/") {
        // A device: `/dev/null<char 1:3>`.
        if let Some(device) = memchr::memchr(b'<', inside) {
            inside = &inside[..device];
        }
    }
    // Older versions leave the kernel's mark inside.
    let (name, deleted) = match inside.strip_suffix(b" (deleted)") {
        Some(name) if !marked => (name, true),
        _ => (inside, marked),
    };
    DescriptorPath { path: text::decode_name(name, scratch), deleted }
}
