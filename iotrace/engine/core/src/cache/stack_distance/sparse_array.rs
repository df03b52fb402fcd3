//! An array of numbers, zero wherever nothing was stored, that stays small however its keys lie.

use crate::lists::{make_room, prefetch};
use rustc_hash::FxHashMap;

/// Below this part of keys in use (one in this many), a stretch of the array is kept as a hash table.
const DENSITY: u64 = 16;
/// How far beyond a key an array that is extended plainly reaches.
const STEP: usize = 1024;

/// Numbers by key. Dense keys lie in a plain array, and others in a hash table, so that
/// a single large key costs an entry, not an array of its size.
#[derive(Debug, Default, Clone)]
pub struct SparseArray {
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    /// Keys that were ever stored beyond the array's end; a lower bound of the keys in use.
    stored: u64,
    largest: u64,
}

impl SparseArray {
    /// The number at `key`.
    #[inline]
    pub fn get(&self, key: u64) -> u32 {
        match self.dense.get(usize::try_from(key).unwrap_or(usize::MAX)) {
            Some(&value) => value,
            None if self.sparse.is_empty() => 0,
            None => self.sparse.get(&key).copied().unwrap_or(0),
        }
    }

    /// The number at `key`, to be changed.
    #[inline]
    pub fn entry(&mut self, key: u64) -> &mut u32 {
        let index = usize::try_from(key).unwrap_or(usize::MAX);
        if index >= self.dense.len() {
            return self.entry_beyond(key);
        }
        &mut self.dense[index]
    }

    /// The number at `key`, to be changed, if `key` lies in the plain array.
    #[inline(always)]
    pub fn near(&mut self, key: u32) -> Option<&mut u32> {
        self.dense.get_mut(key as usize)
    }

    /// Extend the plain array over `key`, however few keys are in use.
    #[cold]
    pub fn extend_plainly(&mut self, key: u32) {
        let end = key as usize + STEP;
        if self.dense.len() < end {
            make_room(&mut self.dense, end);
            self.dense.resize(end, 0);
        }
    }

    /// Prefetch the number at `key`.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        if let Some(value) = self.dense.get(usize::try_from(key).unwrap_or(usize::MAX)) {
            prefetch(value);
        }
    }

    #[cold]
    fn entry_beyond(&mut self, key: u64) -> &mut u32 {
        if self.sparse.is_empty() || !self.sparse.contains_key(&key) {
            self.stored += 1;
            self.largest = self.largest.max(key);
            self.extend_over(key);
        }
        let index = usize::try_from(key).unwrap_or(usize::MAX);
        if index < self.dense.len() {
            return &mut self.dense[index];
        }
        self.sparse.entry(key).or_insert(0)
    }

    /// Extend the array over `key` if enough of the keys up to there are in use, and if the growth pays for
    /// looking through the hash table.
    fn extend_over(&mut self, key: u64) {
        let end = self.stored.saturating_mul(DENSITY).min(self.largest.saturating_add(1));
        let growth = end.saturating_sub(self.dense.len() as u64);
        if key >= end || growth.saturating_mul(4) < self.sparse.len() as u64 {
            return;
        }
        let Ok(end_index) = usize::try_from(end) else {
            return;
        };
        self.dense.resize(end_index, 0);
        if self.sparse.is_empty() {
            return;
        }
        let dense = &mut self.dense;
        self.sparse.retain(|&key, &mut value| {
            let Some(place) = dense.get_mut(usize::try_from(key).unwrap_or(usize::MAX)) else {
                return true;
            };
            *place = value;
            false
        });
    }

    /// The numbers of dense keys, and all others.
    pub fn parts(&self) -> (&[u32], &FxHashMap<u64, u32>) {
        (&self.dense, &self.sparse)
    }

    /// At least the number of keys in use: what looking through all of them costs.
    pub fn entry_count(&self) -> u64 {
        (self.dense.len() + self.sparse.len()) as u64
    }

    /// All keys with a number other than zero, ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.stored().filter(|&(_, value)| value != 0)
    }

    /// All keys with their numbers, ascending; keys beyond the array only where something was once stored.
    pub fn stored(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let mut beyond: Vec<(u64, u32)> = self.sparse.iter().map(|(&key, &value)| (key, value)).collect();
        beyond.sort_unstable();
        self.dense.iter().enumerate().map(|(key, &value)| (key as u64, value)).chain(beyond)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::SparseArray;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_as_a_map(keys in prop::collection::vec(prop_oneof![0..40_u64, 0..4000_u64, any::<u64>()], 0..400)) {
            let mut array = SparseArray::default();
            let mut map = BTreeMap::new();
            for (value, &key) in (1..).zip(&keys) {
                prop_assert_eq!(array.get(key), map.get(&key).copied().unwrap_or(0));
                *array.entry(key) = value;
                map.insert(key, value);
            }
            prop_assert!(array.dense.len() as u64 <= super::DENSITY * (keys.len() as u64));
            prop_assert_eq!(array.entries().collect::<Vec<_>>(), map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_large_key_costs_one_entry() {
        let mut array = SparseArray::default();
        *array.entry(1 << 60) = 7;
        for key in 0..1000 {
            *array.entry(key) = 1;
        }
        assert!(array.dense.len() <= 1000 + super::DENSITY as usize);
        assert_eq!((array.sparse.len(), array.get(1 << 60)), (1, 7));
    }
}
