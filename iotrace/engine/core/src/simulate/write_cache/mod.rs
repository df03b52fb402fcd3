//! A disk controller with caches, to compare its write policies (Biswas, Ramakrishnan and Towsley 1993).
//!
//! - `settings` has the policies; `controller` is the event loop (with its `requests`, `turns` of disks,
//!   `operations`);
//! - `memory` is the interface of caches: `separate` has a read cache and a write cache, `single` has one for both;
//! - `slots` has the dirty blocks of non-volatile memory, `groups` selects the track or cylinder to purge next,
//!   `thresholds` the time;
//! - `write_out` schedules the blocks of a unit around the disk; `queue` orders the requests;
//! - `simulator` runs many controllers over one stream, `table` makes a table of their counts;
//! - `lists` and `block_map` are the data structures below; `measures` has the counts of a run.

mod block_map;
mod controller;
mod groups;
mod measures;
mod memory;
mod queue;
mod separate;
mod settings;
mod simulator;
mod single;
mod slots;
mod table;
mod thresholds;
mod write_out;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use controller::{Controller, InternalError, Operation, Request};
pub use measures::Measures;
pub use settings::*;
pub use simulator::Simulator;
