//! The slow reference implementation of the controller: the same rules over plain lists and maps, with full searches.
//!
//! - `requests` has the rules for requests, `memory` for blocks, `disks` for the next operation;
//! - `thresholds`, `purging` and `queue` have those for the time, the unit and the order of purges.

mod disks;
mod memory;
mod purging;
mod queue;
mod requests;
mod thresholds;

use super::super::controller::Begun;
use super::super::settings::*;
use crate::simulate::disk::Drive;
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
    /// When it was found to be the least recently used although dirty, in ticks.
    target: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Purpose {
    Read,
    Through,
    Purge,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    purpose: Purpose,
    lbn: u64,
    blocks: u64,
    stamp: u64,
    arrival: i64,
    writing_before: i64,
}

/// The operation of a disk.
struct Current {
    job: Option<Job>,
    writes: bool,
    start: i64,
    end: i64,
    /// The keys that it writes.
    keys: Vec<u64>,
}

/// The remaining part of a write that enters a cache: the keys `first..end`.
#[derive(Clone, Copy)]
struct Write {
    first: u64,
    end: u64,
    stamp: u64,
    arrival: i64,
}

#[derive(Default)]
struct Disk {
    arm: (u32, u32),
    upwards: bool,
    queue: VecDeque<Job>,
    current: Option<Current>,
    writing: i64,
    hand: u32,
    recent: BTreeSet<u32>,
    /// Per unit with dirty blocks: their number, and the tick of its last change.
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
    /// Slots that are not dirty, in the order of reuse: vacant, or with a clean block.
    available: VecDeque<Option<u64>>,
    high: u64,
    low: u64,
    raised: bool,
    stalled: VecDeque<Write>,
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

/// The results compared between the two simulators.
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

    /// Answer all requests; returns the counts.
    pub fn finish(&mut self) {
        while self.unanswered > 0 {
            self.end_next();
        }
        let dirty: u64 = self.caches.iter().map(|cache| cache.unclean()).sum();
        self.count("unanswered_dirty", dirty as i64);
    }
}
