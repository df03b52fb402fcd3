//! A set of blocks.

/// Blocks in a word.
const WORD: u32 = 64;

/// A set of blocks, by dense number: a bit for each.
#[derive(Debug, Default)]
pub struct BlockSet {
    bits: Vec<u64>,
}

impl BlockSet {
    /// Grow the table for block numbers below `blocks`.
    pub fn prepare(&mut self, blocks: usize) {
        let words = blocks.div_ceil(WORD as usize);
        if words > self.bits.len() {
            self.bits.resize(words, 0);
        }
    }

    /// Put a block in.
    #[inline(always)]
    pub fn insert(&mut self, block: u32) {
        self.bits[(block / WORD) as usize] |= 1 << (block % WORD);
    }

    /// Whether a block is in it.
    #[inline(always)]
    pub fn contains(&self, block: u32) -> bool {
        self.bits[(block / WORD) as usize] & (1 << (block % WORD)) != 0
    }

    /// Remove a block; return whether it was in it.
    #[inline(always)]
    pub fn remove(&mut self, block: u32) -> bool {
        let word = &mut self.bits[(block / WORD) as usize];
        let bit = 1 << (block % WORD);
        if *word & bit == 0 {
            return false;
        }
        *word &= !bit;
        true
    }

    /// The number of blocks in it.
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
