//! Parts of the simulations of single caches.
//!
//! - `writer` writes requests and deletions onto the `tape` as dense block numbers, once for all caches;
//! - `follow` runs caches over it, several at a time, as a stream is written;
//! - `dirty` and `block_set` hold their state of blocks;
//! - `neighbours` says which blocks are neighbours in a file.

mod block_set;
mod dirty;
mod follow;
mod neighbours;
mod tape;
mod writer;

pub use block_set::BlockSet;
pub use dirty::DirtyBlocks;
pub use follow::{Stream, TapeReader, TAPE_BLOCKS};
pub use neighbours::Neighbours;
pub use tape::{Request, Step, Stretch, Tape};
pub use writer::{Demand, FetchBlocks, Notes, Writer};
