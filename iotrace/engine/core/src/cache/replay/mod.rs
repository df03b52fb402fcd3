//! What simulations of single caches are made of.
//!
//! - `writer` writes requests and deletions onto the `tape` as dense block numbers, once for all caches;
//! - caches `follow` it, several at a time;
//! - `lists` and `dirty` are what they remember of blocks.

mod dirty;
mod follow;
mod tape;
mod writer;

pub use dirty::DirtyBlocks;
pub use follow::{follow_all, Follow, TAPE_BLOCKS};
pub use tape::{Request, Step, Tape};
pub use writer::{Demand, Notes, Writer};
