//! The cache of a chosen policy.

use super::page_cache::PagesAsBlocks;
use super::policy_cache::PolicyCache;
use crate::cache::block_cache::{BlockCache, Misses};
use crate::cache::fetch::Demand;
use crate::cache::replacement::{CacheBuilder, Choice, Future, Opt, Replacement};
use crate::cache::write_back::{CopiedBack, CopyBack};
use crate::lists::One;
use std::sync::Arc;

impl<P: Replacement<Weight = One> + Send + Sync> PolicyCache for BlockCache<P, Demand, CopyBack> {
    fn misses(&self) -> Misses {
        self.misses()
    }

    fn written(&self) -> CopiedBack {
        self.write_back.written()
    }
}

/// A cache of this number of blocks.
struct OfBlocks(u64);

impl CacheBuilder<One> for OfBlocks {
    type Cache = Box<dyn PolicyCache>;

    fn build<P: Replacement<Weight = One> + Send + Sync + 'static>(self, policy: P) -> Self::Cache {
        Box::new(BlockCache::new(self.0, policy, Demand, CopyBack::default()))
    }
}

/// The empty cache; None for the optimum, which needs the future.
pub fn cache(choice: &Choice) -> Option<Box<dyn PolicyCache>> {
    if choice.policy.needs_files() {
        return Some(Box::new(PagesAsBlocks::new(choice.size)));
    }
    choice.build(OfBlocks(choice.size))
}

/// The empty cache under the optimum.
pub fn optimum(choice: &Choice, future: &Arc<Future>) -> Box<dyn PolicyCache> {
    OfBlocks(choice.size).build(Opt::new(choice.size, future.clone()))
}
