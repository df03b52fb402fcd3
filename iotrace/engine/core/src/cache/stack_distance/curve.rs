//! From counts by distance to the table of sizes.

use super::component::{Component, Direction};
use super::counts::Counts;
use super::options::WritePolicy;
use crate::columns::Table;
use crate::error::Error;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// How many sizes are evaluated at once where there are many. Each time takes a walk through all counts.
const SIZES_AT_ONCE: usize = if cfg!(test) { 3 } else { 1 << 17 };

/// What a disk access costs (Richardson 2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pricing {
    /// Time of an access without its transfer.
    pub overhead_ns: i64,
    /// Time to transfer 1,024 bytes.
    pub transfer_ns_per_kb: i64,
}

impl Default for Pricing {
    fn default() -> Self {
        Pricing { overhead_ns: 20_000_000, transfer_ns_per_kb: 500_000 }
    }
}

impl Pricing {
    /// Accesses times the overhead, and bytes times the transfer time, rounded to the nearest nanosecond; fails
    /// beyond 2⁶³.
    pub fn service_time_ns(&self, accesses: i64, bytes: i64) -> Result<i64, Error> {
        let transfer = (i128::from(bytes) * i128::from(self.transfer_ns_per_kb) + 512).div_euclid(1024);
        i64::try_from(i128::from(accesses) * i128::from(self.overhead_ns) + transfer).map_err(|_| too_large())
    }
}

/// The columns of the table, in order.
pub(crate) const COLUMNS: [&str; 22] = [
    "size_blocks",
    "size_bytes",
    "block_references",
    "block_misses",
    "read_block_misses",
    "write_block_misses",
    "read_requests",
    "read_request_misses",
    "write_requests",
    "write_request_misses",
    "cold_read_request_misses",
    "cold_write_request_misses",
    "write_expulsions",
    "dirty_at_end",
    "read_bytes_estimated",
    "read_bytes_exact",
    "write_bytes_estimated",
    "write_bytes_exact",
    "read_service_time_ns",
    "write_service_time_ns",
    "write_block_references",
    "write_syncs",
];
/// Further columns of the data-overwrite policy.
const OVERWRITE_COLUMNS: [&str; 3] =
    ["write_block_overwrites", "write_block_fills", "write_bytes_overwritten"];

/// The counts of all components, ready to be evaluated at any size.
#[derive(Debug)]
pub struct Curve {
    components: Vec<Component>,
    block_bytes: i64,
    write_policy: WritePolicy,
    pricing: Pricing,
}

impl Curve {
    pub(super) fn new(
        components: Vec<Component>,
        block_bytes: u32,
        write_policy: WritePolicy,
        pricing: Pricing,
    ) -> Self {
        Curve { components, block_bytes: i64::from(block_bytes), write_policy, pricing }
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.components.len()
    }

    /// One component's table: a row for each size at which a count changes, from 1 block on, or for each of
    /// `sizes` (ascending, in blocks). Columns as in schemas/curve.toml, after `component` (int32); the policy
    /// data-overwrite adds its three. Fails for a component that is not there, and where a number would pass 2⁶³.
    pub fn table(&self, component: usize, sizes: Option<&[u32]>) -> Result<RecordBatch, Error> {
        let counts = self.counts(component)?;
        let columns = match sizes {
            Some(sizes) => self.evaluate(counts, sizes)?,
            None => changes_only(self.evaluate(counts, &change_points(counts))?),
        };
        batch(component, columns)
    }

    /// The rows of `table` without sizes, some at a time, of which there may be millions. Fails as `table` does.
    pub fn rows(self: Arc<Self>, component: usize) -> Result<impl RecordBatchReader + Send, Error> {
        let sizes = self.change_points(component)?;
        let schema = self.table(component, Some(&[]))?.schema();
        let starts = (0..sizes.len()).step_by(SIZES_AT_ONCE);
        let batches = starts.map(move |start| {
            let end = sizes.len().min(start + SIZES_AT_ONCE);
            // the row before the first is what that is compared with
            let before = start.saturating_sub(1);
            let columns = self.evaluate(self.counts(component)?, &sizes[before..end])?;
            let batch = batch(component, changes_only(columns))?;
            Ok(batch.slice(start - before, batch.num_rows() - (start - before)))
        });
        let batches =
            batches.map(|batch| batch.map_err(|error: Error| ArrowError::ExternalError(error.into())));
        Ok(RecordBatchIterator::new(batches, schema))
    }

