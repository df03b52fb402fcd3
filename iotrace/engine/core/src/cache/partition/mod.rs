//! A cache split among classes of references, whose parts grow and shrink by what that would have gained (Richardson
//! 1994, 6.2.2: "Methods need to be developed for detecting low workload utilization of subcaches, and for growing and
//! shrinking them appropriately").
//!
//! - `settings` says what the parts are;
//! - `subcache` is one part: an LRU cache that knows its last blocks, and remembers those that left it last;
//! - `adaptive` moves space between the parts; `table` turns what they counted into a table.

mod adaptive;
mod settings;
mod subcache;
mod table;

pub use adaptive::AdaptivePartition;
pub use settings::{Part, Settings};
