//! SIEVE.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, Weight};

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
pub struct Sieve<W> {
    size: u64,
    lists: Lists<W>,
    hand: Option<u32>,
}

impl<W: Weight> Sieve<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        Sieve { size, lists: Lists::default(), hand: None }
    }

    /// Move the hand to an object that has not been visited.
    #[inline(always)]
    fn victim(&mut self) -> Option<u32> {
        loop {
            let number = self.hand.or(self.lists.oldest(QUEUE))?;
            if std::mem::take(self.lists.mark(number)) == 0 {
                return Some(number);
            }
            self.hand = self.lists.newer(number);
        }
    }

    /// Evict until no more than `most` is cached.
    #[inline(always)]
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.lists.sum(QUEUE) > most {
            let Some(victim) = self.victim() else { break };
            self.hand = self.lists.newer(victim);
            self.lists.take_out(victim);
            self.hand.into_iter().for_each(|hand| self.lists.prefetch_links(hand));
            evicted(victim);
            if W::UNIT {
                break;
            }
        }
    }
}

impl<W: Weight> Replacement for Sieve<W> {
    type Weight = W;

    as_lists_do!(prepare, prefetch_entry);

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.lists.list_of(number) == QUEUE
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        *self.lists.mark(access.number) = 1;
        if self.lists.weigh(access.number, access.weight) < access.weight {
            self.shrink(self.size, evicted);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        self.lists.weigh(access.number, access.weight);
        self.lists.put_in(QUEUE, access.number);
        *self.lists.mark(access.number) = 0;
    }

    fn remove(&mut self, number: u32) {
        if self.hand == Some(number) {
            self.hand = self.lists.newer(number);
        }
        self.lists.take_out(number);
    }
}
