//! Blocks in a cache's memory: dirty, being written, clean, evicted.

use super::{Held, Oracle, State};
use crate::simulate::write_cache::settings::WriteEffect;

impl Oracle<'_> {
    fn recount(&mut self, key: u64, by: i32) {
        self.tick += 1;
        let (disk, unit) = self.disk_and_unit(key);
        let tick = self.tick;
        let disk = &mut self.disks[disk];
        let count = disk.dirty.get(&unit).map_or(0, |one| one.0);
        if by > 0 && count == 0 {
            disk.recent.remove(&unit);
        } else if by > 0 {
            disk.recent.insert(unit);
        }
        match count.wrapping_add_signed(by) {
            0 => drop(disk.dirty.remove(&unit)),
            count => drop(disk.dirty.insert(unit, (count, tick))),
        }
    }

    pub(super) fn mark_dirty(&mut self, cache: usize, key: u64, stamp: u64) {
        let (disk, unit) = self.disk_and_unit(key);
        let held = self.caches[cache].held.get_mut(&key).unwrap();
        held.stamp = stamp;
        self.tick += 1;
        self.disks[disk].written.insert(unit, self.tick);
        if held.state == State::Dirty {
            self.disks[disk].recent.insert(unit);
        } else {
            held.state = State::Dirty;
            self.recount(key, 1);
        }
    }

    pub(super) fn launch(&mut self, key: u64) {
        let cache = self.cache_of(self.disk_and_unit(key).0);
        let held = self.caches[cache].held.get_mut(&key).unwrap();
        held.state = State::Flying;
        held.target = None;
        self.recount(key, -1);
    }

    pub(super) fn free(&mut self, cache: usize, key: u64) {
        let state = self.caches[cache].held[&key].state;
        if state == State::Flying {
            return;
        }
        if state == State::Dirty {
            self.recount(key, -1);
            self.count("dropped_dirty", 1);
        }
        let cache = &mut self.caches[cache];
        cache.held.remove(&key);
        cache.available.retain(|&one| one != Some(key));
        cache.available.push_front(None);
    }

    /// Free a slot for a block; separate caches reuse the slot longest available, a single one the LRU clean block.
    pub(super) fn room(&mut self, cache: usize) -> bool {
        self.tick += 1;
        let (single, tick) = (self.is_single(), self.tick);
        let cache = &mut self.caches[cache];
        if !single {
            match cache.available.pop_front() {
                None => return false,
                Some(Some(old)) => drop(cache.held.remove(&old)),
                Some(None) => (),
            }
            return true;
        }
        if cache.held.len() < cache.capacity {
            return true;
        }
        let Some((_, oldest)) = cache.held.iter_mut().min_by_key(|(_, held)| held.used) else {
            return false;
        };
        if oldest.state == State::Dirty && oldest.target.is_none() {
            oldest.target = Some(tick);
        }
        let clean = cache.held.iter().filter(|(_, held)| held.state == State::Clean);
        match clean.min_by_key(|(_, held)| held.used).map(|(&key, _)| key) {
            None => false,
            Some(key) => cache.held.remove(&key).is_some(),
        }
    }

    pub(super) fn touch(&mut self, cache: usize, key: u64) {
        self.tick += 1;
        if let Some(held) = self.caches[cache].held.get_mut(&key) {
            held.used = self.tick;
        }
    }

    pub(super) fn hold(&mut self, cache: usize, key: u64) {
        self.tick += 1;
        let held = Held { state: State::Clean, stamp: 0, used: self.tick, target: None };
        self.caches[cache].held.insert(key, held);
    }

    pub(super) fn fill(&mut self, cache: usize, key: u64) -> bool {
        if self.caches[cache].held.contains_key(&key) {
            self.touch(cache, key);
        } else if !self.is_single() {
            self.caches[cache].touch_read(key, true);
        } else if self.room(cache) {
            self.hold(cache, key);
        } else {
            return false;
        }
        true
    }

    pub(super) fn overtake(&mut self, cache: usize, key: u64, stamp: u64) {
        if self.caches[cache].held.get(&key).is_some_and(|held| held.stamp < stamp) {
            self.free(cache, key);
        }
        self.affect_read_cache(cache, key);
    }

    pub(super) fn affect_read_cache(&mut self, cache: usize, key: u64) {
        match self.settings.write_effect {
            WriteEffect::Purge => self.caches[cache].read.retain(|&other| other != key),
            WriteEffect::Update => self.caches[cache].touch_read(key, false),
            WriteEffect::Allocate => self.caches[cache].touch_read(key, true),
        }
    }
}
