//! Parts of the simulations of single caches.
//!
//! - `writer` writes requests and deletions onto the `tape` as dense block numbers, once for all caches;
//! - `follow` runs caches over it, several at a time;
//! - `lists` and `dirty` hold their state of blocks.

mod dirty;
mod follow;
mod tape;
mod writer;

pub use dirty::DirtyBlocks;
pub use follow::{follow_all, Follow, TAPE_BLOCKS};
pub use tape::{Request, Step, Tape};
pub use writer::{Demand, Notes, Writer};
