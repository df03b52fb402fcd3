//! Names as numbers, in the order of first sight.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Distinct texts of a few bytes.
#[derive(Debug, Default)]
pub struct Names {
    numbers: HashTable<i32>,
    texts: Vec<Box<[u8]>>,
    last: i32,
}

impl Names {
    /// The number of a text, which is usually the last one's.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> i32 {
        match self.texts.get(self.last as usize) {
            Some(last) if **last == *text => self.last,
            _ => {
                self.last = self.looked_up(text);
                self.last
            }
        }
    }

    fn looked_up(&mut self, text: &[u8]) -> i32 {
        let Names { numbers, texts, .. } = self;
        let hash = hash_of(text);
        if let Some(&number) = numbers.find(hash, |&number| *texts[number as usize] == *text) {
            return number;
        }
        // a block of text has fewer names than 31 bits count
        let number = texts.len() as i32;
        texts.push(text.into());
        numbers.insert_unique(hash, number, |&number| hash_of(&texts[number as usize]));
        number
    }

    /// All texts, by their numbers.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|text| &**text)
    }
}

fn hash_of(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}
