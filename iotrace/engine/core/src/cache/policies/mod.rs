//! Replacement policies at chosen sizes, over the stream and the request model of the stack engine.
//!
//! - `policy` has the methods of every policy (`hit`, `miss`, `remove`); each policy is a file, whose header gives the
//!   paper's definition (`time_set` is for the optimum, `frequency_sketch` for W-TinyLFU), and a row in `choice`;
//! - `simulation` is one cache that processes the tape and counts, `simulator` runs all of them;
//! - `table` makes a table of the counts.

mod arc;
mod choice;
mod clock;
mod fifo;
mod frequency_sketch;
mod lfu;
mod lirs;
mod lru;
mod opt;
mod policy;
mod s3_fifo;
mod segmented_lru;
mod sieve;
mod simulation;
mod simulator;
mod table;
mod time_set;
mod two_q;
mod w_tiny_lfu;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use choice::{Choice, Kind, Make};
pub use frequency_sketch::FrequencySketch;
pub use policy::Policy;
pub use simulator::{hits, misses, Simulator};
