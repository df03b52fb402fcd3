//! The fields of a call: its arguments, and what its pointers led to.

use super::calls::Kept;
use crate::syscalls::call::{Call, CallKind, FileKind};
use crate::syscalls::roles::{roles, Role};
use crate::syscalls::symbols::{self, Family};
use crate::syscalls::text;
use iotrace_capture::record::UNKNOWN_DESCRIPTOR;

const AT_FDCWD: i32 = -100;
const F_SETFD: u64 = 2;
const F_SETFL: u64 = 4;

/// What is recorded of a call's pointers (`iotrace_capture::calls::Shape`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pointers {
    /// The arguments that are the first and the second name.
    pub names: [Option<usize>; 2],
}

impl Pointers {
    /// Of a shape's word in the recording.
    pub fn of_word(word: u64) -> Pointers {
        let argument = |shift: u32| ((word >> shift & 15) as usize).checked_sub(1);
        Pointers { names: [argument(8), argument(12)] }
    }
}

/// Buffers for what is not in the record as tables show it.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    names: [Vec<u8>; 2],
    flags: Vec<u8>,
}

/// Where a structure of the machine has the kind and size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatOffsets {
    pub mode: usize,
    pub size: usize,
}

/// `struct stat` of x86-64 and of aarch64, and `struct statx`, which all machines share.
pub(super) const STAT_X86_64: StatOffsets = StatOffsets { mode: 24, size: 48 };
pub(super) const STAT_AARCH64: StatOffsets = StatOffsets { mode: 16, size: 48 };
const STATX: StatOffsets = StatOffsets { mode: 28, size: 40 };
const STATX_SIZE: u64 = 0x200;

/// The fields of a call that its record shows. If it has only begun, without those that its return shows.
pub(super) fn call<'a>(
    kept: &'a Kept,
    kind: CallKind,
    pointers: Pointers,
    stat: StatOffsets,
    has_returned: bool,
    scratch: &'a mut Scratch,
) -> Call<'a> {
    let Scratch { names: [buffer, buffer2], flags } = scratch;
    flags.clear();
    let mut call = Call { kind, ..Call::default() };
    let is_done = has_returned && kept.result >= 0;
    let (mut path, mut path2, mut answer) = (None, None, None);
    for (place, (&role, &value)) in roles(kind).iter().zip(&kept.arguments).enumerate() {
        let name = || name(kept, pointers, place);
        match role {
            Role::Fd => call.fd = Some(value as i32),
            Role::Fd2 => call.fd2 = Some(value as i32),
            Role::Dir => call.dirfd = directory(value),
            Role::Dir2 => call.dirfd2 = directory(value),
            Role::First => call.fd = Some(bound(value)),
            Role::Last => call.fd2 = Some(bound(value)),
            Role::Path => path = name(),
            Role::Path2 => path2 = name(),
            Role::Answer => answer = name(),
            Role::Count => call.count = i64::try_from(value).ok(),
            Role::Offset => call.offset = Some(value as i64),
            Role::OffsetPointer => call.offset = before(kept, data_word(kept, 0)),
            Role::Offset2Pointer => call.offset2 = before(kept, kept.second),
            Role::Flags(family) | Role::MoreFlags(family) => symbols::append_value(value, family, flags),
            Role::NamedFlags(family) if place == 0 => symbols::append_value(value, family, flags),
            Role::StructFlags(family) => {
                if let Some(value) = data_word(kept, 0) {
                    symbols::append_value(value, family, flags);
                }
            }
            Role::Command => symbols::append_value(value, Family::Command, flags),
            Role::CommandArgument => match kept.arguments[1] {
                F_SETFL => symbols::append_value(value, Family::Open, flags),
                F_SETFD => symbols::append_value(value, Family::Descriptor, flags),
                _ => {}
            },
            Role::NodeKind => {
                let kind = symbols::kind_of_mode(value);
                flags.extend_from_slice(kind.map(symbols::node_flag).unwrap_or_default());
            }
            Role::Stat if is_done => (call.file_kind, call.size) = described(kept, stat),
            Role::Statx if is_done => {
                (call.file_kind, call.size) = described(kept, STATX);
                if data_word(kept, 0).is_none_or(|mask| mask & STATX_SIZE == 0) {
                    call.size = None;
                }
            }
            Role::Vector => call.count = vector_bytes(kept),
            Role::Pair if is_done => {
                if let Some(pair) = data_word(kept, 0) {
                    (call.fd, call.fd2) = (Some(pair as u32 as i32), Some((pair >> 32) as i32));
                }
            }
            // pointers, or results
            Role::Other
            | Role::SeekResult
            | Role::Stat
            | Role::Statx
            | Role::Message
            | Role::MessageFlags
            | Role::Pair
            | Role::Arguments
            | Role::NamedFlags(_) => {}
        }
    }
    // a message may be received before the call that sends it has returned
    if is_done || matches!(kind, CallKind::Sendmsg | CallKind::Sendmmsg) {
        rights(kept, kind, flags);
    }
    if matches!(kind, CallKind::Mmap) && call.fd == Some(-1) {
        call.fd = None;
    }
    if is_done {
        path2 = path2.or(answer.and_then(|answer| answered(kept, kind, answer)));
    }
    call.path = path.map(|name| shown(name, buffer));
    call.path2 = path2.map(|name| shown(name, buffer2));
    call.flags = (!flags.is_empty()).then_some(flags);
    call
}

