//! Dense numbers for texts, in the order of their first use.
//!
//! Texts lie once in a long array, one after the other; a table of hashes gives their numbers.

use crate::lists::{filled, make_room, prefetch_at};
use arrow_array::builder::StringBuilder;
use arrow_array::StringArray;
use rustc_hash::FxHasher;
use std::hash::Hasher;

const MINIMUM_SLOTS: usize = if cfg!(test) { 8 } else { 1 << 12 };
/// Of the table's slots, at most 3 in 4 are used.
const LOAD: (usize, usize) = (3, 4);
/// Texts whose places in the table are looked up together.
const TOGETHER: usize = 64;

/// Which text has a hash. Slots are free where `number` is 0.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// The text's number, from 1.
    number: u32,
}

/// Gives each text a number.
#[derive(Debug)]
pub struct Names {
    slots: Vec<Slot>,
    texts: Vec<u8>,
    /// Where each text starts, by its number, and where the last one ends.
    starts: Vec<usize>,
    are_integers: bool,
    /// The number of the next text that `next` returns.
    next: usize,
}

impl Default for Names {
    fn default() -> Self {
        let slots = filled(MINIMUM_SLOTS, Slot::default());
        Names { slots, texts: Vec::new(), starts: vec![0], are_integers: true, next: 0 }
    }
}

impl Names {
    /// The number of texts so far.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether all texts are integers from 0 of 64 bits as they are usually written.
    pub fn are_integers(&self) -> bool {
        self.are_integers
    }

    /// The number of each text, from 0; the texts lie one after the other in `bytes`. None, and nothing done, where
    /// there might be more than 2³¹ − 1.
    pub fn numbers(&mut self, offsets: &[i64], bytes: &[u8]) -> Option<Vec<i64>> {
        let count = offsets.len().saturating_sub(1);
        if self.len() + count >= 1 << 31 {
            return None;
        }
        let mut numbers = Vec::with_capacity(count);
        let mut hashes = [0; TOGETHER];
        for first in (0..count).step_by(TOGETHER) {
            let texts = offsets[first..=count.min(first + TOGETHER)].windows(2);
            let texts = texts.map(|ends| &bytes[ends[0] as usize..ends[1] as usize]);
            while (self.len() + TOGETHER) * LOAD.1 > self.slots.len() * LOAD.0 {
                self.grow();
            }
            for (hash, text) in hashes.iter_mut().zip(texts.clone()) {
                *hash = hash_of(text);
                prefetch_at(&self.slots, self.home(*hash));
            }
            let mut numbers_at_home = [0; TOGETHER];
            for (number, &hash) in numbers_at_home.iter_mut().zip(&hashes[..texts.len()]) {
                *number = self.slots[self.home(hash)].number.saturating_sub(1) as usize;
                prefetch_at(&self.starts, *number);
            }
            for &number in &numbers_at_home[..texts.len()] {
                prefetch_at(&self.texts, self.starts[number]);
            }
            for (&hash, text) in hashes.iter().zip(texts) {
                numbers.push(self.number(hash, text));
            }
        }
        Some(numbers)
    }

    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    fn number(&mut self, hash: u32, text: &[u8]) -> i64 {
        let mut place = self.home(hash);
        loop {
            let slot = self.slots[place];
            if slot.number == 0 {
                return self.add(place, hash, text);
            }
            if slot.hash == hash && self.text(slot.number as usize - 1) == text {
                return i64::from(slot.number - 1);
            }
            place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
        }
    }

    fn text(&self, number: usize) -> &[u8] {
        &self.texts[self.starts[number]..self.starts[number + 1]]
    }

    fn add(&mut self, place: usize, hash: u32, text: &[u8]) -> i64 {
        self.are_integers = self.are_integers && integer(text).is_some();
        self.texts.extend_from_slice(text);
        let room = self.starts.len() + 1;
        make_room(&mut self.starts, room);
        self.starts.push(self.texts.len());
        let number = self.len() as u32; // `numbers` has checked that there are fewer than 2³¹
        self.slots[place] = Slot { hash, number };
        i64::from(number - 1)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = filled(self.slots.len() * 2, Slot::default());
        let former = std::mem::replace(&mut self.slots, larger);
        for slot in former.into_iter().filter(|slot| slot.number != 0) {
            let mut place = self.home(slot.hash);
            while self.slots[place].number != 0 {
                place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
            }
            self.slots[place] = slot;
        }
    }

    /// The next texts in the order of their numbers, at most `most`, and at least one where there is one; fewer than
    /// `most` where they are longer together than `most_bytes`.
    pub fn next(&mut self, most: usize, most_bytes: usize) -> StringArray {
        let mut made = StringBuilder::new();
        let mut bytes = 0;
        let (first, last) = (self.next, self.len().min(self.next + most));
        while self.next < last {
            let text = self.text(self.next);
            if self.next > first && bytes + text.len() > most_bytes {
                break;
            }
            bytes += text.len();
            made.append_value(String::from_utf8_lossy(text));
            self.next += 1;
        }
        made.finish()
    }

    /// The same where all are integers, as signed ones of the same bits.
    pub fn next_integers(&mut self, most: usize) -> Vec<i64> {
        let first = self.next;
        self.next = self.len().min(first + most);
        (first..self.next).map(|number| integer(self.text(number)).unwrap_or_default() as i64).collect()
    }
}

fn hash_of(text: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    let hash = hasher.finish();
    // the hasher's last step leaves its best bits above
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// The integer from 0 that a text is, if it is written as usual and fits 64 bits.
fn integer(text: &[u8]) -> Option<u64> {
    let is_plain = text.iter().all(u8::is_ascii_digit) && (text.len() == 1 || text.first() != Some(&b'0'));
    if !is_plain {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
