//! Which pages come in ahead of those that are asked for.
//!
//! Each open file has a window: where it starts, how long it is, and how much of it lies behind the mark, a page whose
//! read opens the next window. A read that misses opens the first one if it starts a file or goes on where the last
//! read ended, or if the pages before it are cached; else it brings in what it asks for. Windows double, or quadruple
//! while they are small, up to a limit. The pages of a window come in folios that grow with each window.

use super::folios::MARKED;
use super::page_cache::PageCache;
use super::state::Window;
use super::tree::NODE_PAGES;
use crate::cache::file_events::{Advice, PAGE_BYTES};

/// Folios have at most two to the power of this many pages.
const MOST_ORDER: u32 = 9;
/// Each further window has folios of four times the pages.
const ORDER_STEP: u8 = 2;
/// After this many more misses than hits of a mapped file nothing is read around.
const MANY_MISSES: u32 = 100;
/// The count of misses stops at ten times that.
const MOST_MISSES: u32 = 10 * MANY_MISSES;

/// The first window of a request.
fn first_window(asked: u64, most: u64) -> u64 {
    let pages = asked.next_power_of_two();
    match pages {
        _ if pages <= most / 32 => pages * 4,
        _ if pages <= most / 4 => pages * 2,
        _ => most,
    }
}

/// The window after one of `pages` pages.
fn next_window(pages: u64, most: u64) -> u64 {
    match pages {
        _ if pages < most / 16 => 4 * pages,
        _ if pages <= most / 2 => 2 * pages,
        _ => most,
    }
}

impl PageCache {
    fn advice(&self, open: u32) -> Advice {
        self.windows.get(open as usize).map_or(Advice::Normal, |window| window.advice)
    }

    /// The longest window of an open file.
    pub(super) fn readahead_pages(&self, open: u32) -> u64 {
        let pages = u64::from(self.settings.readahead_pages);
        match self.advice(open) {
            Advice::Sequential => 2 * pages,
            Advice::Normal | Advice::Random => pages,
        }
    }

    /// The longest window for a request, which may be as long as the device's largest one.
    fn most_pages(&self, open: u32, asked: u64) -> u64 {
        let device = u64::from(self.settings.device_request_pages);
        match self.readahead_pages(open) {
            most if asked > most && device > most => asked.min(device),
            most => most,
        }
    }

    /// A read of `asked` pages from this page on found that one missing.
    pub(super) fn read_synchronously(&mut self, file: u32, open: u32, page: u64, asked: u64) {
        let readahead = self.readahead_pages(open);
        if readahead == 0 || self.advice(open) == Advice::Random {
            let device = u64::from(self.settings.device_request_pages);
            let asked = if readahead == 0 { 1 } else { asked.min(device.max(readahead)) };
            self.bring_in(file, page, asked, 0);
            return;
        }
        let most = self.most_pages(open, asked);
        let window = &self.windows[open as usize];
        let goes_on = window.previous_end.is_some_and(|end| page.wrapping_sub(end.get() / PAGE_BYTES) <= 1);
        let (pages, ahead_pages);
        if page == 0 || asked > most || goes_on {
            pages = first_window(asked, most);
            ahead_pages = if pages > asked { pages - asked } else { pages / 2 };
        } else {
            let (cached, is_all) = self.cached_before(file, page, most);
            if cached <= asked {
                self.bring_in(file, page, asked, 0);
                return;
            }
            let cached = if is_all { 2 * cached } else { cached };
            pages = most.min(cached + asked);
            ahead_pages = 1;
        }
        let window = &mut self.windows[open as usize];
        window.put(page, pages, ahead_pages);
        window.order = 0;
        self.fill_window(file, open);
    }

    /// How many pages right before this one the kernel takes to be cached, of `most`, and whether it found all from the
    /// start. It walks through nodes of 64 pages with an index and a place in the node. If the walk starts within a large
    /// folio, its place is that of the folio's first page, and the index runs ahead of it from then on: the pages that the
    /// walk skips are not counted, and at a node's border it goes on where the index points in the node before.
    fn cached_before(&mut self, file: u32, page: u64, most: u64) -> (u64, bool) {
        let (mut index, mut place) = (page - 1, self.walk_start(file, page - 1));
        let mut steps = 0;
        while steps < most {
            if steps > 0 {
                if index == 0 {
                    return (steps, true);
                }
                index -= 1;
                if place % NODE_PAGES != 0 {
                    place -= 1;
                } else if index % NODE_PAGES != 0 {
                    if place == 0 {
                        break;
                    }
                    place = place - NODE_PAGES + index % NODE_PAGES;
                }
            }
            if self.tree.folio(file, place).is_none() {
                return (steps, false);
            }
            steps += 1;
        }
        (steps.min(most - 1), false)
    }

    /// The first page from this one on that the kernel takes not to be cached, of `most` pages: the same walk forwards.
    fn gap_after(&mut self, file: u32, first: u64, most: u64) -> Option<u64> {
        let (mut index, mut place) = (first, self.walk_start(file, first));
        for step in 0..most {
            if step > 0 {
                index += 1;
                if place % NODE_PAGES != NODE_PAGES - 1 {
                    place += 1;
                } else if index % NODE_PAGES != NODE_PAGES - 1 {
                    place = place + 1 + index % NODE_PAGES;
                }
            }
            if self.tree.folio(file, place).is_none() {
                return Some(index);
            }
        }
        None
    }

