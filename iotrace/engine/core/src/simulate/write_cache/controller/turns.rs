//! Scheduling: the ends of operations, and the next operation of an idle disk.

use super::super::memory::Memory;
use super::super::queue::{Purpose, Waiting};
use super::super::settings::{Admission, Purge, Sharing, Victim};
use super::super::slots::Home;
use super::Controller;

impl<M: Memory> Controller<M> {
    pub(super) fn next_to_end(&self) -> Option<usize> {
        let ends = self.disks.iter().enumerate();
        let ends = ends.filter_map(|(at, disk)| Some((disk.current?.end_ns, at)));
        ends.min().map(|(_, at)| at)
    }

    pub(super) fn end_next(&mut self) {
        if let Some(disk) = self.next_to_end() {
            self.end(disk, true);
        }
    }

    /// A disk's operation ends; with `goes_on`, idle disks may begin others.
    pub(super) fn end(&mut self, disk: usize, goes_on: bool) {
        let Some(current) = self.disks[disk].current.take() else {
            return;
        };
        self.move_clock(current.end_ns);
        let spent_ns = current.end_ns - current.start_ns;
        self.disks[disk].free_ns = current.end_ns;
        self.disks[disk].busy_ns += spent_ns;
        if current.writes {
            self.disks[disk].writing_ns += spent_ns;
        }
        let cache = self.settings.cache_of(disk as u32);
        let mut flying = std::mem::take(&mut self.disks[disk].flying);
        for slot in flying.drain(..) {
            self.caches[cache].memory.land(slot, disk as u32);
        }
        self.disks[disk].flying = flying;
        match current.waiting {
            Some(waiting) if waiting.purpose == Purpose::Read => self.end_read(disk as u32, &waiting),
            Some(waiting) if waiting.purpose == Purpose::WriteThrough => {
                self.end_write_through(disk as u32, &waiting);
            }
            _ => (),
        }
        self.note_dirty(cache);
        self.note_next_end();
        if goes_on {
            self.resume_writes(cache);
            self.start_idle_disks();
        }
    }

    pub(super) fn end_read(&mut self, disk: u32, waiting: &Waiting) {
        let cache = self.settings.cache_of(disk);
        let (mut lbn, end) = (waiting.lbn, waiting.lbn + waiting.blocks);
        let mut has_room = true;
        while lbn < end {
            let (group, group_end) = match M::PLACES_FILLS {
                true => {
                    let group = self.group(lbn);
                    (group, end.min(self.blocks_of_group(group).end))
                }
                false => (0, end),
            };
            let first = self.key(disk, lbn);
            let memory = &mut self.caches[cache].memory;
            for block in first..first + (group_end - lbn) {
                has_room &= memory.fill(block, Home { disk, group });
            }
            lbn = group_end;
        }
        if !has_room {
            self.queue_purge(cache);
        }
        self.answer_read(waiting.arrival_ns);
    }

    pub(super) fn end_write_through(&mut self, disk: u32, waiting: &Waiting) {
        let first = self.key(disk, waiting.lbn);
        let cache = self.settings.cache_of(disk);
        let memory = &mut self.caches[cache].memory;
        for block in first..first + waiting.blocks {
            memory.overtake(block, waiting.stamp);
        }
        self.answer_write(waiting.arrival_ns);
    }

    pub(super) fn note_next_end(&mut self) {
        let ends = self.disks.iter().filter_map(|disk| Some(disk.current?.end_ns));
        self.next_end_ns = ends.min().unwrap_or(i64::MAX);
    }

    /// Queue an immediate purge, unless one is queued or there is nothing to write.
    pub(super) fn queue_purge(&mut self, cache: usize) {
        let memory = &self.caches[cache].memory;
        if self.caches[cache].purge_is_queued {
            return;
        }
        let most = |disk: u32| memory.slots().groups(disk).most();
        let disks = match self.settings.sharing {
            Sharing::Partitioned => cache as u32..cache as u32 + 1,
            Sharing::Common => 0..self.settings.disks,
        };
        let fullest = disks.max_by_key(|&disk| (most(disk), u32::MAX - disk));
        let fullest = fullest.filter(|&disk| most(disk) > 0);
        let Some(disk) = memory.urgent_disk().or(fullest) else {
            return;
        };
        self.caches[cache].purge_is_queued = true;
        let now_ns = self.now_ns;
        self.disks[disk as usize].queue.push(Waiting {
            purpose: Purpose::Purge,
            lbn: 0,
            blocks: 0,
            stamp: 0,
            arrival_ns: now_ns,
            writing_before_ns: 0,
        });
    }

    /// Start operations on idle disks; repeat from the first one after each start, since it may have queued an
    /// operation for another disk.
    pub(super) fn start_idle_disks(&mut self) {
        let mut has_begun = true;
        while has_begun {
            has_begun = false;
            for disk in 0..self.settings.disks {
                while self.disks[disk as usize].current.is_none() && self.start(disk) {
                    has_begun = self.settings.disks > 1;
                }
            }
        }
        self.note_next_end();
    }

