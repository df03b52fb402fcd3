//! The blocks that a crash would lose.

use rustc_hash::FxHashMap;

/// Since when blocks have been at risk, which were written since their file was synced, and the longest time at risk.
#[derive(Debug, Default)]
pub struct Risk {
    /// By block: since when it has been at risk, if it is.
    since_ns: Vec<i64>,
    /// By block: whether it is in its file's list.
    listed: Vec<bool>,
    /// Blocks written since their file was synced.
    by_file: FxHashMap<u32, Vec<u32>>,
    /// The longest time for which a block was at risk.
    pub longest_ns: i64,
}

impl Risk {
    /// Grow the tables for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        if blocks > self.listed.len() {
            self.since_ns.resize(blocks, 0);
            self.listed.resize(blocks, false);
        }
    }

    /// A block of a file gets new data.
    pub fn note_write(&mut self, block: u32, file: u32) {
        if !std::mem::replace(&mut self.listed[block as usize], true) {
            self.by_file.entry(file).or_default().push(block);
        }
    }

    /// A block becomes at risk.
    pub fn begin(&mut self, block: u32, now_ns: i64) {
        self.since_ns[block as usize] = now_ns;
    }

    /// Since when a block has been at risk.
    pub fn since_ns(&self, block: u32) -> i64 {
        self.since_ns[block as usize]
    }

    /// A block is no longer at risk, or the trace ends.
    pub fn end(&mut self, block: u32, now_ns: i64, counting: bool) {
        if counting {
            self.longest_ns = self.longest_ns.max(now_ns - self.since_ns(block));
        }
    }

    /// Remove and return the blocks of a file written since its last sync; some may no longer be dirty.
    pub fn take_file(&mut self, file: u32) -> Vec<u32> {
        let blocks = self.by_file.remove(&file).unwrap_or_default();
        for &block in &blocks {
            self.listed[block as usize] = false;
        }
        blocks
    }
}
