//! The disks: operations begin, end, and the next ones begin.

use super::{Current, Job, Oracle, Purpose, State};
use crate::simulate::disk::Mechanism;
use crate::simulate::write_cache::controller::Begun;
use crate::simulate::write_cache::settings::{Admission, Piggyback};

impl Oracle<'_> {
    pub(super) fn next_end(&self) -> Option<(i64, usize)> {
        let ends =
            self.disks.iter().enumerate().filter_map(|(at, disk)| Some((disk.current.as_ref()?.end, at)));
        ends.min()
    }

    pub(super) fn end_next(&mut self) {
        let Some((end, at)) = self.next_end() else { panic!("something waits for nothing") };
        let Current { job, writes, start, keys, .. } = self.disks[at].current.take().unwrap();
        self.now = end;
        self.disks[at].writing += if writes { end - start } else { 0 };
        let cache = self.cache_of(at);
        for key in keys {
            let held = self.caches[cache].held.get_mut(&key);
            if let Some(held) = held.filter(|held| held.state == State::Flying) {
                held.state = State::Clean;
                self.caches[cache].available.push_back(Some(key));
            }
        }
        if let Some(job) = job {
            let first = self.key(at, job.lbn);
            let mut has_room = true;
            for key in first..first + job.blocks {
                match job.purpose {
                    Purpose::Read => has_room &= self.fill(cache, key),
                    _ => self.overtake(cache, key, job.stamp),
                }
            }
            if !has_room {
                self.enqueue_purge(cache);
            }
            self.answer(usize::from(job.purpose == Purpose::Through), job.arrival);
        }
        self.note(cache);
        self.resume(cache);
        self.start_all();
    }

    pub(super) fn start_all(&mut self) {
        let mut again = true;
        while again {
            again = false;
            for disk in 0..self.disks.len() {
                while self.disks[disk].current.is_none() && self.start(disk) {
                    again = true;
                }
            }
        }
    }

    fn start(&mut self, disk: usize) -> bool {
        let cache = self.cache_of(disk);
        let Some(job) = self.next_job(disk) else {
            let Some(unit) = self.idle_victim(disk) else {
                return false;
            };
            self.count("idle_purges", 1);
            self.purge(disk, unit);
            return true;
        };
        let waited = self.now - job.arrival;
        match job.purpose {
            Purpose::Purge => {
                self.caches[cache].purge_queued = false;
                let first = self.caches[cache].stalled.front();
                let first = first.filter(|_| self.settings.admission == Admission::Whole);
                let needed = first.map_or(1, |&write| self.needed(cache, write));
                if needed <= self.caches[cache].room() {
                    return true;
                }
                match self.victim(disk, true) {
                    None => self.enqueue_purge(cache),
                    Some(unit) => {
                        self.count("immediate_purges", 1);
                        self.purge(disk, unit);
                    }
                }
            }
            Purpose::Through => {
                self.count("stalled_writes", i64::from(waited > 0));
                self.count("wait", waited);
                self.count("write_throughs", 1);
                let end = self.access(disk, &job, true);
                self.begin(disk, Some(job), true, end, Vec::new());
            }
            Purpose::Read => {
                self.count("stalled_reads", i64::from(waited > 0));
                self.count("wait", waited);
                let keys = self.key(disk, job.lbn)..self.key(disk, job.lbn) + job.blocks;
                let here = &self.caches[cache];
                if keys.clone().all(|key| here.read.contains(&key) || here.held.contains_key(&key)) {
                    self.answer(0, job.arrival);
                    return true;
                }
                self.start_read(disk, job);
            }
        }
        true
    }

    fn start_read(&mut self, disk: usize, job: Job) {
        self.count("disk_reads", 1);
        self.count("read_wait", self.now - job.arrival);
        let behind = self.disks[disk].writing - job.writing_before;
        self.count("read_wait_behind_writes", behind);
        let (before, from) = (self.disks[disk].arm, self.now + self.drive.overhead_ns(false));
        let mut end = self.access(disk, &job, false);
        let mut taken = Vec::new();
        let unit = |lbn: u64| self.disk_and_unit(self.key(disk, lbn)).1;
        let mut visited: Vec<_> = (job.lbn..job.lbn + job.blocks).map(unit).collect();
        visited.dedup();
        if self.settings.piggyback != Piggyback::None {
            let place = self.drive.geometry.place(job.lbn);
            let there = (place.cylinder, place.surface);
            let at =
                self.drive.sector_starts_ns(place, from + self.drive.reposition_ns(before, there, false));
            taken.extend(self.write_out(disk, visited[0], before, from, Some((at, there))).0);
        }
        if self.settings.piggyback == Piggyback::Full {
            for unit in visited.into_iter().rev() {
                let (more, arm, done) = self.write_out(disk, unit, self.disks[disk].arm, end, None);
                taken.extend(more);
                (self.disks[disk].arm, end) = (arm, done);
            }
        }
        self.count("piggybacked_blocks", taken.len() as i64);
        self.count("piggybacked_reads", i64::from(!taken.is_empty()));
        self.count("read_service", end - self.now);
        self.begin(disk, Some(job), false, end, taken);
    }

    pub(super) fn begin(&mut self, disk: usize, job: Option<Job>, writes: bool, end: i64, keys: Vec<u64>) {
        if writes {
            self.count("write_service", end - self.now);
        }
        let begun =
            Begun { start_ns: self.now, end_ns: end, disk: disk as u32, writes, blocks: keys.clone() };
        self.outcome.begun.push(begun);
        self.disks[disk].current = Some(Current { job, writes, start: self.now, end, keys });
    }

    fn access(&mut self, disk: usize, job: &Job, write: bool) -> i64 {
        let (cylinder, surface) = self.disks[disk].arm;
        let mut arm = Mechanism { cylinder, surface };
        let access = arm.access(self.drive, self.now, job.lbn, job.blocks, write);
        self.disks[disk].arm = (arm.cylinder, arm.surface);
        access.end_ns
    }
}
