//! From what the caches counted to a table.

use super::choice::Choice;
use super::simulation::Outcome;
use crate::cache::replay::{Demand, Writer};
use crate::cache::stack_distance::{too_large, Pricing, COLUMNS};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;

/// What came of each cache.
#[derive(Debug)]
pub struct Outcomes {
    outcomes: Vec<(Choice, Outcome)>,
    reads: Demand,
    writes: Demand,
    block_bytes: i64,
    pricing: Pricing,
}

impl Outcomes {
    pub(super) fn new(writer: &Writer, outcomes: Vec<(Choice, Outcome)>, pricing: Pricing) -> Self {
        Outcomes {
            outcomes,
            reads: writer.reads,
            writes: writer.writes,
            block_bytes: i64::from(writer.options().block_bytes),
            pricing,
        }
    }

    /// A row for each cache, in the order in which they were chosen: policy (string), then the columns of
    /// schemas/curve.toml. Fails where a number would pass 2⁶³.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let rows: Vec<[i64; COLUMNS.len()]> =
            self.outcomes.iter().map(|(_, outcome)| self.row(outcome)).collect::<Result<_, _>>()?;
        let mut table = table!(self.outcomes.iter(), |(choice, _)| {
            policy: &str = choice.kind.name(),
        });
        for (place, name) in COLUMNS.iter().enumerate() {
            table.column(name, rows.iter().map(|row| row[place]))?;
        }
        Ok(table.batch()?)
    }

    fn row(&self, outcome: &Outcome) -> Result<[i64; COLUMNS.len()], Error> {
        let bytes = |blocks: u64| (blocks as i64).checked_mul(self.block_bytes).ok_or_else(too_large);
        let [read_misses, write_misses] = outcome.block_misses;
        let [read_request_misses, write_request_misses] = outcome.request_misses;
        let size = u64::from(outcome.size_blocks);
        let read_bytes = bytes(read_misses)?;
        let write_bytes = bytes(outcome.write_expulsions)?;
        Ok([
            size as i64,
            bytes(size)?,
            (self.reads.blocks + self.writes.blocks) as i64,
            (read_misses + write_misses) as i64,
            read_misses as i64,
            write_misses as i64,
            self.reads.requests as i64,
            read_request_misses as i64,
            self.writes.requests as i64,
            write_request_misses as i64,
            self.reads.cold_requests as i64,
            self.writes.cold_requests as i64,
            outcome.write_expulsions as i64,
            outcome.dirty_at_end as i64,
            read_bytes,
            read_bytes - outcome.read_shortfall as i64,
            write_bytes,
            write_bytes - outcome.expulsion_shortfall as i64,
            self.pricing.service_time_ns(read_request_misses as i64, read_bytes)?,
            self.pricing.service_time_ns(outcome.write_expulsions as i64, write_bytes)?,
            self.writes.blocks as i64,
            0, // these caches ignore syncs
        ])
    }
}
