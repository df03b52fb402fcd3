//! The numbers of a few blocks of many, by file and block.
//!
//! An open hash table of plain entries: a look-up reads one line of the processor's cache, which can be prefetched, and
//! to forget all blocks keeps the room.

use crate::lists::prefetch;
use rustc_hash::FxHashMap;

/// The fewest entries.
const FEWEST: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// A block that has a number, which is not 0.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    block: u64,
    file: u32,
    number: u32,
}

/// The numbers.
#[derive(Debug, Default)]
pub struct KeyNumbers {
    /// A power of two of entries, of which at most half have a block; none before the first.
    entries: Vec<Entry>,
    used: usize,
    /// Block and number by file, from the first question on that needs them.
    by_file: Option<FxHashMap<u32, Vec<(u64, u32)>>>,
}

impl KeyNumbers {
    /// The number of a block that has one.
    #[inline(always)]
    pub fn get(&self, file: u32, block: u64) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let entry = &self.entries[self.place(file, block)];
        (entry.number != 0).then_some(entry.number)
    }

    /// The number of a block, which is `next` if it had none.
    #[inline(always)]
    pub fn get_or_add(&mut self, file: u32, block: u64, next: u32) -> u32 {
        if 2 * self.used >= self.entries.len() {
            self.grow();
        }
        let place = self.place(file, block);
        let entry = &mut self.entries[place];
        if entry.number == 0 {
            *entry = Entry { block, file, number: next };
            self.used += 1;
            if let Some(by_file) = &mut self.by_file {
                by_file.entry(file).or_default().push((block, next));
            }
        }
        entry.number
    }

    /// Prefetch where a block's number is found.
    #[inline(always)]
    pub fn prefetch(&self, file: u32, block: u64) {
        self.entries.get(self.first_place(file, block)).into_iter().for_each(prefetch);
    }

    /// File, block and number of each block, in any order.
    fn iter(&self) -> impl Iterator<Item = (u32, u64, u32)> + '_ {
        let entries = self.entries.iter().filter(|entry| entry.number != 0);
        entries.map(|entry| (entry.file, entry.block, entry.number))
    }

    /// The numbers of a file's blocks from one on, in their order.
    pub fn of_file(&mut self, file: u32, from: u64) -> Vec<usize> {
        let entries = &self.entries;
        let by_file = self.by_file.get_or_insert_with(|| {
            let mut by_file = FxHashMap::<_, Vec<_>>::default();
            for entry in entries.iter().filter(|entry| entry.number != 0) {
                by_file.entry(entry.file).or_default().push((entry.block, entry.number));
            }
            by_file
        });
        let of_file = by_file.get(&file).into_iter().flatten();
        let mut numbers: Vec<_> = of_file.copied().filter(|(block, _)| *block >= from).collect();
        numbers.sort_unstable();
        numbers.into_iter().map(|(_, number)| number as usize).collect()
    }

    /// Forget all blocks.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
        self.used = 0;
        self.by_file = None;
    }

    /// Keep the blocks that fulfil a condition.
    pub fn retain(&mut self, is_kept: impl Fn(u32, u64) -> bool) {
        let all = std::mem::take(self);
        for (file, block, number) in all.iter().filter(|&(file, block, _)| is_kept(file, block)) {
            self.get_or_add(file, block, number);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = vec![Entry::default(); (2 * self.entries.len()).max(FEWEST)];
        let former = std::mem::replace(&mut self.entries, larger);
        for entry in former.into_iter().filter(|entry| entry.number != 0) {
            let place = self.place(entry.file, entry.block);
            self.entries[place] = entry;
        }
    }

    /// Where a block is, or is to be.
    #[inline(always)]
    fn place(&self, file: u32, block: u64) -> usize {
        let last = self.entries.len() - 1;
        let mut place = self.first_place(file, block);
        loop {
            let entry = &self.entries[place];
            if entry.number == 0 || (entry.block == block && entry.file == file) {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    /// Where to begin to look for a block.
    #[inline(always)]
    fn first_place(&self, file: u32, block: u64) -> usize {
        let key = block ^ u64::from(file).rotate_left(40);
        let hash = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> 32) as usize & self.entries.len().wrapping_sub(1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::KeyNumbers;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn they_are_those_of_a_map(
            steps in prop::collection::vec((0..3_u32, prop_oneof![0..40_u64, any::<u64>()], 0..40_u8), 0..300),
        ) {
            let (mut numbers, mut map) = (KeyNumbers::default(), BTreeMap::new());
            for (next, (file, block, what)) in (1..).zip(steps) {
                match what {
                    0 => {
                        numbers.clear();
                        map.clear();
                    }
                    1 => {
                        numbers.retain(|file, block| file != 1 || block % 3 == 0);
                        map.retain(|&(file, block), _| file != 1 || block % 3 == 0);
                    }
                    2 => {
                        let of_file = map.range((file, block)..=(file, u64::MAX));
                        let of_file: Vec<usize> = of_file.map(|(_, &number)| number as usize).collect();
                        prop_assert_eq!(numbers.of_file(file, block), of_file);
                    }
                    _ => {
                        let number = *map.entry((file, block)).or_insert(next);
                        prop_assert_eq!(numbers.get_or_add(file, block, next), number);
                    }
                }
                prop_assert_eq!(numbers.get(file, block), map.get(&(file, block)).copied());
                let all: BTreeMap<_, _> = numbers.iter().map(|(file, block, number)| ((file, block), number)).collect();
                prop_assert_eq!(&all, &map);
            }
        }
    }
}
