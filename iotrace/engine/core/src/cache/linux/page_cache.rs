//! A page cache of one limit: what is read, written and cut through it.

use super::folios::{Folios, ACTIVE, BATCHED, MARKED, PINNED, REFERENCED, UNWRITTEN, WORKINGSET};
use super::members::{Member, Together};
use super::settings::{Age, Limit, Settings};
use super::state::{AddedUp, DirtyFiles, Window};
use super::tree::{Slot, Tree, AGE_MASK};
use crate::cache::file_events::{Event, PAGE_BYTES};
use std::num::NonZeroU64;
use std::ops::Range;

/// The largest folio, two to the power of this many pages.
const MOST_ORDER: u32 = 9;
/// Folios that a read looks up at a time.
const FOUND_FOLIOS: usize = 31;

/// What happened so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages read from the device.
    pub reads: u64,
    /// Pages that came into the cache.
    pub insertions: u64,
    /// Pages that came back after they were evicted.
    pub refaults: u64,
    /// Pages evicted.
    pub evictions: u64,
    /// Insertions for which nothing could be evicted.
    pub beyond_limit: u64,
    /// The most pages cached.
    pub most_pages: u64,
    /// Dirty pages written because they were old, too many or in the way.
    pub written: u64,
    /// Dirty pages written by syncs and synchronous writes.
    pub synced: u64,
    /// Bytes of the pages of both that are beyond their file's end.
    pub shortfall: u64,
}

/// A page cache, of one limit or of several that did the same so far.
#[derive(Debug, Clone)]
pub struct PageCache {
    pub(super) settings: Settings,
    pub(super) together: Together,
    /// Of programs and of the kernel's objects, as sampled last; only some limits count them.
    pub(super) other_pages: u64,
    pub(super) tree: Tree,
    pub(super) folios: Folios,
    pub(super) windows: Vec<Window>,
    sizes: Vec<u64>,
    pub(super) dirty: DirtyFiles,
    /// Evictions and promotions so far, modulo a power of two.
    pub(super) age: u32,
    /// Pages activated as they came back.
    pub(super) activations: u64,
    /// That number, as the statistics of each age had it when pages were reclaimed last.
    pub(super) activations_seen: [u64; Age::ALL.len()],
    pub(super) added_up: AddedUp,
    /// Rounds of reclaim so far, modulo a power of two.
    pub(super) round: u32,
    /// Nodes of shadows that the kernel put off to free.
    pub(super) deferred_nodes: u64,
    /// On which it runs, where that is known, and what waits on each.
    pub(super) processor: Option<u32>,
    pub(super) batches: Vec<Vec<u32>>,
    /// What a read found.
    found: Vec<u32>,
    /// Folios of a window that is not complete.
    arriving: Vec<u32>,
    pub(super) counts: Counts,
}

impl PageCache {
    /// An empty page cache.
    pub fn new(limit: Limit, settings: Settings) -> Self {
        PageCache::of(vec![(0, limit)], settings)
    }

