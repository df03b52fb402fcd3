//! LIRS over objects with sizes.

use super::policies::Contents;
use super::segments::Segments;
use crate::lists::NOWHERE;

/// The list of `stack`.
const S: u32 = 1;
/// The lists of `queues`.
const Q: u32 = 1;
const NOT_RESIDENT: u32 = 2;

/// LIRS as `cache::policies` has it, with weights for numbers of blocks: HIR objects have 1 % of the cache, rounded down
/// and at least 1, and S holds at most twice the weight of the cache.
///
/// On a miss objects at the front of Q are evicted until the one requested fits. If Q is empty, the LIR object at the bottom
/// of S becomes HIR and goes to Q, as it does while LIR objects weigh more than their share. An object is LIR at once if
/// it fits into what is left of that share. One that is larger in a hit has its new weight from then on.
#[derive(Debug)]
pub struct Lirs {
    size: u64,
    /// The share of LIR objects, and what they weigh.
    most_low: u64,
    low: u64,
    stack: Segments,
    queues: Segments,
}

impl Lirs {
    pub fn new(size: u64) -> Self {
        let most_low = size - (size / 100).max(1);
        Lirs { size, most_low, low: 0, stack: Segments::default(), queues: Segments::default() }
    }

    fn is_low(&self, number: u32) -> bool {
        self.stack.list_of(number) == S && self.queues.list_of(number) == NOWHERE
    }

    /// Remove HIR objects from the bottom of S.
    #[inline(always)]
    fn prune(&mut self) {
        while let Some(bottom) = self.stack.oldest(S) {
            match self.queues.list_of(bottom) {
                NOWHERE => break,
                NOT_RESIDENT => self.queues.take_out(bottom),
                _ => {}
            }
            self.stack.take_out(bottom);
        }
    }

    /// Turn the LIR object at the bottom of S into a HIR object.
    #[inline(always)]
    fn demote(&mut self) {
        self.prune();
        if let Some(bottom) = self.stack.take_oldest(S) {
            let weight = self.stack.weight(bottom);
            self.low -= weight;
            self.queues.put_in(Q, bottom, weight);
        }
        self.prune();
    }

    fn demote_beyond_the_share(&mut self) {
        while self.low > self.most_low {
            self.demote();
        }
    }

    /// Turn an object at the top of S into a LIR object.
    #[inline(always)]
    fn make_low(&mut self, number: u32, weight: u64) {
        self.queues.take_out(number);
        self.low += weight;
        self.demote_beyond_the_share();
    }

    /// Evict until `weight` more would fit.
    #[inline(always)]
    fn evict_for(&mut self, weight: u64) {
        while self.low + self.queues.sum(Q) + weight > self.size {
            match self.queues.take_oldest(Q) {
                None => self.demote(),
                Some(front) if self.stack.list_of(front) == S => {
                    self.queues.put_in(NOT_RESIDENT, front, self.stack.weight(front));
                }
                Some(_) => {}
            }
        }
    }

    #[inline(always)]
    fn forget_beyond_the_bound(&mut self) {
        while self.stack.sum(S) > 2 * self.size {
            let Some(forgotten) = self.queues.take_oldest(NOT_RESIDENT) else { break };
            self.stack.take_out(forgotten);
        }
    }

    fn hit(&mut self, number: u32, weight: u64) {
        let was_in_stack = self.stack.list_of(number) == S;
        let was_queued = self.queues.list_of(number) == Q;
        let former = if was_queued { self.queues.weight(number) } else { self.stack.weight(number) };
        self.stack.move_to(S, number, weight);
        if !was_queued {
            self.low = self.low - former + weight;
        } else if was_in_stack || self.low + weight <= self.most_low {
            self.make_low(number, weight);
        } else {
            self.queues.move_to(Q, number, weight);
            self.forget_beyond_the_bound();
        }
        self.prune();
        if weight > former {
            self.demote_beyond_the_share();
            self.evict_for(0);
            self.forget_beyond_the_bound();
        }
    }

    fn miss(&mut self, number: u32, weight: u64) {
        self.evict_for(weight);
        let was_in_stack = self.stack.list_of(number) == S;
        self.queues.take_out(number);
        self.stack.move_to(S, number, weight);
        if was_in_stack || self.low + weight <= self.most_low {
            self.make_low(number, weight);
        } else {
            self.queues.put_in(Q, number, weight);
        }
        self.prune();
        self.forget_beyond_the_bound();
    }
}

impl Contents for Lirs {
    fn prepare(&mut self, objects: usize) {
        self.stack.prepare(objects);
        self.queues.prepare(objects);
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        self.stack.look_ahead(number);
        self.queues.look_ahead(number);
    }

    #[inline(always)]
    fn look_around(&self, number: u32) {
        self.stack.look_around(number);
    }

    #[inline(always)]
    fn request(&mut self, number: u32, weight: u64) -> bool {
        let is_there = self.queues.list_of(number) == Q || self.is_low(number);
        if weight > self.size {
            self.remove(number);
        } else if is_there {
            self.hit(number, weight);
        } else {
            self.miss(number, weight);
        }
        is_there
    }

    fn remove(&mut self, number: u32) {
        if self.is_low(number) {
            self.low -= self.stack.weight(number);
        }
        self.queues.take_out(number);
        self.stack.take_out(number);
        self.prune();
    }
}