/// A name that was read; None if the argument is no name, or a bad address.
fn name(kept: &Kept, pointers: Pointers, place: usize) -> Option<&[u8]> {
    const EFAULT: i64 = -14;
    let number = pointers.names.iter().position(|&argument| argument == Some(place))?;
    let name = &kept.names[number];
    let is_unread = name.is_empty() && (kept.arguments[place] == 0 || kept.result == EFAULT);
    (!is_unread).then_some(name)
}

/// The target of a link, or a folder; None of a target that fills the caller's buffer, as it may be longer.
fn answered<'a>(kept: &Kept, kind: CallKind, answer: &'a [u8]) -> Option<&'a [u8]> {
    if kind == CallKind::Getcwd {
        return Some(answer);
    }
    let length = usize::try_from(kept.result).ok()?;
    let room = if kind == CallKind::Readlink { kept.arguments[2] } else { kept.arguments[3] };
    answer.get(..length).filter(|_| (length as u64) < room)
}

/// The flags of a message that passes descriptors (`Call::flags`), which are its data.
fn rights(kept: &Kept, kind: CallKind, flags: &mut Vec<u8>) {
    const MSG_PEEK: u64 = 2;
    const MSG_CMSG_CLOEXEC: u64 = 1 << 30;
    let roles = roles(kind);
    let Some(data) = kept.data.as_deref().filter(|_| roles.contains(&Role::Message)) else { return };
    let place = roles.iter().position(|role| *role == Role::MessageFlags);
    let received = place.map_or(0, |place| kept.arguments[place]);
    for (bit, name) in [(MSG_PEEK, "MSG_PEEK|"), (MSG_CMSG_CLOEXEC, "MSG_CMSG_CLOEXEC|")] {
        if received & bit != 0 {
            flags.extend_from_slice(name.as_bytes());
        }
    }
    flags.extend_from_slice(b"SCM_RIGHTS");
    for descriptor in data.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok().map(i32::from_le_bytes)) {
        match descriptor {
            UNKNOWN_DESCRIPTOR => flags.extend_from_slice(b"|..."),
            _ => flags.extend_from_slice(format!("|{descriptor}").as_bytes()),
        }
    }
}

/// A number that data begin with, from this place on.
fn data_word(kept: &Kept, at: usize) -> Option<u64> {
    let bytes = kept.data.as_deref()?.get(at..at + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// An offset as the call was given it; it has been moved by what the call copied.
fn before(kept: &Kept, after: Option<u64>) -> Option<i64> {
    Some((after? as i64).wrapping_sub(kept.result.max(0)))
}

fn directory(value: u64) -> Option<i32> {
    Some(value as i32).filter(|&number| number != AT_FDCWD)
}

/// A bound of a range of descriptors, clamped to what a descriptor can be.
fn bound(value: u64) -> i32 {
    i32::try_from(value as u32).unwrap_or(i32::MAX)
}

/// Kind and size of the file of a `struct stat`.
fn described(kept: &Kept, offsets: StatOffsets) -> (Option<FileKind>, Option<i64>) {
    let Some(data) = kept.data.as_deref() else { return (None, None) };
    let mode = data.get(offsets.mode..offsets.mode + 2).and_then(|bytes| bytes.try_into().ok());
    let kind = mode.and_then(|mode| symbols::kind_of_mode(u64::from(u16::from_le_bytes(mode))));
    // strace shows the number of a device instead of a size
    let is_device = matches!(kind, Some(FileKind::CharacterDevice | FileKind::BlockDevice));
    (kind, data_word(kept, offsets.size).filter(|_| !is_device).map(|size| size as i64))
}

/// The sum of a vector's lengths; None if it was too long to be recorded.
fn vector_bytes(kept: &Kept) -> Option<i64> {
    let data = kept.data.as_deref()?;
    let lengths = (0..data.len() / 16).map(|part| data_word(kept, 16 * part + 8));
    lengths.sum::<Option<u64>>().and_then(|sum| i64::try_from(sum).ok())
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
