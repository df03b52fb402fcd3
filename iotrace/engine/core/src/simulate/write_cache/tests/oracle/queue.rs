//! A disk's queue, and its next request.

use super::{Job, Oracle, Purpose};
use crate::simulate::write_cache::settings::Scheduler;

impl Oracle<'_> {
    pub(super) fn enqueue(&mut self, disk: usize, purpose: Purpose, lbn: u64, blocks: u64) {
        let (stamp, arrival) = (self.requests, self.now);
        let disk = &mut self.disks[disk];
        let writes_since =
            disk.current.as_ref().filter(|current| current.writes).map(|current| current.start);
        let writing_before = disk.writing + writes_since.map_or(0, |since| arrival - since);
        disk.queue.push_back(Job { purpose, lbn, blocks, stamp, arrival, writing_before });
    }

    pub(super) fn enqueue_purge(&mut self, cache: usize) {
        if self.caches[cache].purge_queued {
            return;
        }
        let shares = |disk: &usize| self.cache_of(*disk) == cache;
        let most = |disk: usize| self.disks[disk].dirty.values().map(|one| one.0).max().unwrap_or(0);
        let mut disk = (0..self.disks.len())
            .filter(shares)
            .rev()
            .max_by_key(|&disk| most(disk))
            .filter(|&d| most(d) > 0);
        if self.is_single() {
            disk = self.lru_dirty(cache, None).map(|key| self.disk_and_unit(key).0);
        }
        if let Some(disk) = disk {
            self.caches[cache].purge_queued = true;
            self.enqueue(disk, Purpose::Purge, 0, 0);
        }
    }

    pub(super) fn next_job(&mut self, disk: usize) -> Option<Job> {
        let purge = match self.is_single() {
            true => self.lru_dirty(self.cache_of(disk), Some(disk)).map(|key| self.disk_and_unit(key).1),
            false => self.victim_peeked(disk, false),
        };
        let (arm, upwards) = (self.disks[disk].arm, self.disks[disk].upwards);
        let cylinder = |job: &Job| match job.purpose {
            Purpose::Purge => purge.map_or(arm.0, |unit| unit / self.units()),
            _ => self.drive.geometry.place(job.lbn).cylinder,
        };
        let starts = |lbn: u64, write: bool| {
            let overhead = self.drive.overhead_ns(write);
            let place = self.drive.geometry.place(lbn);
            let moved = self.drive.reposition_ns(arm, (place.cylinder, place.surface), write);
            self.drive.sector_starts_ns(place, self.now + overhead + moved)
        };
        let begins = |job: &Job| match (job.purpose, purge) {
            (Purpose::Purge, None) => self.now,
            (Purpose::Purge, Some(unit)) => {
                let keys = self.dirty_keys(disk, unit).into_iter();
                keys.map(|key| starts(key % self.drive.geometry.blocks(), true)).min().unwrap()
            }
            (purpose, _) => starts(job.lbn, purpose == Purpose::Through),
        };
        let key = |job: &Job| {
            let to = cylinder(job);
            let distance = i64::from(to.abs_diff(arm.0));
            match self.settings.queue {
                Scheduler::Fifo => (false, 0),
                Scheduler::Sstf => (false, distance),
                Scheduler::Sptf => (false, begins(job)),
                Scheduler::CLook => (to < arm.0, i64::from(to)),
                Scheduler::Look => (if upwards { to < arm.0 } else { to > arm.0 }, distance),
            }
        };
        let at = (0..self.disks[disk].queue.len()).min_by_key(|&at| key(&self.disks[disk].queue[at]))?;
        let to = cylinder(&self.disks[disk].queue[at]);
        let job = self.disks[disk].queue.remove(at);
        if to != arm.0 {
            self.disks[disk].upwards = to > arm.0;
        }
        job
    }
}
