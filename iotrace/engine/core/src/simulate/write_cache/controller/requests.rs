//! The effects of a request on the caches at its arrival, and the writes that wait for space.

use super::super::memory::{CacheLookUp, Memory};
use super::super::queue::{Purpose, Waiting};
use super::super::settings::{Admission, Forced, Purge};
use super::super::slots::Home;
use super::{Controller, Operation, Request, StalledWrite};
use std::ops::Range;

impl<M: Memory> Controller<M> {
    pub(super) fn take(&mut self, request: &Request) {
        match request.operation {
            Operation::Read => self.take_read(request),
            Operation::Write | Operation::ForcedWrite => self.take_write(request),
            Operation::Discard => {
                self.measures.discards += 1;
                let first = self.key(request.disk, request.lbn);
                let cache = self.settings.cache_of(request.disk);
                let memory = &mut self.caches[cache].memory;
                memory.discard(first..first + request.blocks);
                self.note_dirty(cache);
                self.answered_ns = self.now_ns;
                self.resume_writes(cache);
            }
            Operation::Flush => {
                self.measures.flushes += 1;
                self.answered_ns = self.now_ns;
            }
        }
        self.adapt_thresholds(request);
    }

    pub(super) fn take_read(&mut self, request: &Request) {
        self.measures.reads += 1;
        self.measures.read_blocks += request.blocks;
        let first = self.key(request.disk, request.lbn);
        let cache = self.settings.cache_of(request.disk);
        let memory = &mut self.caches[cache].memory;
        let (mut read_hits, mut write_hits) = (0, 0);
        for block in first..first + request.blocks {
            match memory.read(block) {
                CacheLookUp::ReadCache => read_hits += 1,
                CacheLookUp::WriteCache => write_hits += 1,
                CacheLookUp::Miss => (),
            }
        }
        self.measures.read_cache_hits += read_hits;
        self.measures.write_cache_hits += write_hits;
        if read_hits + write_hits == request.blocks {
            self.measures.read_response.add(0);
            self.answered_ns = self.now_ns;
        } else {
            self.unanswered += 1;
            self.queue(request.disk, Purpose::Read, request);
        }
    }

    pub(super) fn take_write(&mut self, request: &Request) {
        self.measures.writes += 1;
        self.measures.written_blocks += request.blocks;
        self.unanswered += 1;
        let cache = self.settings.cache_of(request.disk);
        let is_forced =
            request.operation == Operation::ForcedWrite && self.settings.forced == Forced::Through;
        let capacity = self.caches[cache].memory.slots().capacity();
        if is_forced || request.blocks > u64::from(capacity) {
            self.measures.written_units += 1;
            return self.queue(request.disk, Purpose::WriteThrough, request);
        }
        let mut write = StalledWrite {
            disk: request.disk,
            lbn: request.lbn,
            end: request.lbn + request.blocks,
            stamp: self.requests,
            arrival_ns: self.now_ns,
        };
        self.measures.written_units += self.units_of(&write);
        let behind_others = !self.caches[cache].stalled.is_empty();
        if self.enter(cache, &mut write, behind_others) {
            return self.answer_write(self.now_ns);
        }
        self.measures.stalled_writes += 1;
        self.waiting += 1;
        self.caches[cache].stalled.push_back(write);
        if !behind_others {
            self.queue_purge(cache);
        }
    }

    pub(super) fn queue(&mut self, disk: u32, purpose: Purpose, request: &Request) {
        let now_ns = self.now_ns;
        let stamp = self.requests;
        let disk = &mut self.disks[disk as usize];
        disk.queue.push(Waiting {
            purpose,
            lbn: request.lbn,
            blocks: request.blocks,
            stamp,
            arrival_ns: now_ns,
            writing_before_ns: disk.writing_until_ns(now_ns),
        });
        self.waiting += 1;
    }

    fn blocks_of(&self, write: &StalledWrite) -> Range<u64> {
        let first = self.key(write.disk, write.lbn);
        first..first + (write.end - write.lbn)
    }

