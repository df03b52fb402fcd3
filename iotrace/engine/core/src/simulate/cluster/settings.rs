//! The parts of a cluster, and its cache policies. Python passes the same names; enum values have their serde names.

use serde::Deserialize;

/// The frames of a cache that never fills.
pub const UNBOUNDED: u32 = u32::MAX;

/// A cluster: nodes with a local cache each, a global cache, and daemons over which files are striped.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub nodes: u32,
    pub daemons: u32,
    /// Frames of each node's cache; None if requests bypass it entirely.
    pub local_frames: Option<u32>,
    /// Frames of the global cache, or of each file's if it is per file; None if requests bypass it entirely.
    pub global_frames: Option<u32>,
    pub global_per_file: bool,
    /// Processors for the global caches: files are served by number modulo this; 0 gives each file one.
    pub global_servers: u32,
    /// Requests that each global cache handles at the same time, from their arrival to the reply; 0 for all of them.
    pub global_threads: u32,
    pub global_writes: GlobalWrites,
    pub block_bytes: u32,
    pub stripe_bytes: u64,
    pub segment_blocks: u32,
    /// Free frames, in thousandths of a cache, below which its harvester frees frames until `high_mark` are free.
    pub low_mark: u32,
    pub high_mark: u32,
    /// The flush period of dirty blocks in nanoseconds, or in requests without a clock; 0 flushes after each write.
    /// Each cache, local or global, has its own flusher.
    pub flusher_period: u64,
    pub admission: Admission,
    /// Whether to keep the directory that `sync_write` needs.
    pub has_sync_writes: bool,
    /// Whether to keep the counts of each request.
    pub keeps_log: bool,
}

/// When the global cache sends writes on to the daemons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalWrites {
    /// Later: they are dirty there, like those in a local cache.
    Back,
    /// Immediately.
    Through,
}

/// Which of the blocks that it fetches the global cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Admission {
    All,
    /// Segments whose counter is above a threshold (section 5).
    Counters(Counters),
    /// Blocks requested more often than the one that they would replace (TinyLFU; Einziger et al. 2017, with exact
    /// counts instead of a sketch).
    MoreFrequent,
    /// Only blocks evicted by a local cache; a hit removes the block again (DEMOTE; Wong and Wilkes 2002). A block is
    /// in both levels only if another node has a copy, or the node writes it without having read it.
    Demoted,
}

/// The run-time scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    pub threshold: u32,
    pub first_access: FirstAccess,
    pub scope: Scope,
    /// Whether the harvester halves the counters of the segments that it examines.
    pub ages: bool,
    /// Hill climbing of the threshold, if used.
    pub climbing: Option<Climbing>,
}

/// The unit whose first request is never checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstAccess {
    Block,
    Segment,
}

/// The scope of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Once per block; each node learns of the decision at its next request.
    Cluster,
    /// Once per block and node.
    Node,
}

/// Hill climbing: after each epoch the threshold doubles or halves, in the direction that last helped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Climbing {
    /// Length of an epoch in blocks missed by local caches.
    pub epoch_blocks: u64,
    /// Time that a hit saves and that a miss costs, compared with a bypass.
    pub hit_saves_ns: u64,
    pub miss_costs_ns: u64,
}

impl Settings {
    /// The number of a file's global cache.
    pub fn global_number(&self, file: u32) -> u32 {
        if self.global_per_file {
            file
        } else {
            0
        }
    }

    /// Check the settings; the error says what is wrong.
    pub fn fault(&self) -> Option<&'static str> {
        let checks = [
            (self.nodes == 0, "a cluster must have at least one node"),
            (self.daemons == 0, "a cluster must have at least one I/O daemon"),
            (self.block_bytes == 0, "a block must have at least one byte"),
            (self.stripe_bytes == 0, "a stripe must have at least one byte"),
            (self.segment_blocks == 0, "a segment must have at least one block"),
            (
                self.low_mark > self.high_mark || self.high_mark > 1000,
                "the low watermark must not exceed the high one, nor the high one the whole cache",
            ),
        ];
        checks.iter().find(|(is_wrong, _)| *is_wrong).map(|(_, why)| *why)
    }
}
