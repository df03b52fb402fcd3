//! The results of the pass, each with the columns of the query of its name.

use super::disks::Disk;
use super::loads::Load;
use super::requests::Kind;
use super::runs::Runs;
use super::windows::Footprint;
use super::written_blocks::WrittenBlocks;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;
use std::collections::BTreeMap;

/// A table's name and rows.
pub type Named = (&'static str, RecordBatch);

pub fn of_runs(runs: &Runs) -> Result<Vec<Named>, Error> {
    let lengths = table!(runs.lengths.iter(), |((kind, bin), lengths)| {
        type: &str = kind.name(),
        maximum_length_bytes: i64 = *bin,
        runs: i64 = lengths.runs,
        bytes: i64 = lengths.bytes,
    });
    let starts = table!(runs.starts.iter(), |((kind, direction), starts)| {
        type: &str = kind.name(),
        direction: &str = direction.name(),
        requests: i64 = starts.requests,
        runs: i64 = starts.runs,
        first: i64 = starts.first,
        turned: i64 = starts.turned,
        forward: i64 = starts.forward,
        backward: i64 = starts.backward,
        unknown: i64 = starts.unknown,
    });
    let counts = runs.uses.counts();
    let patterns = table!(counts.iter(), |((access, pattern), count)| {
        access: &str = access.name(),
        pattern: &str = pattern.name(),
        uses: i64 = count.uses,
        bytes: i64 = count.bytes,
    });
    Ok(vec![
        ("run_length", lengths.batch()?),
        ("run_start", starts.batch()?),
        ("use_pattern", patterns.batch()?),
    ])
}

pub fn of_windows(footprints: &[Footprint]) -> Result<Named, Error> {
    let made = table!(footprints.iter(), |made| {
        joined: i64 = made.joined,
        window: i64 = made.window,
        unique_bytes: i64 = made.unique_bytes,
        unique_files: i64 = made.unique_files,
    });
    Ok(("window_footprint", made.batch()?))
}

pub fn of_written_blocks(blocks: &WrittenBlocks) -> Result<Vec<Named>, Error> {
    let reads = table!(blocks.reads.iter(), |(bin, amount)| {
        maximum_interval_ns: Option<i64> = *bin,
        block_reads: i64 = amount.blocks,
        bytes: i64 = amount.bytes,
    });
    let fates = table!(blocks.fates.iter(), |((fate, bin), amount)| {
        fate: &str = fate.name(),
        maximum_lifetime_ns: Option<i64> = *bin,
        blocks: i64 = amount.blocks,
        bytes: i64 = amount.bytes,
    });
    Ok(vec![("block_read", reads.batch()?), ("block_fate", fates.batch()?)])
}

pub fn of_disks(disks: &BTreeMap<i32, Disk>) -> Result<Named, Error> {
    let made = table!(disks.iter(), |(file, disk)| {
        file: i32 = *file,
        footprint_bytes: i64 = disk.footprint_bytes,
        requests: i64 = disk.requests,
        sequential: i64 = disk.sequential,
    });
    Ok(("disk_footprint", made.batch()?))
}

pub fn of_loads(loads: &BTreeMap<(i64, Kind), Load>) -> Result<Named, Error> {
    let made = table!(loads.iter(), |((window, kind), load)| {
        window: i64 = *window,
        type: &str = kind.name(),
        requests: i64 = load.requests,
        bytes_read: i64 = load.bytes_read,
        bytes_written: i64 = load.bytes_written,
    });
    Ok(("window_load", made.batch()?))
}

pub fn of_intervals(counts: &BTreeMap<i64, i64>) -> Result<Named, Error> {
    let made = table!(counts.iter(), |(bin, count)| {
        maximum_interval_ns: i64 = *bin,
        intervals: i64 = *count,
    });
    Ok(("request_interval", made.batch()?))
}
