//! The sizes of objects by key.

use crate::lists::{make_room, prefetch_at};
use arrow_array::Int64Array;

/// The first, the last and the largest size of each object, in bytes: of 32 bits until one needs 64. There are no places
/// for keys until a size is known.
#[derive(Debug)]
pub enum Sizes {
    Narrow(Vec<[u32; 3]>),
    Wide(Vec<[u64; 3]>),
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes::Narrow(Vec::new())
    }
}

/// A number whose largest value stands for a size that is not known.
trait Size: Copy + Ord {
    const UNKNOWN: Self;
}

impl Size for u32 {
    const UNKNOWN: Self = u32::MAX;
}

impl Size for u64 {
    const UNKNOWN: Self = u64::MAX;
}

fn grow<T: Size>(of: &mut Vec<[T; 3]>, keys: usize) {
    make_room(of, keys);
    of.resize(keys, [T::UNKNOWN; 3]);
}

#[inline(always)]
fn see<T: Size>(of: &mut Vec<[T; 3]>, key: usize, size: T) {
    if key >= of.len() {
        grow(of, key + 1);
    }
    let [first, last, largest] = &mut of[key];
    if *first == T::UNKNOWN {
        *first = size;
        *largest = size;
    }
    *last = size;
    *largest = size.max(*largest);
}

fn known<T: Size>(of: &[[T; 3]], key: usize, kind: usize) -> Option<T> {
    of.get(key).map(|sizes| sizes[kind]).filter(|&size| size != T::UNKNOWN)
}

impl Sizes {
    /// Make places for this many keys, if a size is known.
    pub fn grow(&mut self, keys: usize) {
        match self {
            Sizes::Narrow(of) if !of.is_empty() => grow(of, keys),
            Sizes::Wide(of) => grow(of, keys),
            Sizes::Narrow(_) => {}
        }
    }

    /// Prefetch a key's sizes.
    #[inline(always)]
    pub fn prefetch(&self, key: i64) {
        match self {
            Sizes::Narrow(of) => prefetch_at(of, key as usize),
            Sizes::Wide(of) => prefetch_at(of, key as usize),
        }
    }

    /// Take the size in a request; `grow` has made its place, or no size was known before.
    #[inline(always)]
    pub fn see(&mut self, key: i64, size: i64) {
        if let Sizes::Narrow(of) = self {
            match u32::try_from(size) {
                Ok(size) if size != u32::UNKNOWN => return see(of, key as usize, size),
                _ => self.widen(),
            }
        }
        if let Sizes::Wide(of) = self {
            see(of, key as usize, size as u64);
        }
    }

    #[cold]
    #[inline(never)]
    fn widen(&mut self) {
        if let Sizes::Narrow(narrow) = self {
            let wide = |size| if size == u32::UNKNOWN { u64::UNKNOWN } else { u64::from(size) };
            *self = Sizes::Wide(narrow.iter().map(|sizes| sizes.map(wide)).collect());
        }
    }

    /// The first, last and largest sizes of some keys, null where they are not known.
    pub fn columns(&self, first: usize, count: usize) -> [Int64Array; 3] {
        [0, 1, 2].map(|kind| {
            let size = |key| match self {
                Sizes::Narrow(of) => known(of, key, kind).map(i64::from),
                Sizes::Wide(of) => known(of, key, kind).map(|size| size as i64),
            };
            (first..first + count).map(size).collect()
        })
    }
}
