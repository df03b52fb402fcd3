//! Caches over the reference stream.
//!
//! `stack_distance` has the exact LRU curve of all sizes in one pass; `sampling`, `objects`, `partition` and
//! `write_backs` have their own structures for what they answer. A cache of blocks of one size is a `block_cache`, put
//! together from three parts, each of which may be exchanged:
//!
//! | module | `replacement` | `fetch` | `write_back` |
//! |---|---|---|---|
//! | `policies` | any policy of blocks | `Demand` | `CopyBack` |
//! | `disk_accesses` | `PortionedLru` | `Blocks` | `Coalesced` |
//! | `nonvolatile` | `Lru` | `Demand` | `Nonvolatile`: through, copy-back, periodic or deadline |
//!
//! `linux` is the page cache of that system, with parts of the same three kinds, over `file_events`. `objects` runs the same policies over objects with sizes, each of which is requested alone. `replay` writes the
//! reference stream onto a tape that all caches of a run follow.

mod block_cache;
pub mod disk_accesses;
mod fetch;
mod file_events;
pub mod linux;
pub mod nonvolatile;
pub mod objects;
pub mod partition;
pub mod policies;
pub mod replacement;
mod replay;
pub mod sampling;
pub mod stack_distance;
mod stream_simulator;
mod write_back;
pub mod write_backs;

pub use stream_simulator::StreamSimulator;

/// The most blocks of a cache.
pub const MOST_CACHE_BLOCKS: u32 = u32::MAX;
/// The largest block.
pub const LARGEST_BLOCK_BYTES: u32 = u32::MAX;
