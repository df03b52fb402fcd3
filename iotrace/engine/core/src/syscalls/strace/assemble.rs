//! One call's text, `name(arguments) = result ...`, to a [`Call`].

use super::descriptor::{self, Descriptor};
use super::number::{self, Number};
use super::outcome::{self, Outcome};
use super::roles::{self, Role};
use super::skip::Skip;
use super::split::{self, Arguments, End};
use super::structs;
use super::symbols::{self, Family};
use crate::syscalls::call::{Call, CallKind, FileKind};
use crate::syscalls::text;

/// The longest argument list of an exec that is kept, in bytes.
pub(super) const LONGEST_ARGUMENTS: usize = 4096;

/// Buffers for what cannot be borrowed from the line.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    path: Vec<u8>,
    path2: Vec<u8>,
    fd_path: Vec<u8>,
    fd2_path: Vec<u8>,
    dirfd_path: Vec<u8>,
    dirfd2_path: Vec<u8>,
    flags: Vec<u8>,
    arguments: Vec<u8>,
}

/// The parts of a call's text, still escaped and borrowed from the line.
#[derive(Debug, Default)]
pub(super) struct Draft<'t> {
    fd: Option<i32>,
    fd2: Option<i32>,
    dirfd: Option<i32>,
    dirfd2: Option<i32>,
    fd_annotation: Option<&'t [u8]>,
    fd2_annotation: Option<&'t [u8]>,
    dirfd_annotation: Option<&'t [u8]>,
    dirfd2_annotation: Option<&'t [u8]>,
    path: Option<&'t [u8]>,
    path2: Option<&'t [u8]>,
    answer: Option<&'t [u8]>,
    offset: Option<i64>,
    offset2: Option<i64>,
    count: Option<i64>,
    seek_result: Option<i64>,
    size: Option<i64>,
    file_kind: Option<FileKind>,
    flags: Option<(&'t [u8], Family)>,
    more_flags: Option<(&'t [u8], Family)>,
    arguments: Option<&'t [u8]>,
    message: Option<&'t [u8]>,
    /// A receiver's flags.
    receives: Option<&'t [u8]>,
    outcome: Outcome<'t>,
}

/// What is known about a call in addition to its text.
#[derive(Debug)]
pub(super) struct Head<'a> {
    pub seq: i64,
    pub seq_return: i64,
    pub thread: i32,
    pub time_ns: Option<i64>,
    /// From issue to return by the time stamps of their lines, if these are two lines.
    pub waited_ns: Option<i64>,
    pub kind: CallKind,
    pub name: &'a [u8],
}

/// The kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// With its result, or killed before it.
    Complete,
    /// ` <unfinished ...>` begins here.
    Unfinished(usize),
    /// ` <detached ...>` instead of a result.
    Detached,
    /// The line ends before the arguments do.
    CutShort,
}

impl<'t> Draft<'t> {
    /// Read `text`, whose arguments begin at `start`, into a draft that is still empty.
    pub fn read(&mut self, text: &'t [u8], start: usize, kind: CallKind) -> Result<Form, Skip> {
        let arguments = split::arguments(text, start);
        let form = match arguments.end {
            End::Closed(after) => {
                self.outcome = outcome::parse(&text[after..])?;
                Form::Complete
            }
            End::Unfinished(at) => Form::Unfinished(at),
            End::Killed => Form::Complete,
            End::Detached => Form::Detached,
            End::Open => Form::CutShort,
        };
        self.take_arguments(text, &arguments, kind)?;
        self.take_outcome(kind);
        if roles::moves_data(kind) && self.outcome.result > Some(roles::MOST_MOVED_BYTES) {
            return Err(Skip::NumberOutOfRange);
        }
        Ok(form)
    }

    fn take_arguments(&mut self, text: &'t [u8], arguments: &Arguments, kind: CallKind) -> Result<(), Skip> {
        for (index, &role) in roles::roles(kind).iter().enumerate() {
            if let Some(argument) = arguments.get(text, index) {
                self.take(role, argument)?;
            }
        }
        if self.fd == Some(-1) && matches!(kind, CallKind::Mmap | CallKind::Mmap2) {
            self.fd = None;
        }
        Ok(())
    }

