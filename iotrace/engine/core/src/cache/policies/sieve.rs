//! SIEVE.

use super::policy::{as_lists_do, Policy};
use crate::lists::{Lists, NOWHERE};

const QUEUE: u32 = 1;

/// SIEVE (Zhang, Yang, Yue, Vigfusson and Rashmi, NSDI 2024, algorithm 1): one FIFO queue, a visited bit per object,
/// and a hand.
///
/// On a hit, the object's bit is set. On a miss with a full cache, the hand looks at the object that it points to,
/// the queue's tail at first: while that has been visited, its bit is reset and the hand moves to the object before
/// it, towards the head, and from the head to the tail. The first one that has not been visited is evicted, and the
/// hand moves on by one. The new object goes in at the head, not visited. Objects that stay keep their places.
///
/// If the object under the hand is removed, the hand also moves on by one.
#[derive(Debug)]
pub struct Sieve {
    size: u32,
    lists: Lists,
    hand: Option<u32>,
}

impl Sieve {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        Sieve { size, lists: Lists::default(), hand: None }
    }

    /// Move the hand to an object that has not been visited.
    #[inline(always)]
    fn victim(&mut self) -> Option<u32> {
        loop {
            let block = self.hand.or(self.lists.oldest(QUEUE))?;
            if std::mem::take(self.lists.mark(block)) == 0 {
                return Some(block);
            }
            self.hand = self.lists.newer(block);
        }
    }
}

impl Policy for Sieve {
    as_lists_do!(prepare, look_ahead);

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        let hit = self.lists.list_of(block) != NOWHERE;
        if hit {
            *self.lists.mark(block) = 1;
        }
        hit
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        if self.lists.len(QUEUE) == self.size {
            if let Some(victim) = self.victim() {
                self.hand = self.lists.newer(victim);
                self.lists.take_out(victim);
                self.hand.into_iter().for_each(|hand| self.lists.look_around(hand));
                expel(victim);
            }
        }
        self.lists.put_in(QUEUE, block);
        *self.lists.mark(block) = 0;
    }

    fn remove(&mut self, block: u32) {
        if self.hand == Some(block) {
            self.hand = self.lists.newer(block);
        }
        self.lists.take_out(block);
    }
}
