//! Names as numbers, in the order of first sight.

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// How many short texts are found without the table, a power of 2.
const RECENT: usize = 64;
/// The longest of them.
const SHORT: usize = 8;

/// Distinct texts of a few bytes.
#[derive(Debug)]
pub struct Names {
    numbers: HashTable<i32>,
    texts: Vec<Box<[u8]>>,
    /// Short texts as a number, 0 for none, with theirs.
    recent: [(u64, i32); RECENT],
    /// The number of the last text that was looked up, which often comes again.
    last: i32,
}

impl Default for Names {
    fn default() -> Self {
        Names { numbers: HashTable::new(), texts: Vec::new(), recent: [(0, 0); RECENT], last: 0 }
    }
}

impl Names {
    /// The number of a text.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> i32 {
        let Some(short) = short(text) else {
            return self.looked_up(text);
        };
        let place =
            (short.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT.trailing_zeros())) as usize;
        let (known, number) = self.recent[place];
        if known == short {
            return number;
        }
        let number = self.looked_up(text);
        self.recent[place] = (short, number);
        number
    }

    fn looked_up(&mut self, text: &[u8]) -> i32 {
        let Names { numbers, texts, last, .. } = self;
        if texts.get(*last as usize).is_some_and(|known| **known == *text) {
            return *last;
        }
        let hash = hash_of(text);
        let known = numbers.find(hash, |&number| *texts[number as usize] == *text).copied();
        *last = known.unwrap_or_else(|| {
            // a block of text has fewer names than 31 bits count
            let number = texts.len() as i32;
            texts.push(text.into());
            numbers.insert_unique(hash, number, |&number| hash_of(&texts[number as usize]));
            number
        });
        *last
    }

    /// All texts, by their numbers.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|text| &**text)
    }
}

/// Keys of a few bytes as numbers, in the order of first sight; one often comes again at once.
#[derive(Debug)]
pub struct Keys<K> {
    numbers: FxHashMap<K, i32>,
    all: Vec<K>,
    last: i32,
}

impl<K> Default for Keys<K> {
    fn default() -> Self {
        Keys { numbers: FxHashMap::default(), all: Vec::new(), last: 0 }
    }
}

impl<K: Copy + Eq + Hash> Keys<K> {
    /// The number of a key.
    #[inline]
    pub fn number(&mut self, key: K) -> i32 {
        if self.all.get(self.last as usize) != Some(&key) {
            // a block of text has fewer keys than 31 bits count
            let next = self.all.len() as i32;
            self.last = *self.numbers.entry(key).or_insert(next);
            if self.last == next {
                self.all.push(key);
            }
        }
        self.last
    }

    /// All keys, by their numbers.
    pub fn all(&self) -> &[K] {
        &self.all
    }
}

/// A text of 1 to 8 bytes as a number, different for each; None for others, and for those that end in a zero byte.
#[inline]
fn short(text: &[u8]) -> Option<u64> {
    if text.len() > SHORT || text.last().is_none_or(|&byte| byte == 0) {
        return None;
    }
    Some(text.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn hash_of(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::Names;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_first_sight(texts in prop::collection::vec("[ab\\x00]{0,10}", 0..300)) {
            let mut names = Names::default();
            let mut seen: Vec<&str> = Vec::new();
            for text in &texts {
                if !seen.contains(&text.as_str()) {
                    seen.push(text);
                }
                let expected = seen.iter().position(|one| one == text);
                prop_assert_eq!(Some(names.number(text.as_bytes()) as usize), expected);
            }
            let found: Vec<&[u8]> = names.texts().collect();
            prop_assert_eq!(found, seen.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
        }
    }
}
