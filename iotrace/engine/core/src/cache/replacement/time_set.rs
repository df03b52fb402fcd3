//! A set of times whose latest one is found in constant time.

/// Times in a word.
const WORD: usize = 64;

/// A set of numbers below a bound: a bit for each, and above it a bit for each word that is not empty, and so on.
#[derive(Debug)]
pub struct TimeSet {
    /// Levels, from the bits of single times up to one word.
    levels: Vec<Vec<u64>>,
}

impl TimeSet {
    /// An empty set of numbers below `end`.
    pub fn new(end: usize) -> Self {
        let mut levels = Vec::new();
        let mut length = end;
        while length > 1 || levels.is_empty() {
            length = length.div_ceil(WORD).max(1);
            levels.push(vec![0; length]);
        }
        TimeSet { levels }
    }

    /// Add a number.
    #[inline(always)]
    pub fn insert(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / WORD];
            let was_empty = *word == 0;
            *word |= 1 << (place % WORD);
            if !was_empty {
                return;
            }
            place /= WORD;
        }
    }

    /// Whether a number is in the set.
    #[inline(always)]
    pub fn contains(&self, number: u32) -> bool {
        let place = number as usize;
        self.levels[0][place / WORD] & (1 << (place % WORD)) != 0
    }

    /// Remove a number that is in the set.
    #[inline(always)]
    pub fn remove(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / WORD];
            *word &= !(1 << (place % WORD));
            if *word != 0 {
                return;
            }
            place /= WORD;
        }
    }

    /// The largest number.
    #[inline(always)]
    pub fn latest(&self) -> Option<u32> {
        let mut place = 0;
        for level in self.levels.iter().rev() {
            let highest = level[place].checked_ilog2()?;
            place = place * WORD + highest as usize;
        }
        Some(place as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::TimeSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_sorted_set(steps in prop::collection::vec((any::<bool>(), 0..9000_u32), 0..300), end in 9000..9100_usize) {
            let (mut set, mut expected) = (TimeSet::new(end), BTreeSet::new());
            for (insert, number) in steps {
                if insert {
                    set.insert(number);
                    expected.insert(number);
                } else {
                    prop_assert_eq!(set.contains(number), expected.remove(&number));
                    if set.contains(number) {
                        set.remove(number);
                    }
                }
                prop_assert_eq!(set.latest(), expected.last().copied());
            }
        }
    }
}
