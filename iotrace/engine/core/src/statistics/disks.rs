//! What is touched of disks, and in which sequence: query `disk_footprint`.

use super::range_set::{Range, RangeSet};
use super::requests::{Kind, Request};
use std::collections::BTreeMap;

/// What a request of unknown length counts as.
const SECTOR_BYTES: i64 = 512;

/// What requests to a disk do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    pub footprint_bytes: i64,
    pub requests: i64,
    /// Requests that start where the one before ended.
    pub sequential: i64,
    reached: Option<i64>,
}

/// All disks, by their file.
#[derive(Debug, Default)]
pub struct Disks {
    touched: RangeSet,
    disks: BTreeMap<i32, Disk>,
}

impl Disks {
    pub fn push(&mut self, request: &Request) {
        if request.kind != Some(Kind::Disk) || !request.moves() {
            return;
        }
        let disk = self.disks.entry(request.file).or_default();
        disk.requests += 1;
        disk.sequential += i64::from(disk.reached.is_some() && disk.reached == request.offset);
        disk.reached = request.end();
        if let Some(start) = request.offset {
            let end = start.saturating_add(request.length.unwrap_or(SECTOR_BYTES));
            self.touched.add(Range { file: request.file, start, end });
        }
    }

    /// The trace's end.
    pub fn finish(mut self) -> BTreeMap<i32, Disk> {
        for range in self.touched.ranges() {
            if let Some(disk) = self.disks.get_mut(&range.file) {
                disk.footprint_bytes += range.end - range.start;
            }
        }
        self.disks
    }
}
