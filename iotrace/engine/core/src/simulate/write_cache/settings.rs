//! What a controller does: the policies that Biswas, Ramakrishnan and Towsley (1993) name, and some that came later.
//! What users call them are serde's names; Python lists and passes them as they are here.

use serde::Deserialize;

/// What is written in one purge, and what a read can carry: a track (embedded servo) or a cylinder (dedicated
/// servo); section 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    Track,
    Cylinder,
}

/// Which dirty blocks a read that goes to the disk takes along (section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piggyback {
    None,
    /// Those that pass under a head before the read's first block does.
    Free,
    /// Those, and after the read all others of the unit.
    Full,
}

/// Which unit is purged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// The one with the most dirty blocks; among equals the one that has had so many the longest.
    MostDirty,
    /// The one that is the fewest cylinders away; among equals the one with the most dirty blocks, then the lowest.
    Nearest,
    /// The one whose last write is the longest ago (least recently written, as in Gill and Modha 2005).
    Lrw,
    /// Wise ordering for writes (Gill and Modha 2005): in the order of the disk, round and round, passing over those
    /// that were written again since the last round.
    Wow,
}

/// When dirty blocks are purged though nobody waits for room. Percentages are of the cache, in thousandths of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purging {
    /// On an idle disk, from when more than `high` is dirty until less than `low` is (section 2.2).
    Thresholds { high: u32, low: u32 },
    /// The same, with `high` set anew after every `interval` requests to the share of blocks written among those read
    /// and written meanwhile, and `low` to `low_share` of that (section 4.7).
    Dynamic { high: u32, low: u32, interval: u64, low_share: u32 },
    /// On an idle disk, the nearest unit, if it is no farther than a part of all cylinders that grows linearly from
    /// none when `low` is dirty to all when `high` is; after Varma and Jacobson (1998).
    Linear { high: u32, low: u32 },
}

/// A whole, where a percentage is in thousandths.
pub const WHOLE: u64 = 100_000;

/// What a write does to copies in the read cache (section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteEffect {
    Purge,
    Update,
    Allocate,
}

/// How a write enters a cache that is full of dirty blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Admission {
    /// Block by block: purging stops "as soon as there are any free buffers" (section 2.2). Blocks of a write that
    /// waits are purged with others, so that a full cache writes in small pieces. This gives table 4.2's many writes
    /// where purging begins at 100 %.
    Blocks,
    /// When there is room for all of it; later writes wait behind it unless they take no room.
    Whole,
}

/// In which order requests for a disk are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    Fifo,
    /// Shortest seek time first.
    Sstf,
    /// Up and down, to the last request in each direction.
    Look,
    /// Up only, then from the lowest.
    CLook,
    /// Shortest positioning time first.
    Sptf,
}

/// The caches, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memories {
    /// A volatile LRU read cache and a non-volatile write cache; without write cache, writes go through.
    Separate { read: u32, write: u32 },
    /// One non-volatile cache for both (section 4.7).
    Single { blocks: u32 },
}

/// Whether requests come at their times, or each after the one before has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    Open,
    /// A request's time is what passes between the answer to the one before and it.
    Closed,
}

/// A controller.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub memories: Memories,
    /// Whether each disk has an equal part of the memories to itself (section 4.6).
    pub partitioned: bool,
    pub disks: u32,
    pub unit: Unit,
    pub piggyback: Piggyback,
    pub victim: Victim,
    pub purging: Purging,
    pub write_effect: WriteEffect,
    pub admission: Admission,
    /// Whether a forced write (FUA) goes straight to the disk, though the cache that takes it is non-volatile.
    pub forced_go_through: bool,
    pub discipline: Discipline,
    pub replay: Replay,
}