    /// The number of units that a write touches.
    fn units_of(&self, write: &StalledWrite) -> u64 {
        let (mut lbn, mut units) = (write.lbn, 0);
        while lbn < write.end {
            lbn = self.blocks_of_group(self.group(lbn)).end;
            units += 1;
        }
        units
    }

    /// Whether a cache has space for all of a write.
    pub(super) fn fits(&self, cache: usize, write: &StalledWrite) -> bool {
        let memory = &self.caches[cache].memory;
        memory.has_room_for(self.blocks_of(write))
    }

    fn takes_no_room(&self, cache: usize, write: &StalledWrite) -> bool {
        let memory = &self.caches[cache].memory;
        self.blocks_of(write).all(|block| memory.is_dirty(block))
    }

    /// Enter what is allowed of a write into a cache; returns whether all of it entered.
    fn enter(&mut self, cache: usize, write: &mut StalledWrite, behind_others: bool) -> bool {
        let may_enter = match (self.settings.admission, behind_others) {
            (Admission::Blocks, _) => true,
            (Admission::Whole, true) => self.takes_no_room(cache, write),
            (Admission::Whole, false) => self.fits(cache, write),
        };
        let from = write.lbn;
        let is_done = may_enter && self.put(cache, write);
        self.measures.partial_entries += u64::from(!is_done && write.lbn > from);
        self.note_dirty(cache);
        is_done
    }

    /// Enter a write's blocks into a cache while there is space; returns whether all entered.
    fn put(&mut self, cache: usize, write: &mut StalledWrite) -> bool {
        while write.lbn < write.end {
            let group = self.group(write.lbn);
            let end = write.end.min(self.blocks_of_group(group).end);
            let home = Home { disk: write.disk, group };
            let first = self.key(write.disk, write.lbn);
            let memory = &mut self.caches[cache].memory;
            for block in first..first + (end - write.lbn) {
                if !memory.write(block, home, write.stamp) {
                    return false;
                }
                write.lbn += 1;
            }
        }
        true
    }

    pub(super) fn answer_read(&mut self, arrival_ns: i64) {
        if self.counts(arrival_ns) {
            self.measures.read_response.add(self.now_ns - arrival_ns);
        }
        self.unanswered -= 1;
        self.answered_ns = self.now_ns;
    }

    pub(super) fn answer_write(&mut self, arrival_ns: i64) {
        if self.counts(arrival_ns) {
            self.measures.write_response.add(self.now_ns - arrival_ns);
        }
        self.unanswered -= 1;
        self.answered_ns = self.now_ns;
    }

    /// Enter stalled writes into a cache, in FIFO order.
    pub(super) fn resume_writes(&mut self, cache: usize) {
        while let Some(mut write) = self.caches[cache].stalled.pop_front() {
            if !self.enter(cache, &mut write, false) {
                self.caches[cache].stalled.push_front(write);
                return self.queue_purge(cache);
            }
            self.waiting -= 1;
            if self.counts(write.arrival_ns) {
                self.measures.wait_ns += i128::from(self.now_ns - write.arrival_ns);
            }
            self.answer_write(write.arrival_ns);
        }
    }

    pub(super) fn note_dirty(&mut self, cache: usize) {
        let cache = &mut self.caches[cache];
        let dirty = cache.memory.slots().unclean();
        cache.thresholds.note(dirty);
        self.measures.most_dirty = self.measures.most_dirty.max(u64::from(dirty));
    }

    pub(super) fn adapt_thresholds(&mut self, request: &Request) {
        if self.settings.purge != Purge::Dynamic {
            return;
        }
        match request.operation {
            Operation::Read => self.interval_blocks[0] += request.blocks,
            Operation::Write | Operation::ForcedWrite => self.interval_blocks[1] += request.blocks,
            Operation::Discard | Operation::Flush => return,
        }
        self.moves += 1;
        if self.moves % self.settings.interval == 0 {
            let [read, written] = std::mem::take(&mut self.interval_blocks);
            let low_share = self.settings.low_share();
            for cache in 0..self.caches.len() {
                self.caches[cache].thresholds.adapt(read, written, low_share);
                self.note_dirty(cache);
            }
        }
    }
}
