//! When an idle disk purges a cache (sections 2.2 and 4.7 of the paper).

use super::settings::{Settings, WHOLE};

/// The thresholds of one cache, in blocks, and whether its purge-request flag is up.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    capacity: u64,
    /// More dirty blocks than this raise the flag.
    pub high_blocks: u64,
    /// Fewer than this lower it.
    pub low_blocks: u64,
    raised: bool,
}

impl Thresholds {
    pub fn new(settings: &Settings, capacity: u32) -> Self {
        let (high, low) = settings.watermarks();
        let capacity = u64::from(capacity);
        Thresholds {
            capacity,
            high_blocks: capacity * high / WHOLE,
            low_blocks: (capacity * low).div_ceil(WHOLE),
            raised: false,
        }
    }

    /// Set the high threshold to the share of blocks written, and the low one to a part of that; no change if nothing
    /// was read or written.
    pub fn adapt(&mut self, read: u64, written: u64, low_share: u64) {
        let (written, all) = (u128::from(written), u128::from(read + written));
        if all == 0 {
            return;
        }
        let high = u128::from(self.capacity) * written;
        self.high_blocks = (high / all) as u64;
        self.low_blocks = (high * u128::from(low_share)).div_ceil(all * u128::from(WHOLE)) as u64;
    }

    /// The number of dirty blocks may have changed.
    pub fn note(&mut self, dirty: u32) {
        let dirty = u64::from(dirty);
        if dirty > self.high_blocks {
            self.raised = true;
        } else if dirty < self.low_blocks || dirty == 0 {
            self.raised = false;
        }
    }

    pub fn are_raised(&self) -> bool {
        self.raised
    }

    /// Whether a unit `distance` cylinders away may be purged when `dirty` blocks are dirty: the allowed distance, as
    /// a part of all cylinders, grows linearly from the low threshold to the high one.
    pub fn allow(&self, dirty: u32, distance: u32, cylinders: u32) -> bool {
        let dirty = u64::from(dirty);
        if dirty <= self.low_blocks {
            return false;
        }
        let range = self.high_blocks.saturating_sub(self.low_blocks);
        u128::from(distance) * u128::from(range)
            <= u128::from(cylinders) * u128::from(dirty - self.low_blocks)
    }
}
