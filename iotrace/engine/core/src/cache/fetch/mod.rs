//! What a cache fetches when a read misses.
//!
//! - `Demand`: the missing block alone;
//! - `blocks`: all of its fetch block.

mod blocks;

pub use blocks::{Blocks, Fetched};

/// The blocks around a read that are in its first and its last fetch block.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Those of the first before the read.
    pub before: &'a [u32],
    /// Those of the last after it.
    pub after: &'a [u32],
    /// Bytes of the last of these that are beyond the file's end.
    pub end_shortfall: u32,
}

/// A read, and the block of it that misses.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// What is around it.
    pub surroundings: Surroundings<'a>,
    /// How many blocks it touches.
    pub blocks: usize,
    /// Which of them misses.
    pub index: usize,
}

/// What a cache fetches.
pub trait Fetch: Send + Sync {
    /// Grow the tables for block numbers below this.
    fn prepare(&mut self, blocks: usize);

    /// A request begins, or a piece of one larger than the cache.
    fn begin(&mut self, counted: bool);

    /// A read misses: note what is to be brought in before the missing block.
    fn miss(&mut self, read: Read, is_cached: impl Fn(u32) -> bool);

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
    fn begin(&mut self, _: bool) {}

    #[inline(always)]
    fn miss(&mut self, _: Read, _: impl Fn(u32) -> bool) {}

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        None
    }

    #[inline(always)]
    fn touch(&mut self, _: u32, _: bool) {}

    #[inline(always)]
    fn remove(&mut self, _: u32) {}
}
