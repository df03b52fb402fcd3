//! The arguments of a call, and what they mean.

use super::names;
use super::skip::Skip;
use crate::syscalls::call::{Call, CallKind, DescriptorPath};
use crate::syscalls::number::{self, Number};
use crate::syscalls::roles::{roles, Role};
use crate::syscalls::symbols::{self, Family};
use crate::syscalls::text;

/// The most arguments that have a meaning.
const MOST: usize = 6;
const AT_FDCWD: i32 = -100;
const AT_EMPTY_PATH: u64 = 0x1000;

/// How arguments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `dfd: CWD, filename: "/etc/passwd", flags: RDONLY`: by name, without those that are 0.
    Symbols,
    /// `dfd: 0xffffff9c, filename: 0x7fc1 "/etc/passwd", flags: 0x0`
    Fields,
    /// The same of ftrace, which may leave 0x out: `dfd: ffffff9c, filename: 7fc1`
    Hexadecimal,
    /// `(ffffff9c, 7fc1dbae321c, 0, 0, 0, 0)`
    Registers,
}

/// An argument's value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value<'t> {
    /// A name of a file, as it is.
    Name(&'t [u8]),
    Register(u64),
    /// Numbers and symbols.
    Text(&'t [u8]),
}

/// Buffers for what cannot be borrowed from the line.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    names: [Vec<u8>; 6],
    flags: Vec<u8>,
}

/// The fields of a call that its arguments show, and how many of its paths are known by their addresses only.
pub(super) fn call<'a>(
    kind: CallKind,
    form: Form,
    arguments: &'a [u8],
    scratch: &'a mut Scratch,
) -> Result<(Call<'a>, u64), Skip> {
    let values = match form {
        Form::Symbols => symbolic(kind, arguments),
        Form::Fields => fields(arguments, false),
        Form::Hexadecimal => fields(arguments, true),
        Form::Registers => registers(arguments),
    };
    let Scratch { names: buffers, flags } = scratch;
    flags.clear();
    let (mut path, mut path2) = (None, None);
    let (mut fd_path, mut fd2_path, mut dirfd_path, mut dirfd2_path) = (None, None, None, None);
    let (mut call, mut is_own, mut pointers) = (Call { kind, ..Call::default() }, false, 0);
    for (place, (&role, value)) in roles(kind).iter().zip(values).enumerate() {
        let Some(value) = value else { continue };
        match role {
            Role::Fd => (call.fd, fd_path) = value.descriptor()?,
            Role::Fd2 => (call.fd2, fd2_path) = value.descriptor()?,
            Role::Dir => (call.dirfd, dirfd_path) = value.descriptor()?,
            Role::Dir2 => (call.dirfd2, dirfd2_path) = value.descriptor()?,
            Role::First => call.fd = value.bound()?,
            Role::Last => call.fd2 = value.bound()?,
            Role::Path => {
                path = value.name();
                pointers += u64::from(value.is_pointer());
            }
            Role::Path2 => {
                path2 = value.name();
                pointers += u64::from(value.is_pointer());
            }
            Role::Count => call.count = value.unsigned()?,
            Role::Offset => call.offset = value.signed()?,
            Role::Flags(family) | Role::MoreFlags(family) => {
                is_own |= value.holds(b"EMPTY_PATH", AT_EMPTY_PATH);
                value.append_flags(family, flags);
            }
            Role::NamedFlags(family) if place == 0 => value.append_flags(family, flags),
            Role::Command => value.append_flags(Family::Command, flags),
            Role::CommandArgument => match flags.as_slice() {
                b"F_SETFL" => value.append_flags(Family::Open, flags),
                b"F_SETFD" => value.append_flags(Family::Descriptor, flags),
                _ => {}
            },
            Role::NodeKind => flags.extend_from_slice(value.node_flag().unwrap_or_default()),
            // pointers
            Role::Other
            | Role::Answer
            | Role::OffsetPointer
            | Role::Offset2Pointer
            | Role::SeekResult
            | Role::Stat
            | Role::Statx
            | Role::Vector
            | Role::Message
            | Role::MessageFlags
            | Role::Pair
            | Role::Arguments
            | Role::NamedFlags(_)
            | Role::StructFlags(_) => {}
        }
    }
    if matches!(kind, CallKind::Mmap | CallKind::Mmap2) && call.fd == Some(-1) {
        call.fd = None;
    }
    if matches!(kind, CallKind::Dup | CallKind::Dup2 | CallKind::Dup3) {
        // perf looks paths up when it prints, which may be too late, and the copy would keep a wrong one
        (fd_path, fd2_path) = (None, None);
    }
    if is_own && path.is_none() && matches!(kind, CallKind::Newfstatat | CallKind::Statx) {
        // so the C library's fstat asks about the descriptor itself
        path = Some(&[]);
        pointers = 0;
    }
    let [buffer, buffer2, fd_buffer, fd2_buffer, dirfd_buffer, dirfd2_buffer] = buffers;
    call.path = path.map(|name| shown(name, buffer));
    call.path2 = path2.map(|name| shown(name, buffer2));
    call.fd_path = fd_path.map(|path| of_descriptor(path, fd_buffer));
    call.fd2_path = fd2_path.map(|path| of_descriptor(path, fd2_buffer));
    call.dirfd_path = dirfd_path.map(|path| of_descriptor(path, dirfd_buffer));
    call.dirfd2_path = dirfd2_path.map(|path| of_descriptor(path, dirfd2_buffer));
    call.flags = (!flags.is_empty() && flags.is_ascii()).then_some(flags);
    Ok((call, pointers))
}

