//! The table of the caches' counts.

use super::policy_cache::PolicyCache;
use crate::cache::replacement::Choice;
use crate::cache::replay::Writer;
use crate::cache::stack_distance::{too_large, Pricing, COLUMNS};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// The table: a row for each choice and its cache.
pub(super) fn table(
    writer: &Writer,
    choices: &[Choice],
    caches: &[&dyn PolicyCache],
    pricing: Pricing,
) -> Result<RecordBatch, Error> {
    let rows = choices.iter().zip(caches).map(|(choice, cache)| row(writer, choice.size, *cache, pricing));
    let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
    let mut table = table!(choices.iter(), |choice| {
        policy: &str = choice.policy.name,
    });
    for (place, name) in COLUMNS.iter().enumerate() {
        table.column(name, rows.iter().map(|row| row[place]))?;
    }
    Ok(table.batch()?)
}

fn row(
    writer: &Writer,
    size: u64,
    cache: &dyn PolicyCache,
    pricing: Pricing,
) -> Result<[i64; COLUMNS.len()], Error> {
    let Writer { reads, writes, .. } = writer;
    let block_bytes = i64::from(writer.options().block_bytes);
    let bytes = |blocks: u64| (blocks as i64).checked_mul(block_bytes).ok_or_else(too_large);
    let (misses, written) = (cache.misses(), cache.written());
    let [read_misses, write_misses] = misses.blocks;
    let [read_request_misses, write_request_misses] = misses.requests;
    let read_bytes = bytes(read_misses)?;
    let write_bytes = bytes(written.blocks + written.synced)?;
    Ok([
        size as i64,
        bytes(size)?,
        (reads.blocks + writes.blocks) as i64,
        (read_misses + write_misses) as i64,
        read_misses as i64,
        write_misses as i64,
        reads.requests as i64,
        read_request_misses as i64,
        writes.requests as i64,
        write_request_misses as i64,
        reads.cold_requests as i64,
        writes.cold_requests as i64,
        written.blocks as i64,
        written.dirty_at_end as i64,
        read_bytes,
        read_bytes - misses.read_shortfall as i64,
        write_bytes,
        write_bytes - written.shortfall as i64,
        pricing.service_time_ns(read_request_misses as i64, read_bytes)?,
        pricing.service_time_ns(written.blocks as i64, write_bytes)?,
        writes.blocks as i64,
        written.synced as i64,
    ])
}
