//! Dense numbers for 64-bit keys, in the order of their first use.
//!
//! Keys lie in buckets of a cache line, in the order of their hashes while the buckets have room. So the table
//! grows in place: from its end on, each bucket's keys move further up.

use super::processor::Processor;
use crate::lists::{filled, make_room, prefetch_at};

/// Keys in a bucket: as many as a cache line of the processor takes with their numbers.
const KEYS: usize = 5;
/// The fewest buckets.
const MINIMUM_BUCKETS: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// Of the table's places, at most 4 in 5 are used.
const LOAD: (usize, usize) = (4, 5);
/// How many keys ahead a bucket is prefetched.
const AHEAD: usize = 32;

/// Some keys and their numbers. Places are filled from the first on.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    keys: [u64; KEYS],
    numbers: [u32; KEYS],
    used: u32,
}

impl Bucket {
    /// The place that has a key, or else the first free one; None where neither is there.
    #[inline(always)]
    fn place(&self, key: u64) -> Option<usize> {
        let mut places = 0_u32;
        for place in 0..KEYS {
            places |= u32::from(self.keys[place] == key) << place;
        }
        // the places in use, if they have the key, and the one after them
        let place = (places & ((1 << self.used) - 1) | 1 << self.used).trailing_zeros() as usize;
        (place < KEYS).then_some(place)
    }

    /// Add a key; false where there is no room.
    #[inline(always)]
    fn add(&mut self, key: u64, number: u32) -> bool {
        let place = self.used as usize;
        if place == KEYS {
            return false;
        }
        (self.keys[place], self.numbers[place]) = (key, number);
        self.used += 1;
        true
    }
}

/// Gives each key a number.
#[derive(Debug)]
pub struct Interner {
    buckets: Vec<Bucket>,
    used: u32,
    /// Whether each key so far is its own number, as those of a store are: the table has none of them.
    are_own: bool,
    processor: Processor,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::with_room(0)
    }
}

/// The bucket, of `buckets`, that a key is looked for first.
#[inline(always)]
fn home(key: u64, buckets: usize) -> usize {
    let mixed = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(mixed) * buckets as u128) >> 64) as usize
}

/// The buckets that this many keys need.
fn buckets_of(keys: usize) -> usize {
    (keys * LOAD.1).div_ceil(KEYS * LOAD.0).max(MINIMUM_BUCKETS)
}

impl Interner {
    /// An empty table that takes this many keys before it grows.
    pub fn with_room(keys: usize) -> Self {
        let buckets = filled(buckets_of(keys), Bucket::default());
        Interner { buckets, used: 0, are_own: true, processor: Processor::default() }
    }

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
        let own = if self.are_own { self.own_numbers(keys, numbers) } else { 0 };
        if own == keys.len() {
            return Some(());
        }
        if self.are_own {
            self.enter_own(most);
        }
        while most * LOAD.1 > self.buckets.len() * KEYS * LOAD.0 {
            self.grow();
        }
        self.processor.run(|| self.look_up(&keys[own..], &mut numbers[own..]));
        Some(())
    }

    /// Number the first keys, as long as each is its own number; return how many they are.
    fn own_numbers(&mut self, keys: &[u64], numbers: &mut [u32]) -> usize {
        for (place, (&key, number)) in keys.iter().zip(numbers).enumerate() {
            if key > u64::from(self.used) {
                return place;
            }
            *number = key as u32;
            self.used += u32::from(key == u64::from(self.used));
        }
        keys.len()
    }

    /// Put the keys that are their own numbers into a table for at least `most` keys.
    #[cold]
    #[inline(never)]
    fn enter_own(&mut self, most: usize) {
        let own = std::mem::take(&mut self.used);
        let count = buckets_of(most).max(self.buckets.len());
        if count > self.buckets.len() {
            self.buckets = filled(count, Bucket::default());
        }
        for key in 0..own {
            self.number(u64::from(key), count);
        }
        self.are_own = false;
    }

    #[inline(always)]
    fn look_up(&mut self, keys: &[u64], numbers: &mut [u32]) {
        let count = self.buckets.len();
        for (place, (&key, number)) in keys.iter().zip(numbers).enumerate() {
            if let Some(&ahead) = keys.get(place + AHEAD) {
                let ahead = home(ahead, count);
                prefetch_at(&self.buckets, ahead);
                // where the first is full
                prefetch_at(&self.buckets, ahead + 1);
            }
            *number = self.number(key, count);
        }
    }

    #[inline(always)]
    fn number(&mut self, key: u64, count: usize) -> u32 {
        let mut index = home(key, count);
        loop {
            let bucket = &mut self.buckets[index];
            if let Some(place) = bucket.place(key) {
                // whether it is new is not for the processor to guess
                let is_new = place as u32 == bucket.used;
                let number = if is_new { self.used } else { bucket.numbers[place] };
                (bucket.keys[place], bucket.numbers[place]) = (key, number);
                bucket.used += u32::from(is_new);
                self.used += u32::from(is_new);
                return number;
            }
            index = if index + 1 == count { 0 } else { index + 1 };
        }
    }

    /// Add a sixth of the buckets.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let former = self.buckets.len();
        let count = former + former.div_ceil(6);
        make_room(&mut self.buckets, count);
        self.buckets.resize(count, Bucket::default());
        // keys that lie beyond the buckets that they are looked for in, and those that find no room up to the end
        let mut rest = Vec::new();
        for index in (0..former).rev() {
            let Bucket { keys, numbers, used } = std::mem::take(&mut self.buckets[index]);
            for (key, number) in keys.into_iter().zip(numbers).take(used as usize) {
                let first = home(key, count);
                let moved =
                    first > index && self.buckets[first..].iter_mut().any(|bucket| bucket.add(key, number));
                if !moved {
                    rest.push((key, number));
                }
            }
        }
        for (key, number) in rest {
            let (below, above) = self.buckets.split_at_mut(home(key, count));
            let mut places = above.iter_mut().chain(below);
            let _found = places.any(|bucket| bucket.add(key, number));
            debug_assert!(_found, "the table has room");
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
            keys in prop::collection::vec(prop_oneof![0..40_u64, 0..300_u64, any::<u64>(), Just(u64::MAX)], 0..600),
            own in 0..200_u64,
            batch in 1..100_usize,
        ) {
            let keys: Vec<u64> = (0..own).chain(keys).collect();
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
