//! The counts of a run.

use super::process_state::ProcessState;

/// Counts and times of one run, times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// When the last process or disk operation ended.
    pub execution_ns: i64,
    /// The larger of the next two (section 4.2).
    pub ideal_ns: i64,
    /// The time that the busiest disk needs for its unavoidable operations: with a cache, one read of each block read
    /// before it is written, and one write of each block written; without a cache, every access. For drives, at the
    /// mean time of a block in this run.
    pub ideal_io_ns: i64,
    pub ideal_compute_ns: i64,
    pub records: u64,
    /// Accesses to blocks: each finds the block in the cache, or not.
    pub accesses: u64,
    pub hits: u64,
    /// Hits on blocks that were being read.
    pub pending_hits: u64,
    /// The number of waits of processes for a buffer.
    pub buffer_waits: u64,
    pub disk_reads: u64,
    pub disk_writes: u64,
    /// Reads started ahead of accesses.
    pub prefetches: u64,
    /// Blocks that left the cache and were read again for another write (section 3.3).
    pub rereads: u64,
    /// Buffers written to after their disk write, so that they need another one (section 3.3).
    pub rewrites: u64,
    /// Total of all disks, and that of the busiest.
    pub busy_ns: i128,
    pub busiest_ns: i64,
    pub longest_queue: u64,
    /// Timed events (ends of delays and of disk operations) plus wake-ups of processes.
    pub events: u64,
    /// Timed events only.
    pub clock_events: u64,
    pub processes: Vec<Lifetime>,
}

/// The time of a process, in parts that sum to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifetime {
    pub application: u32,
    pub records: u64,
    /// Records with an access, not only computation.
    pub requests: u64,
    pub finished_ns: i64,
    pub spent_ns: [i64; ProcessState::COUNT],
}
