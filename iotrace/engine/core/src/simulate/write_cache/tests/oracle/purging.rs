//! The selection of the unit to purge, and the order in which its blocks are written.

use super::{Oracle, State};
use crate::simulate::write_cache::settings::{Purge, Unit, Victim};

impl Oracle<'_> {
    pub(super) fn dirty_keys(&self, disk: usize, unit: u32) -> Vec<u64> {
        let held = self.caches[self.cache_of(disk)].held.iter();
        let dirty = held.filter(|(_, held)| held.state == State::Dirty).map(|(&key, _)| key);
        dirty.filter(|&key| self.disk_and_unit(key) == (disk, unit)).collect()
    }

    pub(super) fn lru_dirty(&self, cache: usize, disk: Option<usize>) -> Option<u64> {
        let held = self.caches[cache].held.iter().filter(|(_, held)| held.state == State::Dirty);
        let held = held.filter(|(&key, _)| disk.is_none_or(|disk| disk == self.disk_and_unit(key).0));
        held.min_by_key(|(_, held)| held.used).map(|(&key, _)| key)
    }

    pub(super) fn units(&self) -> u32 {
        if self.settings.unit == Unit::Track {
            self.drive.geometry.surfaces()
        } else {
            1
        }
    }

    pub(super) fn idle_victim(&mut self, disk: usize) -> Option<u32> {
        let cache = &self.caches[self.cache_of(disk)];
        let targets = cache
            .held
            .iter()
            .filter(|(&key, held)| held.target.is_some() && self.disk_and_unit(key).0 == disk);
        if let Some((&key, _)) = targets.min_by_key(|(_, held)| held.target) {
            return Some(self.disk_and_unit(key).1);
        }
        if self.settings.purge == Purge::Linear {
            let (group, dirty) = (self.nearest(disk)?, cache.unclean());
            let distance = u64::from((group / self.units()).abs_diff(self.disks[disk].arm.0));
            let cylinders = u64::from(self.drive.geometry.cylinders());
            let range = cache.high.saturating_sub(cache.low);
            let allowed = dirty > cache.low && distance * range <= cylinders * (dirty - cache.low);
            return allowed.then_some(group);
        }
        if cache.raised {
            self.victim(disk, false)
        } else {
            None
        }
    }

    pub(super) fn victim(&mut self, disk: usize, is_urgent: bool) -> Option<u32> {
        if is_urgent && self.is_single() {
            let key = self.lru_dirty(self.cache_of(disk), Some(disk))?;
            return Some(self.disk_and_unit(key).1);
        }
        self.victim_peeked(disk, false)
    }

    pub(super) fn victim_peeked(&mut self, disk: usize, take: bool) -> Option<u32> {
        match self.settings.victim {
            Victim::MostDirty => {
                let dirty = self.disks[disk].dirty.iter();
                dirty.max_by_key(|(_, &(count, since))| (count, u64::MAX - since)).map(|(&unit, _)| unit)
            }
            Victim::Nearest => self.nearest(disk),
            Victim::Lrw => {
                let (dirty, written) = (&self.disks[disk].dirty, &self.disks[disk].written);
                dirty.keys().copied().min_by_key(|unit| written[unit])
            }
            Victim::Wow => {
                let mut recent = self.disks[disk].recent.clone();
                let mut hand = self.disks[disk].hand;
                loop {
                    let dirty = &self.disks[disk].dirty;
                    let unit = *dirty.range(hand..).next().or_else(|| dirty.iter().next())?.0;
                    hand = unit + 1;
                    if !recent.remove(&unit) {
                        if take {
                            (self.disks[disk].recent, self.disks[disk].hand) = (recent, hand);
                        }
                        return Some(unit);
                    }
                }
            }
        }
    }

    fn nearest(&self, disk: usize) -> Option<u32> {
        let (arm, units) = (self.disks[disk].arm.0, self.units());
        let dirty = self.disks[disk].dirty.iter();
        let rank = |unit: u32, count: u32| {
            let cylinder = unit / units;
            (cylinder.abs_diff(arm), cylinder, u32::MAX - count, unit)
        };
        dirty.min_by_key(|(&unit, &(count, _))| rank(unit, count)).map(|(&unit, _)| unit)
    }

    pub(super) fn purge(&mut self, disk: usize, unit: u32) {
        let in_order = self.victim_peeked(disk, false) == Some(unit);
        if self.settings.victim == Victim::Wow && in_order {
            self.victim_peeked(disk, true);
        }
        let from = self.now + self.drive.overhead_ns(true);
        let (keys, arm, end) = self.write_out(disk, unit, self.disks[disk].arm, from, None);
        self.disks[disk].arm = arm;
        self.count("purged_blocks", keys.len() as i64);
        self.begin(disk, None, true, end, keys);
    }

    /// The next block is always the remaining one that can be started first.
    pub(super) fn write_out(
        &mut self,
        disk: usize,
        unit: u32,
        mut arm: (u32, u32),
        mut now: i64,
        deadline: Option<(i64, (u32, u32))>,
    ) -> (Vec<u64>, (u32, u32), i64) {
        let (mut left, mut written) = (self.dirty_keys(disk, unit), Vec::new());
        let place = |key: u64| self.drive.geometry.place(key % self.drive.geometry.blocks());
        while !left.is_empty() {
            let start = |key: u64| {
                let to = place(key);
                let there = now + self.drive.reposition_ns(arm, (to.cylinder, to.surface), true);
                self.drive.sector_starts_ns(to, there)
            };
            let (start, key) = left.iter().map(|&key| (start(key), key)).min().unwrap();
            let (to, end) = (place(key), self.drive.sector_ends_ns(place(key), start));
            let to = (to.cylinder, to.surface);
            if deadline.is_some_and(|(at, read)| end + self.drive.reposition_ns(to, read, false) > at) {
                break;
            }
            (arm, now) = (to, end);
            left.retain(|&other| other != key);
            written.push(key);
        }
        written.iter().for_each(|&key| self.launch(key));
        (written, arm, now)
    }
}
