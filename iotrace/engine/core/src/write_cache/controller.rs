//! The controller: requests in, hits answered at once, the rest queued for a disk that does one thing at a time.
//!
//! Requests are looked up when they arrive. A read of which a block is in neither cache waits for its disk, and is
//! looked up again when its turn comes: what came in meanwhile may answer it. Else the disk reads all of it in one
//! operation, whose blocks enter the cache when it ends. A write enters the cache block by block; where no slot is
//! left it waits, and an immediate purge joins the queue of the disk with the most to give, unless one is queued
//! already; it is dropped if there is room by its turn. Blocks are chosen when a purge begins, and are clean when it
//! ends, except those written again meanwhile. What ends at an instant comes before what arrives at it, and lower
//! disks come before higher ones.

use super::measures::Measures;
use super::memory::{Found, Memory};
use super::queue::{Queue, Waiting, Want};
use super::settings::{Piggyback, Purging, Replay, Settings, Unit, Victim};
use super::slots::Home;
use super::thresholds::Thresholds;
use super::write_out::{Deadline, Parts, Writer};
use crate::disk::{Drive, Mechanism};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    Discard,
    Flush,
}

/// A request; its blocks are on the disk.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// When it arrives; in closed replay, how long after the answer to the one before.
    pub time_ns: i64,
    pub disk: u32,
    pub operation: Operation,
    pub lbn: u64,
    pub blocks: u64,
}

/// An invariant that does not hold: a defect of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken(pub &'static str);

/// An operation of a disk: when, where, whether it counts as a write, and the blocks from the cache that it writes.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub start_ns: i64,
    pub end_ns: i64,
    pub disk: u32,
    pub writes: bool,
    pub blocks: Vec<u64>,
}

#[derive(Debug)]
struct Disk {
    arm: Mechanism,
    queue: Queue,
    current: Option<Current>,
    /// The slots being written by the current operation.
    flying: Vec<u32>,
    writing_ns: i64,
    busy_ns: i64,
    free_ns: i64,
}

/// What a disk is doing.
#[derive(Clone, Copy, Debug)]
struct Current {
    waiting: Option<Waiting>,
    writes: bool,
    start_ns: i64,
    end_ns: i64,
}

impl Disk {
    fn writing_until_ns(&self, now_ns: i64) -> i64 {
        let current = self.current.iter().filter(|current| current.writes);
        self.writing_ns
            + current
                .map(|current| now_ns - current.start_ns)
                .sum::<i64>()
    }
}

/// A write of which some blocks are not in the cache yet.
#[derive(Clone, Copy, Debug)]
struct StalledWrite {
    disk: u32,
    lbn: u64,
    end: u64,
    stamp: u64,
    arrival_ns: i64,
}

/// A cache with what belongs to it.
#[derive(Debug)]
struct Cache<M> {
    memory: M,
    thresholds: Thresholds,
    stalled: VecDeque<StalledWrite>,
    /// Whether an immediate purge is queued.
    purge_is_queued: bool,
}

#[derive(Debug)]
pub struct Controller<M> {
    drive: Arc<Drive>,
    settings: Settings,
    now_ns: i64,
    requests: u64,
    disks: Vec<Disk>,
    /// One for all disks, or one for each.
    caches: Vec<Cache<M>>,
    writer: Writer,
    measures: Measures,
    /// Requests that wait: for their disk, or for room.
    waiting: u64,
    unanswered: u64,
    answered_ns: i64,
    next_end_ns: i64,
    interval_blocks: [u64; 2],
    broken: Option<Broken>,
    #[cfg(test)]
    pub(super) begun: Vec<Begun>,
}

impl<M: Memory> Controller<M> {
    /// A controller whose caches have been made: one, or one for each disk.
    pub fn new(drive: Arc<Drive>, settings: Settings, memories: Vec<M>) -> Self {
        let cache = |memory: M| Cache {
            thresholds: Thresholds::new(&settings.purging, memory.slots().capacity()),
            memory,
            stalled: VecDeque::new(),
            purge_is_queued: false,
        };
        let disk = |_| Disk {
            arm: Mechanism::default(),
            queue: Queue::new(settings.discipline),
            current: None,
            flying: Vec::new(),
            writing_ns: 0,
            busy_ns: 0,
            free_ns: i64::MIN,
        };
        Controller {
            drive,
            settings,
            now_ns: 0,
            requests: 0,
            disks: (0..settings.disks).map(disk).collect(),
            caches: memories.into_iter().map(cache).collect(),
            writer: Writer::default(),
            measures: Measures::default(),
            waiting: 0,
            unanswered: 0,
            answered_ns: 0,
            next_end_ns: i64::MAX,
            interval_blocks: [0; 2],
            broken: None,
            #[cfg(test)]
            begun: Vec::new(),
        }
    }

