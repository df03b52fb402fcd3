//! Which blocks are sampled, and their group.

use crate::error::Error;

/// Hashes of (file, block) by a seed.
#[derive(Debug, Clone, Copy)]
pub struct BlockHash {
    seed: u64,
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of the result depends on all bits.
#[inline(always)]
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl BlockHash {
    /// The hash of a seed.
    pub fn new(seed: u64) -> Self {
        BlockHash { seed: mixed(seed.wrapping_add(GOLDEN)) }
    }

    /// What the hashes of a file's blocks have in common.
    #[inline(always)]
    pub fn of_file(self, file: u32) -> FileHash {
        FileHash(mixed(self.seed ^ u64::from(file).wrapping_mul(GOLDEN)))
    }
}

/// Hashes of one file's blocks.
#[derive(Debug, Clone, Copy)]
pub struct FileHash(u64);

impl FileHash {
    /// The hash of a block.
    #[inline(always)]
    pub fn of_block(self, block: u64) -> u64 {
        mixed(self.0 ^ block.wrapping_mul(GOLDEN))
    }
}

/// The largest hash that a rate samples; fails for a rate that is not above 0 and at most 1.
pub fn largest_hash(rate: f64) -> Result<u64, Error> {
    if !(rate > 0.0 && rate <= 1.0) {
        return Err(Error::of(format!("a sampling rate is above 0 and at most 1, not {rate}")));
    }
    let hashes = rate * 2_f64.powi(64);
    Ok(if hashes >= 2_f64.powi(64) { u64::MAX } else { (hashes as u64).max(1) - 1 })
}

/// The part of all hashes up to the largest.
pub fn rate_of(largest: u64) -> f64 {
    (largest as f64 + 1.0) / 2_f64.powi(64)
}
