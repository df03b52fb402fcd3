//! Replacement policies, for caches of blocks and of objects with sizes.
//!
//! - `policy` has the methods of every policy, `Replacement`; each policy is a file, whose header gives the paper's
//!   definition (`time_set` is for the optimum, `frequency_sketch` for W-TinyLFU), and a row in `choice`. `portioned_lru` is LRU
//!   for caches that write neighbours together.

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
mod portioned_lru;
mod s3_fifo;
mod sampled_lru;
mod segmented_lru;
mod sieve;
mod time_set;
mod two_q;
mod w_tiny_lfu;

pub use choice::{CacheBuilder, Choice, Policy, PAGE_CACHE, POLICIES};
pub use lru::Lru;
pub use opt::{Future, Opt};
pub use policy::{Access, Replacement};
pub use portioned_lru::PortionedLru;
