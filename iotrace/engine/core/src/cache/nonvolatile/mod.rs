//! Caches of which only a part is non-volatile: what reaches the disk and when, and what a crash would lose
//! (Richardson 1994, 1.2 and 6.2.3; Baker and others 1992).
//!
//! - `cache` is one such cache, with its blocks at risk in `risk` and the syncs that its non-volatile part answers in
//!   `acknowledged_syncs`; `simulator` runs many of them over one stream;
//! - `table` makes a table of their counts.

mod acknowledged_syncs;
mod cache;
mod risk;
mod simulator;
mod table;

pub use cache::{Memory, Settings, WritePolicy};
pub use simulator::Simulator;