    /// An empty page cache that stands for several limits.
    pub(super) fn of(members: Vec<Member>, settings: Settings) -> Self {
        PageCache {
            settings,
            together: Together::of(members),
            other_pages: 0,
            tree: Tree::default(),
            folios: Folios::new(),
            windows: Vec::new(),
            sizes: Vec::new(),
            dirty: DirtyFiles::default(),
            age: 0,
            activations: 0,
            activations_seen: [0; Age::ALL.len()],
            added_up: AddedUp::default(),
            round: 0,
            deferred_nodes: 0,
            processor: None,
            batches: Vec::new(),
            found: Vec::new(),
            arriving: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// What happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How large the cache is, in what has to be copied.
    pub(super) fn items(&self) -> usize {
        self.folios.len() + self.tree.len() + self.windows.len() + self.sizes.len() + self.dirty.files.len()
    }

    /// Process an event.
    pub fn process(&mut self, event: &Event) {
        match *event {
            Event::Time(time_ns) => {
                self.wait(time_ns);
                self.age_statistics(time_ns);
            }
            Event::Sample { other_pages } => {
                self.read_statistics();
                self.other_pages = other_pages;
                self.together.settle(other_pages);
                if self.decide(|cache, limit| {
                    limit.has_other && cache.folios.pages() > limit.capacity(other_pages)
                }) {
                    self.make_room(0);
                }
            }
            Event::Processor(processor) => self.run_on(processor),
            Event::Size { file, bytes } => *grown(&mut self.sizes, file) = bytes,
            Event::Read { file, open, offset, length, requested, spliced } => {
                self.read(file, open, offset..offset.saturating_add(length), requested, spliced);
            }
            Event::Write { file, offset, length, synchronous } => {
                self.write(file, offset, length);
                if synchronous {
                    self.sync(Some(file));
                }
            }
            Event::Touch { file, open, page, pages } => self.touch(file, open, page, pages),
            Event::Fault { file, open, page } => self.fault(file, open, page),
            Event::Mapped { file, open, page, pages } => self.map(file, open, page, pages),
            Event::Evicted { file, open, page, pages } => self.touch_evicted(file, open, page, pages),
            Event::Dropped { file, page, pages } => self.drop_clean(file, page, pages),
            Event::WritesShown { file } => self.show_writes(file),
            Event::WriteBegun { file, page, pages } => self.begin_write(file, page, pages),
            Event::WriteEnded { file, page, pages } => self.end_write(file, page, pages),
            Event::Direct { pages } => {
                self.counts.reads += pages;
            }
            Event::Cut { file, bytes } => self.cut(file, bytes),
            Event::WillNeed { file, open, offset, last } => self.will_need(file, open, offset, last),
            Event::DontNeed { file, offset, last } => self.dont_need(file, offset, last),
            Event::Sync(file) => self.sync(file),
            Event::Advice { open, advice } => grown(&mut self.windows, open).advice = advice,
        }
    }

    /// Dirty pages.
    pub fn dirty_pages(&self) -> u64 {
        self.dirty.pages
    }

    /// How many of some pages of a file are not cached, and whether the last is one of them.
    pub fn missing(&mut self, file: u32, first: u64, pages: u64) -> (u64, bool) {
        let (mut missing, mut is_last) = (0, false);
        for page in first..first + pages {
            is_last = self.tree.folio(file, page).is_none();
            missing += u64::from(is_last);
        }
        (missing, is_last)
    }

    pub(super) fn size(&self, file: u32) -> u64 {
        self.sizes.get(file as usize).copied().unwrap_or(0)
    }

    /// Read through the cache. The kernel looks up what is cached from the first page on, opens windows where that is
    /// nothing or ends with a marked folio, and then notes that the folios found were read.
    fn read(&mut self, file: u32, open: u32, bytes: Range<u64>, requested: u64, spliced: bool) {
        if bytes.is_empty() {
            return;
        }
        let Range { start: offset, end } = bytes;
        let asked_end = offset.saturating_add(requested).max(end).div_ceil(PAGE_BYTES);
        let mut page = offset / PAGE_BYTES;
        let mut position = offset;
        let mut before = grown(&mut self.windows, open).previous_end.map(NonZeroU64::get);
        let mut found = std::mem::take(&mut self.found);
        while position < end {
            self.gather(file, page, asked_end, &mut found);
            if found.is_empty() {
                self.read_synchronously(file, open, page, asked_end - page);
                self.gather(file, page, asked_end, &mut found);
            }
            if found.is_empty() {
                let folio = self.insert(file, page, 0, true, false);
                found.push(folio);
            }
            for &folio in &found {
                self.folios.set(folio, PINNED);
            }
            let last = found[found.len() - 1];
            let last_page = self.folios.get(last).page;
            if self.folios.get(last).is(MARKED) {
                self.read_asynchronously(
                    file,
                    open,
                    last,
                    last_page,
                    asked_end - last_page.min(asked_end - 1),
                );
            }
            for (place, &id) in found.iter().enumerate() {
                let folio = *self.folios.get(id);
                let bytes = folio.pages() * PAGE_BYTES;
                let is_same = before.is_some_and(|before| before.wrapping_sub(1) / bytes == position / bytes);
                if place > 0 || !is_same || spliced {
                    self.accessed(id);
                }
                self.folios.clear(id, PINNED);
                position = end.min((folio.page + folio.pages()) * PAGE_BYTES);
            }
            before = Some(position);
            page = position / PAGE_BYTES;
        }
        self.found = found;
        self.windows[open as usize].previous_end = NonZeroU64::new(end);
    }

    /// The cached folios from a page on, up to the first marked one.
    fn gather(&mut self, file: u32, mut page: u64, end: u64, found: &mut Vec<u32>) {
        found.clear();
        while page < end && found.len() < FOUND_FOLIOS {
            let Some(id) = self.tree.folio(file, page) else { return };
            found.push(id);
            let folio = self.folios.get(id);
            page = folio.page + folio.pages();
            if folio.is(MARKED) {
                return;
            }
        }
    }

    /// A read of a folio: the second one promotes it.
    pub(super) fn accessed(&mut self, id: u32) {
        let folio = *self.folios.get(id);
        if !folio.is(REFERENCED) {
            self.folios.set(id, REFERENCED);
        } else if !folio.is(ACTIVE) {
            self.folios.clear(id, REFERENCED);
            self.activate(id);
        }
    }

    /// Move a folio to the active list.
    pub(super) fn activate(&mut self, id: u32) {
        if !self.waits_elsewhere(id) {
            self.folios.move_to_head(id, true);
        }
        self.age_lists(self.folios.get(id).pages());
    }

    pub(super) fn age_lists(&mut self, pages: u64) {
        self.age = self.age.wrapping_add(pages as u32) & AGE_MASK;
    }

    /// Write to the cache; a page is read first only if the write covers a part of it.
    fn write(&mut self, file: u32, offset: u64, length: u64) {
        let size = self.size(file);
        let end = offset.saturating_add(length);
        let mut position = offset;
        while position < end {
            let page = position / PAGE_BYTES;
            let id = match self.tree.folio(file, page) {
                Some(id) => id,
                None => {
                    let id = self.insert_for_write(file, page, end - position);
                    let folio = *self.folios.get(id);
                    let folio_end = (folio.page + folio.pages()) * PAGE_BYTES;
                    let is_kept = |page_start: u64, is_cut: bool| is_cut && page_start < size;
                    let first = page * PAGE_BYTES;
                    let last = (end.min(folio_end) - 1) / PAGE_BYTES * PAGE_BYTES;
                    let cuts_first =
                        is_kept(first, position > first || (end < first + PAGE_BYTES && end < size));
                    let cuts_last = last > first && is_kept(last, end < last + PAGE_BYTES && end < size);
                    let cut = u64::from(cuts_first) + u64::from(cuts_last);
                    self.counts.reads += cut;
                    id
                }
            };
            self.soil(id);
            let folio = self.folios.get(id);
            position = end.min((folio.page + folio.pages()) * PAGE_BYTES);
        }
        let size = grown(&mut self.sizes, file);
        *size = (*size).max(end);
        self.write_in_background();
    }

    /// The largest aligned folio without cached pages that the rest of the write fills.
    fn insert_for_write(&mut self, file: u32, page: u64, bytes: u64) -> u32 {
        let mut order = 0;
        if bytes >= PAGE_BYTES {
            let chunk = PAGE_BYTES << MOST_ORDER;
            let here = bytes.min(chunk - page * PAGE_BYTES % chunk);
            order = (here / PAGE_BYTES).max(1).ilog2().min(page.trailing_zeros()).min(MOST_ORDER);
        }
        if order > 0 && !self.decide(|_, limit| limit.large_folios) {
            order = 0;
        }
        while order > 0 && self.is_any_cached(file, page, 1 << order) {
            order -= 1;
        }
        self.insert(file, page, order, false, true)
    }

    pub(super) fn is_any_cached(&mut self, file: u32, page: u64, pages: u64) -> bool {
        (page..page + pages).any(|page| self.tree.folio(file, page).is_some())
    }

    /// Bring in a folio of pages that are not cached; beyond the limit, if nothing can be evicted.
    pub(super) fn insert(
        &mut self,
        file: u32,
        page: u64,
        order: u32,
        from_device: bool,
        is_write: bool,
    ) -> u32 {
        let pages = 1 << order;
        if !self.make_room(pages) {
            self.counts.beyond_limit += pages;
        }
        self.insert_here(file, page, order, from_device, is_write)
    }

    /// Bring in a folio ahead of a read, which stays until its window is complete. Return whether there was room.
    pub(super) fn insert_ahead(&mut self, file: u32, page: u64, order: u32, is_marked: bool) -> bool {
        if !self.make_room(1 << order) {
            return false;
        }
        let id = self.insert_here(file, page, order, true, false);
        self.folios.set(id, PINNED | if is_marked { MARKED } else { 0 });
        self.arriving.push(id);
        true
    }

    /// The window is complete.
    pub(super) fn arrive(&mut self) {
        while let Some(id) = self.arriving.pop() {
            self.folios.clear(id, PINNED);
        }
    }

    fn insert_here(&mut self, file: u32, page: u64, order: u32, from_device: bool, is_write: bool) -> u32 {
        let pages = 1 << order;
        let mut shadow = None;
        for page in page..page + pages {
            if let Slot::Shadow(found) = self.tree.slot(file, page) {
                shadow = Some(found);
            }
        }
        let mut flags = 0;
        if let Some(shadow) = shadow.filter(|_| !is_write) {
            self.counts.refaults += pages;
            let distance = self.age.wrapping_sub(shadow.age) & AGE_MASK;
            if self.decide(|cache, limit| u64::from(distance) <= cache.statistics(limit).active) {
                flags |= ACTIVE | if shadow.workingset { WORKINGSET } else { 0 };
                self.age_lists(pages);
                self.activations += pages;
            }
        }
        if pages > 1 {
            self.list_batch();
        }
        let waits = self.waits(pages);
        let id = self.folios.add(file, page, order as u8, flags | if waits { BATCHED } else { 0 });
        if waits {
            self.add_to_batch(id);
        }
        for page in page..page + pages {
            self.tree.set(file, page, Slot::Folio(id));
        }
        self.counts.insertions += pages;
        self.counts.reads += if from_device { pages } else { 0 };
        self.counts.most_pages = self.counts.most_pages.max(self.folios.pages());
        id
    }

    /// Remove a folio whose pages become `slot`.
    pub(super) fn remove(&mut self, id: u32, slot: Slot) {
        let folio = *self.folios.get(id);
        for page in folio.page..folio.page + folio.pages() {
            self.tree.set(folio.file, page, slot);
        }
        self.forget_dirty(id);
        self.leave_batch(id);
        self.folios.remove(id);
    }

    /// Pages leave for others, unless they are in use or dirty.
    fn drop_clean(&mut self, file: u32, page: u64, pages: u64) {
        for at in page..page.saturating_add(pages) {
            if let Some(id) = self.tree.folio(file, at) {
                if !self.folios.get(id).is(UNWRITTEN | PINNED) {
                    self.remove(id, Slot::Empty);
                }
            }
        }
    }

    /// Remove what a file has from this byte on, and the memory of what was evicted there.
    fn cut(&mut self, file: u32, bytes: u64) {
        let first = bytes.div_ceil(PAGE_BYTES);
        for page in self.tree.pages_from(file, first) {
            match self.tree.slot(file, page) {
                Slot::Folio(id) if self.folios.get(id).page >= first => self.remove(id, Slot::Empty),
                Slot::Shadow(_) => {
                    self.tree.set(file, page, Slot::Empty);
                }
                Slot::Folio(_) | Slot::Empty => {}
            }
        }
        *grown(&mut self.sizes, file) = bytes;
    }
}

/// The item at a place of a list that grows as needed.
pub(super) fn grown<T: Default>(list: &mut Vec<T>, place: u32) -> &mut T {
    let place = place as usize;
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
    &mut list[place]
}