    /// Start an operation on an idle disk, or answer a request without the disk; false if there is nothing to do.
    pub(super) fn start(&mut self, disk: u32) -> bool {
        if self.disks[disk as usize].queue.is_empty() {
            return match self.idle_victim(disk) {
                Some(group) => {
                    self.measures.idle_purges += 1;
                    self.purge(disk, group);
                    true
                }
                None => false,
            };
        }
        let Some(waiting) = self.next_waiting(disk) else {
            return false;
        };
        match waiting.purpose {
            Purpose::Read => self.start_read(disk, waiting),
            Purpose::WriteThrough => self.start_write_through(disk, waiting),
            Purpose::Purge => self.start_immediate_purge(disk),
        }
        true
    }

    pub(super) fn next_waiting(&mut self, disk: u32) -> Option<Waiting> {
        let purge = match self.disks[disk as usize].queue.places_a_purge() {
            true => self.urgent_victim(disk),
            false => None,
        };
        let (drive, units, first) = (&self.drive, self.units(), self.key(disk, 0));
        let now_ns = self.now_ns;
        let arm = self.disks[disk as usize].arm;
        let memory = &self.caches[self.settings.cache_of(disk)].memory;
        let writer = &mut self.writer;
        let cylinder_of = |waiting: &Waiting| match waiting.purpose {
            Purpose::Purge => purge.map_or(arm.cylinder, |group| group / units),
            _ => drive.geometry.place(waiting.lbn).cylinder,
        };
        let positioned_ns = |waiting: &Waiting| match (waiting.purpose, purge) {
            (Purpose::Purge, None) => now_ns,
            (Purpose::Purge, Some(group)) => {
                let dirty = memory.slots().dirty_slots(Home { disk, group });
                let dirty = dirty.map(|slot| (slot, memory.slots().block(slot) - first));
                writer.take(drive, dirty);
                let from_ns = now_ns + drive.overhead_ns(true);
                writer.first_start_ns(drive, &arm, from_ns).unwrap_or(now_ns)
            }
            (purpose, _) => {
                let writes = purpose == Purpose::WriteThrough;
                let place = drive.geometry.place(waiting.lbn);
                let to = (place.cylinder, place.surface);
                let moved_ns = drive.reposition_ns((arm.cylinder, arm.surface), to, writes);
                drive.sector_starts_ns(place, now_ns + drive.overhead_ns(writes) + moved_ns)
            }
        };
        let queue = &mut self.disks[disk as usize].queue;
        queue.pop(arm.cylinder, cylinder_of, positioned_ns)
    }

    /// The unit that an immediate purge would write at this time.
    pub(super) fn urgent_victim(&self, disk: u32) -> Option<u32> {
        let memory = &self.caches[self.settings.cache_of(disk)].memory;
        memory.urgent(disk).or_else(|| self.victim(disk))
    }

    pub(super) fn victim(&self, disk: u32) -> Option<u32> {
        let arm = self.disks[disk as usize].arm.cylinder;
        let slots = self.caches[self.settings.cache_of(disk)].memory.slots();
        let groups = slots.groups(disk);
        match self.settings.victim {
            Victim::MostDirty => groups.most_dirty(),
            Victim::Nearest => groups.nearest(arm, self.units()).map(|(group, _)| group),
            Victim::Lrw => groups.least_recently_written(),
            Victim::Wow => groups.next_in_order(),
        }
    }

    pub(super) fn idle_victim(&mut self, disk: u32) -> Option<u32> {
        let arm = self.disks[disk as usize].arm.cylinder;
        let (units, cylinders) = (self.units(), self.drive.geometry.cylinders());
        let at = self.settings.cache_of(disk);
        let cache = &mut self.caches[at];
        if let Some(group) = cache.memory.target(disk) {
            return Some(group);
        }
        if self.settings.purge == Purge::Linear {
            let slots = cache.memory.slots();
            let (group, distance) = slots.groups(disk).nearest(arm, units)?;
            let is_allowed = cache.thresholds.allow(slots.unclean(), distance, cylinders);
            return is_allowed.then_some(group);
        }
        match cache.thresholds.are_raised() {
            true => self.victim(disk),
            false => None,
        }
    }

    pub(super) fn start_immediate_purge(&mut self, disk: u32) {
        let at = self.settings.cache_of(disk);
        self.caches[at].purge_is_queued = false;
        let has_room = match (self.settings.admission, self.caches[at].stalled.front()) {
            (Admission::Whole, Some(write)) => self.fits(at, write),
            _ => self.caches[at].memory.room() > 0,
        };
        if has_room {
            return;
        }
        match self.urgent_victim(disk) {
            Some(group) => {
                self.measures.immediate_purges += 1;
                self.purge(disk, group);
            }
            None => self.queue_purge(at),
        }
    }
}
