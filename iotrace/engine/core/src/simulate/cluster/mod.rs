//! A cluster's two levels of caches, and when accesses bypass them (Vilayannur et al., Discretionary Caching for I/O
//! on Clusters).
//!
//! - `settings` says what a cluster is made of and what its caches take; `bits` which levels a segment goes through;
//! - `blocks` numbers blocks and knows their versions, `cache` is one cache (its `lists`), `directory` who has copies;
//! - `fetches` are the blocks on their way to a cache, `awaited` those of them that requests wait for;
//! - `placing` is what the global cache keeps: the run-time scheme, TinyLFU;
//! - `machine` has them all; `reads` and `writes` are the steps of requests, `transfer` what one asks of each level;
//! - `counting` runs a `program` without a clock; `clock` with one, whose `steps` queue for `resources` as `costs`
//!   says; `job` is what is under way there; `metadata` is opens and closes, which no cache sees;
//! - `tally` and `log` are what is counted, `tables` hands it out, `simulator` is what the bindings call.

mod awaited;
mod bits;
mod blocks;
mod cache;
mod clock;
mod costs;
mod counting;
mod directory;
mod fetches;
mod job;
mod log;
mod machine;
mod metadata;
mod placing;
mod program;
mod reads;
mod resources;
mod settings;
mod simulator;
mod steps;
mod tables;
mod tally;
mod transfer;
mod waiting;
mod writes;

pub use bits::{Bits, Rule, Subject};
pub use costs::Components;
pub use program::Process;
pub use resources::Network;
pub use settings::*;
pub use simulator::Simulator;
pub use tables::Outcome;
