//! What caches of single pages without read-ahead read: LRU, and the fewest pages that any cache reads, by Belady's policy.
//!
//! Belady's cache may choose not to keep a page. A write needs nothing from the device, so a page is worth keeping only until its
//! next read before which it is not written. Nothing is read ahead, so each page read is one that was asked for.

use crate::cache::file_events::{Event, PAGE_BYTES};
use crate::cache::replacement::{Access, Lru, Replacement};
use crate::lists::One;
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

const NEVER: u32 = u32::MAX;
/// The page is written: nothing is read.
const WRITE: u32 = 1 << 31;
/// The page is gone, too.
const CUT: u32 = 1 << 30 | WRITE;
const NUMBER: u32 = !CUT;

/// The references to pages, in order.
#[derive(Debug, Default)]
pub struct References {
    numbers: FxHashMap<(u32, u64), u32>,
    given: u32,
    /// Pages of each file that were touched.
    files: FxHashMap<u32, Vec<(u64, u32)>>,
    /// The page of each reference, by number; what writes or removes it has a bit of its own.
    pages: Vec<u32>,
    direct_pages: u64,
}

impl References {
    /// Note an event.
    pub fn note(&mut self, event: &Event) {
        match *event {
            Event::Read { file, offset, length, .. } => self.touch(file, offset, length, 0),
            Event::Write { file, offset, length, .. } => self.touch(file, offset, length, WRITE),
            Event::Touch { file, page, pages, .. } => {
                self.touch(file, page * PAGE_BYTES, pages * PAGE_BYTES, 0);
            }
            Event::Fault { file, page, .. } => self.touch(file, page * PAGE_BYTES, PAGE_BYTES, 0),
            Event::Cut { file, bytes } => {
                let first = bytes.div_ceil(PAGE_BYTES);
                if let Some(touched) = self.files.get_mut(&file) {
                    let (kept, cut) = touched.iter().partition(|&&(page, _)| page < first);
                    *touched = kept;
                    let cut: Vec<(u64, u32)> = cut;
                    for (page, number) in cut {
                        self.numbers.remove(&(file, page));
                        self.pages.push(number | CUT);
                    }
                }
            }
            Event::Direct { pages } => self.direct_pages += pages,
            // Which page was touched is not known.
            Event::Mapped { .. } | Event::Evicted { .. } | Event::Dropped { .. } => {}
            Event::WritesShown { .. } | Event::WriteBegun { .. } | Event::WriteEnded { .. } => {}
            // These caches take no advice.
            Event::WillNeed { .. } | Event::DontNeed { .. } => {}
            Event::Time(_)
            | Event::Sample { .. }
            | Event::Processor(_)
            | Event::Size { .. }
            | Event::Sync(_)
            | Event::Advice { .. } => {}
        }
    }

    fn touch(&mut self, file: u32, offset: u64, length: u64, kind: u32) {
        if length == 0 {
            return;
        }
        let touched = self.files.entry(file).or_default();
        for page in offset / PAGE_BYTES..offset.saturating_add(length).div_ceil(PAGE_BYTES) {
            let given = &mut self.given;
            let number = *self.numbers.entry((file, page)).or_insert_with(|| {
                *given += 1;
                touched.push((page, *given - 1));
                *given - 1
            });
            self.pages.push(number | kind);
        }
    }

    /// The pages read with an LRU cache of this many pages.
    pub fn lru_reads(&self, limit: u64) -> u64 {
        let mut cache = Lru::<One>::new(limit);
        cache.prepare(self.given as usize);
        let mut reads = self.direct_pages;
        for &page in &self.pages {
            let number = page & NUMBER;
            if page & CUT == CUT {
                cache.remove(number);
                continue;
            }
            let write = page & WRITE != 0;
            let access =
                Access { number, weight: One, write, time_ns: None, file: None, first_of_run: false };
            if cache.contains(number) {
                cache.hit(&access, &mut |_| {});
            } else {
                reads += u64::from(!write);
                cache.miss(&access, &mut |_| {});
            }
        }
        reads
    }

    /// For each limit in pages, the fewest pages read.
    pub fn fewest_reads(&self, limits: &[u64]) -> Vec<u64> {
        let numbers = self.given as usize;
        let mut next_read = vec![NEVER; numbers];
        let mut next = vec![NEVER; self.pages.len()];
        for (place, &page) in self.pages.iter().enumerate().rev() {
            let number = (page & NUMBER) as usize;
            next[place] = next_read[number];
            next_read[number] = if page & WRITE == 0 { place as u32 } else { NEVER };
        }
        limits.iter().map(|&limit| self.direct_pages + self.reads(limit, &next, numbers)).collect()
    }

    fn reads(&self, limit: u64, next: &[u32], numbers: usize) -> u64 {
        let mut kept_until = vec![NEVER; numbers];
        let (mut kept, mut reads) = (0, 0);
        let mut farthest: BinaryHeap<(u32, u32)> = BinaryHeap::new();
        for (place, &page) in self.pages.iter().enumerate() {
            let number = page & NUMBER;
            let until = &mut kept_until[number as usize];
            let was_kept = std::mem::replace(until, NEVER) != NEVER;
            kept -= u64::from(was_kept);
            reads += u64::from(page & WRITE == 0 && !was_kept);
            let wanted = next[place];
            if wanted == NEVER || limit == 0 {
                continue;
            }
            if kept == limit {
                while let Some(&(time, other)) = farthest.peek() {
                    if kept_until[other as usize] == time {
                        break;
                    }
                    farthest.pop();
                }
                match farthest.peek() {
                    Some(&(time, other)) if time > wanted => {
                        kept_until[other as usize] = NEVER;
                        farthest.pop();
                    }
                    _ => continue,
                }
            } else {
                kept += 1;
            }
            kept_until[number as usize] = wanted;
            farthest.push((wanted, number));
        }
        reads
    }
}