    /// The sizes in blocks at which a count of a component may change, ascending, 1 first. Fails for a component that is
    /// not there.
    pub fn change_points(&self, component: usize) -> Result<Vec<u32>, Error> {
        Ok(change_points(self.counts(component)?))
    }

    fn counts(&self, component: usize) -> Result<&Component, Error> {
        let counts = self.components.get(component);
        counts
            .ok_or_else(|| Error::of(format!("component {component} is not below {}", self.components.len())))
    }

    /// All columns of a component at ascending sizes.
    fn evaluate(&self, counts: &Component, sizes: &[u32]) -> Result<Vec<Vec<i64>>, Error> {
        let policy = self.write_policy;
        let through = policy == WritePolicy::NoAllocate;
        let constant = |value: u64| vec![value as i64; sizes.len()];
        let block_bytes = self.block_bytes;
        let reads = misses(&counts.reads, sizes);
        let writes = if through {
            (constant(counts.writes.blocks), constant(counts.writes.requests))
        } else {
            misses(&counts.writes, sizes)
        };
        let expulsions = plus(counts.expulsions.up_to(sizes), counts.written_through);
        let read_shortfall = beyond(&counts.read_shortfalls, counts.read_shortfall, sizes);
        let write_shortfall =
            plus(counts.expulsion_shortfalls.up_to(sizes), counts.written_through_shortfall);
        let syncs = counts.syncs.up_to(sizes);
        let sync_shortfall = counts.sync_shortfalls.up_to(sizes);
        let write_shortfall = sum(&write_shortfall, &sync_shortfall);
        let written = sum(&expulsions, &syncs);
        let read_bytes = scaled(&reads.0, block_bytes)?;
        let write_bytes = scaled(&written, block_bytes)?;
        let read_time = self.service_time(&reads.1, &read_bytes)?;
        let write_time = self.service_time(&written, &write_bytes)?;
        let size_blocks: Vec<i64> = sizes.iter().map(|&size| i64::from(size)).collect();
        let mut columns = vec![
            scaled(&size_blocks, block_bytes)?,
            constant(counts.reads.blocks + counts.writes.blocks),
            sum(&reads.0, &writes.0),
            reads.0,
            writes.0.clone(),
            constant(counts.reads.requests),
            reads.1,
            constant(counts.writes.requests),
            writes.1,
            constant(counts.reads.cold_requests),
            constant(counts.writes.cold_requests),
            expulsions,
            counts.dirty_at_end.up_to(sizes),
            read_bytes.clone(),
            difference(&read_bytes, &read_shortfall),
            write_bytes.clone(),
            difference(&write_bytes, &write_shortfall),
            read_time,
            write_time,
            constant(counts.writes.blocks),
            syncs,
        ];
        columns.insert(0, size_blocks);
        if policy == WritePolicy::DataOverwrite {
            let hits = difference(&constant(counts.writes.blocks), &writes.0);
            let overwrites = counts.overwrites.up_to(sizes);
            columns.extend([
                overwrites.clone(),
                difference(&hits, &overwrites),
                counts.overwritten_bytes.up_to(sizes),
            ]);
        }
        Ok(columns)
    }

    fn service_time(&self, accesses: &[i64], bytes: &[i64]) -> Result<Vec<i64>, Error> {
        let time = |(&accesses, &bytes): (&i64, &i64)| self.pricing.service_time_ns(accesses, bytes);
        accesses.iter().zip(bytes).map(time).collect()
    }
}

/// Columns of a component's table as a batch.
fn batch(component: usize, columns: Vec<Vec<i64>>) -> Result<RecordBatch, Error> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut table = Table::default();
    table.column("component", std::iter::repeat_n(component as i32, rows))?;
    for (name, column) in COLUMNS.iter().chain(&OVERWRITE_COLUMNS).zip(columns) {
        table.column(name, column.into_iter())?;
    }
    Ok(table.batch()?)
}

