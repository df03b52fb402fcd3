//! The page cache of Linux as a cache of blocks: what is missing when a request comes is a miss, whoever brings it in.

use super::policy_cache::PolicyCache;
use crate::cache::block_cache::Misses;
use crate::cache::file_events::{Event, PAGE_BYTES};
use crate::cache::linux::{Limit, PageCache, Settings};
use crate::cache::replay::{Step, Stretch, TapeReader};
use crate::cache::write_back::CopiedBack;

/// A page cache, and the misses of requests that are counted.
pub struct PagesAsBlocks {
    cache: PageCache,
    misses: Misses,
    /// What was written before requests are counted.
    uncounted: CopiedBack,
}

impl PagesAsBlocks {
    /// An empty page cache of this many pages, with the kernel's defaults.
    pub fn new(pages: u64) -> Self {
        PagesAsBlocks {
            cache: PageCache::new(Limit::of(pages), Settings::default()),
            misses: Misses::default(),
            uncounted: CopiedBack::default(),
        }
    }

    fn written_so_far(&self) -> CopiedBack {
        let counts = self.cache.counts();
        CopiedBack {
            blocks: counts.written,
            shortfall: counts.shortfall,
            dirty_at_end: self.cache.dirty_pages(),
            synced: counts.synced,
        }
    }
}

impl TapeReader for PagesAsBlocks {
    fn follow(&mut self, stretch: Stretch) {
        let mut requests = stretch.tape.steps.iter().filter_map(|step| match step {
            Step::Request(request) => Some(request),
            _ => None,
        });
        for event in &stretch.tape.events {
            if let Event::Read { file, offset, length, .. } | Event::Write { file, offset, length, .. } =
                *event
            {
                let first = offset / PAGE_BYTES;
                let pages = (offset + length).div_ceil(PAGE_BYTES) - first;
                let (missing, is_last) = self.cache.missing(file, first, pages);
                if let Some(request) = requests.next().filter(|request| request.counted) {
                    let way = usize::from(request.write);
                    self.misses.blocks[way] += missing;
                    self.misses.requests[way] += u64::from(missing > 0);
                    let has_shortfall = is_last && !request.write;
                    self.misses.read_shortfall +=
                        u64::from(has_shortfall) * u64::from(request.last_shortfall);
                } else {
                    self.uncounted = self.written_so_far();
                }
            }
            self.cache.process(event);
        }
    }
}

impl PolicyCache for PagesAsBlocks {
    fn misses(&self) -> Misses {
        self.misses
    }

    fn written(&self) -> CopiedBack {
        let (all, before) = (self.written_so_far(), self.uncounted);
        CopiedBack {
            blocks: all.blocks - before.blocks,
            shortfall: all.shortfall - before.shortfall,
            dirty_at_end: all.dirty_at_end,
            synced: all.synced - before.synced,
        }
    }
}
