//! The policies of a controller: those of Biswas, Ramakrishnan and Towsley (1993), and some later ones. Users and
//! Python use the serde names.

use serde::Deserialize;

/// The unit of a purge and of piggybacking on a read: a track (embedded servo) or a cylinder (dedicated servo);
/// section 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    Track,
    Cylinder,
}

/// The dirty blocks that are written along with a disk read (section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piggyback {
    None,
    /// Those that pass under a head before the read's first block does.
    Free,
    /// Those, and after the read all others of each unit that it visits, from the last unit back.
    Full,
}

/// The unit to purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// The one with the most dirty blocks; among equals the one that reached its number first.
    MostDirty,
    /// The one that is the fewest cylinders away; among equals the one with the most dirty blocks, then the lowest.
    Nearest,
    /// The least recently written one (as in Gill and Modha 2005).
    Lrw,
    /// Wise ordering for writes (Gill and Modha 2005): in circular disk order, skipping those that were written again
    /// since the last round.
    Wow,
}

/// When dirty blocks are purged although no write waits for space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purge {
    /// Never (write behind, section 2.1).
    Full,
    /// On an idle disk, from when more than the high watermark is dirty until less than it is (section 2.2).
    OneThreshold,
    /// On an idle disk, from when more than the high watermark is dirty until less than the low one is (section 2.2).
    TwoThresholds,
    /// On an idle disk, while any block is dirty.
    Asap,
    /// On an idle disk, the nearest unit, if it is no farther than a part of all cylinders that grows linearly from
    /// none at the low watermark to all at the high one; after Varma and Jacobson (1998).
    Linear,
    /// As two thresholds, with the high one set after every `interval` requests to the share of blocks written among
    /// those read and written meanwhile, and the low one to `low_share` of that (section 4.7).
    Dynamic,
}

/// 100 % in thousandths of a percent.
pub const WHOLE: u64 = 100_000;

/// Whether disks share the memory, or each has an equal part of it (section 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    Common,
    Partitioned,
}

/// The destination of a forced write (FUA): the non-volatile cache, or the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forced {
    Cached,
    Through,
}

/// The effect of a write on copies in the read cache (section 2.3).
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
    /// waits are purged with others, so that a full cache writes in small pieces. This explains the many writes in
    /// table 4.2 if purging begins at 100 %.
    Blocks,
    /// When there is space for all of it; later writes wait behind it unless they need no space.
    Whole,
}

/// The scheduler of a disk's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    Fifo,
    /// Shortest seek time first.
    Sstf,
    /// Up and down, to the last request in each direction (LOOK).
    Look,
    /// Up only, then from the lowest (C-LOOK).
    CLook,
    /// Shortest positioning time first.
    Sptf,
}

/// The caches, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memories {
    /// A volatile LRU read cache and a non-volatile write cache; without a write cache, all writes are write-through.
    Separate { read: u32, write: u32 },
    /// One non-volatile cache for both (section 4.7).
    Single { blocks: u32 },
}

/// Whether requests arrive at their times, or each after the previous one has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    Open,
    /// A request's time is counted from the answer to the previous one.
    Closed,
}

/// A controller.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub memories: Memories,
    pub sharing: Sharing,
    pub disks: u32,
    pub unit: Unit,
    pub piggyback: Piggyback,
    pub victim: Victim,
    pub purge: Purge,
    /// The watermarks, in percent of a cache.
    pub high_percent: f64,
    pub low_percent: f64,
    /// For dynamic thresholds: requests between changes, and the ratio of the low threshold to the high one.
    pub interval: u64,
    pub low_share: f64,
    pub write_effect: WriteEffect,
    pub admission: Admission,
    pub forced: Forced,
    pub queue: Scheduler,
    pub replay: Replay,
}

impl Settings {
    /// The number of equal parts into which the memory is split.
    pub fn parts(&self) -> u32 {
        match self.sharing {
            Sharing::Common => 1,
            Sharing::Partitioned => self.disks,
        }
    }

    /// The cache of a disk.
    pub fn cache_of(&self, disk: u32) -> usize {
        match self.sharing {
            Sharing::Common => 0,
            Sharing::Partitioned => disk as usize,
        }
    }

    /// The high and low watermark, above which an idle disk begins to purge and below which it ends, in thousandths of
    /// a percent of a cache.
    pub fn watermarks(&self) -> (u64, u64) {
        let (high, low) = (thousandths(self.high_percent), thousandths(self.low_percent));
        match self.purge {
            Purge::Full => (WHOLE, WHOLE),
            Purge::Asap => (0, 0),
            Purge::OneThreshold => (high, high),
            Purge::TwoThresholds | Purge::Linear | Purge::Dynamic => (high, low),
        }
    }

    /// The ratio of the low dynamic threshold to the high one, in thousandths of a percent.
    pub fn low_share(&self) -> u64 {
        thousandths(100.0 * self.low_share)
    }
}

fn thousandths(percent: f64) -> u64 {
    (percent * 1000.0).round_ties_even().clamp(0.0, WHOLE as f64) as u64
}
