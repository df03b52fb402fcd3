//! Which pages leave the cache.
//!
//! Reclaim looks at the tails of both lists, at a small share of each that doubles until enough is free. The active list
//! loses pages to the inactive one if that is the shorter, or if pages came back so soon after their eviction that they
//! were activated at once. An evicted page leaves behind the age of the lists; the difference of ages when it comes back is
//! the least number of pages by which the inactive list was too short to keep it.

use super::folios::{MAPPED, MARKED, PINNED, REFERENCED, UNWRITTEN, WORKINGSET};
use super::page_cache::PageCache;
use super::settings::{Age, Limit, Touches};
use super::state::Statistics;
use super::tree::{Shadow, Slot};
use crate::cache::file_events::PAGE_BYTES;

/// Pages that reclaim wants at least, and looks at in one go.
const CLUSTER: u64 = 32;
/// Reclaim starts with each list's length divided by two to the power of this.
const PRIORITY: u32 = 12;
/// A charge gives up after this many attempts without success.
const ATTEMPTS: u32 = 16;
/// Nodes of shadows may be an eighth of the pages.
const PAGES_PER_SHADOW_NODE: u64 = 8;
/// Nodes are freed in batches, unless that is all that there are beyond the limit.
const NODES_AT_A_TIME: u64 = 128;

impl PageCache {
    /// Make room for `pages` pages more; return whether there is.
    pub(super) fn make_room(&mut self, pages: u64) -> bool {
        let mut attempts = 0;
        while self.lacks_room(pages) {
            if self.reclaim(pages.max(CLUSTER)) == 0 {
                self.wait_for_writes();
                attempts += 1;
            }
            if attempts == ATTEMPTS || self.folios.pages() == 0 {
                return !self.lacks_room(pages);
            }
        }
        true
    }

    /// Reclaim pages; return how many.
    fn reclaim(&mut self, wanted: u64) -> u64 {
        self.round = self.round.wrapping_add(1);
        let (mut reclaimed, skips_active) = self.reclaim_gently(wanted, false);
        if reclaimed == 0 && skips_active {
            reclaimed = self.reclaim_gently(wanted, true).0;
        }
        reclaimed
    }

    /// Free nodes of shadows that are beyond the limit: half of them, and of those put off a share that grows with force.
    fn forget_shadows(&mut self, priority: u32) {
        let beyond = self.decide(|cache, limit| {
            let statistics = cache.statistics(limit);
            let pages = statistics.inactive + statistics.active + statistics.other;
            cache.tree.shadow_nodes.saturating_sub(pages / PAGES_PER_SHADOW_NODE)
        });
        if beyond == 0 {
            return;
        }
        let mut wanted = ((self.deferred_nodes >> priority) + beyond / 2).min(2 * beyond);
        let mut freed = 0;
        while (wanted >= NODES_AT_A_TIME || wanted >= beyond) && self.tree.shadow_nodes > 0 {
            let now = wanted.min(NODES_AT_A_TIME);
            self.tree.forget(self.tree.shadow_nodes.saturating_sub(now));
            wanted -= now;
            freed += now;
        }
        self.deferred_nodes = (self.deferred_nodes + beyond / 2).saturating_sub(freed).min(2 * beyond);
    }

    /// Reclaim pages with growing force; return how many, and whether the active list was left alone.
    fn reclaim_gently(&mut self, wanted: u64, is_forced: bool) -> (u64, bool) {
        let (mut reclaimed, mut skips_active) = (0, false);
        for priority in (0..=PRIORITY).rev() {
            let deactivates = is_forced || self.decide(PageCache::deactivates);
            let mut inactive = self.folios.inactive_pages() >> priority;
            let mut active = self.folios.active_pages() >> priority;
            let mut now = 0;
            while inactive > 0 || active > 0 {
                if inactive > 0 {
                    let pages = inactive.min(CLUSTER);
                    inactive -= pages;
                    now += self.shrink_inactive(pages);
                }
                if active > 0 {
                    let pages = active.min(CLUSTER);
                    active -= pages;
                    if deactivates {
                        self.shrink_active(pages);
                    } else {
                        skips_active = true;
                    }
                }
                if now >= wanted {
                    break;
                }
            }
            self.forget_shadows(priority);
            reclaimed += now;
            if reclaimed >= wanted {
                break;
            }
        }
        self.activations_seen = Age::ALL.map(|age| self.statistics_of(age).activations);
        (reclaimed, skips_active)
    }

    /// Whether pages leave the active list: if some were activated as they came back, or if the inactive list is short.
    /// The square root of ten times the gigabytes of both is the least ratio.
    fn deactivates(&self, limit: &Limit) -> bool {
        let Statistics { inactive, active, activations, .. } = self.statistics(limit);
        if activations != self.activations_seen[limit.statistics as usize] {
            return true;
        }
        let gigabytes = ((inactive + active) * PAGE_BYTES) >> 30;
        let ratio = if gigabytes == 0 { 1 } else { (10 * gigabytes).isqrt() };
        inactive * ratio < active
    }

    /// Move folios of `pages` pages from the active list's tail to the inactive one's head.
    fn shrink_active(&mut self, pages: u64) {
        self.list_batch();
        let mut moved = 0;
        while moved < pages {
            let Some(id) = self.folios.tail(true) else { return };
            moved += self.folios.get(id).pages();
            self.take_young(id);
            self.folios.set(id, WORKINGSET);
            self.folios.move_to_head(id, false);
        }
    }

    fn take_young(&mut self, id: u32) -> bool {
        let round = self.round;
        let is_young = self
            .decide(|cache, limit| cache.folios.get(id).is_young(round, limit.touches == Touches::Rounds));
        self.folios.look_at(id, round);
        is_young
    }

    /// Look at folios of `pages` pages from the inactive list's tail; return how many were evicted.
    fn shrink_inactive(&mut self, pages: u64) -> u64 {
        self.list_batch();
        let (mut looked_at, mut unwritten, mut evicted) = (0, 0, 0);
        while looked_at < pages {
            let Some(id) = self.folios.tail(false) else { break };
            let folio = *self.folios.get(id);
            looked_at += folio.pages();
            if self.take_young(id) {
                // The first look at a mapped page finds it touched, the second promotes it if it was touched again.
                self.folios.set(id, REFERENCED);
                if folio.is(REFERENCED) {
                    self.activate(id);
                } else {
                    self.folios.move_to_head(id, false);
                }
                continue;
            }
            self.folios.clear(id, REFERENCED);
            if folio.is(PINNED) {
                self.folios.move_to_head(id, false);
            } else if folio.is(UNWRITTEN) {
                // Only the flusher writes: the folio is out of the way until it is clean, and then goes first.
                unwritten += folio.pages();
                self.folios.set(id, MARKED);
                self.activate(id);
            } else {
                evicted += folio.pages();
                let shadow =
                    Shadow { age: self.age, workingset: folio.is(WORKINGSET), mapped: folio.is(MAPPED) };
                self.age_lists(folio.pages());
                self.remove(id, Slot::Shadow(shadow));
            }
        }
        self.counts.evictions += evicted;
        if looked_at > 0 && unwritten == looked_at {
            self.wake_flusher();
        }
        evicted
    }
}
