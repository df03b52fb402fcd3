//! What a run counted.

use super::write_out::Parts;
use crate::histogram::Histogram;

/// Counts and times of one run. A disk write is one purge of a unit, or one write that went through; a piggyback is
/// none. Times are in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    pub reads: u64,
    pub writes: u64,
    pub discards: u64,
    pub flushes: u64,
    pub read_blocks: u64,
    pub written_blocks: u64,
    /// Blocks read that were in the read cache only (in a single cache: that were clean).
    pub read_cache_hits: u64,
    /// Blocks read that were in the write cache (in a single cache: that were dirty).
    pub write_cache_hits: u64,
    /// Reads that went to the disk.
    pub disk_reads: u64,
    /// Purges of an idle disk.
    pub idle_purges: u64,
    pub immediate_purges: u64,
    /// Writes that the cache did not take.
    pub write_throughs: u64,
    pub purged_blocks: u64,
    pub piggybacked_blocks: u64,
    /// Reads that took blocks along.
    pub piggybacked_reads: u64,
    pub stalled_reads: u64,
    pub stalled_writes: u64,
    /// Waiting of reads that went to the disk.
    pub read_wait_ns: i64,
    /// The part of it in which the disk wrote.
    pub read_wait_behind_writes_ns: i64,
    /// All waiting, of reads and writes.
    pub wait_ns: i64,
    pub read_parts: Parts,
    pub write_parts: Parts,
    pub read_response: Histogram,
    pub write_response: Histogram,
    pub longest_queue: u64,
    pub first_arrival_ns: i64,
    pub last_arrival_ns: i64,
    pub end_ns: i64,
    /// Of each disk.
    pub busy_ns: Vec<i64>,
    pub dirty_at_end: u64,
    pub most_dirty: u64,
    /// Dirty blocks that a discard, or a write that went through, made needless to write.
    pub dropped_dirty: u64,
    /// The thresholds at the end, in blocks of one cache: purging begins above the first and ends below the second.
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
