//! What simulators of caches have in common: batches of the reference stream in, one table out.

use crate::cache::stack_distance::{Pricing, Tally};
use crate::error::Error;
use arrow_array::RecordBatch;

/// Caches that follow a reference stream.
pub trait StreamSimulator: Send + Sync {
    /// Take the next batch of the stream, with the columns that the stack engine takes. Fails at the first row that
    /// makes no sense; what came before it has been taken.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// What the stream contained so far.
    fn tally(&self) -> Tally;

    /// What the caches counted besides, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// End the stream and return the table of what came of it. Fails where a number would pass 2⁶³.
    fn finish(self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error>;
}
