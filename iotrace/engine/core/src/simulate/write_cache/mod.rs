//! A disk controller with caches: what its write policies would save (Biswas, Ramakrishnan and Towsley 1993).
//!
//! - `settings` names the policies; `controller` is the event loop (its `requests`, `turns` of disks, `operations`);
//! - `memory` is what it asks of caches: `separate` has a read cache and a write cache, `single` has one for both;
//! - `slots` says of non-volatile memory what is dirty, `groups` which track or cylinder is purged next,
//!   `thresholds` when;
//! - `write_out` schedules the blocks of a unit around the disk; `queue` orders the requests;
//! - `simulator` has many controllers over one stream, `table` turns what they counted into one;
//! - `lists` and `block_map` are the dense structures below; `measures` is what a run counted.

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

pub use controller::{Broken, Controller, Operation, Request};
pub use measures::Measures;
pub use settings::*;
pub use simulator::Simulator;
