//! When written pages go to the device.
//!
//! A file whose data are dirty for a while is written as a whole, as is the file that is dirty for longest while there
//! are more dirty pages than the background limit; a sync writes a file's or all. The writes themselves take no time here.

use super::folios::{DIRTY, MARKED};
use super::page_cache::{grown, PageCache};
use crate::cache::file_events::PAGE_BYTES;

impl PageCache {
    /// A folio is written to.
    pub(super) fn soil(&mut self, id: u32) {
        let folio = *self.folios.get(id);
        if folio.is(DIRTY) {
            return;
        }
        self.folios.set(id, DIRTY);
        let dirty = &mut self.dirty;
        dirty.pages += folio.pages();
        let file = grown(&mut dirty.files, folio.file);
        if file.folios.is_empty() {
            dirty.turns += 1;
            file.turn = dirty.turns;
            dirty.queue.push_back((dirty.time_ns, folio.file, dirty.turns));
        }
        file.folios.push((id, folio.stamp));
    }

    /// Time passes until this one.
    pub(super) fn wait(&mut self, time_ns: i64) {
        let wake_ns = self.settings.dirty_wake_ns.max(1);
        self.dirty.time_ns = time_ns;
        if self.dirty.written_at_ns.is_some_and(|written_at_ns| written_at_ns <= time_ns) {
            self.wait_for_flusher();
        }
        let next_ns = *self.dirty.next_wake_ns.get_or_insert(time_ns.saturating_add(wake_ns));
        if time_ns < next_ns {
            return;
        }
        let woken_ns = next_ns + (time_ns - next_ns) / wake_ns * wake_ns;
        self.dirty.next_wake_ns = Some(woken_ns.saturating_add(wake_ns));
        let until_ns = woken_ns.saturating_sub(self.settings.dirty_expire_ns);
        while let Some(&(since_ns, file, turn)) = self.dirty.queue.front() {
            if since_ns > until_ns {
                break;
            }
            self.dirty.queue.pop_front();
            if self.dirty.files[file as usize].turn == turn {
                self.write_file(file);
            }
        }
    }

    /// Write the files that are dirty for longest, from where the flusher starts down to the background limit.
    pub(super) fn write_in_background(&mut self) {
        if !self.is_too_dirty() {
            return;
        }
        let percent = self.settings.dirty_background_percent;
        while self.decide(|cache, limit| cache.dirty.pages > limit.share(percent, cache.other_pages)) {
            let Some((_, file, turn)) = self.dirty.queue.pop_front() else { return };
            if self.dirty.files[file as usize].turn == turn {
                self.write_file(file);
            }
        }
    }

    /// Reclaim found nothing but dirty pages: all of them are written, at once or after a while.
    pub(super) fn wake_flusher(&mut self) {
        let write_page_ns = self.decide(|_, limit| limit.write_page_ns);
        if write_page_ns == 0 {
            self.write_all();
            return;
        }
        let lasts_ns = i64::try_from(write_page_ns.saturating_mul(self.dirty.pages));
        let ends_ns = self.dirty.time_ns.saturating_add(lasts_ns.unwrap_or(i64::MAX));
        self.dirty.written_at_ns.get_or_insert(ends_ns);
    }

    /// Wait for what the flusher was woken for.
    pub(super) fn wait_for_flusher(&mut self) {
        if self.dirty.written_at_ns.take().is_some() {
            self.write_all();
        }
    }

    /// A program syncs a file, or all files.
    pub(super) fn sync(&mut self, file: Option<u32>) {
        let written = self.counts.written;
        match file {
            Some(file) => self.write_file(file),
            None => self.write_all(),
        }
        self.counts.synced += self.counts.written - written;
        self.counts.written = written;
    }

    /// Write the dirty pages of all files.
    pub(super) fn write_all(&mut self) {
        while let Some((_, file, turn)) = self.dirty.queue.pop_front() {
            if self.dirty.files[file as usize].turn == turn {
                self.write_file(file);
            }
        }
    }

    /// Write a file's dirty pages.
    fn write_file(&mut self, file: u32) {
        self.write_range(file, 0, u64::MAX);
    }

    /// Write a file's dirty folios that have a page from `first` to `last`.
    pub(super) fn write_range(&mut self, file: u32, first: u64, last: u64) {
        let size = self.size(file);
        let Some(written) = self.dirty.files.get_mut(file as usize) else { return };
        let mut folios = std::mem::take(&mut written.folios);
        folios.retain(|&(id, stamp)| {
            let folio = *self.folios.get(id);
            if folio.stamp != stamp || !folio.is(DIRTY) {
                return false;
            }
            if folio.page > last || folio.page + folio.pages() <= first {
                return true;
            }
            self.dirty.pages -= folio.pages();
            self.counts.written += folio.pages();
            self.counts.shortfall += ((folio.page + folio.pages()) * PAGE_BYTES).saturating_sub(size);
            self.folios.clear(id, DIRTY);
            if folio.is(MARKED) {
                self.folios.clear(id, MARKED);
                self.folios.move_to_inactive_tail(id);
            }
            false
        });
        let written = &mut self.dirty.files[file as usize];
        if folios.is_empty() {
            written.turn = 0;
        }
        written.folios = folios;
    }
}
