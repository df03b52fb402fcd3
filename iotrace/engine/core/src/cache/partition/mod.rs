//! A cache split among classes of references, whose parts grow and shrink by the misses that this would have saved
//! (Richardson 1994, 6.2.2, leaves such methods to later work).
//!
//! - `settings` says what the parts are;
//! - `subcache` is one part: an LRU cache that tracks the last blocks of its list, and the blocks evicted last;
//! - `lane` is one partition, which moves space between its parts; `adaptive` runs several over the same references;
//! - `table` makes a table of their counts.

mod adaptive;
mod lane;
mod settings;
mod subcache;
mod table;

pub use adaptive::AdaptivePartition;
pub use settings::{Part, Settings};
