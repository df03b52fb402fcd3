//! Caches of every size, estimated from a sample of the blocks (Waldspurger et al., SHARDS, FAST '15).
//!
//! A block is sampled if its hash is below a threshold; a cache of C blocks then behaves on the whole stream as one of
//! rate · C blocks does on the sampled blocks. The sample is split in groups by other bits of the same hash, and the
//! caches are simulated once for all groups and once without each: what the delete-a-group jackknife needs. A head of
//! small caches can be simulated exactly beside it.
//!
//! - `block_hash` says which blocks are sampled and their group; `sampler` turns requests into touches of sampled
//!   blocks, which `block_numbers` may number without gaps, `sample` keeps them as columns;
//! - `slice` leaves the sample of a slice of the stream, and the state of its head, which merge;
//! - `rung` holds the caches over the sample of one rate, `sampled` the whole: one rung of a fixed rate, or a ladder
//!   of rates from which the first remains whose sample is small enough.

mod block_hash;
mod block_numbers;
mod rung;
mod sample;
mod sampled;
mod sampler;
mod slice;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use block_hash::BlockHash;
pub use rung::{Finished, MiniatureCaches};
pub use sampled::{Sampled, Sampling};
pub use sampler::Demand;
pub use slice::{SampledSlice, SlicedSample};
