//! The modules of extended tracing (DXT): every read and write of a file by a rank.

use super::bytes::{self, Bytes};
use super::log::Log;
use super::modules::Module;
use crate::columns::Word;
use crate::fields::NS_PER_S;
use crate::parallel_trace::call::{Layer, Name, Operation, UNKNOWN};
use crate::parallel_trace::calls::{Reason, LONGEST_BYTES};
use crate::parallel_trace::stated::Stated;

const HOST_BYTES: usize = 64;
/// Times of more seconds are none.
const MOST_SECONDS: f64 = 4e9;

/// Read the records of a module: with `is_cut`, also the segments of one whose last ones are missing.
pub fn read(log: &mut Log, module: Module, version: u32, at: &mut Bytes<'_>, is_cut: bool) {
    let kind = Kind {
        module,
        version,
        layer: if module == Module::DxtPosix { Layer::Posix } else { Layer::Mpiio },
        has_threads: (module, version) == (Module::DxtPosix, 2) || (module, version) == (Module::DxtMpiio, 3),
        // before version 2 of DXT_MPIIO they are not valid
        has_offsets: module == Module::DxtPosix || version > 1,
    };
    while record(log, kind, at, is_cut).is_some() {}
}

#[derive(Clone, Copy)]
struct Kind {
    module: Module,
    version: u32,
    layer: Layer,
    has_threads: bool,
    has_offsets: bool,
}

fn record(log: &mut Log, kind: Kind, at: &mut Bytes<'_>, is_cut: bool) -> Option<()> {
    let mut ahead = *at;
    let (id, rank) = (ahead.u64()?, ahead.i64()?);
    let _is_shared = ahead.i64()?;
    let host = ahead.text(HOST_BYTES)?;
    let (writes, reads) = (ahead.i64()?, ahead.i64()?);
    let size = if kind.has_threads { 40 } else { 32 };
    let whole = writes.checked_add(reads).filter(|_| writes >= 0 && reads >= 0)?;
    let count = match bytes::count(whole, size, ahead.len()) {
        Some(count) => count as i64,
        None if is_cut => (ahead.len() / size) as i64,
        None => return None,
    };
    log.push(kind.module, Some(kind.version), id, rank).text = (!host.is_empty()).then(|| host.clone());
    let file = log.file(id);
    let file = log.file_name(file).to_owned();
    for number in 0..count {
        let operation = if number < writes { Operation::Write } else { Operation::Read };
        segment(log, kind, &mut ahead, rank, (&file, &host), operation)?;
    }
    if !host.is_empty() && count > 0 {
        log.hosts.insert(host);
    }
    *at = ahead;
    Some(())
}

fn segment(
    log: &mut Log,
    kind: Kind,
    at: &mut Bytes<'_>,
    rank: i64,
    (file, host): (&str, &str),
    operation: Operation,
) -> Option<()> {
    let (offset, length) = (at.i64()?, at.i64()?);
    let (start, end) = (at.f64()?, at.f64()?);
    let thread = if kind.has_threads { i64::try_from(at.u64()?).ok() } else { None };
    let zero_ns = i128::from(log.job.start_s) * i128::from(NS_PER_S);
    let stated = Stated {
        time: nanoseconds(start).map(|start_ns| zero_ns + start_ns),
        duration: Some(nanoseconds(end - start)),
        process: Some(rank.into()),
        thread: thread.map(i128::from),
        offset: (kind.has_offsets && offset != -1).then_some(offset.into()),
        length: Some(length.into()),
        ..Stated::default()
    };
    let mut take = || -> Result<(), Reason> {
        let mut call = stated.call(Some(operation))?;
        call.layer = Some(kind.layer);
        call.file = Some(Name::plain(file.as_bytes()));
        call.host = (!host.is_empty()).then_some(Name::plain(host.as_bytes()));
        debug_assert_ne!(call.length, UNKNOWN);
        log.calls.take(&call)
    };
    if let Err(reason) = take() {
        log.calls.skip(reason);
    }
    log.calls.lines += 1;
    if (0..=LONGEST_BYTES).contains(&length) {
        let moved = log.traced.entry(kind.layer.word()).or_default();
        moved.operations += 1;
        moved.bytes = moved.bytes.saturating_add(length);
    }
    Some(())
}

/// Seconds in whole nanoseconds, the nearest; None for what is no time.
fn nanoseconds(seconds: f64) -> Option<i128> {
    let is_time = (-MOST_SECONDS..=MOST_SECONDS).contains(&seconds);
    is_time.then(|| (seconds * NS_PER_S as f64).round() as i128)
}