    /// Take the next request.
    pub fn request(&mut self, request: &Request) -> Result<(), Broken> {
        let arrival_ns = match self.settings.replay {
            Replay::Open => request.time_ns,
            Replay::Closed => {
                while self.unanswered > 0 && self.next_end_ns != i64::MAX {
                    self.end_next();
                }
                self.answered_ns.saturating_add(request.time_ns)
            }
        };
        while self.next_end_ns <= arrival_ns {
            self.end_next();
        }
        self.move_clock(arrival_ns);
        if self.requests == 0 {
            self.measures.first_arrival_ns = arrival_ns;
        }
        self.measures.last_arrival_ns = arrival_ns;
        self.requests += 1;
        self.take(request);
        self.start_idle_disks();
        self.measures.longest_queue = self.measures.longest_queue.max(self.waiting);
        self.broken.map_or(Ok(()), Err)
    }

    /// Let all that was begun or waits come to its end; what is dirty then stays so.
    pub fn finish(mut self) -> Result<Measures, Broken> {
        while self.unanswered > 0 && self.next_end_ns != i64::MAX {
            self.end_next();
        }
        while let Some(disk) = self.next_to_end() {
            self.end(disk, false);
        }
        self.check(
            self.unanswered == 0 && self.waiting == 0,
            "a request was lost",
        );
        for cache in &self.caches {
            let slots = cache.memory.slots();
            self.measures.dirty_at_end += u64::from(slots.unclean());
            self.measures.dropped_dirty += slots.balance.dropped;
        }
        let balanced = self
            .caches
            .iter()
            .all(|cache| cache.memory.slots().balances());
        self.check(balanced, "a dirty block was lost");
        if let Some(cache) = self.caches.first() {
            self.measures.high_blocks = cache.thresholds.high_blocks;
            self.measures.low_blocks = cache.thresholds.low_blocks;
        }
        self.measures.end_ns = self.now_ns;
        self.measures.busy_ns = self.disks.iter().map(|disk| disk.busy_ns).collect();
        self.broken.map_or(Ok(self.measures), Err)
    }

    fn check(&mut self, holds: bool, what: &'static str) {
        if !holds && self.broken.is_none() {
            self.broken = Some(Broken(what));
        }
    }

    fn move_clock(&mut self, to_ns: i64) {
        self.check(
            self.requests == 0 || to_ns >= self.now_ns,
            "the clock went back",
        );
        self.now_ns = to_ns;
    }

    fn cache_of(&self, disk: u32) -> usize {
        if self.settings.partitioned {
            disk as usize
        } else {
            0
        }
    }

    fn key(&self, disk: u32, lbn: u64) -> u64 {
        u64::from(disk) * self.drive.geometry.blocks() + lbn
    }

    fn group(&self, lbn: u64) -> u32 {
        match self.settings.unit {
            Unit::Track => self.drive.geometry.track(lbn),
            Unit::Cylinder => self.drive.geometry.cylinder(lbn),
        }
    }

    /// How many units a cylinder has.
    fn units(&self) -> u32 {
        match self.settings.unit {
            Unit::Track => self.drive.geometry.surfaces(),
            Unit::Cylinder => 1,
        }
    }

    fn blocks_of_group(&self, group: u32) -> Range<u64> {
        match self.settings.unit {
            Unit::Track => self.drive.geometry.blocks_of_track(group),
            Unit::Cylinder => self.drive.geometry.blocks_of_cylinder(group),
        }
    }

    // ---- requests ----

