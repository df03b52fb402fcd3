//! When written pages go to the device.
//!
//! A file whose data are dirty for a while is written as a whole, as is the file that is dirty for longest while there
//! are more dirty pages than the background limit; a sync writes a file's or all. These writes take no time here. Pages that
//! the recorded kernel wrote are under way from the time at which their request was queued until it was completed.

use super::folios::{DIRTY, MARKED, UNWRITTEN, WRITEBACK};
use super::page_cache::{grown, PageCache};
use super::settings::Flusher;
use crate::cache::file_events::PAGE_BYTES;

/// A file's list of dirty folios may be this much longer than twice the folios that are dirty.
const SPARE_ENTRIES: usize = 64;

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
        if file.turn == 0 {
            dirty.turns += 1;
            file.turn = dirty.turns;
            dirty.not_shown += u64::from(!file.is_shown);
            dirty.queue.push_back((dirty.time_ns, folio.file, dirty.turns));
        }
        if !folio.is(WRITEBACK) {
            file.unwritten += 1;
            file.folios.push((id, self.folios.stamp(id)));
        }
    }

    /// A folio is not dirty any more: it is written, or leaves the cache.
    pub(super) fn forget_dirty(&mut self, id: u32) {
        let folio = *self.folios.get(id);
        if folio.is(DIRTY) {
            self.dirty.pages -= folio.pages();
        }
        if folio.is(UNWRITTEN) {
            self.dirty.files[folio.file as usize].unwritten -= 1;
            self.folios.clear(id, UNWRITTEN);
        }
    }

    /// The recording shows when the pages of a file are written.
    pub(super) fn show_writes(&mut self, file: u32) {
        let file = grown(&mut self.dirty.files, file);
        if !std::mem::replace(&mut file.is_shown, true) && file.turn != 0 {
            self.dirty.not_shown -= 1;
        }
    }

    /// The recorded kernel begins to write pages of a file.
    pub(super) fn begin_write(&mut self, file: u32, page: u64, pages: u64) {
        for at in page..page.saturating_add(pages) {
            let Some(id) = self.tree.folio(file, at) else { continue };
            let folio = *self.folios.get(id);
            if !folio.is(DIRTY) {
                continue;
            }
            if self.decide(|_, limit| limit.flusher == Flusher::Late) {
                return;
            }
            self.dirty.pages -= folio.pages();
            self.count_written(file, folio.page + folio.pages(), folio.pages());
            self.folios.clear(id, DIRTY);
            self.folios.set(id, WRITEBACK);
        }
    }

    /// The recorded device has pages of a file.
    pub(super) fn end_write(&mut self, file: u32, page: u64, pages: u64) {
        let mut is_any = false;
        for at in page..page.saturating_add(pages) {
            let Some(id) = self.tree.folio(file, at) else { continue };
            let folio = *self.folios.get(id);
            if !folio.is(WRITEBACK) {
                continue;
            }
            is_any = true;
            self.folios.clear(id, WRITEBACK);
            if folio.is(DIRTY) {
                self.folios.clear(id, MARKED); // written to meanwhile, it stays where it is
            } else {
                self.dirty.files[file as usize].unwritten -= 1;
                self.rotate(id);
            }
        }
        if is_any {
            self.tidy(file);
        }
    }

    /// Drop entries of a file's list that are no longer of dirty folios, if they are many; end its turn if none is dirty.
    fn tidy(&mut self, file: u32) {
        let dirty = &mut self.dirty.files[file as usize];
        if dirty.unwritten == 0 {
            dirty.folios.clear();
            self.end_turn(file);
        } else if dirty.folios.len() > 2 * dirty.unwritten + SPARE_ENTRIES {
            dirty.folios.retain(|&(id, stamp)| {
                let folio = self.folios.get(id);
                folio.stamp == stamp && folio.is(UNWRITTEN)
            });
        }
    }

    /// A file is clean.
    fn end_turn(&mut self, file: u32) {
        let file = &mut self.dirty.files[file as usize];
        if std::mem::take(&mut file.turn) != 0 && !file.is_shown {
            self.dirty.not_shown -= 1;
        }
    }

    /// Pages of a file up to this one are written.
    fn count_written(&mut self, file: u32, end: u64, pages: u64) {
        self.counts.written += pages;
        self.counts.shortfall += (end * PAGE_BYTES).saturating_sub(self.size(file));
    }

    /// A folio is written: the first that reclaim takes, if reclaim met it before.
    fn rotate(&mut self, id: u32) {
        if self.folios.get(id).is(MARKED) {
            self.folios.clear(id, MARKED);
            self.folios.move_to_inactive_tail(id);
        }
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
        if self.decide(|_, limit| limit.flusher == Flusher::Recorded) {
            self.write_not_shown();
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

    /// Reclaim found nothing but dirty pages: all of them are written, at once or after a while, or those of which the
    /// recording does not show when.
    pub(super) fn wake_flusher(&mut self) {
        let (flusher, write_page_ns) = self.decide(|_, limit| (limit.flusher, limit.write_page_ns));
        match flusher {
            Flusher::Late => return,
            Flusher::Recorded => {
                self.write_not_shown();
                return;
            }
            Flusher::Woken if write_page_ns == 0 => {
                self.write_all();
                return;
            }
            Flusher::Woken => {}
        }
        let lasts_ns = i64::try_from(write_page_ns.saturating_mul(self.dirty.pages));
        let ends_ns = self.dirty.time_ns.saturating_add(lasts_ns.unwrap_or(i64::MAX));
        self.dirty.written_at_ns.get_or_insert(ends_ns);
    }

    /// Reclaim found nothing: it waits until dirty pages are written.
    pub(super) fn wait_for_writes(&mut self) {
        if self.decide(|_, limit| limit.flusher == Flusher::Woken) {
            self.wait_for_flusher();
        } else {
            self.write_all();
        }
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

    /// Write the dirty pages of files of which the recording does not show when they are written.
    fn write_not_shown(&mut self) {
        if self.dirty.not_shown == 0 {
            return;
        }
        let mut queue = std::mem::take(&mut self.dirty.queue);
        queue.retain(|&(_, file, turn)| {
            let dirty = &self.dirty.files[file as usize];
            if dirty.turn == turn && !dirty.is_shown {
                self.write_file(file);
            }
            self.dirty.files[file as usize].turn == turn
        });
        self.dirty.queue = queue;
    }

    /// Write a file's dirty pages.
    fn write_file(&mut self, file: u32) {
        self.write_range(file, 0, u64::MAX);
    }

    /// Write a file's dirty folios that have a page from `first` to `last`.
    pub(super) fn write_range(&mut self, file: u32, first: u64, last: u64) {
        let Some(written) = self.dirty.files.get_mut(file as usize) else { return };
        let mut folios = std::mem::take(&mut written.folios);
        folios.retain(|&(id, stamp)| {
            let folio = *self.folios.get(id);
            if folio.stamp != stamp || !folio.is(UNWRITTEN) {
                return false;
            }
            if folio.page > last || folio.page + folio.pages() <= first {
                return true;
            }
            if folio.is(DIRTY) {
                self.count_written(file, folio.page + folio.pages(), folio.pages());
            }
            self.forget_dirty(id);
            self.rotate(id);
            false
        });
        if folios.is_empty() {
            self.end_turn(file);
        }
        self.dirty.files[file as usize].folios = folios;
    }
}
