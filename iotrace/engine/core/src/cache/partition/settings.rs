//! How a cache is split, and how its parts grow and shrink.

use serde::Deserialize;

/// A part of the cache, for the references of one component.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The size of its blocks.
    pub block_bytes: u32,
    /// Its initial space, in quanta.
    pub quanta: u64,
    /// Cost of one of its request misses relative to the other parts' misses.
    pub weight: f64,
}

/// How the cache is split, and how space moves between the parts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What it is split into.
    pub parts: Vec<Part>,
    /// The space that moves at a time, a multiple of every part's blocks.
    pub quantum_bytes: u64,
    /// Number of requests after which one quantum may move; 0 for a fixed partition.
    pub period_requests: u64,
    /// Factor by which earlier counts are multiplied after each period.
    pub fade: f64,
    /// Whether write requests count towards the value of space, as read requests do.
    pub counts_writes: bool,
}
