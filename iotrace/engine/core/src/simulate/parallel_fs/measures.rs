//! What a run counted.

use super::process_state::ProcessState;

/// Counts and times of one run, times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// When the last process or disk operation ended.
    pub execution_ns: i64,
    /// The larger of the next two (section 4.2).
    pub ideal_ns: i64,
    /// What the disk that has the most to do needs for what it must do, if it is always busy: with a cache, each block
    /// that is read before it is written once, and each that is written once; without, every access. At the mean time
    /// that a block took where disks are drives.
    pub ideal_io_ns: i64,
    pub ideal_compute_ns: i64,
    pub records: u64,
    /// Accesses to blocks: each finds the block in the cache, or not.
    pub accesses: u64,
    pub hits: u64,
    /// Accesses that found their block being read, among the hits.
    pub pending_hits: u64,
    /// How often a process waited for a buffer.
    pub buffer_waits: u64,
    pub disk_reads: u64,
    pub disk_writes: u64,
    /// Reads that were started before anyone asked.
    pub prefetches: u64,
    /// Blocks that left the cache and were read again, because a process wrote to them once more (section 3.3).
    pub rereads: u64,
    /// Buffers that a process wrote to after their disk write, so that they need another one (section 3.3).
    pub rewrites: u64,
    /// Of all disks together, and of the busiest.
    pub busy_ns: i64,
    pub busiest_ns: i64,
    pub longest_queue: u64,
    /// Ends of delays and of disk operations, which the clock brings, and how often a process was woken.
    pub events: u64,
    /// The former alone.
    pub clock_events: u64,
    pub processes: Vec<Lifetime>,
}

/// How a process spent its time: parts that sum to when it finished.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifetime {
    pub application: u32,
    pub records: u64,
    /// Those of them that are accesses, not computation alone.
    pub requests: u64,
    pub finished_ns: i64,
    pub spent_ns: [i64; ProcessState::COUNT],
}
