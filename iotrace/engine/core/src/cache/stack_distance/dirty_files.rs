//! Which blocks of each file may be dirty, so that a sync finds them without a look at all blocks.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// The blocks of each file that were written since they were last clean.
///
/// Most files are synced or dropped whole, and their blocks are only collected. Where a range is asked for, the blocks
/// that lie outside it are put in order, once, so that no other range looks at them again.
#[derive(Debug, Default)]
pub struct DirtyFiles {
    /// By file: the blocks noted since a range of it was last taken, and their numbers.
    recent: FxHashMap<u32, Vec<(u64, u32)>>,
    /// The numbers of all other blocks, by file and block.
    ordered: BTreeMap<(u32, u64), u32>,
}

impl DirtyFiles {
    /// Note that a clean block is written.
    pub fn note(&mut self, file: u32, block: u64, number: usize) {
        self.recent.entry(file).or_default().push((block, number as u32));
    }

    /// Take the numbers of a file's blocks in a range. The cost is that of the blocks taken, and of those noted since
    /// the last time.
    pub fn take(&mut self, file: u32, range: Range<u64>) -> Vec<usize> {
        let mut taken = self.take_ordered(file, &range);
        for (block, number) in self.recent.remove(&file).unwrap_or_default() {
            if range.contains(&block) {
                taken.push(number as usize);
            } else {
                self.ordered.insert((file, block), number);
            }
        }
        taken
    }

    fn take_ordered(&mut self, file: u32, range: &Range<u64>) -> Vec<usize> {
        if self.ordered.is_empty() || range.is_empty() {
            return Vec::new();
        }
        let found = self.ordered.range((file, range.start)..(file, range.end));
        let (keys, numbers): (Vec<_>, Vec<_>) = found.map(|(&key, &number)| (key, number as usize)).unzip();
        for key in keys {
            self.ordered.remove(&key);
        }
        numbers
    }

    /// Take the numbers of all blocks, in any order.
    pub fn take_all(&mut self) -> Vec<usize> {
        let recent = std::mem::take(&mut self.recent).into_values().flatten();
        let ordered = std::mem::take(&mut self.ordered).into_iter();
        let numbers = recent.chain(ordered.map(|((_, block), number)| (block, number)));
        numbers.map(|(_, number)| number as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::DirtyFiles;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone)]
    enum Step {
        Note(u32, u64),
        Take(u32, u64, u64),
        TakeAll,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let end = prop_oneof![0..20_u64, Just(u64::MAX)];
        let step = prop_oneof![
            8 => (0..3_u32, 0..20_u64).prop_map(|(file, block)| Step::Note(file, block)),
            3 => (0..3_u32, 0..20_u64, end).prop_map(|(file, start, end)| Step::Take(file, start, end)),
            1 => Just(Step::TakeAll),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn each_dirty_block_is_taken_once_and_with_its_range(steps in steps()) {
            let mut dirty = DirtyFiles::default();
            let mut expected = BTreeMap::new();
            for step in steps {
                let (mut taken, mut wanted) = (Vec::new(), Vec::new());
                let (file, range) = match step {
                    Step::Note(file, block) => {
                        let number = file as usize * 100 + block as usize;
                        if expected.insert((file, block), number).is_none() {
                            dirty.note(file, block, number);
                        }
                        continue;
                    }
                    Step::Take(file, start, end) => {
                        taken.extend(dirty.take(file, start..end));
                        (Some(file), start..end)
                    }
                    Step::TakeAll => {
                        taken.extend(dirty.take_all());
                        (None, 0..u64::MAX)
                    }
                };
                expected.retain(|&(of, block), &mut number| {
                    let is_in = file.is_none_or(|file| file == of) && range.contains(&block);
                    wanted.extend(is_in.then_some(number));
                    !is_in
                });
                taken.sort_unstable();
                prop_assert_eq!(taken, wanted);
            }
        }
    }

    #[test]
    fn blocks_outside_a_range_are_not_looked_at_again() {
        let blocks = 400_000;
        let mut dirty = DirtyFiles::default();
        for block in 0..blocks {
            // as ftruncate grows a file before each write
            assert!(dirty.take(1, block..u64::MAX).is_empty());
            dirty.note(1, block, block as usize);
        }
        for block in 0..blocks {
            assert_eq!(dirty.take(1, block..block + 1), [block as usize]);
        }
    }
}
