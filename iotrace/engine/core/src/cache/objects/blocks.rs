//! Objects that weigh 1 each, in caches of blocks.

use super::policies::{counted, Cache, Contents};
use crate::cache::policies::{Choice, Kind, Make, Policy};

/// What the protected part of a segmented LRU cache has, in percent.
const PROTECTED_PERCENT: u32 = 75;

/// An empty cache of a policy of blocks by its name; None if there is none, or if it needs the future. No cache of the
/// largest number of blocks ever evicts, so that larger ones are like it.
pub fn cache(policy: &str, size: u64) -> Option<Box<dyn Cache>> {
    let kind = Kind::ALL.iter().copied().find(|kind| kind.name() == policy)?;
    let size_blocks = u32::try_from(size).unwrap_or(u32::MAX);
    Choice { kind, size_blocks, protected_percent: PROTECTED_PERCENT }.make(OfObjects)
}

struct OfObjects;

impl Make for OfObjects {
    type Made = Box<dyn Cache>;

    fn make<P: Policy + Send + Sync + 'static>(self, policy: P) -> Self::Made {
        counted(Blocks(policy))
    }
}

struct Blocks<P>(P);

impl<P: Policy> Contents for Blocks<P> {
    fn prepare(&mut self, objects: usize) {
        self.0.prepare(objects);
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        self.0.look_ahead(number);
    }

    #[inline(always)]
    fn look_around(&self, number: u32) {
        self.0.look_around(number);
    }

    #[inline(always)]
    fn request(&mut self, number: u32, _: u64) -> bool {
        let hit = self.0.hit(number);
        if !hit {
            self.0.miss(number, &mut |_| {});
        }
        hit
    }

    fn remove(&mut self, number: u32) {
        self.0.remove(number);
    }
}
