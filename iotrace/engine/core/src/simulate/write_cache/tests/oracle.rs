//! The slow, obvious twin of the controller: the same rules over plain lists and maps, everything searched for anew.

use super::super::controller::{Begun, Operation, Request};
use super::super::settings::*;
use crate::simulate::disk::{Drive, Mechanism};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Clean,
    Dirty,
    Flying,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    state: State,
    stamp: u64,
    /// When it was last used, in ticks (single cache).
    used: u64,
    /// When it was found to be the least recently used though dirty, in ticks.
    target: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Want {
    Read,
    Through,
    Purge,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    want: Want,
    lbn: u64,
    blocks: u64,
    stamp: u64,
    arrival: i64,
    writing_before: i64,
}

/// Job, whether it writes, start, end, keys written.
type Current = (Option<Job>, bool, i64, i64, Vec<u64>);

#[derive(Default)]
struct Disk {
    arm: (u32, u32),
    upwards: bool,
    queue: VecDeque<Job>,
    current: Option<Current>,
    writing: i64,
    hand: u32,
    recent: BTreeSet<u32>,
    /// Per unit with dirty blocks: how many, and since which tick.
    dirty: BTreeMap<u32, (u32, u64)>,
    /// Per unit, the tick of its last write.
    written: BTreeMap<u32, u64>,
}

#[derive(Default)]
struct Cache {
    read: Vec<u64>,
    read_capacity: usize,
    held: BTreeMap<u64, Held>,
    capacity: usize,
    /// Slots that are not dirty, in the order in which they are used again: vacant, or with a clean block.
    available: VecDeque<Option<u64>>,
    high: u64,
    low: u64,
    raised: bool,
    stalled: VecDeque<(u32, u64, u64, u64, i64)>,
    purge_queued: bool,
}

impl Cache {
    fn room(&self) -> u64 {
        self.capacity as u64 - self.unclean()
    }

    fn unclean(&self) -> u64 {
        self.held.values().filter(|held| held.state != State::Clean).count() as u64
    }

    fn touch_read(&mut self, key: u64, insert: bool) {
        if self.read.contains(&key) || insert {
            self.read.retain(|&other| other != key);
            self.read.push(key);
            if self.read.len() > self.read_capacity {
                self.read.remove(0);
            }
        }
    }
}

/// What the two simulators are compared by.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub counts: BTreeMap<&'static str, i64>,
    pub begun: Vec<Begun>,
}

pub struct Oracle<'a> {
    drive: &'a Drive,
    settings: Settings,
    now: i64,
    tick: u64,
    requests: u64,
    disks: Vec<Disk>,
    caches: Vec<Cache>,
    unanswered: u64,
    answered: i64,
    interval: [u64; 2],
    pub outcome: Outcome,
    pub responses: [Vec<i64>; 2],
}

impl<'a> Oracle<'a> {
    pub fn new(drive: &'a Drive, settings: Settings) -> Self {
        let parts = if settings.sharing == Sharing::Partitioned { settings.disks } else { 1 };
        let (read, write) = match settings.memories {
            Memories::Separate { read, write } => (read / parts, write / parts),
            Memories::Single { blocks } => (0, blocks / parts),
        };
        let part = |percent: f64| u64::from(write) * (percent * 1000.0).round() as u64;
        let (high, low) = match settings.purge {
            Purge::Full => (100.0, 100.0),
            Purge::Asap => (0.0, 0.0),
            Purge::OneThreshold => (settings.high_percent, settings.high_percent),
            _ => (settings.high_percent, settings.low_percent),
        };
        let cache = |_| Cache {
            read_capacity: read as usize,
            capacity: write as usize,
            available: (0..write).map(|_| None).collect(),
            high: part(high) / 100_000,
            low: part(low).div_ceil(100_000),
            ..Cache::default()
        };
        let disk = |_| Disk { upwards: true, ..Disk::default() };
        Oracle {
            drive,
            settings,
            now: 0,
            tick: 0,
            requests: 0,
            disks: (0..settings.disks).map(disk).collect(),
            caches: (0..parts).map(cache).collect(),
            unanswered: 0,
            answered: 0,
            interval: [0; 2],
            outcome: Outcome::default(),
            responses: [Vec::new(), Vec::new()],
        }
    }

