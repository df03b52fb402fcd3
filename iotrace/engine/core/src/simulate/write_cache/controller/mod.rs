//! The controller: hits are answered immediately, other requests queue for their disk, which executes one operation at
//! a time.
//!
//! Requests are looked up when they arrive. A read with a block in neither cache waits for its disk, and is looked up
//! again at its turn, since the blocks may have entered the cache meanwhile. Otherwise the disk reads all of it in one
//! operation, whose blocks enter the cache when it ends. A write enters the cache block by block, or when there is
//! space for all of it; until then it waits, and an immediate purge joins the queue of the disk with the most to
//! purge, unless one is queued already; it is dropped if there is space by its turn. Blocks are selected when a purge
//! begins, and are clean when it ends, except those written again meanwhile. At the same time, ends of operations
//! precede arrivals, and lower disks precede higher ones.

mod operations;
mod requests;
mod turns;

use super::measures::Measures;
use super::memory::Memory;
use super::queue::{Queue, Waiting};
use super::settings::{Replay, Settings, Unit};
use super::thresholds::Thresholds;
use super::write_out::Writer;
use crate::simulate::disk::{Drive, Mechanism};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    /// A write that must be on stable storage when it is answered (FUA).
    ForcedWrite,
    Discard,
    Flush,
}

/// A request, whose blocks lie within the disk.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its arrival time; in closed replay, the time after the answer to the previous request.
    pub time_ns: i64,
    pub disk: u32,
    pub operation: Operation,
    pub lbn: u64,
    pub blocks: u64,
}

/// A violated invariant: an internal error of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalError(pub &'static str);

/// An operation of a disk: time, place, whether it counts as a write, and the cached blocks that it writes.
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

/// The current operation of a disk.
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
        self.writing_ns + current.map(|current| now_ns - current.start_ns).sum::<i64>()
    }
}

/// A write with blocks that are not in the cache yet.
#[derive(Clone, Copy, Debug)]
struct StalledWrite {
    disk: u32,
    lbn: u64,
    end: u64,
    stamp: u64,
    arrival_ns: i64,
}

/// A cache and its state.
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
    /// One cache for all disks, or one for each.
    caches: Vec<Cache<M>>,
    writer: Writer,
    measures: Measures,
    /// When the first request came that counts: what came before only warms the caches.
    counted_from_ns: i64,
    /// Requests that count, and reads and writes of all.
    counted: u64,
    moves: u64,
    /// Dirty blocks that were dropped before.
    dropped_before: u64,
    /// The number of requests that wait for their disk, or for space in the cache.
    waiting: u64,
    unanswered: u64,
    answered_ns: i64,
    next_end_ns: i64,
    interval_blocks: [u64; 2],
    internal_error: Option<InternalError>,
    #[cfg(test)]
    pub(super) begun: Vec<Begun>,
}

impl<M: Memory> Controller<M> {
    /// A controller with the given caches: one, or one for each disk.
    pub fn new(drive: Arc<Drive>, settings: Settings, memories: Vec<M>) -> Self {
        let cache = |memory: M| Cache {
            thresholds: Thresholds::new(&settings, memory.slots().capacity()),
            memory,
            stalled: VecDeque::new(),
            purge_is_queued: false,
        };
        let disk = |_| Disk {
            arm: Mechanism::default(),
            queue: Queue::new(settings.queue),
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
            counted_from_ns: i64::MIN,
            counted: 0,
            moves: 0,
            dropped_before: 0,
            waiting: 0,
            unanswered: 0,
            answered_ns: 0,
            next_end_ns: i64::MAX,
            interval_blocks: [0; 2],
            internal_error: None,
            #[cfg(test)]
            begun: Vec::new(),
        }
    }

    /// Take the next request.
    pub fn request(&mut self, request: &Request) -> Result<(), InternalError> {
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
        if self.counted == 0 {
            self.measures.first_arrival_ns = arrival_ns;
            self.counted_from_ns = arrival_ns;
        }
        self.counted += 1;
        self.measures.last_arrival_ns = arrival_ns;
        self.requests += 1;
        self.take(request);
        self.start_idle_disks();
        self.measures.longest_queue = self.measures.longest_queue.max(self.waiting);
        self.internal_error.map_or(Ok(()), Err)
    }

    /// Count from the next request on: what the caches hold and the disks do stays as it is. Of requests that came
    /// before, nothing is counted, though a disk be busy with them.
    pub fn count_from_next(&mut self) {
        self.counted = 0;
        self.counted_from_ns = i64::MAX;
        self.measures = Measures::default();
        self.dropped_before = self.caches.iter().map(|cache| cache.memory.slots().balance.dropped).sum();
        let dirty = self.caches.iter().map(|cache| u64::from(cache.memory.slots().unclean()));
        self.measures.most_dirty = dirty.clone().max().unwrap_or(0);
        self.measures.dirty_at_start = dirty.sum();
        self.disks.iter_mut().for_each(|disk| disk.busy_ns = 0);
    }

    /// Whether a request that came then is counted.
    fn counts(&self, arrival_ns: i64) -> bool {
        arrival_ns >= self.counted_from_ns
    }

    /// Complete all operations and waiting requests; dirty blocks stay dirty.
    pub fn finish(mut self) -> Result<Measures, InternalError> {
        while self.unanswered > 0 && self.next_end_ns != i64::MAX {
            self.end_next();
        }
        while let Some(disk) = self.next_to_end() {
            self.end(disk, false);
        }
        self.check(self.unanswered == 0 && self.waiting == 0, "a request was lost");
        for cache in &self.caches {
            let slots = cache.memory.slots();
            self.measures.dirty_at_end += u64::from(slots.unclean());
            self.measures.dropped_dirty += slots.balance.dropped;
        }
        self.measures.dropped_dirty -= self.dropped_before;
        let balanced = self.caches.iter().all(|cache| cache.memory.slots().balances());
        self.check(balanced, "a dirty block was lost");
        if let Some(cache) = self.caches.first() {
            self.measures.high_blocks = cache.thresholds.high_blocks;
            self.measures.low_blocks = cache.thresholds.low_blocks;
        }
        self.measures.end_ns = self.now_ns;
        self.measures.busy_ns = self.disks.iter().map(|disk| disk.busy_ns).collect();
        self.internal_error.map_or(Ok(self.measures), Err)
    }

    fn check(&mut self, holds: bool, what: &'static str) {
        if !holds && self.internal_error.is_none() {
            self.internal_error = Some(InternalError(what));
        }
    }

    fn move_clock(&mut self, to_ns: i64) {
        self.check(self.requests == 0 || to_ns >= self.now_ns, "the clock went back");
        self.now_ns = to_ns;
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

    /// The number of units per cylinder.
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

    #[cfg(test)]
    fn log(&mut self, disk: u32, writes: bool, end_ns: i64) {
        let slots = self.caches[self.settings.cache_of(disk)].memory.slots();
        let flying = &self.disks[disk as usize].flying;
        self.begun.push(Begun {
            start_ns: self.now_ns,
            end_ns,
            disk,
            writes,
            blocks: flying.iter().map(|&slot| slots.block(slot)).collect(),
        });
    }

    /// All operations, once all requests are answered.
    #[cfg(test)]
    pub(super) fn drain(&mut self) -> Vec<Begun> {
        while self.unanswered > 0 && self.next_end_ns != i64::MAX {
            self.end_next();
        }
        std::mem::take(&mut self.begun)
    }
}
