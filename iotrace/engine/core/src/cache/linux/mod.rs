//! The page cache of Linux: which pages are read from the device at each limit of memory.
//!
//! The rules are those of Linux 6.12 to 6.18 without the multi-generational lists (`CONFIG_LRU_GEN`). As in
//! `block_cache`, a cache has three parts, but they see pages of files and not numbered blocks, since read-ahead brings in
//! pages that no request names:
//!
//! - `reclaim`: what leaves, from an inactive and an active list of `folios`, with what `tree` remembers of evicted pages;
//! - `batches`: folios that wait on a processor before they are on a list;
//! - `readahead`: what comes in with what is asked for;
//! - `mapped`: pages that programs touch without a call;
//! - `dirty`: when written pages become clean, and can leave;
//! - `advised`: what programs say to bring in, or to drop;
//! - `statistics`: what reclaim knows of the lists.
//!
//! `state` has what they keep of each file, and `members` the limits that a cache stands for.
//!
//! `page_cache` puts them together; `simulator` runs all limits over the events of rows, those that do the same
//! `together`, until they `fork`; `references` has what LRU and Belady's policy read.

mod advised;
mod batches;
mod dirty;
mod folios;
mod fork;
mod mapped;
mod members;
mod page_cache;
mod readahead;
mod reclaim;
mod references;
mod settings;
mod simulator;
mod state;
mod statistics;
mod together;
mod tree;

pub use page_cache::PageCache;
pub use settings::{Limit, Settings};
pub use simulator::{Simulator, Tally};
