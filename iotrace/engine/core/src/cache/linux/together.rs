//! Limits that are run together.
//!
//! Page caches of several limits do the same until something depends on a setting in which they differ; in most, until
//! the first page is reclaimed. Up to then one page cache stands for all of them. Whatever depends on a limit is asked
//! through `decide`, which parts those that decide otherwise: their cache has to be run anew from before that, as `fork`
//! does.

use super::members::{Member, Together};
use super::page_cache::PageCache;
use super::settings::Limit;

impl PageCache {
    /// The limits that this cache stands for.
    pub(super) fn members(&self) -> &[Member] {
        &self.together.members
    }

    /// The limits that have parted since this was asked last.
    pub(super) fn take_parted(&mut self) -> Vec<Member> {
        std::mem::take(&mut self.together.parted)
    }

    /// The same cache for some of its limits only.
    pub(super) fn only_for(mut self, members: Vec<Member>) -> Self {
        self.together = Together::of(members);
        self.together.settle(self.other_pages);
        self
    }

    /// What follows from a limit, for the first one; those for which something else follows part.
    pub(super) fn decide<T: PartialEq>(&mut self, of: impl Fn(&Self, &Limit) -> T) -> T {
        let decided = of(self, &self.together.members[0].1);
        if self.together.members[1..].iter().any(|(_, limit)| of(self, limit) != decided) {
            let all = std::mem::take(&mut self.together.members);
            let (same, other) = all.into_iter().partition(|(_, limit)| of(self, limit) == decided);
            self.together.members = same;
            self.together.parted.extend::<Vec<Member>>(other);
            self.together.settle(self.other_pages);
        }
        decided
    }

    /// Whether pages have to leave before `pages` more are cached.
    #[inline]
    pub(super) fn lacks_room(&mut self, pages: u64) -> bool {
        let wanted = self.folios.pages() + pages;
        wanted > self.together.least_capacity
            && self.decide(|cache, limit| wanted > limit.capacity(cache.other_pages))
    }

    /// Whether there are enough dirty pages for the flusher to start.
    #[inline]
    pub(super) fn is_too_dirty(&mut self) -> bool {
        self.dirty.pages > self.together.least_dirty
            && self.decide(|cache, limit| cache.dirty.pages > limit.most_dirty(cache.other_pages))
    }
}
