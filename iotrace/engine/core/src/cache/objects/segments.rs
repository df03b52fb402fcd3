//! Lists of objects, and what those of each list weigh together.

use crate::lists::{Lists, NOWHERE};

/// Lists are numbered below this.
const LISTS: usize = 8;

/// Lists, each from its oldest object to its newest.
#[derive(Debug, Default)]
pub struct Segments {
    lists: Lists,
    /// By object number.
    weights: Vec<u64>,
    sums: [u64; LISTS],
}

impl Segments {
    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        self.lists.prepare(objects);
        self.weights.resize(objects.max(self.weights.len()), 0);
    }

    /// Prefetch an object's place.
    #[inline(always)]
    pub fn look_ahead(&self, number: u32) {
        self.lists.look_ahead(number);
    }

    /// Prefetch the neighbours of an object's place.
    #[inline(always)]
    pub fn look_around(&self, number: u32) {
        self.lists.look_around(number);
    }

    /// The list that an object is in, or `NOWHERE`.
    #[inline(always)]
    pub fn list_of(&self, number: u32) -> u32 {
        self.lists.list_of(number)
    }

    /// What an object weighed when it came into its list.
    #[inline(always)]
    pub fn weight(&self, number: u32) -> u64 {
        self.weights[number as usize]
    }

    /// What the objects of a list weigh.
    #[inline(always)]
    pub fn sum(&self, list: u32) -> u64 {
        self.sums[list as usize]
    }

    /// The object that has been in a list for the longest time.
    #[inline(always)]
    pub fn oldest(&self, list: u32) -> Option<u32> {
        self.lists.oldest(list)
    }

    /// Put an object that is in no list at a list's newest end.
    #[inline(always)]
    pub fn put_in(&mut self, list: u32, number: u32, weight: u64) {
        self.lists.put_in(list, number);
        self.add(list, number, weight);
    }

    /// Put an object that is in no list at a list's oldest end.
    pub fn put_in_oldest(&mut self, list: u32, number: u32, weight: u64) {
        self.lists.put_in_oldest(list, number);
        self.add(list, number, weight);
    }

    #[inline(always)]
    fn add(&mut self, list: u32, number: u32, weight: u64) {
        self.weights[number as usize] = weight;
        self.sums[list as usize] += weight;
    }

    /// Remove an object from its list, if it is in one.
    #[inline(always)]
    pub fn take_out(&mut self, number: u32) {
        let list = self.lists.list_of(number);
        self.lists.take_out(number);
        if list != NOWHERE {
            self.sums[list as usize] -= self.weights[number as usize];
        }
    }

    /// Remove the oldest object of a list.
    #[inline(always)]
    pub fn take_oldest(&mut self, list: u32) -> Option<u32> {
        let number = self.lists.take_oldest(list)?;
        self.sums[list as usize] -= self.weights[number as usize];
        Some(number)
    }

    /// Change what an object in a list weighs.
    #[inline(always)]
    pub fn weigh(&mut self, number: u32, weight: u64) {
        let sum = &mut self.sums[self.lists.list_of(number) as usize];
        *sum = *sum - self.weights[number as usize] + weight;
        self.weights[number as usize] = weight;
    }

    /// Move an object, wherever it is, to a list's newest end; it may weigh something else now.
    #[inline(always)]
    pub fn move_to(&mut self, list: u32, number: u32, weight: u64) {
        self.take_out(number);
        self.put_in(list, number, weight);
    }
}