    fn count(&mut self, name: &'static str, by: i64) {
        *self.outcome.counts.entry(name).or_insert(0) += by;
    }

    fn is_single(&self) -> bool {
        matches!(self.settings.memories, Memories::Single { .. })
    }

    fn cache_of(&self, disk: usize) -> usize {
        if self.settings.sharing == Sharing::Partitioned {
            disk
        } else {
            0
        }
    }

    fn key(&self, disk: usize, lbn: u64) -> u64 {
        disk as u64 * self.drive.geometry.blocks() + lbn
    }

    fn disk_and_unit(&self, key: u64) -> (usize, u32) {
        let lbn = key % self.drive.geometry.blocks();
        let unit = match self.settings.unit {
            Unit::Track => self.drive.geometry.track(lbn),
            Unit::Cylinder => self.drive.geometry.cylinder(lbn),
        };
        ((key / self.drive.geometry.blocks()) as usize, unit)
    }

    fn dirty_keys(&self, disk: usize, unit: u32) -> Vec<u64> {
        let held = self.caches[self.cache_of(disk)].held.iter();
        let dirty = held.filter(|(_, held)| held.state == State::Dirty).map(|(&key, _)| key);
        dirty.filter(|&key| self.disk_and_unit(key) == (disk, unit)).collect()
    }

    // ---- the life of a block in non-volatile memory ----

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