pub(crate) fn too_large() -> Error {
    Error::of("a number of the curve is beyond 2^63")
}

fn scaled(values: &[i64], factor: i64) -> Result<Vec<i64>, Error> {
    values.iter().map(|value| value.checked_mul(factor).ok_or_else(too_large)).collect()
}

fn sum(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn difference(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn plus(mut values: Vec<i64>, constant: u64) -> Vec<i64> {
    values.iter_mut().for_each(|value| *value += constant as i64);
    values
}

/// At each size, the part of a total that lies at larger distances.
fn beyond(counts: &Counts, total: u64, sizes: &[u32]) -> Vec<i64> {
    counts.up_to(sizes).into_iter().map(|hits| total as i64 - hits).collect()
}

/// Block misses and request misses of one direction at each size.
fn misses(direction: &Direction, sizes: &[u32]) -> (Vec<i64>, Vec<i64>) {
    let mut requests = beyond(&direction.largest, direction.requests, sizes);
    let others = beyond(&direction.others, direction.blocks - direction.requests, sizes);
    let blocks = sum(&requests, &others);
    for (&size_of_request, &count) in &direction.sizes {
        for (misses, &size) in requests.iter_mut().zip(sizes).take_while(|(_, &size)| size < size_of_request)
        {
            *misses += count as i64 * (i64::from(size_of_request.div_ceil(size)) - 1);
        }
    }
    let mut first_pieces = direction.first_pieces.entries().peekable();
    for (misses, &size) in requests.iter_mut().zip(sizes) {
        while first_pieces.next_if(|&(piece, _)| piece < size).is_some() {}
        if let Some((_, hits)) = first_pieces.next_if(|&(piece, _)| piece == size) {
            *misses -= hits;
        }
    }
    (blocks, requests)
}

/// All sizes at which a count may change, ascending, 1 first.
fn change_points(counts: &Component) -> Vec<u32> {
    let mut sizes = vec![1];
    let Component { reads, writes, .. } = counts;
    let histograms = [
        [&reads.largest, &reads.others, &writes.largest, &writes.others],
        [&counts.read_shortfalls, &counts.expulsions, &counts.expulsion_shortfalls, &counts.dirty_at_end],
        [&counts.syncs, &counts.sync_shortfalls, &Counts::default(), &Counts::default()],
        [&counts.overwrites, &counts.overwritten_bytes, &reads.first_pieces, &writes.first_pieces],
    ];
    for histogram in histograms.into_iter().flatten() {
        let known = sizes.len();
        sizes.extend(histogram.entries().map(|(distance, _)| distance));
        if sizes.len() > known {
            sizes.sort(); // it merges the two parts, which are in order
            sizes.dedup();
        }
    }
    for direction in [reads, writes] {
        sizes.extend(direction.first_pieces.entries().map(|(piece, _)| piece + 1));
        direction.sizes.keys().for_each(|&blocks| add_piece_steps(blocks, &mut sizes));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The sizes at which the number of pieces of a request of `blocks` blocks changes.
fn add_piece_steps(blocks: u32, sizes: &mut Vec<u32>) {
    let mut size = 1;
    while size < blocks {
        sizes.push(size);
        let pieces = blocks.div_ceil(size);
        size = blocks.div_ceil(pieces - 1);
    }
    sizes.push(blocks);
}

/// Leave out the rows in which nothing but the size differs from the row before.
fn changes_only(columns: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let rows = columns.first().map_or(0, Vec::len);
    let counts = columns.get(2..).unwrap_or_default();
    let kept: Vec<bool> =
        (0..rows).map(|row| row == 0 || counts.iter().any(|column| column[row] != column[row - 1])).collect();
    if kept.iter().all(|&kept| kept) {
        return columns;
    }
    let select = |column: Vec<i64>| {
        column.into_iter().zip(&kept).filter(|(_, &kept)| kept).map(|(value, _)| value).collect()
    };
    columns.into_iter().map(select).collect()
}