    /// Where a walk that starts at a page begins: at the first page of its folio, if that is in the same node.
    fn walk_start(&mut self, file: u32, page: u64) -> u64 {
        let id = self.tree.folio(file, page);
        id.map(|id| *self.folios.get(id))
            .filter(|folio| folio.pages() < NODE_PAGES)
            .map_or(page, |folio| folio.page)
    }

    /// A read found this marked folio, and asks for `asked` pages from its first page on; or a fault found it at `page`.
    pub(super) fn read_asynchronously(&mut self, file: u32, open: u32, id: u32, page: u64, asked: u64) {
        if self.readahead_pages(open) == 0 {
            return;
        }
        let folio = *self.folios.get(id);
        self.folios.clear(id, MARKED);
        let most = self.most_pages(open, asked);
        let window = &self.windows[open as usize];
        let (window_end, window_pages) = (window.end(), u64::from(window.pages));
        let expected = window_end.wrapping_sub(u64::from(window.ahead_pages));
        let (start, pages) = if page == expected & !(folio.pages() - 1) {
            (window_end, window_pages.max(next_window(window_pages, most)))
        } else {
            let Some(start) = self.gap_after(file, page + 1, most) else { return };
            (start, next_window(start - page + asked, most))
        };
        let window = &mut self.windows[open as usize];
        window.order += ORDER_STEP;
        let align = 1u64 << u32::from(window.order).min(most.trailing_zeros());
        let end = start + pages;
        let aligned = end / align * align;
        let pages = if aligned > start { aligned - start } else { pages };
        window.put(start, pages, pages);
        self.fill_window(file, open);
    }

    /// Bring in the pages of a window, in folios of its order; where one is cached already, the rest one by one. A window
    /// ends where there is no room for more.
    fn fill_window(&mut self, file: u32, open: u32) {
        self.fill(file, open);
        self.arrive();
    }

    fn fill(&mut self, file: u32, open: u32) {
        let end = self.size(file).div_ceil(PAGE_BYTES);
        let Window { start, pages, ahead_pages, order, .. } = self.windows[open as usize];
        let (pages, ahead_pages) = (u64::from(pages), u64::from(ahead_pages));
        if pages == 0 || end == 0 {
            return;
        }
        let most_order = u32::from(order).min(MOST_ORDER).min(pages.ilog2());
        // Single pages come in the same way in both, except where the file's end cuts a window: its mark differs.
        let is_plain = most_order == 0 && start.saturating_add(pages) <= end;
        let large = is_plain || self.decide(|_, limit| limit.large_folios);
        let most_order = if large { most_order } else { 0 };
        self.windows[open as usize].order = most_order as u8;
        if !large {
            self.bring(file, start, pages, ahead_pages);
            return;
        }
        let limit = end.min(start.saturating_add(pages));
        let mark = (start + pages).wrapping_sub(ahead_pages);
        let mut page = start;
        while page < limit {
            let mut order = most_order.min(page.trailing_zeros());
            while page + (1 << order) > limit {
                order -= 1;
            }
            if self.is_any_cached(file, page, 1 << order) {
                self.bring(file, page, pages - (page - start), ahead_pages);
                return;
            }
            if !self.insert_ahead(file, page, order, page == mark >> order << order) {
                return;
            }
            page += 1 << order;
        }
    }

    /// Bring in those of some pages that are not cached, one by one, and mark one of them.
    pub(super) fn bring_in(&mut self, file: u32, first: u64, pages: u64, ahead_pages: u64) {
        self.bring(file, first, pages, ahead_pages);
        self.arrive();
    }

    fn bring(&mut self, file: u32, first: u64, pages: u64, ahead_pages: u64) {
        let end = self.size(file).div_ceil(PAGE_BYTES);
        if first >= end {
            return;
        }
        let pages = pages.min(end - first);
        let mark = if ahead_pages <= pages { first + pages - ahead_pages } else { u64::MAX };
        for page in first..first + pages {
            if self.tree.folio(file, page).is_none() && !self.insert_ahead(file, page, 0, page == mark) {
                return;
            }
        }
    }

    /// A fault found a marked page of a mapped file.
    pub(super) fn mapped_hit(&mut self, file: u32, open: u32, id: u32, page: u64) {
        let readahead = self.readahead_pages(open);
        let window = &mut self.windows[open as usize];
        if readahead > 0 && window.advice != Advice::Random {
            window.forgive(1);
            self.read_asynchronously(file, open, id, page, readahead);
        }
    }

    /// A page of a mapped file was not cached: a window around it comes in.
    pub(super) fn mapped_miss(&mut self, file: u32, open: u32, page: u64) {
        let readahead = self.readahead_pages(open);
        let window = &mut self.windows[open as usize];
        if readahead == 0 || window.advice == Advice::Random {
            return;
        }
        if window.misses < MOST_MISSES {
            window.misses += 1;
        }
        if window.misses > MANY_MISSES {
            return;
        }
        window.put(page.saturating_sub(readahead / 2), readahead, readahead / 4);
        window.order = 0;
        self.fill_window(file, open);
    }
}
