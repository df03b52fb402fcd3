//! What a cache fetches when a read misses.
//!
//! - `Demand`: the missing block alone;
//! - `blocks`: all of its fetch block.

mod blocks;

pub use blocks::{Blocks, Fetched};

/// What a cache fetches.
pub trait Fetch: Send + Sync {
    /// Grow the tables for block numbers below this.
    fn prepare(&mut self, blocks: usize);

    /// The next request is a read: around it are these blocks of its first fetch block, before it, and of its last one,
    /// after it; `end_shortfall` bytes of the last of these are beyond the file's end.
    fn surround(&mut self, before: &[u32], after: &[u32], end_shortfall: u32);

    /// A request begins, or a piece of one larger than the cache.
    fn begin(&mut self, counted: bool);

    /// Block `index` of the `blocks` of a read misses: note what is to be brought in before it.
    fn miss(&mut self, index: usize, blocks: usize, is_cached: impl Fn(u32) -> bool);

    /// The next block to bring in.
    fn next(&mut self) -> Option<u32>;

    /// A request touches a block.
    fn touch(&mut self, block: u32, write: bool);

    /// A block leaves the cache, or its data are deleted.
    fn remove(&mut self, block: u32);
}

/// A miss fetches the missing block alone.
#[derive(Debug)]
pub struct Demand;

impl Fetch for Demand {
    #[inline(always)]
    fn prepare(&mut self, _: usize) {}

    #[inline(always)]
    fn surround(&mut self, _: &[u32], _: &[u32], _: u32) {}

    #[inline(always)]
    fn begin(&mut self, _: bool) {}

    #[inline(always)]
    fn miss(&mut self, _: usize, _: usize, _: impl Fn(u32) -> bool) {}

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        None
    }

    #[inline(always)]
    fn touch(&mut self, _: u32, _: bool) {}

    #[inline(always)]
    fn remove(&mut self, _: u32) {}
}
