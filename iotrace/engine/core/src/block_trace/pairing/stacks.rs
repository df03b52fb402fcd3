//! Requests that a device passes on to one below it, which queues them again.

use super::pieces::Event;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most remaps that wait for their request; then all are forgotten.
const MOST_WAITING: usize = 1 << 16;

/// A device and a sector of it.
type DevicePosition = (i32, u64);

/// Which devices lie on which, by the remaps (A) of requests that are queued at both.
///
/// A partition's requests are remapped to its disk, too. They are queued once: at the disk, or, in older kernels, at the
/// partition with the disk's sector.
#[derive(Debug, Default)]
pub struct Stacks {
    /// Devices that queued a request.
    queued: FxHashSet<i32>,
    /// From where a remapped request comes, by its place below.
    sources: FxHashMap<DevicePosition, DevicePosition>,
    /// The device below, by the device above and the sector below.
    below: FxHashMap<DevicePosition, i32>,
    /// Requests that were queued at both, and their blocks, by the devices above and below.
    passed_on: BTreeMap<(i32, i32), (u64, u64)>,
}

impl Stacks {
    /// Note that a request of `source` goes on to the event's device and sector; it came from the second sector.
    pub fn remap(&mut self, event: &Event) {
        if self.sources.len() >= MOST_WAITING || self.below.len() >= MOST_WAITING {
            self.sources.clear();
            self.below.clear();
        }
        self.sources.insert((event.device, event.sector), (event.source, event.new_sector));
        self.below.insert((event.source, event.sector), event.device);
    }

    /// Note a queued request, and whether a device above had queued it before.
    pub fn queue(&mut self, event: &Event) {
        let mut at = (event.device, event.sector);
        if let Some(disk) = self.below.remove(&at) {
            at = self.sources.remove(&(disk, event.sector)).unwrap_or(at);
        }
        while let Some(source) = self.sources.remove(&at) {
            self.below.remove(&(source.0, at.1));
            if source.0 != event.device && self.queued.contains(&source.0) {
                let (requests, blocks) = self.passed_on.entry((source.0, event.device)).or_default();
                *requests += 1;
                *blocks = blocks.saturating_add(event.blocks);
                break;
            }
            at = source;
        }
        self.queued.insert(event.device);
    }

    /// The devices above and below by their names, the requests that were queued at both, and their blocks.
    pub fn named(&self, devices: &[String]) -> Vec<(String, String, u64, u64)> {
        let name = |number: i32| devices.get(number as usize).cloned().unwrap_or_default();
        let passed_on = self.passed_on.iter();
        passed_on
            .map(|(&(above, below), &(requests, blocks))| (name(above), name(below), requests, blocks))
            .collect()
    }
}