/// Whether a text is arguments with names, or none.
pub(super) fn are_named(arguments: &[u8]) -> bool {
    arguments.is_empty() || name_end(arguments).is_some()
}

/// The values of perf trace; those that it leaves out are 0.
fn symbolic(kind: CallKind, arguments: &[u8]) -> [Option<Value<'_>>; MOST] {
    let mut given = [None; MOST + 2];
    let all = Fields(arguments).zip(&mut given);
    all.for_each(|((name, value), place)| *place = Some((names::usual(name), symbol(value))));
    let mut values = [None; MOST];
    match names::arguments(kind) {
        Some(names) => {
            for (name, place) in names.split(' ').zip(&mut values) {
                let found = given.iter().flatten().find(|(of, _)| *of == name.as_bytes());
                *place = Some(found.map_or(Value::Register(0), |(_, value)| *value));
            }
        }
        None => {
            let shown = given.iter().flatten().zip(&mut values);
            shown.for_each(|((_, value), place)| *place = Some(*value));
        }
    }
    values
}

fn symbol(value: &[u8]) -> Value<'_> {
    quoted(value).map_or(Value::Text(value), Value::Name)
}

/// Named values; of numbers without 0x it is given whether they are hexadecimal.
fn fields(arguments: &[u8], is_hexadecimal: bool) -> [Option<Value<'_>>; MOST] {
    let mut values = [None; MOST];
    for ((_, value), place) in Fields(arguments).zip(&mut values) {
        let number = value.strip_prefix(b"0x").or(is_hexadecimal.then_some(value));
        *place = Some(match number.map(hexadecimal) {
            Some((Some(register), [])) => Value::Register(register),
            Some((Some(_), [b' ', name @ ..])) => symbol(name),
            _ => symbol(value),
        });
    }
    values
}

fn registers(arguments: &[u8]) -> [Option<Value<'_>>; MOST] {
    let arguments = arguments.strip_prefix(b"(").unwrap_or(arguments);
    let arguments = arguments.strip_suffix(b")").unwrap_or(arguments);
    let mut values = [None; MOST];
    for (word, place) in arguments.split(|&byte| byte == b',').zip(&mut values) {
        let (register, rest) = hexadecimal(word.trim_ascii());
        *place = Some(Value::Register(register.filter(|_| rest.is_empty()).unwrap_or(0)));
    }
    values
}

/// A number of 1 to 16 hexadecimal digits, and what follows.
fn hexadecimal(text: &[u8]) -> (Option<u64>, &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (digits, rest) = text.split_at(length);
    let add = |value: u64, &digit: &u8| value << 4 | u64::from((digit as char).to_digit(16).unwrap_or(0));
    ((1..=16).contains(&length).then(|| digits.iter().fold(0, add)), rest)
}

/// `name: value, name: value`
struct Fields<'t>(&'t [u8]);

impl<'t> Iterator for Fields<'t> {
    type Item = (&'t [u8], &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let length = name_end(self.0)?;
        let (name, value) = (&self.0[..length], &self.0[length + 2..]);
        let ends = |&end: &usize| is_end(&value[end..]);
        // a file's name may have quotes and commas
        let quote = (value.first() == Some(&b'"'))
            .then(|| memchr::memchr_iter(b'"', &value[1..]).map(|quote| quote + 2).find(ends))
            .flatten();
        let end = quote.or_else(|| memchr::memchr_iter(b',', value).find(ends)).unwrap_or(value.len());
        self.0 = value[end..].strip_prefix(b", ").unwrap_or_default();
        Some((name, &value[..end]))
    }
}

/// The length of the name in `name: value`, if a text begins so.
fn name_end(text: &[u8]) -> Option<usize> {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    (length > 0 && text[length..].starts_with(b": ")).then_some(length)
}

/// Whether a value ends here.
fn is_end(rest: &[u8]) -> bool {
    rest.is_empty() || rest.strip_prefix(b", ").is_some_and(|next| name_end(next).is_some())
}

