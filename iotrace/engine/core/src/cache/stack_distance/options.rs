//! What the engine is asked to do, and how it refuses; users know the serde names.

use crate::error::Error;
use serde::Deserialize;

/// What a write does to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// Written blocks are brought in and written back when evicted (copy-back; Richardson 2.4.3).
    #[default]
    Allocate,
    /// Writes go to the disk, and the blocks that they touch are dropped (4.1.3, figure 4.6).
    NoAllocate,
    /// As `Allocate`, and write hits are counted separately where they cover bytes already dirty (figure 4.8).
    DataOverwrite,
}

/// What truncations and deletions do to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deletes {
    /// Blocks that they remove are dropped, dirty or not.
    #[default]
    Honour,
    /// Nothing, as in the paper.
    Ignore,
}

/// What syncs and synchronous writes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syncs {
    /// Nothing, as in the paper.
    #[default]
    Ignore,
    /// The dirty blocks that they name are written, and clean from then on.
    Honour,
}

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The block's size in bytes, at least 1.
    pub block_bytes: u32,
    /// What writes do.
    pub write_policy: WritePolicy,
    /// What deletions do.
    pub deletes: Deletes,
    /// What syncs do.
    pub syncs: Syncs,
    /// The first requests that are simulated and not counted.
    pub warm_up_requests: u64,
    /// Requests before this time are simulated and not counted.
    pub warm_up_ns: Option<i64>,
    /// How many inodes share a block, in the order of their first reference (figure 4.9); None where each inode
    /// is a file of its own.
    pub inodes_per_block: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            block_bytes: 4096,
            write_policy: WritePolicy::default(),
            deletes: Deletes::default(),
            syncs: Syncs::default(),
            warm_up_requests: 0,
            warm_up_ns: None,
            inodes_per_block: None,
        }
    }
}

impl Options {
    /// Fail where the settings are invalid.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |reason: &str| Err(Error::of(reason));
        if self.block_bytes == 0 || self.block_bytes > 1 << 30 {
            return refuse("the block size must be from 1 byte to 1 GB");
        }
        if self.inodes_per_block.is_some_and(|inodes| inodes == 0 || inodes > self.block_bytes) {
            return refuse("inodes per block must be from 1 to the block's bytes");
        }
        Ok(())
    }

    /// Fail where slices do not merge with these settings.
    pub fn check_slice(&self) -> Result<(), Error> {
        let refuse = |reason: &str| Err(Error::of(reason));
        if self.write_policy != WritePolicy::Allocate {
            return refuse(
                "a state needs the write policy allocate: with others, writes depend on earlier slices",
            );
        }
        if !self.has_no_warm_up() {
            return refuse("a state cannot have a warm-up, which starts with the trace");
        }
        if self.inodes_per_block.is_some() {
            return refuse(
                "a state cannot have inodes that share blocks: where they lie depends on earlier slices",
            );
        }
        Ok(())
    }

    /// Whether all requests are counted.
    pub fn has_no_warm_up(&self) -> bool {
        self.warm_up_requests == 0 && self.warm_up_ns.is_none()
    }

    /// Whether the warm-up is over with a request of this time, after `requests` others.
    pub fn is_warm(&self, requests: u64, time_ns: Option<i64>) -> Result<bool, String> {
        if let Some(warm_up_ns) = self.warm_up_ns {
            let time_ns = time_ns.ok_or("warm-up by time needs a time stamp at each request")?;
            if time_ns < warm_up_ns {
                return Ok(false);
            }
        }
        Ok(requests >= self.warm_up_requests)
    }
}
