//! Pages that come in or leave since a program says so: `readahead`, and `posix_fadvise` with `WILLNEED` and `DONTNEED`.

use super::folios::{BATCHED, MARKED, REFERENCED, UNWRITTEN, YOUNG};
use super::page_cache::PageCache;
use super::tree::Slot;
use crate::cache::file_events::PAGE_BYTES;

/// Pages that come in at a time: two megabytes.
const CHUNK: u64 = 512;

impl PageCache {
    /// Bring in what is not cached of some bytes, at most as much as the device's largest request or the longest window.
    pub(super) fn will_need(&mut self, file: u32, open: u32, offset: u64, last: u64) {
        let device = u64::from(self.settings.device_request_pages);
        let most = device.max(self.readahead_pages(open));
        let first = offset / PAGE_BYTES;
        let end = first + (last / PAGE_BYTES + 1).saturating_sub(first).min(most);
        for chunk in (first..end).step_by(CHUNK as usize) {
            self.bring_in(file, chunk, CHUNK.min(end - chunk), 0);
        }
    }

    /// Write what is dirty of some bytes, and drop clean folios of which no page lies outside. What was written stays until
    /// reclaim looks, which finds it first, and so does what a program has mapped. A page of which a part lies outside is
    /// outside, unless it is the file's last.
    pub(super) fn dont_need(&mut self, file: u32, offset: u64, last: u64) {
        let first = offset.div_ceil(PAGE_BYTES);
        let is_whole = (last + 1) % PAGE_BYTES == 0 || last + 1 == self.size(file);
        let end = last / PAGE_BYTES + u64::from(is_whole);
        self.list_batch();
        for page in self.tree.pages_from(file, first) {
            if page >= end {
                break;
            }
            match self.tree.slot(file, page) {
                Slot::Folio(id) => {
                    let folio = *self.folios.get(id);
                    if folio.is(YOUNG) || folio.page < first || folio.page + folio.pages() > end {
                        continue;
                    }
                    if folio.is(UNWRITTEN | BATCHED) {
                        self.list_all_batches();
                    }
                    if folio.is(UNWRITTEN) {
                        self.folios.set(id, MARKED);
                        self.folios.clear(id, REFERENCED);
                    } else {
                        self.remove(id, Slot::Empty);
                    }
                }
                Slot::Shadow(_) => {
                    self.tree.set(file, page, Slot::Empty);
                }
                Slot::Empty => {}
            }
        }
        self.write_range(file, offset / PAGE_BYTES, last / PAGE_BYTES);
    }
}
