//! What is asked of the cache of any policy.

use crate::cache::block_cache::Misses;
use crate::cache::replay::TapeReader;
use crate::cache::write_back::CopiedBack;

/// A cache of some policy.
pub trait PolicyCache: TapeReader {
    /// The counted misses so far.
    fn misses(&self) -> Misses;

    /// What it has written back.
    fn written(&self) -> CopiedBack;
}
