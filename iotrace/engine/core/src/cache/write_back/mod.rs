//! When a cache writes to the disk what it holds.
//!
//! - `copy_back`: when a dirty block is evicted;
//! - `coalesced`: then, together with the dirty blocks next to it;
//! - `nonvolatile`: at once, at intervals, after a while, or when it is evicted, where a part of the memory may be
//!   non-volatile.

mod coalesced;
mod copy_back;
pub mod nonvolatile;

pub use coalesced::{Coalesced, DiskWrites};
pub use copy_back::{CopiedBack, CopyBack};

use crate::cache::replacement::Access;
use crate::cache::replay::{Neighbours, Request};
use crate::lists::One;

/// When a cache with the replacement policy `R` writes back.
pub trait WriteBack<R>: Send + Sync {
    /// Grow the tables for block numbers below this.
    fn prepare(&mut self, blocks: usize);

    /// A request begins.
    fn begin(&mut self, request: Request);

    /// A block, which is cached now, is written; `shortfall` bytes of it are beyond its file's end.
    fn write(&mut self, access: &Access<One>, shortfall: u32);

    /// A block that was cached before is read, which may show a new end of its file.
    fn read(&mut self, block: u32, shortfall: u32);

    /// A block leaves the cache.
    fn evict(&mut self, block: u32);

    /// What an access evicted has left the cache, and what it brings in has entered.
    #[inline(always)]
    fn write_out(&mut self, _cached: &R, _neighbours: &Neighbours) {}

    /// A request to these blocks ends.
    #[inline(always)]
    fn end(&mut self, _request: Request, _blocks: &[u32]) {}

    /// A block's data are deleted.
    fn remove(&mut self, block: u32);

    /// Time passes until this one.
    fn wait(&mut self, _time_ns: i64) {}

    /// The number of running processes changes: return the cache's new size in blocks if that depends on it, once what
    /// no longer fits is evicted.
    fn resize(&mut self, _processes: u32, _cached: &mut R) -> Option<u64> {
        None
    }

    /// A file is synced, or everything.
    fn sync(&mut self, _file: Option<u32>) {}

    /// These blocks are synced.
    fn sync_blocks(&mut self, _blocks: &[u32]) {}
}
