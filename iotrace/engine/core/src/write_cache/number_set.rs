//! A set of small numbers with their order: bits, and above them bits that say which words have any.

#[derive(Debug)]
pub struct NumberSet {
    levels: Vec<Vec<u64>>,
}

impl NumberSet {
    /// An empty set for the numbers 0 to `numbers` − 1.
    pub fn new(numbers: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = numbers.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return NumberSet { levels };
            }
            words = words.div_ceil(64);
        }
    }

    pub fn insert(&mut self, number: u32) {
        let mut at = number as usize;
        for level in &mut self.levels {
            level[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
    }

    pub fn remove(&mut self, number: u32) {
        let mut at = number as usize;
        for level in &mut self.levels {
            level[at / 64] &= !(1 << (at % 64));
            if level[at / 64] != 0 {
                return;
            }
            at /= 64;
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        self.levels[0][number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// The least number that is `from` or more.
    pub fn at_or_after(&self, from: u32) -> Option<u32> {
        let mut at = from as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let word = level.get(at / 64)? & (u64::MAX << (at % 64));
            if word != 0 {
                let found = at / 64 * 64 + word.trailing_zeros() as usize;
                return Some(self.descend(height, found, |word| word.trailing_zeros()));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// The greatest number less than `from`.
    pub fn before(&self, from: u32) -> Option<u32> {
        let mut at = from as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let bits = !(u64::MAX << (at % 64));
            let word = level.get(at / 64).map_or(0, |word| word & bits);
            if word != 0 {
                let found = at / 64 * 64 + 63 - word.leading_zeros() as usize;
                return Some(self.descend(height, found, |word| 63 - word.leading_zeros()));
            }
            at /= 64;
        }
        None
    }

    fn descend(&self, height: usize, found: usize, end: impl Fn(u64) -> u32) -> u32 {
        let below = self.levels[..height].iter().rev();
        below.fold(found, |at, level| at * 64 + end(level[at]) as usize) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::NumberSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_an_ordered_set(steps in prop::collection::vec((0u32..5000, any::<bool>(), 0u32..5000), 1..200)) {
            let (mut set, mut oracle) = (NumberSet::new(5000), BTreeSet::new());
            for (number, insert, from) in steps {
                if insert { set.insert(number); oracle.insert(number); } else { set.remove(number); oracle.remove(&number); }
                prop_assert_eq!(set.contains(from), oracle.contains(&from));
                prop_assert_eq!(set.at_or_after(from), oracle.range(from..).next().copied());
                prop_assert_eq!(set.before(from), oracle.range(..from).next_back().copied());
            }
        }
    }
}