    fn mark_dirty(&mut self, cache: usize, key: u64, stamp: u64) {
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

    fn launch(&mut self, key: u64) {
        let cache = self.cache_of(self.disk_and_unit(key).0);
        let held = self.caches[cache].held.get_mut(&key).unwrap();
        held.state = State::Flying;
        held.target = None;
        self.recount(key, -1);
    }

    fn free(&mut self, cache: usize, key: u64) {
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

    /// Make room for a block; separate caches reuse the slot longest available, a single one the LRU clean block.
    fn room(&mut self, cache: usize) -> bool {
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

    fn touch(&mut self, cache: usize, key: u64) {
        self.tick += 1;
        if let Some(held) = self.caches[cache].held.get_mut(&key) {
            held.used = self.tick;
        }
    }

    fn hold(&mut self, cache: usize, key: u64) {
        self.tick += 1;
        let held = Held { state: State::Clean, stamp: 0, used: self.tick, target: None };
        self.caches[cache].held.insert(key, held);
    }

    fn affect_read_cache(&mut self, cache: usize, key: u64) {
        match self.settings.write_effect {
            WriteEffect::Purge => self.caches[cache].read.retain(|&other| other != key),
            WriteEffect::Update => self.caches[cache].touch_read(key, false),
            WriteEffect::Allocate => self.caches[cache].touch_read(key, true),
        }
    }

    // ---- requests ----

    pub fn request(&mut self, request: &Request) {
        let arrival = match self.settings.replay {
            Replay::Open => request.time_ns,
            Replay::Closed => {
                while self.unanswered > 0 {
                    self.end_next();
                }
                self.answered + request.time_ns
            }
        };
        while self.next_end().is_some_and(|(end, _)| end <= arrival) {
            self.end_next();
        }
        self.now = arrival;
        self.requests += 1;
        let (disk, cache) = (request.disk as usize, self.cache_of(request.disk as usize));
        let keys = self.key(disk, request.lbn)..self.key(disk, request.lbn) + request.blocks;
        match request.operation {
            Operation::Flush => self.answered = self.now,
            Operation::Discard => {
                for key in keys {
                    self.caches[cache].read.retain(|&other| other != key);
                    if self.caches[cache].held.contains_key(&key) {
                        self.free(cache, key);
                    }
                }
                self.note(cache);
                self.answered = self.now;
                self.resume(cache);
            }
            Operation::Read => self.read(disk, cache, request),
            Operation::ForcedWrite if self.settings.forced == Forced::Through => {
                self.unanswered += 1;
                self.enqueue(disk, Want::Through, request.lbn, request.blocks);
            }
            Operation::Write | Operation::ForcedWrite
                if request.blocks > self.caches[cache].capacity as u64 =>
            {
                self.unanswered += 1;
                self.enqueue(disk, Want::Through, request.lbn, request.blocks);
            }
            Operation::Write | Operation::ForcedWrite => {
                self.unanswered += 1;
                let is_first = self.caches[cache].stalled.is_empty();
                let write = (request.disk, keys.start, keys.end, self.requests, self.now);
                match self.enter(cache, write, is_first) {
                    None => self.answer(1, self.now),
                    Some(rest) => {
                        self.count("stalled_writes", 1);
                        self.caches[cache].stalled.push_back(rest);
                        if is_first {
                            self.enqueue_purge(cache);
                        }
                    }
                }
            }
        }
        self.adapt(request);
        self.start_all();
    }

    fn read(&mut self, disk: usize, cache: usize, request: &Request) {
        let mut missed = false;
        for key in self.key(disk, request.lbn)..self.key(disk, request.lbn) + request.blocks {
            let in_read = self.caches[cache].read.contains(&key);
            self.caches[cache].touch_read(key, false);
            self.touch(cache, key);
            match self.caches[cache].held.get(&key) {
                Some(held) if self.is_single() && held.state == State::Clean => {
                    self.count("read_cache_hits", 1)
                }
                Some(_) => self.count("write_cache_hits", 1),
                None if in_read => self.count("read_cache_hits", 1),
                None => missed = true,
            }
        }
        self.unanswered += 1;
        if missed {
            self.enqueue(disk, Want::Read, request.lbn, request.blocks);
        } else {
            self.answer(0, self.now);
        }
    }

    fn enqueue(&mut self, disk: usize, want: Want, lbn: u64, blocks: u64) {
        let (stamp, arrival) = (self.requests, self.now);
        let disk = &mut self.disks[disk];
        let writing_before =
            disk.writing + disk.current.as_ref().map_or(0, |c| if c.1 { arrival - c.2 } else { 0 });
        disk.queue.push_back(Job { want, lbn, blocks, stamp, arrival, writing_before });
    }

    fn enqueue_purge(&mut self, cache: usize) {
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
            self.enqueue(disk, Want::Purge, 0, 0);
        }
    }

    fn lru_dirty(&self, cache: usize, disk: Option<usize>) -> Option<u64> {
        let held = self.caches[cache].held.iter().filter(|(_, held)| held.state == State::Dirty);
        let held = held.filter(|(&key, _)| disk.is_none_or(|disk| disk == self.disk_and_unit(key).0));
        held.min_by_key(|(_, held)| held.used).map(|(&key, _)| key)
    }

    /// How many blocks of a write are not dirty in the cache.
    fn needed(&self, cache: usize, (_, first, end, ..): (u32, u64, u64, u64, i64)) -> u64 {
        let is_dirty = |key: &u64| {
            let held = self.caches[cache].held.get(key);
            held.is_some_and(|held| held.state != State::Clean)
        };
        (first..end).filter(|key| !is_dirty(key)).count() as u64
    }

    /// Enter a write's blocks, if it may enter; what did not is returned.
    fn enter(
        &mut self,
        cache: usize,
        write: (u32, u64, u64, u64, i64),
        is_first: bool,
    ) -> Option<(u32, u64, u64, u64, i64)> {
        let (disk, first, end, stamp, arrival) = write;
        let needed = self.needed(cache, write);
        if self.settings.admission == Admission::Whole
            && needed > 0
            && (!is_first || needed > self.caches[cache].room())
        {
            return Some(write);
        }
        for key in first..end {
            if let Some(held) = self.caches[cache].held.get(&key) {
                if held.state == State::Clean {
                    self.caches[cache].available.retain(|&one| one != Some(key));
                }
                self.touch(cache, key);
            } else if self.room(cache) {
                self.hold(cache, key);
            } else {
                self.note(cache);
                return Some((disk, key, end, stamp, arrival));
            }
            self.mark_dirty(cache, key, stamp);
            self.affect_read_cache(cache, key);
            self.note(cache);
        }
        None
    }

    fn answer(&mut self, kind: usize, arrival: i64) {
        self.responses[kind].push(self.now - arrival);
        self.unanswered -= 1;
        self.answered = self.now;
    }

    fn resume(&mut self, cache: usize) {
        while let Some(write) = self.caches[cache].stalled.pop_front() {
            if let Some(rest) = self.enter(cache, write, true) {
                self.caches[cache].stalled.push_front(rest);
                return self.enqueue_purge(cache);
            }
            self.count("wait", self.now - write.4);
            self.answer(1, write.4);
        }
    }

    fn note(&mut self, cache: usize) {
        let cache = &mut self.caches[cache];
        let dirty = cache.unclean();
        assert!(dirty <= cache.capacity as u64);
        if dirty > cache.high {
            cache.raised = true;
        } else if dirty < cache.low || dirty == 0 {
            cache.raised = false;
        }
    }

    fn adapt(&mut self, request: &Request) {
        if self.settings.purge != Purge::Dynamic {
            return;
        }
        match request.operation {
            Operation::Read => self.interval[0] += request.blocks,
            Operation::Write | Operation::ForcedWrite => self.interval[1] += request.blocks,
            _ => return,
        }
        self.count("of_interval", 1);
        if self.outcome.counts["of_interval"] as u64 % self.settings.interval == 0 {
            let [read, written] = std::mem::take(&mut self.interval);
            let low_share = (self.settings.low_share * 100_000.0) as u64;
            for at in 0..self.caches.len() {
                let cache = &mut self.caches[at];
                let capacity = cache.capacity as u64;
                cache.high = capacity * written / (read + written);
                cache.low = (capacity * written * low_share).div_ceil((read + written) * 100_000);
                self.note(at);
            }
        }
    }

    // ---- disks ----

    fn next_end(&self) -> Option<(i64, usize)> {
        let ends =
            self.disks.iter().enumerate().filter_map(|(at, disk)| Some((disk.current.as_ref()?.3, at)));
        ends.min()
    }

    fn end_next(&mut self) {
        let Some((end, at)) = self.next_end() else { panic!("something waits for nothing") };
        let (job, writes, start, _, keys) = self.disks[at].current.take().unwrap();
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
                match job.want {
                    Want::Read => has_room &= self.fill(cache, key),
                    _ => self.overtake(cache, key, job.stamp),
                }
            }
            if !has_room {
                self.enqueue_purge(cache);
            }
            self.answer(usize::from(job.want == Want::Through), job.arrival);
        }
        self.note(cache);
        self.resume(cache);
        self.start_all();
    }

