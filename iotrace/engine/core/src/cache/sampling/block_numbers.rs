//! Numbers of sampled blocks in their files, without gaps.
//!
//! Blocks of a sample lie far from each other, and caches find blocks near each other in less memory and time.

use crate::cache::stack_distance::KeyNumbers;
use rustc_hash::FxHashMap;

/// The numbers.
#[derive(Debug, Default)]
pub struct BlockNumbers {
    /// By file and block, from 1 on.
    numbers: KeyNumbers,
    /// The last number of each file.
    last: FxHashMap<u32, u32>,
}

impl BlockNumbers {
    /// The number of a block of a file, from 0 on in the order of first touches.
    #[inline(always)]
    pub fn of(&mut self, file: u32, block: u64) -> u32 {
        let number = self.numbers.get(file, block);
        number.unwrap_or_else(|| self.add(file, block)) - 1
    }

    /// Forget the numbers of blocks that do not fulfil a condition.
    pub fn retain(&mut self, is_kept: impl Fn(u32, u64) -> bool) {
        self.numbers.retain(is_kept);
    }

    #[inline(never)]
    fn add(&mut self, file: u32, block: u64) -> u32 {
        let last = self.last.entry(file).or_default();
        *last += 1;
        self.numbers.get_or_add(file, block, *last)
    }
}