    fn take(&mut self, role: Role, argument: &'t [u8]) -> Result<(), Skip> {
        match role {
            Role::Other => {}
            Role::Fd => (self.fd, self.fd_annotation) = annotated(argument)?,
            Role::Fd2 => (self.fd2, self.fd2_annotation) = annotated(argument)?,
            Role::Dir => (self.dirfd, self.dirfd_annotation) = directory(argument)?,
            Role::Dir2 => (self.dirfd2, self.dirfd2_annotation) = directory(argument)?,
            Role::Path => self.path = whole_string(argument),
            Role::Path2 => self.path2 = whole_string(argument),
            Role::Answer => self.answer = whole_string(argument),
            Role::Count => self.count = integer(argument)?,
            Role::Offset => self.offset = integer(argument)?,
            Role::OffsetPointer => self.offset = first_element(argument)?,
            Role::Offset2Pointer => self.offset2 = first_element(argument)?,
            Role::SeekResult => self.seek_result = first_element(argument)?,
            Role::Flags(family) => self.flags = Some((argument, family)),
            Role::MoreFlags(family) => self.more_flags = Some((argument, family)),
            Role::Command => self.flags = Some((argument, Family::Command)),
            Role::CommandArgument => self.more_flags = self.command_flags().map(|family| (argument, family)),
            Role::NodeKind => {
                let flag = symbols::file_kind(argument).map(symbols::node_flag);
                self.flags = flag.map(|flag| (flag, Family::Unnamed));
            }
            Role::Stat => self.take_stat(argument, b"st_mode", b"st_size"),
            Role::Statx => self.take_stat(argument, b"stx_mode", b"stx_size"),
            Role::Vector => self.count = structs::vector_bytes(argument),
            Role::Message => self.message = Some(argument),
            Role::MessageFlags => self.receives = Some(argument),
            Role::Pair => self.take_pair(argument)?,
            Role::First => self.fd = bound(argument)?,
            Role::Last => self.fd2 = bound(argument)?,
            Role::Arguments => self.arguments = argument.starts_with(b"[").then_some(argument),
            Role::NamedFlags(family) => {
                if let Some(flags) = argument.strip_prefix(b"flags=") {
                    self.flags = Some((flags, family));
                }
            }
            Role::StructFlags(family) => {
                self.flags = structs::field(argument, b"flags").map(|flags| (flags, family));
            }
        }
        Ok(())
    }

    /// Whether the argument of fcntl's command is flags, and which.
    fn command_flags(&self) -> Option<Family> {
        const F_SETFD: i64 = 2;
        const F_SETFL: i64 = 4;
        let command = self.flags?.0;
        match (command, number::parse(command).0.signed()) {
            (b"F_SETFL", _) | (_, Some(F_SETFL)) => Some(Family::Open),
            (b"F_SETFD", _) | (_, Some(F_SETFD)) => Some(Family::Descriptor),
            _ => None,
        }
    }

    fn take_stat(&mut self, structure: &'t [u8], mode: &[u8], size: &[u8]) {
        self.file_kind = structs::field(structure, mode).and_then(symbols::file_kind);
        self.size = structs::field(structure, size).and_then(|size| number::parse(size).0.signed());
    }

    fn take_pair(&mut self, array: &'t [u8]) -> Result<(), Skip> {
        if let Some((first, second)) = structs::pair(array) {
            (self.fd, self.fd_annotation) = annotated(first)?;
            (self.fd2, self.fd2_annotation) = annotated(second)?;
        }
        Ok(())
    }

    /// The meaning of the arguments depends on the result, and vice versa.
    fn take_outcome(&mut self, kind: CallKind) {
        if self.fd_annotation.is_none() && roles::returns_descriptor(kind) {
            self.fd_annotation = self.outcome.annotation;
        }
        if let (Some(answer), Some(result)) = (self.answer, self.outcome.result) {
            // A link's target that fills the caller's buffer may be longer than that.
            let whole = kind == CallKind::Getcwd || self.count.is_none_or(|size| result < size);
            if result >= 0 && whole {
                self.path2 = Some(answer);
            }
        }
        if let (Some(position), Some(0)) = (self.seek_result, self.outcome.result) {
            self.outcome.result = Some(position);
        }
    }

    /// Keep only what the call's entry shows.
    pub fn forget_outcome(&mut self, kind: CallKind) {
        self.outcome = Outcome::default();
        (self.size, self.file_kind) = (None, None);
        if self.answer.is_some() {
            self.path2 = None;
        }
        if matches!(kind, CallKind::Recvmsg | CallKind::Recvmmsg) {
            self.message = None;
        }
        if roles::returns_descriptor(kind) && roles::roles(kind).first() != Some(&Role::Fd) {
            self.fd_annotation = None;
        }
        if roles::roles(kind).contains(&Role::Pair) {
            (self.fd, self.fd_annotation) = (None, None);
            (self.fd2, self.fd2_annotation) = (None, None);
        }
    }

    /// The log's annotation of the descriptor used, in angle brackets.
    pub fn fd_annotation(&self) -> Option<&'t [u8]> {
        self.fd_annotation
    }

    /// The duration of the call, in nanoseconds.
    pub fn duration_ns(&self) -> Option<i64> {
        self.outcome.duration_ns
    }

    /// The return value.
    pub fn result(&self) -> Option<i64> {
        self.outcome.result
    }

    /// The call, decoded.
    pub fn decode<'a>(&self, head: Head<'a>, scratch: &'a mut Scratch) -> Call<'a>
    where
        't: 'a,
    {
        let Scratch { path, path2, fd_path, fd2_path, dirfd_path, dirfd2_path, flags, arguments } = scratch;
        Call {
            seq: head.seq,
            seq_return: head.seq_return,
            thread: head.thread,
            time_ns: head.time_ns,
            duration_ns: self.outcome.duration_ns.or(head.waited_ns),
            kind: head.kind,
            name: head.name,
            fd: self.fd,
            fd2: self.fd2,
            dirfd: self.dirfd,
            dirfd2: self.dirfd2,
            path: self.path.map(|name| text::decode_name(name, path)),
            path2: self.path2.map(|name| text::decode_name(name, path2)),
            offset: self.offset,
            offset2: self.offset2,
            count: self.count,
            result: self.outcome.result,
            error: self.outcome.error,
            flags: match self.message {
                Some(message) => passed_descriptors(message, self.receives, flags),
                None => decode_flags(self.flags, self.more_flags, flags),
            },
            size: self.size,
            file_kind: self.file_kind,
            arguments: self.arguments.map(|list| text::printable(cut(list), arguments)),
            fd_path: self.fd_annotation.map(|name| descriptor::path(name, fd_path)),
            fd2_path: self.fd2_annotation.map(|name| descriptor::path(name, fd2_path)),
            dirfd_path: self.dirfd_annotation.map(|name| descriptor::path(name, dirfd_path)),
            dirfd2_path: self.dirfd2_annotation.map(|name| descriptor::path(name, dirfd2_path)),
        }
    }
}

