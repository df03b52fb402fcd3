//! Records as numbers of variable length, as differences to the thread's last call of the same number.

use crate::record::{Inode, Record, LOST_CALLS};
use std::collections::HashMap;

/// What the records of a block so far make known; each block begins anew.
#[derive(Debug, Default)]
pub(super) struct Context {
    last_ns: u64,
    thread: u32,
    /// The process of each thread.
    processes: HashMap<u32, u32>,
    /// The arguments of the last call of a thread and number.
    arguments: HashMap<(u32, u16), [u64; 6]>,
}

/// Bits of a record's first number, before the call's number.
const SAME_THREAD: u64 = 1;
const SAME_PROCESS: u64 = 2;
const HAS_NAME: u64 = 4;
const HAS_SECOND_NAME: u64 = 8;
const HAS_DATA: u64 = 16;
const HAS_SECOND: u64 = 32;
const HAS_INODE: u64 = 64;
const HAS_START: u64 = 128;
const NUMBER_SHIFT: u32 = 8;

/// Append a record.
pub(super) fn write(record: &Record<'_>, context: &mut Context, out: &mut Vec<u8>) {
    let process = context.processes.insert(record.thread, record.process);
    let is_set = |is: bool, bit: u64| if is { bit } else { 0 };
    let first = u64::from(record.number) << NUMBER_SHIFT
        | is_set(record.thread == context.thread, SAME_THREAD)
        | is_set(process == Some(record.process), SAME_PROCESS)
        | is_set(!record.name.is_empty(), HAS_NAME)
        | is_set(!record.second_name.is_empty(), HAS_SECOND_NAME)
        | is_set(record.data.is_some(), HAS_DATA)
        | is_set(record.second.is_some(), HAS_SECOND)
        | is_set(record.inode.is_some(), HAS_INODE)
        | is_set(record.has_start, HAS_START);
    number(out, first);
    if first & SAME_THREAD == 0 {
        number(out, u64::from(record.thread));
    }
    if first & SAME_PROCESS == 0 {
        number(out, u64::from(record.process));
    }
    context.thread = record.thread;
    difference(out, record.start_ns, context.last_ns);
    number(out, record.duration_ns);
    context.last_ns = record.end_ns();
    difference(out, record.result as u64, 0);
    let former = context.arguments.entry((record.thread, record.number)).or_default();
    let mask_at = out.len();
    out.push(0);
    for (place, (&argument, former)) in record.arguments.iter().zip(former).enumerate() {
        if argument != *former {
            out[mask_at] |= 1 << place;
            difference(out, argument, *former);
            *former = argument;
        }
    }
    for text in
        [record.name, record.second_name].into_iter().filter(|name| !name.is_empty()).chain(record.data)
    {
        number(out, text.len() as u64);
        out.extend_from_slice(text);
    }
    if let Some(second) = record.second {
        number(out, second);
    }
    if let Some(Inode { device, inode, mode, size_bytes }) = record.inode {
        [device, inode, mode, size_bytes].into_iter().for_each(|value| number(out, value));
    }
}

/// The record that says that calls were lost, at a time.
pub(super) fn loss(calls: u64, time_ns: u64) -> Record<'static> {
    Record {
        number: LOST_CALLS,
        start_ns: time_ns,
        has_start: true,
        arguments: [calls, 0, 0, 0, 0, 0],
        ..Record::default()
    }
}

/// Read a record, and what follows it; None if it is damaged.
pub(super) fn read<'b>(bytes: &'b [u8], context: &mut Context) -> Option<(Record<'b>, &'b [u8])> {
    let mut rest = bytes;
    let first = take(&mut rest)?;
    let has = |bit: u64| first & bit != 0;
    let thread = if has(SAME_THREAD) { context.thread } else { take(&mut rest)?.try_into().ok()? };
    let process = match has(SAME_PROCESS) {
        true => *context.processes.get(&thread)?,
        false => take(&mut rest)?.try_into().ok()?,
    };
    context.thread = thread;
    context.processes.insert(thread, process);
    let start_ns = take_difference(&mut rest, context.last_ns)?;
    let duration_ns = take(&mut rest)?;
    let result = take_difference(&mut rest, 0)? as i64;
    let number = u16::try_from(first >> NUMBER_SHIFT).ok()?;
    let (&mask, after) = rest.split_first()?;
    rest = after;
    let former = context.arguments.entry((thread, number)).or_default();
    for (place, argument) in former.iter_mut().enumerate() {
        if mask >> place & 1 == 1 {
            *argument = take_difference(&mut rest, *argument)?;
        }
    }
    let arguments = *former;
    let name = if has(HAS_NAME) { take_text(&mut rest)? } else { &[] };
    let second_name = if has(HAS_SECOND_NAME) { take_text(&mut rest)? } else { &[] };
    let data = if has(HAS_DATA) { Some(take_text(&mut rest)?) } else { None };
    let second = if has(HAS_SECOND) { Some(take(&mut rest)?) } else { None };
    let inode = match has(HAS_INODE) {
        true => Some(Inode {
            device: take(&mut rest)?,
            inode: take(&mut rest)?,
            mode: take(&mut rest)?,
            size_bytes: take(&mut rest)?,
        }),
        false => None,
    };
    let record = Record {
        number,
        thread,
        process,
        start_ns,
        has_start: has(HAS_START),
        duration_ns,
        result,
        arguments,
        name,
        second_name,
        data,
        second,
        inode,
    };
    context.last_ns = record.end_ns();
    Some((record, rest))
}

/// Seven bits a byte, the lowest first; the upper bit says that more follow.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A difference, with its sign in the lowest bit.
fn difference(out: &mut Vec<u8>, value: u64, former: u64) {
    let difference = value.wrapping_sub(former) as i64;
    number(out, (difference << 1 ^ difference >> 63) as u64);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn take_difference(rest: &mut &[u8], former: u64) -> Option<u64> {
    let value = take(rest)?;
    Some(former.wrapping_add(value >> 1 ^ (value & 1).wrapping_neg()))
}

fn take_text<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(take(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(text)
}
