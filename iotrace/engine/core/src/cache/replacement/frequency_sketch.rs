//! How often blocks were referenced of late, estimated in little memory.

use crate::lists::prefetch;

/// Counters in a word, and the words of a group, which is as large as a line of the processor's cache.
const COUNTERS: u32 = 16;
const WORDS: usize = 8;
/// A block has a counter in each of this number of pairs of words.
const ROWS: u32 = 4;
const LARGEST: u64 = 15;
const LOWEST_BITS: u64 = 0x1111_1111_1111_1111;
const HALVES: u64 = 0x7777_7777_7777_7777;
/// References, for each block of the cache, after which all counts are halved.
const SAMPLE: u64 = 10;

/// A count-min sketch (Cormode and Muthukrishnan, Journal of Algorithms 55(1), 2005) of four rows of 4-bit counters,
/// halved after ten references for each block of the cache (Einziger, Friedman and Manes 2017, 3.3: reset).
///
/// This is the sketch of Caffeine 3.1. It has a word of 16 counters for each block of the cache, rounded up to a power of
/// two. Eight words form a group; a block's hash chooses its group, and there one of the 32 counters of each row. A
/// reference adds 1 to the block's four counters below 15, and counts towards the sample if there is one; the estimate
/// is the smallest. Halving rounds down, and takes off the sample what it rounded off. The hash is triple32 of Wellons,
/// Hash Prospector; its third multiplication comes after the choice of the group.
#[derive(Debug)]
pub struct FrequencySketch {
    groups: Vec<[u64; WORDS]>,
    added: u64,
    sample: u64,
}

/// Where a block's counters are: the group, and the bits that choose in it.
struct CounterPosition {
    group: usize,
    choice: u32,
}

impl FrequencySketch {
    /// A sketch for a cache of `size` blocks, all counts 0.
    pub fn new(size: u32) -> Self {
        let groups = (size as usize).next_power_of_two().div_ceil(WORDS);
        FrequencySketch { groups: vec![[0; WORDS]; groups], added: 0, sample: SAMPLE * u64::from(size) }
    }

    /// Its words of 16 counters.
    pub fn words(&self) -> usize {
        self.groups.len() * WORDS
    }

    #[inline(always)]
    fn position(&self, block: u32) -> CounterPosition {
        let mut hash = block;
        hash = (hash ^ (hash >> 17)).wrapping_mul(0xed5a_d4bb);
        hash = (hash ^ (hash >> 11)).wrapping_mul(0xac4c_1b51);
        hash ^= hash >> 15;
        let choice = hash.wrapping_mul(0x3184_8bab);
        CounterPosition { group: hash as usize & (self.groups.len() - 1), choice: choice ^ (choice >> 14) }
    }

    /// Prefetch a block's counters.
    #[inline(always)]
    pub fn prefetch_entry(&self, block: u32) {
        prefetch(&self.groups[self.position(block).group]);
    }

    /// Count a reference.
    #[inline(always)]
    pub fn add(&mut self, block: u32) {
        let CounterPosition { group, choice } = self.position(block);
        let words = &mut self.groups[group];
        let mut added = false;
        for row in 0..ROWS {
            let (word, shift) = counter(choice, row);
            if (words[word] >> shift) & LARGEST != LARGEST {
                words[word] += 1 << shift;
                added = true;
            }
        }
        self.added += u64::from(added);
        if added && self.added == self.sample {
            self.halve();
        }
    }

    /// The estimate of a block's references.
    #[inline(always)]
    pub fn estimate(&self, block: u32) -> u64 {
        let CounterPosition { group, choice } = self.position(block);
        let words = &self.groups[group];
        (0..ROWS).fold(LARGEST, |least, row| {
            let (word, shift) = counter(choice, row);
            least.min((words[word] >> shift) & LARGEST)
        })
    }

    #[cold]
    fn halve(&mut self) {
        let mut odd = 0;
        for word in self.groups.iter_mut().flatten() {
            odd += u64::from((*word & LOWEST_BITS).count_ones());
            *word = (*word >> 1) & HALVES;
        }
        self.added = (self.added - odd / u64::from(ROWS)) / 2;
    }
}

/// The word in the group and the bit in the word at which a row's counter starts.
#[inline(always)]
fn counter(choice: u32, row: u32) -> (usize, u32) {
    let byte = choice >> (8 * row);
    ((2 * row + (byte & 1)) as usize, (byte >> 1) % COUNTERS * 4)
}

#[cfg(test)]
mod tests {
    use super::FrequencySketch;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_estimate_is_never_too_small_before_counts_are_halved(
            blocks in prop::collection::vec(0..40_u32, 0..300),
            size in 30..200_u32,
        ) {
            let mut sketch = FrequencySketch::new(size);
            blocks.iter().for_each(|&block| sketch.add(block));
            for block in 0..40 {
                let counted = blocks.iter().filter(|&&other| other == block).count() as u64;
                prop_assert!(sketch.estimate(block) >= counted.min(15));
            }
        }
    }

    #[test]
    fn counts_are_halved_after_a_sample() {
        let mut sketch = FrequencySketch::new(1);
        (0..9).for_each(|_| sketch.add(7));
        assert_eq!(sketch.estimate(7), 9);
        sketch.add(7);
        assert_eq!(sketch.estimate(7), 5);
    }
}
