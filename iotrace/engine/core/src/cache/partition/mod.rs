//! A cache split among classes of references, whose parts grow and shrink by what that would have gained (Richardson
//! 1994, 6.2.2, leaves such methods to later work).
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
