//! Caches of which only a part is non-volatile: what reaches the disk and when, and what a crash would lose
//! (Richardson 1994, 1.2 and 6.2.3; Baker and others 1992).
//!
//! - `simulator` runs many of them over one stream;
//! - `table` makes a table of their counts.

mod simulator;
mod table;

pub use crate::cache::write_back::nonvolatile::{Memory, Settings, WritePolicy};
pub use simulator::Simulator;