    fn take(&mut self, request: &Request) {
        match request.operation {
            Operation::Read => self.take_read(request),
            Operation::Write => self.take_write(request),
            Operation::Discard => {
                self.measures.discards += 1;
                let first = self.key(request.disk, request.lbn);
                let cache = self.cache_of(request.disk);
                let memory = &mut self.caches[cache].memory;
                (first..first + request.blocks).for_each(|block| memory.discard(block));
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

    fn take_read(&mut self, request: &Request) {
        self.measures.reads += 1;
        self.measures.read_blocks += request.blocks;
        let first = self.key(request.disk, request.lbn);
        let cache = self.cache_of(request.disk);
        let memory = &mut self.caches[cache].memory;
        let (mut read_hits, mut write_hits) = (0, 0);
        for block in first..first + request.blocks {
            match memory.read(block) {
                Found::ReadCache => read_hits += 1,
                Found::WriteCache => write_hits += 1,
                Found::Nowhere => (),
            }
        }
        self.measures.read_cache_hits += read_hits;
        self.measures.write_cache_hits += write_hits;
        if read_hits + write_hits == request.blocks {
            self.measures.read_response.add(0);
            self.answered_ns = self.now_ns;
        } else {
            self.unanswered += 1;
            self.queue(request.disk, Want::Read, request);
        }
    }

    fn take_write(&mut self, request: &Request) {
        self.measures.writes += 1;
        self.measures.written_blocks += request.blocks;
        self.unanswered += 1;
        let cache = self.cache_of(request.disk);
        if request.blocks > u64::from(self.caches[cache].memory.slots().capacity()) {
            return self.queue(request.disk, Want::WriteThrough, request);
        }
        let mut write = StalledWrite {
            disk: request.disk,
            lbn: request.lbn,
            end: request.lbn + request.blocks,
            stamp: self.requests,
            arrival_ns: self.now_ns,
        };
        let behind_others = !self.caches[cache].stalled.is_empty();
        let is_done = self.enter(cache, &mut write);
        self.note_dirty(cache);
        if is_done {
            return self.answer_write(self.now_ns);
        }
        self.measures.stalled_writes += 1;
        self.waiting += 1;
        self.caches[cache].stalled.push_back(write);
        if !behind_others {
            self.queue_purge(cache);
        }
    }

    fn queue(&mut self, disk: u32, want: Want, request: &Request) {
        let now_ns = self.now_ns;
        let stamp = self.requests;
        let disk = &mut self.disks[disk as usize];
        disk.queue.push(Waiting {
            want,
            lbn: request.lbn,
            blocks: request.blocks,
            stamp,
            arrival_ns: now_ns,
            writing_before_ns: disk.writing_until_ns(now_ns),
        });
        self.waiting += 1;
    }

    /// Put a write's blocks in the cache, as far as there is room; says whether that was all.
    fn enter(&mut self, cache: usize, write: &mut StalledWrite) -> bool {
        while write.lbn < write.end {
            let group = self.group(write.lbn);
            let end = write.end.min(self.blocks_of_group(group).end);
            let home = Home {
                disk: write.disk,
                group,
            };
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

    fn answer_read(&mut self, arrival_ns: i64) {
        self.measures.read_response.add(self.now_ns - arrival_ns);
        self.unanswered -= 1;
        self.answered_ns = self.now_ns;
    }

    fn answer_write(&mut self, arrival_ns: i64) {
        self.measures.write_response.add(self.now_ns - arrival_ns);
        self.unanswered -= 1;
        self.answered_ns = self.now_ns;
    }

    /// Let stalled writes enter a cache, first come first.
    fn resume_writes(&mut self, cache: usize) {
        while let Some(mut write) = self.caches[cache].stalled.pop_front() {
            let is_done = self.enter(cache, &mut write);
            self.note_dirty(cache);
            if !is_done {
                self.caches[cache].stalled.push_front(write);
                return self.queue_purge(cache);
            }
            self.waiting -= 1;
            self.measures.wait_ns += self.now_ns - write.arrival_ns;
            self.answer_write(write.arrival_ns);
        }
    }

    fn note_dirty(&mut self, cache: usize) {
        let cache = &mut self.caches[cache];
        let dirty = cache.memory.slots().unclean();
        cache.thresholds.note(dirty);
        self.measures.most_dirty = self.measures.most_dirty.max(u64::from(dirty));
    }

    fn adapt_thresholds(&mut self, request: &Request) {
        let Purging::Dynamic {
            interval,
            low_share,
            ..
        } = self.settings.purging
        else {
            return;
        };
        match request.operation {
            Operation::Read => self.interval_blocks[0] += request.blocks,
            Operation::Write => self.interval_blocks[1] += request.blocks,
            Operation::Discard | Operation::Flush => return,
        }
        if (self.measures.reads + self.measures.writes) % interval == 0 {
            let [read, written] = std::mem::take(&mut self.interval_blocks);
            for cache in 0..self.caches.len() {
                self.caches[cache]
                    .thresholds
                    .adapt(read, written, low_share);
                self.note_dirty(cache);
            }
        }
    }

    // ---- disks ----

    fn next_to_end(&self) -> Option<usize> {
        let ends = self.disks.iter().enumerate();
        let ends = ends.filter_map(|(at, disk)| Some((disk.current?.end_ns, at)));
        ends.min().map(|(_, at)| at)
    }

    fn end_next(&mut self) {
        if let Some(disk) = self.next_to_end() {
            self.end(disk, true);
        }
    }

    /// A disk's operation ends; `goes_on` says whether idle disks may begin others.
    fn end(&mut self, disk: usize, goes_on: bool) {
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
        let cache = self.cache_of(disk as u32);
        let mut flying = std::mem::take(&mut self.disks[disk].flying);
        for slot in flying.drain(..) {
            self.caches[cache].memory.land(slot, disk as u32);
        }
        self.disks[disk].flying = flying;
        match current.waiting {
            Some(waiting) if waiting.want == Want::Read => self.end_read(disk as u32, &waiting),
            Some(waiting) if waiting.want == Want::WriteThrough => {
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

    fn end_read(&mut self, disk: u32, waiting: &Waiting) {
        let cache = self.cache_of(disk);
        let (mut lbn, end) = (waiting.lbn, waiting.lbn + waiting.blocks);
        let mut has_room = true;
        while lbn < end {
            let group = self.group(lbn);
            let group_end = end.min(self.blocks_of_group(group).end);
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

    fn end_write_through(&mut self, disk: u32, waiting: &Waiting) {
        let first = self.key(disk, waiting.lbn);
        let cache = self.cache_of(disk);
        let memory = &mut self.caches[cache].memory;
        for block in first..first + waiting.blocks {
            memory.overtake(block, waiting.stamp);
        }
        self.answer_write(waiting.arrival_ns);
    }

    fn note_next_end(&mut self) {
        let ends = self
            .disks
            .iter()
            .filter_map(|disk| Some(disk.current?.end_ns));
        self.next_end_ns = ends.min().unwrap_or(i64::MAX);
    }

    /// Put an immediate purge in a queue, unless there is one, or nothing that it could write.
    fn queue_purge(&mut self, cache: usize) {
        let memory = &self.caches[cache].memory;
        if self.caches[cache].purge_is_queued {
            return;
        }
        let most = |disk: u32| memory.slots().groups(disk).most();
        let disks = match self.settings.partitioned {
            true => cache as u32..cache as u32 + 1,
            false => 0..self.settings.disks,
        };
        let fullest = disks.max_by_key(|&disk| (most(disk), u32::MAX - disk));
        let fullest = fullest.filter(|&disk| most(disk) > 0);
        let Some(disk) = memory.urgent_disk().or(fullest) else {
            return;
        };
        self.caches[cache].purge_is_queued = true;
        let now_ns = self.now_ns;
        self.disks[disk as usize].queue.push(Waiting {
            want: Want::Purge,
            lbn: 0,
            blocks: 0,
            stamp: 0,
            arrival_ns: now_ns,
            writing_before_ns: 0,
        });
    }

    /// Let idle disks begin; again from the first if one did, since that may have queued something for another.
    fn start_idle_disks(&mut self) {
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

    /// Let an idle disk begin something, or answer something without the disk; false where there is nothing.
    fn start(&mut self, disk: u32) -> bool {
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
        match waiting.want {
            Want::Read => self.start_read(disk, waiting),
            Want::WriteThrough => self.start_write_through(disk, waiting),
            Want::Purge => self.start_immediate_purge(disk),
        }
        true
    }

    fn next_waiting(&mut self, disk: u32) -> Option<Waiting> {
        let purge = match self.disks[disk as usize].queue.places_a_purge() {
            true => self.urgent_victim(disk),
            false => None,
        };
        let (drive, units, first) = (&self.drive, self.units(), self.key(disk, 0));
        let now_ns = self.now_ns;
        let arm = self.disks[disk as usize].arm;
        let memory = &self.caches[self.cache_of(disk)].memory;
        let writer = &mut self.writer;
        let cylinder_of = |waiting: &Waiting| match waiting.want {
            Want::Purge => purge.map_or(arm.cylinder, |group| group / units),
            _ => drive.geometry.place(waiting.lbn).cylinder,
        };
        let positioned_ns = |waiting: &Waiting| match (waiting.want, purge) {
            (Want::Purge, None) => now_ns,
            (Want::Purge, Some(group)) => {
                let dirty = memory.slots().dirty_slots(Home { disk, group });
                let dirty = dirty.map(|slot| (slot, memory.slots().block(slot) - first));
                writer.take(drive, dirty);
                let from_ns = now_ns + drive.write_overhead_ns;
                writer
                    .first_start_ns(drive, &arm, from_ns)
                    .unwrap_or(now_ns)
            }
            (want, _) => {
                let writes = want == Want::WriteThrough;
                let place = drive.geometry.place(waiting.lbn);
                let to = (place.cylinder, place.surface);
                let moved_ns = drive.reposition_ns((arm.cylinder, arm.surface), to, writes);
                let overhead_ns = match writes {
                    true => drive.write_overhead_ns,
                    false => drive.read_overhead_ns,
                };
                drive.sector_starts_ns(place, now_ns + overhead_ns + moved_ns)
            }
        };
        let queue = &mut self.disks[disk as usize].queue;
        queue.pop(arm.cylinder, cylinder_of, positioned_ns)
    }

    /// The unit that an immediate purge would write now.
    fn urgent_victim(&self, disk: u32) -> Option<u32> {
        let memory = &self.caches[self.cache_of(disk)].memory;
        memory.urgent(disk).or_else(|| self.victim(disk))
    }

    fn victim(&self, disk: u32) -> Option<u32> {
        let arm = self.disks[disk as usize].arm.cylinder;
        let slots = self.caches[self.cache_of(disk)].memory.slots();
        let groups = slots.groups(disk);
        match self.settings.victim {
            Victim::MostDirty => groups.most_dirty(),
            Victim::Nearest => groups.nearest(arm, self.units()).map(|(group, _)| group),
            Victim::Wow => groups.next_in_order(),
        }
    }

    fn idle_victim(&mut self, disk: u32) -> Option<u32> {
        let arm = self.disks[disk as usize].arm.cylinder;
        let (units, cylinders) = (self.units(), self.drive.geometry.cylinders());
        let at = self.cache_of(disk);
        let cache = &mut self.caches[at];
        if let Some(group) = cache.memory.target(disk) {
            return Some(group);
        }
        if let Purging::Linear { .. } = self.settings.purging {
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

    fn start_immediate_purge(&mut self, disk: u32) {
        let at = self.cache_of(disk);
        let cache = &mut self.caches[at];
        cache.purge_is_queued = false;
        if cache.memory.has_room() {
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

    fn start_read(&mut self, disk: u32, waiting: Waiting) {
        self.waiting -= 1;
        let waited_ns = self.now_ns - waiting.arrival_ns;
        self.measures.wait_ns += waited_ns;
        if waited_ns > 0 {
            self.measures.stalled_reads += 1;
            let first = self.key(disk, waiting.lbn);
            let memory = &self.caches[self.cache_of(disk)].memory;
            if (first..first + waiting.blocks).all(|block| memory.holds(block)) {
                return self.answer_read(waiting.arrival_ns);
            }
        }
        self.measures.disk_reads += 1;
        self.measures.read_wait_ns += waited_ns;
        self.measures.read_wait_behind_writes_ns +=
            self.disks[disk as usize].writing_ns - waiting.writing_before_ns;
        let before = self.disks[disk as usize].arm;
        let drive = Arc::clone(&self.drive);
        let mut arm = before;
        let access = arm.access(&drive, self.now_ns, waiting.lbn, waiting.blocks, false);
        let mut parts = Parts {
            overhead_ns: access.overhead_ns,
            seek_ns: access.seek_ns,
            rotation_ns: access.rotation_ns,
            transfer_ns: access.transfer_ns,
        };
        let mut end_ns = access.end_ns;
        let mut taken = 0;
        if self.settings.piggyback != Piggyback::None {
            taken += self.piggyback_before(disk, before, &waiting);
            if self.settings.piggyback == Piggyback::Full {
                let last = self.group(waiting.lbn + waiting.blocks - 1);
                let tail = self.write_group(disk, last, &mut arm, end_ns, None);
                taken += self.writer.written().len() as u64;
                parts.add(&tail);
                end_ns += tail.sum_ns();
            }
        }
        self.measures.piggybacked_blocks += taken;
        self.measures.piggybacked_reads += u64::from(taken > 0);
        self.disks[disk as usize].arm = arm;
        self.measures.read_parts.add(&parts);
        self.begin(disk, Some(waiting), false, &parts, end_ns);
    }

    /// Write what passes before the read begins, and leaves it as it is; returns the number of blocks.
    fn piggyback_before(&mut self, disk: u32, mut arm: Mechanism, waiting: &Waiting) -> u64 {
        let group = self.group(waiting.lbn);
        let memory = &self.caches[self.cache_of(disk)].memory;
        if memory.slots().groups(disk).count(group) == 0 {
            return 0;
        }
        let place = self.drive.geometry.place(waiting.lbn);
        let from_ns = self.now_ns + self.drive.read_overhead_ns;
        let to = (place.cylinder, place.surface);
        let moved_ns = self
            .drive
            .reposition_ns((arm.cylinder, arm.surface), to, false);
        let deadline = Deadline {
            at_ns: self.drive.sector_starts_ns(place, from_ns + moved_ns),
            cylinder: place.cylinder,
            surface: place.surface,
        };
        self.write_group(disk, group, &mut arm, from_ns, Some(deadline));
        self.writer.written().len() as u64
    }

    /// Begin to write a unit's dirty blocks, all or those that end before the deadline.
    fn write_group(
        &mut self,
        disk: u32,
        group: u32,
        arm: &mut Mechanism,
        from_ns: i64,
        deadline: Option<Deadline>,
    ) -> Parts {
        let first = self.key(disk, 0);
        let cache = self.cache_of(disk);
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

    fn purge(&mut self, disk: u32, group: u32) {
        if self.settings.victim == Victim::Wow {
            let cache = self.cache_of(disk);
            let slots = self.caches[cache].memory.slots_mut();
            if slots.groups(disk).next_in_order() == Some(group) {
                slots.groups_mut(disk).pass(group);
            }
        }
        let overhead_ns = self.drive.write_overhead_ns;
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

    fn start_write_through(&mut self, disk: u32, waiting: Waiting) {
        self.waiting -= 1;
        let waited_ns = self.now_ns - waiting.arrival_ns;
        self.measures.wait_ns += waited_ns;
        self.measures.stalled_writes += u64::from(waited_ns > 0);
        self.measures.write_throughs += 1;
        let arm = &mut self.disks[disk as usize].arm;
        let access = arm.access(&self.drive, self.now_ns, waiting.lbn, waiting.blocks, true);
        let parts = Parts {
            overhead_ns: access.overhead_ns,
            seek_ns: access.seek_ns,
            rotation_ns: access.rotation_ns,
            transfer_ns: access.transfer_ns,
        };
        self.measures.write_parts.add(&parts);
        self.begin(disk, Some(waiting), true, &parts, access.end_ns);
    }

    fn begin(
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
        self.disks[disk as usize].current = Some(Current {
            waiting,
            writes,
            start_ns,
            end_ns,
        });
    }

    #[cfg(test)]
    fn log(&mut self, disk: u32, writes: bool, end_ns: i64) {
        let slots = self.caches[self.cache_of(disk)].memory.slots();
        let flying = &self.disks[disk as usize].flying;
        self.begun.push(Begun {
            start_ns: self.now_ns,
            end_ns,
            disk,
            writes,
            blocks: flying.iter().map(|&slot| slots.block(slot)).collect(),
        });
    }

    /// All operations, once all is answered.
    #[cfg(test)]
    pub(super) fn drain(&mut self) -> Vec<Begun> {
        while self.unanswered > 0 && self.next_end_ns != i64::MAX {
            self.end_next();
        }
        std::mem::take(&mut self.begun)
    }
}
