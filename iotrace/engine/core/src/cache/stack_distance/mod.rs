//! Exact miss-ratio curves: fully associative LRU caches of every size in one pass over the reference stream.
//!
//! The method is Mattson's stack (1970) with Thompson and Smith's treatment of writes and deletions (1989), and the
//! request model is Richardson's (1994, section 2.4): a request touches the blocks of its byte range, its block
//! misses coalesce into one request miss, and a request larger than the cache is issued in pieces of its size.
//!
//! - `references` reads the stream, `span` turns byte ranges into blocks, `engine` plans which blocks are touched;
//! - `caches` says what touching, dropping and writing a block does, `settle` how touches are counted;
//! - `plan` holds what the next references touch, `sub_batch` what the stages leave for each other;
//! - `blocks` knows where each block of each file is, `block` what is known of it, `recency` (over the `occupancy` of slots) how deep it lies;
//! - `component` holds the counts, `coverage` the dirty bytes of the data-overwrite policy;
//! - `curve` turns counts by distance into the table of sizes;
//! - `reads` is the same for reads of single blocks known by number, `keys` for blocks known by a key, which
//!   `interner` numbers;
//! - `bounded` forgets what caches up to a largest size do not need; `key_numbers` numbers the blocks that are left;
//! - `state` is what a pass over a slice of the stream leaves, from which slices merge.

mod block;
mod blocks;
mod bounded;
mod caches;
mod component;
mod counts;
mod coverage;
mod curve;
mod dirty_files;
mod engine;
mod interner;
mod key_numbers;
mod keys;
mod occupancy;
mod options;
mod plan;
mod processor;
mod reads;
mod recency;
mod references;
mod settle;
mod span;
mod sparse_array;
mod state;
mod sub_batch;
mod tally;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(crate) use block::{Block, StackPosition};
pub(crate) use blocks::{Blocks, MOST_BLOCKS};
pub(crate) use caches::MOST_COMPONENTS;
pub(crate) use curve::{too_large, COLUMNS};
pub use curve::{Curve, Pricing};
pub(crate) use dirty_files::DirtyFiles;
pub use engine::Engine;
pub use interner::Interner;
pub(crate) use key_numbers::KeyNumbers;
pub use keys::KeyReads;
pub use options::{Deletes, Options, Syncs, WritePolicy};
pub(crate) use processor::Processor;
pub use reads::Reads;
pub(crate) use recency::{Recency, NO_SLOT};
pub(crate) use references::{Columns, Opened, Ranges};
pub use references::{Operation, Reference};
pub use span::MOST_REQUEST_BLOCKS;
pub(crate) use span::{file_key, Span, Spans};
pub use state::State;
pub use tally::Tally;