fn quoted(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

impl<'t> Value<'t> {
    /// A descriptor, None for the working directory, and the kernel's name of what it refers to.
    fn descriptor(self) -> Result<(Option<i32>, Option<&'t [u8]>), Skip> {
        let (number, path) = match self {
            Value::Name(_) | Value::Text(b"CWD") => return Ok((None, None)),
            Value::Register(value) => match value >> 32 {
                0 | 0xffff_ffff => (value as u32 as i32, None),
                _ => return Err(Skip::BadDescriptor),
            },
            Value::Text(text) => match number::parse(text) {
                (Number::Missing, _) => return Ok((None, None)),
                (number, length) => {
                    let number = number.signed().ok_or(Skip::BadDescriptor)?;
                    let bits = || u32::try_from(number).map(|bits| bits as i32);
                    let number =
                        i32::try_from(number).or_else(|_| bits()).map_err(|_| Skip::BadDescriptor)?;
                    (number, text[length..].strip_prefix(b"<").and_then(|path| path.strip_suffix(b">")))
                }
            },
        };
        Ok(((number != AT_FDCWD).then_some(number), path))
    }

    /// A bound of a range of descriptors, clamped to what a descriptor can be.
    fn bound(self) -> Result<Option<i32>, Skip> {
        let clamped = |value: u64| Some(i32::try_from(value).unwrap_or(i32::MAX));
        Ok(match self {
            Value::Name(_) => None,
            Value::Register(value) => clamped(value),
            Value::Text(text) => match number::parse(text).0 {
                Number::Value { negative: false, magnitude } => clamped(magnitude),
                Number::Value { negative: true, .. } => Some(i32::MAX),
                Number::Missing => None,
                Number::TooLarge => return Err(Skip::NumberOutOfRange),
            },
        })
    }

    fn name(self) -> Option<&'t [u8]> {
        match self {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    fn is_pointer(self) -> bool {
        match self {
            Value::Name(_) => false,
            Value::Register(value) => value != 0,
            Value::Text(text) => text.starts_with(b"0x"),
        }
    }

    /// A number without a sign, if it fits.
    fn unsigned(self) -> Result<Option<i64>, Skip> {
        match self {
            Value::Register(value) => Ok(i64::try_from(value).ok()),
            _ => self.signed(),
        }
    }

    /// A number that may be negative.
    fn signed(self) -> Result<Option<i64>, Skip> {
        Ok(match self {
            Value::Name(_) => None,
            Value::Register(value) => Some(value as i64),
            Value::Text(text) => match number::parse(text) {
                (Number::TooLarge, _) => return Err(Skip::NumberOutOfRange),
                (number, length) if length == text.len() => number.signed(),
                _ => None,
            },
        })
    }

    /// Whether flags have this one.
    fn holds(self, symbol: &[u8], bit: u64) -> bool {
        match self {
            Value::Name(_) => false,
            Value::Register(value) => value & bit != 0,
            Value::Text(text) => {
                symbols::value(text).is_some_and(|value| value & bit != 0)
                    || memchr::memmem::find(text, symbol).is_some()
            }
        }
    }

    /// Append flags by their names as strace writes them; perf leaves their prefixes out.
    fn append_flags(self, family: Family, flags: &mut Vec<u8>) {
        let text = match self {
            Value::Name(_) => return,
            Value::Register(value) => return symbols::append_value(value, family, flags),
            Value::Text(text) => text,
        };
        if symbols::value(text).is_some() {
            return symbols::append(text, family, flags);
        }
        let prefix = family.prefix().as_bytes();
        for word in text.split(|&byte| byte == b'|') {
            symbols::join(flags, b"");
            if word.first().is_some_and(u8::is_ascii_alphabetic) && !word.starts_with(prefix) {
                flags.extend_from_slice(prefix);
            }
            flags.extend_from_slice(word);
        }
    }

    fn node_flag(self) -> Option<&'static [u8]> {
        let kind = match self {
            Value::Name(_) => None,
            Value::Register(value) => symbols::kind_of_mode(value),
            Value::Text(text) => symbols::file_kind(text),
        };
        kind.map(symbols::node_flag)
    }
}

/// A name as tables show it.
fn shown<'a>(name: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if text::stands_for_itself(name) {
        return name;
    }
    scratch.clear();
    text::show_name(name, scratch);
    scratch
}

fn of_descriptor<'a>(path: &'a [u8], scratch: &'a mut Vec<u8>) -> DescriptorPath<'a> {
    let (path, deleted) = match path.strip_suffix(b" (deleted)") {
        Some(path) => (path, true),
        None => (path, false),
    };
    DescriptorPath { path: shown(path, scratch), deleted }
}
