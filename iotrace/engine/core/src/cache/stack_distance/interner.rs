//! Dense numbers for 64-bit keys, in the order of their first use.

use crate::lists::{ask_for_huge_pages, prefetch};

/// Keys in a bucket: as many as a cache line of the processor takes with their numbers.
const KEYS: usize = 5;
/// The fewest buckets.
const MINIMUM_BUCKETS: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// Of the table's places, at most 4 in 5 are used.
const LOAD: (usize, usize) = (4, 5);
/// How many keys ahead a bucket is prefetched.
const AHEAD: usize = 32;

/// Some keys and their numbers, plus one each; 0 where there is none. Places are filled from the first on.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    keys: [u64; KEYS],
    numbers: [u32; KEYS],
}

impl Bucket {
    /// The place that has a key, or the first free one; None where neither is there.
    #[inline(always)]
    fn place(&self, key: u64) -> Option<usize> {
        let mut places = 0_u32;
        for place in 0..KEYS {
            let fits = (self.keys[place] == key) | (self.numbers[place] == 0);
            places |= u32::from(fits) << place;
        }
        (places != 0).then(|| places.trailing_zeros() as usize)
    }
}

/// Gives each key a number.
#[derive(Debug)]
pub struct Interner {
    buckets: Vec<Bucket>,
    used: u32,
}

impl Default for Interner {
    fn default() -> Self {
        Interner { buckets: vec![Bucket::default(); MINIMUM_BUCKETS], used: 0 }
    }
}

/// The bucket, of `buckets`, that a key is looked for first.
#[inline(always)]
fn home(key: u64, buckets: usize) -> usize {
    let mixed = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(mixed) * buckets as u128) >> 64) as usize
}

impl Interner {
    /// The number of keys so far.
    pub fn len(&self) -> usize {
        self.used as usize
    }

    /// Whether there was no key yet.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Put the number of each key, from 0, into its place in `numbers`, which has as many. None, and nothing done,
    /// where there might be more than 2³¹ − 1 keys.
    pub fn numbers(&mut self, keys: &[u64], numbers: &mut [u32]) -> Option<()> {
        let most = self.len() + keys.len();
        if most >= 1 << 31 {
            return None;
        }
        while most * LOAD.1 > self.buckets.len() * KEYS * LOAD.0 {
            self.grow();
        }
        let count = self.buckets.len();
        for (place, (&key, number)) in keys.iter().zip(numbers).enumerate() {
            if let Some(&ahead) = keys.get(place + AHEAD) {
                prefetch(&self.buckets[home(ahead, count)]);
            }
            *number = self.number(key, count);
        }
        Some(())
    }

    #[inline(always)]
    fn number(&mut self, key: u64, count: usize) -> u32 {
        let mut index = home(key, count);
        loop {
            let bucket = &mut self.buckets[index];
            if let Some(place) = bucket.place(key) {
                let number = &mut bucket.numbers[place];
                if *number == 0 {
                    self.used += 1;
                    *number = self.used;
                    bucket.keys[place] = key;
                }
                return *number - 1;
            }
            index = if index + 1 == count { 0 } else { index + 1 };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let count = self.buckets.len() + self.buckets.len() / 2;
        let mut buckets = Vec::with_capacity(count);
        ask_for_huge_pages(&buckets);
        buckets.resize(count, Bucket::default());
        for bucket in std::mem::replace(&mut self.buckets, buckets) {
            for (key, number) in bucket.keys.into_iter().zip(bucket.numbers) {
                if number != 0 {
                    self.insert(key, number);
                }
            }
        }
    }

    fn insert(&mut self, key: u64, number: u32) {
        let count = self.buckets.len();
        let mut index = home(key, count);
        loop {
            let bucket = &mut self.buckets[index];
            if let Some(place) = bucket.numbers.iter().position(|&number| number == 0) {
                (bucket.keys[place], bucket.numbers[place]) = (key, number);
                return;
            }
            index = if index + 1 == count { 0 } else { index + 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_follow_the_first_uses(
            keys in prop::collection::vec(prop_oneof![0..40_u64, any::<u64>(), Just(u64::MAX)], 0..600),
            batch in 1..100_usize,
        ) {
            let (mut interner, mut known) = (Interner::default(), HashMap::new());
            for chunk in keys.chunks(batch) {
                let mut numbers = vec![0; chunk.len()];
                prop_assert!(interner.numbers(chunk, &mut numbers).is_some());
                for (&key, &number) in chunk.iter().zip(&numbers) {
                    let next = known.len() as u32;
                    prop_assert_eq!(*known.entry(key).or_insert(next), number);
                }
            }
            prop_assert_eq!(interner.len(), known.len());
        }
    }
}
