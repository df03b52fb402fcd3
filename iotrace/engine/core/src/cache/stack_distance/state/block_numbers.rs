//! Dense numbers for blocks, whose keys have more bits than the interner's.

use super::super::blocks::MOST_BLOCKS;
use super::super::interner::Interner;
use super::Key;
use crate::error::Error;
use rustc_hash::FxHashMap;

/// Bits of a block's place in its file that the interner takes.
const LOW_BITS: u32 = 32;

/// Gives each block a number, in the order of their first appearance.
#[derive(Debug)]
pub struct BlockNumbers {
    interner: Interner,
    /// The numbers of what the interner does not take of the keys: their files, and the upper bits of their places.
    uppers: FxHashMap<u64, u64>,
    /// The one that was asked for last, and its number.
    former: (u64, u64),
    words: Vec<u64>,
}

impl BlockNumbers {
    /// No numbers yet, with room for this many blocks.
    pub fn with_room(blocks: usize) -> Self {
        BlockNumbers {
            interner: Interner::with_room(blocks),
            uppers: FxHashMap::from_iter([(0, 0)]),
            former: (0, 0),
            words: Vec::new(),
        }
    }

    /// Blocks that have a number.
    pub fn len(&self) -> usize {
        self.interner.len()
    }

    /// Put the numbers of some blocks in place of those in `numbers`.
    ///
    /// # Errors
    /// Where there may be too many blocks.
    pub fn number(&mut self, keys: impl Iterator<Item = Key>, numbers: &mut Vec<u32>) -> Result<(), Error> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.extend(keys.map(|key| self.word(key)));
        numbers.clear();
        numbers.resize(words.len(), 0);
        let numbered = self.interner.numbers(&words, numbers);
        self.words = words;
        numbered.ok_or_else(|| Error::of(format!("more than {MOST_BLOCKS} distinct blocks")))
    }

    #[inline(always)]
    fn word(&mut self, Key { file, block }: Key) -> u64 {
        let upper = u64::from(file) << 32 | block >> LOW_BITS;
        if upper != self.former.0 {
            let next = self.uppers.len() as u64;
            self.former = (upper, *self.uppers.entry(upper).or_insert(next));
        }
        self.former.1 << LOW_BITS | (block & u64::from(u32::MAX))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{BlockNumbers, Key};
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_follow_the_first_appearance(
            keys in prop::collection::vec((0..3_u32, prop_oneof![0..9_u64, any::<u64>(), (0..9_u64).prop_map(|b| b << 32)]), 0..99),
            chunk in 1..20_usize,
        ) {
            let (mut numbers, mut known) = (BlockNumbers::with_room(0), HashMap::new());
            let mut found = Vec::new();
            for keys in keys.chunks(chunk) {
                numbers.number(keys.iter().map(|&(file, block)| Key { file, block }), &mut found).unwrap();
                for (&key, &number) in keys.iter().zip(&found) {
                    let next = known.len() as u32;
                    prop_assert_eq!(*known.entry(key).or_insert(next), number);
                }
            }
            prop_assert_eq!(numbers.len(), known.len());
        }
    }
}
