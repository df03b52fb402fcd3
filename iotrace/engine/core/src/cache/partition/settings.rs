//! How a cache is split, and how its parts grow and shrink.

use serde::Deserialize;

/// A part of the cache, for the references of one component.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The size of its blocks.
    pub block_bytes: u32,
    /// Its space at first, in quanta.
    pub quanta: u64,
    /// What one of its request misses costs beside one of another part.
    pub weight: f64,
}

/// A split, and how space moves.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What it is split into.
    pub parts: Vec<Part>,
    /// The space that moves at a time, a multiple of every part's blocks.
    pub quantum_bytes: u64,
    /// After so many requests one quantum may move; 0 for a fixed partition.
    pub period_requests: u64,
    /// What is left, after each period, of what was counted before.
    pub fade: f64,
    /// Whether write requests tell what space is worth, as read requests do.
    pub counts_writes: bool,
}
