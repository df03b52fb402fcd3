//! The sizes of objects by key.

use crate::lists::{make_room, prefetch_at};
use arrow_array::Int64Array;

const UNKNOWN: i64 = -1;

/// The first, the last and the largest size of each object, in bytes.
#[derive(Debug, Default)]
pub struct Sizes {
    of: Vec<[i64; 3]>,
    any: bool,
}

impl Sizes {
    /// Make places for this many keys.
    pub fn grow(&mut self, keys: usize) {
        if self.any {
            make_room(&mut self.of, keys);
            self.of.resize(keys, [UNKNOWN; 3]);
        }
    }

    /// Prefetch a key's sizes.
    #[inline(always)]
    pub fn prefetch(&self, key: i64) {
        prefetch_at(&self.of, key as usize);
    }

    /// Take the size in a request; `grow` has made its place, or no size was known before.
    pub fn see(&mut self, key: i64, size: i64) {
        let key = key as usize;
        self.any = true;
        if key >= self.of.len() {
            self.of.resize(key + 1, [UNKNOWN; 3]);
        }
        let [first, last, largest] = &mut self.of[key];
        if *first == UNKNOWN {
            *first = size;
        }
        *last = size;
        *largest = size.max(*largest);
    }

    /// The first, last and largest sizes of some keys, null where they are not known.
    pub fn columns(&self, first: usize, count: usize) -> [Int64Array; 3] {
        [0, 1, 2].map(|kind| {
            let size = |key| self.of.get(key).map(|sizes: &[i64; 3]| sizes[kind]);
            (first..first + count).map(|key| size(key).filter(|&size| size != UNKNOWN)).collect()
        })
    }
}
