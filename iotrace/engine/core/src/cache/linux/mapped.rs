//! What programs touch of files that they have mapped, and what faults show of that.

use super::folios::{MAPPED, MARKED, WORKINGSET, YOUNG};
use super::page_cache::{grown, PageCache};
use super::settings::Touches;
use super::tree::Slot;
use crate::cache::file_events::PAGE_BYTES;

/// A fault maps what is cached of its aligned group of this many pages.
const FAULT_AROUND_PAGES: u64 = 16;
/// A fault maps at most what a page of a page table refers to.
const MOST_MAPPED_PAGES: u64 = 512;

impl PageCache {
    /// A program touches each of some pages that it has mapped.
    pub(super) fn touch(&mut self, file: u32, open: u32, page: u64, pages: u64) {
        let end = page.saturating_add(pages).min(self.size(file).div_ceil(PAGE_BYTES));
        for at in page..end {
            let cached = self.tree.folio(file, at);
            match cached.filter(|&id| self.folios.get(id).is(MAPPED)) {
                Some(id) => self.folios.set(id, YOUNG),
                None => self.touch_unmapped(file, open, at),
            }
        }
    }

    /// A program touches a page that it has not mapped. The kernel maps what is cached around it; if the page is not among
    /// that, it brings it in without the lock of the mapping, and then maps what is around it once more.
    fn touch_unmapped(&mut self, file: u32, open: u32, page: u64) {
        let around = page / FAULT_AROUND_PAGES * FAULT_AROUND_PAGES;
        self.map_around(file, open, around, FAULT_AROUND_PAGES);
        if self.tree.folio(file, page).is_none_or(|id| self.folios.get(id).is(MARKED)) {
            self.fault(file, open, page);
            self.map_around(file, open, around, FAULT_AROUND_PAGES);
        }
    }

    /// A fault mapped what is cached of some pages. Where nothing is cached here, one of them was touched: which one is
    /// not known, and the middle one is taken.
    pub(super) fn map(&mut self, file: u32, open: u32, page: u64, pages: u64) {
        let pages = pages.min(MOST_MAPPED_PAGES);
        if self.map_around(file, open, page, pages) == 0 {
            self.fault(file, open, page + pages / 2);
        }
    }

    /// A fault that maps nothing at its page brings it in, or finds it marked.
    pub(super) fn fault(&mut self, file: u32, open: u32, page: u64) {
        grown(&mut self.windows, open);
        let id = match self.tree.folio(file, page) {
            Some(id) if self.folios.get(id).is(MARKED) => {
                self.mapped_hit(file, open, id, page);
                // The next window may have taken its place.
                self.tree.folio(file, page)
            }
            Some(id) => Some(id),
            None => {
                self.mapped_miss(file, open, page);
                self.tree.folio(file, page)
            }
        };
        let id = id.unwrap_or_else(|| self.insert(file, page, 0, true, false));
        self.folios.set(id, YOUNG | MAPPED);
    }

    /// The recorded kernel had these pages until now. Those that were mapped here and evicted before are touched again: at
    /// most once each, as no fault shows it.
    pub(super) fn touch_evicted(&mut self, file: u32, open: u32, page: u64, pages: u64) {
        for at in page..page.saturating_add(pages) {
            if matches!(self.tree.slot(file, at), Slot::Shadow(shadow) if shadow.mapped) {
                if !self.decide(|_, limit| limit.touches == Touches::AfterEviction) {
                    return;
                }
                self.touch_unmapped(file, open, at);
            }
        }
    }

    /// A fault maps the cached pages near its own, except marked ones; return how many. Each that was not active before
    /// makes up for a miss.
    fn map_around(&mut self, file: u32, open: u32, first: u64, pages: u64) -> u32 {
        let (mut mapped, mut hits) = (0, 0);
        for near in first..first.saturating_add(pages) {
            let Some(id) = self.tree.folio(file, near) else { continue };
            let folio = *self.folios.get(id);
            if !folio.is(MARKED) {
                mapped += 1;
                hits += u32::from(!folio.is(WORKINGSET));
                self.folios.set(id, YOUNG | MAPPED);
            }
        }
        grown(&mut self.windows, open).forgive(hits);
        mapped
    }
}
