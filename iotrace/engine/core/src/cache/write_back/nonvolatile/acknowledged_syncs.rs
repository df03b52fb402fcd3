//! Syncs acknowledged by non-volatile memory: the data are safe there, and must be written to disk before they leave
//! it.

/// Blocks whose data are covered by a sync.
#[derive(Debug, Default)]
pub struct AcknowledgedSyncs {
    /// By block: whether a sync covers its last write.
    acknowledged: Vec<bool>,
    /// By block: the number of its last write.
    written: Vec<u64>,
    writes: u64,
    /// A sync of everything covers all writes up to this one.
    all_up_to: u64,
}

impl AcknowledgedSyncs {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        if blocks > self.acknowledged.len() {
            self.acknowledged.resize(blocks, false);
            self.written.resize(blocks, 0);
        }
    }

    /// A block is written; no sync covers the new data yet.
    pub fn write(&mut self, block: u32) {
        self.writes += 1;
        self.written[block as usize] = self.writes;
        self.acknowledged[block as usize] = false;
    }

    /// A sync covers a block's data.
    pub fn acknowledge(&mut self, block: u32) {
        self.acknowledged[block as usize] = true;
    }

    /// A sync covers everything.
    pub fn acknowledge_all(&mut self) {
        self.all_up_to = self.writes;
    }

    /// Whether a sync covers a block's data.
    pub fn covers(&self, block: u32) -> bool {
        self.acknowledged[block as usize] || self.written[block as usize] <= self.all_up_to
    }
}
