//! Replacement policies at chosen sizes, over the stream and the request model of the stack engine.
//!
//! - `policy` has the verbs of every policy (`hit`, `miss`, `remove`) and their names; each policy is a file, the
//!   words of the paper that defined it above its code; `lists` and `time_set` are what they are made of;
//! - `tape` writes requests and deletions down as dense block numbers, once for all caches;
//! - `simulation` is one cache that follows the tape and counts (`dirty` its dirty blocks), `simulator` all of them;
//! - `table` turns the counts into a table.

mod arc;
mod clock;
mod dirty;
mod fifo;
mod lfu;
mod lists;
mod lru;
mod opt;
mod policy;
mod s3_fifo;
mod segmented_lru;
mod sieve;
mod simulation;
mod simulator;
mod table;
mod tape;
mod time_set;
mod two_q;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use policy::{Kind, Policy};
pub use simulator::{hits, misses, Choice, Simulator};
pub use table::Outcomes;
