//! A cluster's two levels of caches, and when accesses bypass them (Vilayannur et al., Discretionary Caching for I/O
//! on Clusters).
//!
//! - `settings` has the cluster's parts and cache policies; `bits` the levels that a segment goes through;
//! - `blocks` numbers blocks and has their versions, `cache` is one cache of `frame`s, `directory` has the nodes with
//!   copies;
//! - `fetches` are the blocks being fetched to a cache, `awaited` those that requests wait for;
//! - `admission` is the admission policy of the global cache: the run-time scheme, TinyLFU;
//! - `machine` has all of these; `reads` and `writes` are the steps of requests, `received` those of a write at the next
//!   level, `upkeep` those of flushers and harvesters, `transfer` a request's blocks by level;
//! - `counting` runs a `program` without a clock; `clock` with one: at each `event`, `steps` queue for `resources` for the
//!   times in `costs`; `medium` sends over a `link`; `job` has the requests in progress, `threads` takes requests at a
//!   global cache, from its `thread_pool`; `background` is the work of flushers and harvesters; `metadata` is opens and
//!   closes, which bypass the caches;
//! - `tally` and `log` are the counts, `tables` makes tables of them, `simulator` is the interface for the bindings.

mod admission;
mod awaited;
mod background;
mod bits;
mod blocks;
mod cache;
mod clock;
mod costs;
mod counting;
mod directory;
mod event;
mod fetches;
mod frame;
mod job;
mod link;
mod log;
mod machine;
mod medium;
mod metadata;
mod program;
mod reads;
mod received;
mod resources;
mod settings;
mod simulator;
mod steps;
mod tables;
mod tally;
mod thread_pool;
mod threads;
mod transfer;
mod upkeep;
mod waiting;
mod writes;

pub use admission::HIGHEST_THRESHOLD;
pub use bits::{Bits, Rule, Subject};
pub use costs::Components;
pub use program::{Process, LARGEST_OFFSET, LONGEST_BYTES};
pub use resources::Network;
pub use settings::*;
pub use simulator::Simulator;
pub use tables::Outcome;
