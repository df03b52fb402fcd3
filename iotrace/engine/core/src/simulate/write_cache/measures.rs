//! The counts of a run.

use super::write_out::Parts;
use crate::histogram::Histogram;

/// Counts and times of one run. A disk write is one purge of a unit, or one write-through; piggybacked writes do not
/// count. Times are in nanoseconds; sums over requests, of which many can wait at a time, are 128 bits.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    pub reads: u64,
    pub writes: u64,
    pub discards: u64,
    pub flushes: u64,
    pub read_blocks: u64,
    pub written_blocks: u64,
    /// The units that each write touches, added up; one for a write-through.
    pub written_units: u64,
    /// How often a write entered a full cache only in part, so that the rest waited for a purge.
    pub partial_entries: u64,
    /// Blocks read that were only in the read cache (single cache: that were clean).
    pub read_cache_hits: u64,
    /// Blocks read that were in the write cache (single cache: that were dirty).
    pub write_cache_hits: u64,
    /// Reads that went to the disk.
    pub disk_reads: u64,
    /// Purges by an idle disk.
    pub idle_purges: u64,
    pub immediate_purges: u64,
    /// Write-throughs.
    pub write_throughs: u64,
    pub purged_blocks: u64,
    pub piggybacked_blocks: u64,
    /// Reads with piggybacked writes.
    pub piggybacked_reads: u64,
    pub stalled_reads: u64,
    pub stalled_writes: u64,
    /// Waiting time of reads that went to the disk.
    pub read_wait_ns: i128,
    /// The part of it during which the disk wrote.
    pub read_wait_behind_writes_ns: i128,
    /// Total waiting time of reads and writes.
    pub wait_ns: i128,
    pub read_parts: Parts,
    pub write_parts: Parts,
    pub read_response: Histogram,
    pub write_response: Histogram,
    pub longest_queue: u64,
    pub first_arrival_ns: i64,
    pub last_arrival_ns: i64,
    pub end_ns: i64,
    /// By disk.
    pub busy_ns: Vec<i64>,
    /// Blocks that were dirty when counting began.
    pub dirty_at_start: u64,
    pub dirty_at_end: u64,
    pub most_dirty: u64,
    /// Dirty blocks that need not be written, because of a discard or a write-through.
    pub dropped_dirty: u64,
    /// The thresholds at the end, in blocks of one cache: purges begin above the first and end below the second.
    pub high_blocks: u64,
    pub low_blocks: u64,
}

impl Measures {
    pub fn purges(&self) -> u64 {
        self.idle_purges + self.immediate_purges
    }

    pub fn disk_writes(&self) -> u64 {
        self.purges() + self.write_throughs
    }
}
