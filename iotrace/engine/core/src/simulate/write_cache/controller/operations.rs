//! The operations of a disk: reads with their piggybacked writes, purges, and write-throughs.

use super::super::memory::Memory;
use super::super::queue::Waiting;
use super::super::settings::{Piggyback, Victim};
use super::super::slots::Home;
use super::super::write_out::{Deadline, Parts};
use super::{Controller, Current};
use crate::simulate::disk::Mechanism;
use std::sync::Arc;

impl<M: Memory> Controller<M> {
    pub(super) fn start_read(&mut self, disk: u32, waiting: Waiting) {
        self.waiting -= 1;
        let waited_ns = self.now_ns - waiting.arrival_ns;
        let counted = u64::from(self.counts(waiting.arrival_ns));
        let counted_ns = if counted == 1 { waited_ns } else { 0 };
        self.measures.wait_ns += i128::from(counted_ns);
        if waited_ns > 0 {
            self.measures.stalled_reads += counted;
            let first = self.key(disk, waiting.lbn);
            let memory = &self.caches[self.settings.cache_of(disk)].memory;
            if (first..first + waiting.blocks).all(|block| memory.holds(block)) {
                return self.answer_read(waiting.arrival_ns);
            }
        }
        self.measures.disk_reads += counted;
        self.measures.read_wait_ns += i128::from(counted_ns);
        if counted == 1 {
            self.measures.read_wait_behind_writes_ns +=
                i128::from(self.disks[disk as usize].writing_ns - waiting.writing_before_ns);
        }
        let before = self.disks[disk as usize].arm;
        let drive = Arc::clone(&self.drive);
        let mut arm = before;
        let access = arm.access(&drive, self.now_ns, waiting.lbn, waiting.blocks, false);
        let mut parts = Parts::from(access);
        let mut end_ns = access.end_ns;
        let mut taken = 0;
        if self.settings.piggyback != Piggyback::None {
            taken += self.piggyback_before(disk, before, &waiting);
            if self.settings.piggyback == Piggyback::Full {
                let last = self.group(waiting.lbn + waiting.blocks - 1);
                // backwards: the arm is on the last unit
                for unit in (self.group(waiting.lbn)..=last).rev() {
                    let tail = self.write_group(disk, unit, &mut arm, end_ns, None);
                    taken += self.writer.written().len() as u64;
                    parts.add(&tail);
                    end_ns += tail.sum_ns();
                }
            }
        }
        self.measures.piggybacked_blocks += taken;
        self.measures.piggybacked_reads += counted * u64::from(taken > 0);
        self.disks[disk as usize].arm = arm;
        if counted == 1 {
            self.measures.read_parts.add(&parts);
        }
        self.begin(disk, Some(waiting), false, &parts, end_ns);
    }

    /// Write the blocks that pass under a head before the read begins, without delaying it; returns their number.
    pub(super) fn piggyback_before(&mut self, disk: u32, mut arm: Mechanism, waiting: &Waiting) -> u64 {
        let group = self.group(waiting.lbn);
        let memory = &self.caches[self.settings.cache_of(disk)].memory;
        if memory.slots().groups(disk).count(group) == 0 {
            return 0;
        }
        let place = self.drive.geometry.place(waiting.lbn);
        let from_ns = self.now_ns + self.drive.overhead_ns(false);
        let to = (place.cylinder, place.surface);
        let moved_ns = self.drive.reposition_ns((arm.cylinder, arm.surface), to, false);
        let deadline = Deadline {
            at_ns: self.drive.sector_starts_ns(place, from_ns + moved_ns),
            cylinder: place.cylinder,
            surface: place.surface,
        };
        self.write_group(disk, group, &mut arm, from_ns, Some(deadline));
        self.writer.written().len() as u64
    }

    /// Begin to write a unit's dirty blocks: all, or those that can be written before the deadline.
    pub(super) fn write_group(
        &mut self,
        disk: u32,
        group: u32,
        arm: &mut Mechanism,
        from_ns: i64,
        deadline: Option<Deadline>,
    ) -> Parts {
        let first = self.key(disk, 0);
        let cache = self.settings.cache_of(disk);
        let memory = &mut self.caches[cache].memory;
        let slots = memory.slots();
        let dirty = slots.dirty_slots(Home { disk, group });
        let dirty = dirty.map(|slot| (slot, slots.block(slot) - first));
        self.writer.take(&self.drive, dirty);
        let parts = self.writer.write(&self.drive, arm, from_ns, deadline);
        for &slot in self.writer.written() {
            memory.launch(slot);
            self.disks[disk as usize].flying.push(slot);
        }
        parts
    }

    pub(super) fn purge(&mut self, disk: u32, group: u32) {
        if self.settings.victim == Victim::Wow {
            let cache = self.settings.cache_of(disk);
            let slots = self.caches[cache].memory.slots_mut();
            if slots.groups(disk).next_in_order() == Some(group) {
                slots.groups_mut(disk).pass(group);
            }
        }
        let overhead_ns = self.drive.overhead_ns(true);
        let mut arm = self.disks[disk as usize].arm;
        let from_ns = self.now_ns + overhead_ns;
        let mut parts = self.write_group(disk, group, &mut arm, from_ns, None);
        parts.overhead_ns += overhead_ns;
        self.disks[disk as usize].arm = arm;
        self.measures.purged_blocks += self.writer.written().len() as u64;
        self.measures.write_parts.add(&parts);
        let end_ns = self.now_ns + parts.sum_ns();
        self.begin(disk, None, true, &parts, end_ns);
    }

    pub(super) fn start_write_through(&mut self, disk: u32, waiting: Waiting) {
        self.waiting -= 1;
        let waited_ns = self.now_ns - waiting.arrival_ns;
        let counts = self.counts(waiting.arrival_ns);
        if counts {
            self.measures.wait_ns += i128::from(waited_ns);
            self.measures.stalled_writes += u64::from(waited_ns > 0);
            self.measures.write_throughs += 1;
        }
        let arm = &mut self.disks[disk as usize].arm;
        let access = arm.access(&self.drive, self.now_ns, waiting.lbn, waiting.blocks, true);
        let parts = Parts::from(access);
        if counts {
            self.measures.write_parts.add(&parts);
        }
        self.begin(disk, Some(waiting), true, &parts, access.end_ns);
    }

    pub(super) fn begin(
        &mut self,
        disk: u32,
        waiting: Option<Waiting>,
        writes: bool,
        parts: &Parts,
        end_ns: i64,
    ) {
        let start_ns = self.now_ns;
        let at = &self.disks[disk as usize];
        let is_free = at.current.is_none() && at.free_ns <= start_ns;
        self.check(is_free, "a disk did two things at a time");
        let sums = parts.are_valid() && parts.sum_ns() == end_ns - start_ns;
        self.check(sums, "a service time is not the sum of its parts");
        #[cfg(test)]
        self.log(disk, writes, end_ns);
        self.disks[disk as usize].current = Some(Current { waiting, writes, start_ns, end_ns });
    }
}