fn decode_flags<'a>(
    flags: Option<(&'a [u8], Family)>,
    more: Option<(&'a [u8], Family)>,
    scratch: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    let (first, family) = flags?;
    if more.is_none() && !symbols::is_number(first) && first.is_ascii() {
        return Some(first);
    }
    scratch.clear();
    symbols::append(first, family, scratch);
    if let Some((second, family)) = more {
        symbols::append(second, family, scratch);
    }
    (!scratch.is_empty() && scratch.is_ascii()).then_some(scratch)
}

/// `MSG_PEEK|SCM_RIGHTS|5|6|...` of a message that passes these descriptors, and others that the log does not show;
/// None of others.
fn passed_descriptors<'a>(
    message: &[u8],
    receives: Option<&[u8]>,
    scratch: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    scratch.clear();
    let lists = structs::passed(message);
    if lists.is_empty() {
        return None;
    }
    let receives = receives.unwrap_or_default().split(|&byte| byte == b'|');
    for flag in receives.filter(|flag| matches!(*flag, b"MSG_CMSG_CLOEXEC" | b"MSG_PEEK")) {
        scratch.extend_from_slice(flag);
        scratch.push(b'|');
    }
    scratch.extend_from_slice(b"SCM_RIGHTS");
    for list in lists {
        let elements = split::arguments(list, 0);
        for at in 0.. {
            let Some(element) = elements.get(list, at) else { break };
            match number::leading_decimal(element) {
                (Some(fd), 1..) => scratch.extend_from_slice(format!("|{fd}").as_bytes()),
                _ => scratch.extend_from_slice(b"|..."),
            }
        }
    }
    Some(scratch)
}

fn cut(list: &[u8]) -> &[u8] {
    &list[..list.len().min(LONGEST_ARGUMENTS)]
}

fn annotated(argument: &[u8]) -> Result<(Option<i32>, Option<&[u8]>), Skip> {
    Ok(match descriptor::parse(argument)? {
        Descriptor::Number(fd, annotation) => (Some(fd), annotation),
        Descriptor::WorkingDirectory(_) | Descriptor::None => (None, None),
    })
}

/// A directory in which a path starts; no number for the working directory, which may also have an annotation.
fn directory(argument: &[u8]) -> Result<(Option<i32>, Option<&[u8]>), Skip> {
    Ok(match descriptor::parse(argument)? {
        Descriptor::Number(fd, annotation) => (Some(fd), annotation),
        Descriptor::WorkingDirectory(annotation) => (None, annotation),
        Descriptor::None => (None, None),
    })
}

/// A bound of a range of descriptors, clamped to what a descriptor can be.
fn bound(argument: &[u8]) -> Result<Option<i32>, Skip> {
    match number::parse(argument).0 {
        Number::Value { negative: false, magnitude } => {
            Ok(Some(i32::try_from(magnitude).unwrap_or(i32::MAX)))
        }
        Number::Value { negative: true, .. } => Ok(Some(i32::MAX)),
        Number::Missing => Ok(None),
        Number::TooLarge => Err(Skip::NumberOutOfRange),
    }
}

/// A string argument that is complete.
fn whole_string(argument: &[u8]) -> Option<&[u8]> {
    structs::string(argument).and_then(|(text, whole)| whole.then_some(text))
}

/// A number that is the whole argument. Unsigned ones beyond `i64` are left out, and so are symbolic addresses.
fn integer(argument: &[u8]) -> Result<Option<i64>, Skip> {
    let (number, length) = number::parse(argument);
    if number == Number::TooLarge {
        return Err(Skip::NumberOutOfRange);
    }
    let rest = argument[length..].trim_ascii_start();
    Ok(if rest.is_empty() || rest.starts_with(b"/*") { number.signed() } else { None })
}

/// `[0] => [1000]`: the value passed to the call.
fn first_element(argument: &[u8]) -> Result<Option<i64>, Skip> {
    let Some(inside) = argument.strip_prefix(b"[") else {
        return Ok(None);
    };
    let end = memchr::memchr(b']', inside).unwrap_or(inside.len());
    integer(&inside[..end])
}
