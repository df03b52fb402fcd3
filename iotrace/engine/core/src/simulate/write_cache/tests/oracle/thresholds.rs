//! The conditions under which a cache's dirty blocks raise or lower its flag.

use super::Oracle;
use crate::simulate::write_cache::controller::{Operation, Request};
use crate::simulate::write_cache::settings::Purge;

impl Oracle<'_> {
    pub(super) fn note(&mut self, cache: usize) {
        let cache = &mut self.caches[cache];
        let dirty = cache.unclean();
        assert!(dirty <= cache.capacity as u64);
        if dirty > cache.high {
            cache.raised = true;
        } else if dirty < cache.low || dirty == 0 {
            cache.raised = false;
        }
    }

    pub(super) fn adapt(&mut self, request: &Request) {
        if self.settings.purge != Purge::Dynamic {
            return;
        }
        match request.operation {
            Operation::Read => self.interval[0] += request.blocks,
            Operation::Write | Operation::ForcedWrite => self.interval[1] += request.blocks,
            _ => return,
        }
        self.count("of_interval", 1);
        if self.outcome.counts["of_interval"] as u64 % self.settings.interval == 0 {
            let [read, written] = std::mem::take(&mut self.interval);
            let low_share = (self.settings.low_share * 100_000.0) as u64;
            for at in 0..self.caches.len() {
                let cache = &mut self.caches[at];
                let capacity = cache.capacity as u64;
                cache.high = capacity * written / (read + written);
                cache.low = (capacity * written * low_share).div_ceil((read + written) * 100_000);
                self.note(at);
            }
        }
    }
}
