//! The interface of cache simulators: batches of the reference stream in, one table out.

use crate::cache::stack_distance::{Pricing, Tally};
use crate::error::Error;
use arrow_array::RecordBatch;

/// Caches that process a reference stream.
pub trait StreamSimulator: Send + Sync {
    /// Process the next batch of the stream, with the columns that the stack engine takes. Fails at the first invalid
    /// row; the rows before it have been processed.
    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// What the stream contained so far.
    fn tally(&self) -> Tally;

    /// Further counts of the caches, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// End the stream and return the table of results. Fails if a number would exceed 2⁶³.
    fn finish(self: Box<Self>, pricing: Pricing) -> Result<RecordBatch, Error>;
}