    fn fill(&mut self, cache: usize, key: u64) -> bool {
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

    fn overtake(&mut self, cache: usize, key: u64, stamp: u64) {
        if self.caches[cache].held.get(&key).is_some_and(|held| held.stamp < stamp) {
            self.free(cache, key);
        }
        self.affect_read_cache(cache, key);
    }

    fn start_all(&mut self) {
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
        match job.want {
            Want::Purge => {
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
            Want::Through => {
                self.count("stalled_writes", i64::from(waited > 0));
                self.count("wait", waited);
                self.count("write_throughs", 1);
                let end = self.access(disk, &job, true);
                self.begin(disk, Some(job), true, end, Vec::new());
            }
            Want::Read => {
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
        let (before, from) = (self.disks[disk].arm, self.now + self.drive.read_overhead_ns);
        let mut end = self.access(disk, &job, false);
        let mut taken = Vec::new();
        let unit = |lbn: u64| self.disk_and_unit(self.key(disk, lbn)).1;
        let (first, last) = (unit(job.lbn), unit(job.lbn + job.blocks - 1));
        if self.settings.piggyback != Piggyback::None {
            let place = self.drive.geometry.place(job.lbn);
            let there = (place.cylinder, place.surface);
            let at =
                self.drive.sector_starts_ns(place, from + self.drive.reposition_ns(before, there, false));
            taken.extend(self.write_out(disk, first, before, from, Some((at, there))).0);
        }
        if self.settings.piggyback == Piggyback::Full {
            let (more, arm, done) = self.write_out(disk, last, self.disks[disk].arm, end, None);
            taken.extend(more);
            (self.disks[disk].arm, end) = (arm, done);
        }
        self.count("piggybacked_blocks", taken.len() as i64);
        self.count("piggybacked_reads", i64::from(!taken.is_empty()));
        self.count("read_service", end - self.now);
        self.begin(disk, Some(job), false, end, taken);
    }

    fn purge(&mut self, disk: usize, unit: u32) {
        let in_order = self.victim_peeked(disk, false) == Some(unit);
        if self.settings.victim == Victim::Wow && in_order {
            self.victim_peeked(disk, true);
        }
        let from = self.now + self.drive.write_overhead_ns;
        let (keys, arm, end) = self.write_out(disk, unit, self.disks[disk].arm, from, None);
        self.disks[disk].arm = arm;
        self.count("purged_blocks", keys.len() as i64);
        self.begin(disk, None, true, end, keys);
    }

    fn begin(&mut self, disk: usize, job: Option<Job>, writes: bool, end: i64, keys: Vec<u64>) {
        if writes {
            self.count("write_service", end - self.now);
        }
        let begun =
            Begun { start_ns: self.now, end_ns: end, disk: disk as u32, writes, blocks: keys.clone() };
        self.outcome.begun.push(begun);
        self.disks[disk].current = Some((job, writes, self.now, end, keys));
    }

    fn access(&mut self, disk: usize, job: &Job, write: bool) -> i64 {
        let (cylinder, surface) = self.disks[disk].arm;
        let mut arm = Mechanism { cylinder, surface };
        let access = arm.access(self.drive, self.now, job.lbn, job.blocks, write);
        self.disks[disk].arm = (arm.cylinder, arm.surface);
        access.end_ns
    }

    /// The next block is always the one that can be begun first, of those that remain.
    fn write_out(
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

    fn units(&self) -> u32 {
        if self.settings.unit == Unit::Track {
            self.drive.geometry.surfaces()
        } else {
            1
        }
    }

    fn idle_victim(&mut self, disk: usize) -> Option<u32> {
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

    fn victim(&mut self, disk: usize, is_urgent: bool) -> Option<u32> {
        if is_urgent && self.is_single() {
            let key = self.lru_dirty(self.cache_of(disk), Some(disk))?;
            return Some(self.disk_and_unit(key).1);
        }
        self.victim_peeked(disk, false)
    }

    fn victim_peeked(&mut self, disk: usize, take: bool) -> Option<u32> {
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

    fn next_job(&mut self, disk: usize) -> Option<Job> {
        let purge = match self.is_single() {
            true => self.lru_dirty(self.cache_of(disk), Some(disk)).map(|key| self.disk_and_unit(key).1),
            false => self.victim_peeked(disk, false),
        };
        let (arm, upwards) = (self.disks[disk].arm, self.disks[disk].upwards);
        let cylinder = |job: &Job| match job.want {
            Want::Purge => purge.map_or(arm.0, |unit| unit / self.units()),
            _ => self.drive.geometry.place(job.lbn).cylinder,
        };
        let starts = |lbn: u64, write: bool| {
            let overhead = if write { self.drive.write_overhead_ns } else { self.drive.read_overhead_ns };
            let place = self.drive.geometry.place(lbn);
            let moved = self.drive.reposition_ns(arm, (place.cylinder, place.surface), write);
            self.drive.sector_starts_ns(place, self.now + overhead + moved)
        };
        let begins = |job: &Job| match (job.want, purge) {
            (Want::Purge, None) => self.now,
            (Want::Purge, Some(unit)) => {
                let keys = self.dirty_keys(disk, unit).into_iter();
                keys.map(|key| starts(key % self.drive.geometry.blocks(), true)).min().unwrap()
            }
            (want, _) => starts(job.lbn, want == Want::Through),
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

    /// Let all be answered; returns what was counted.
    pub fn finish(&mut self) {
        while self.unanswered > 0 {
            self.end_next();
        }
        let dirty: u64 = self.caches.iter().map(|cache| cache.unclean()).sum();
        self.count("unanswered_dirty", dirty as i64);
    }
}
