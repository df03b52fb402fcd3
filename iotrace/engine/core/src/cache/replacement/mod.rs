//! Replacement policies, for caches of blocks and of objects with sizes.
//!
//! - `policy` has the methods of every policy, `Replacement`; each policy is a file, whose header gives the paper's
//!   definition (`time_set` is for the optimum, `frequency_sketch` for W-TinyLFU), and a row in `choice`;
//! - `simulation` is one cache of blocks that processes the tape and counts, `simulator` runs all of them, over the stream
//!   and the request model of the stack engine (those of objects are in `cache::objects`);
//! - `table` makes a table of the counts.

mod arc;
mod choice;
mod clock;
mod fifo;
mod frequency_sketch;
mod greedy_dual;
mod lfu;
mod lirs;
mod lru;
mod lru_k;
mod opt;
mod policy;
mod s3_fifo;
mod sampled_lru;
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

pub use choice::{Choice, Make, Policy, POLICIES};
pub use policy::{Access, Replacement};
pub use simulator::{hits, misses, Simulator};
