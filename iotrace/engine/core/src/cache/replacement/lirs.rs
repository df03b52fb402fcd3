//! LIRS.

use super::policy::{Access, Replacement};
use crate::lists::{Lists, Weight, NOWHERE};

/// The list of `stack`.
const S: u32 = 1;
/// The lists of `queues`.
const Q: u32 = 1;
const NOT_RESIDENT: u32 = 2;

/// LIRS (Jiang and Zhang, SIGMETRICS 2002, 3.3). Blocks of low inter-reference recency (LIR) are always resident; of
/// those of high recency (HIR) a small number is resident, in the queue Q. The stack S has all LIR blocks, and the HIR
/// blocks, resident or not, that were referenced after the LIR block that was not referenced for the longest time.
///
/// ```text
/// prune:      remove HIR blocks from the bottom of S until a LIR block is there
/// X is LIR:   move X to the top of S; prune
/// X is resident HIR: move X to the top of S;
///             X was in S: X becomes LIR and leaves Q; the LIR block at the bottom of S becomes HIR and goes to the end
///                         of Q; prune
///             else:       move X to the end of Q
/// X is not resident: evict the block at the front of Q; it stays in S, if it is there, as not resident. X goes to the
///             top of S;
///             X was in S: as above
///             else:       X is HIR; put it at the end of Q
/// while there are fewer LIR blocks than their share of the cache, every block that is referenced becomes LIR
/// ```
///
/// The HIR share is 1 % of the cache, rounded down, and at least one block. The paper sets no bound to S. Here, as in
/// libCacheSim, S has at most twice as many blocks as the cache: of those not resident the first evicted is forgotten.
///
/// libCacheSim (0.3.5) also turns the bottom LIR block into a HIR block at a hit of a block that is in Q only, and evicts
/// one for it. Caffeine's simulator forgets blocks from twice the cache's size on, puts those that first fill Q not into
/// S, and takes a block at the top of S for one that is not in it.
///
/// With sizes, weights take the place of numbers of blocks. Blocks at the front of Q are evicted until the one requested
/// fits; if Q is empty, the LIR block at the bottom of S becomes HIR. A block is LIR at once if it fits into what is left
/// of the share of LIR blocks.
#[derive(Debug)]
pub struct Lirs<W> {
    size: u64,
    /// The share of LIR blocks, and what they weigh.
    most_low: u64,
    low: u64,
    stack: Lists<W>,
    queues: Lists<W>,
}

impl<W: Weight> Lirs<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        let most_low = size - (size / 100).max(1);
        Lirs { size, most_low, low: 0, stack: Lists::default(), queues: Lists::default() }
    }

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

    /// Turn the LIR block at the bottom of S into a HIR block.
    #[inline(always)]
    fn demote(&mut self) {
        if let Some(bottom) = self.stack.take_oldest(S) {
            self.queues.put_in(Q, bottom);
            self.low -= self.stack.weight(bottom).get();
        }
        self.prune();
    }

    /// Turn a block at the top of S into a LIR block, and others into HIR blocks if LIR blocks have too much.
    #[inline(always)]
    fn make_low(&mut self, access: &Access<W>) {
        self.queues.take_out(access.number);
        self.low += access.weight.get();
        while self.low > self.most_low {
            self.demote();
        }
    }

    /// Evict from the front of Q until no more than `most` is cached.
    #[inline(always)]
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.low + self.queues.sum(Q) > most {
            let Some(front) = self.queues.take_oldest(Q) else {
                self.demote();
                continue;
            };
            evicted(front);
            if self.stack.list_of(front) == S {
                self.queues.put_in(NOT_RESIDENT, front);
            }
            if W::UNIT {
                break;
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

    /// Set what a block weighs; return what it weighed before.
    #[inline(always)]
    fn weigh(&mut self, access: &Access<W>) -> W {
        self.queues.weigh(access.number, access.weight);
        self.stack.weigh(access.number, access.weight)
    }
}

impl<W: Weight> Replacement for Lirs<W> {
    type Weight = W;

    fn prepare(&mut self, numbers: usize) {
        self.stack.prepare(numbers);
        self.queues.prepare(numbers);
    }

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        self.stack.prefetch_entry(number);
        self.queues.prefetch_entry(number);
    }

    #[inline(always)]
    fn prefetch_links(&self, number: u32) {
        self.stack.prefetch_links(number);
    }

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        match self.queues.list_of(number) {
            NOWHERE => self.stack.list_of(number) == S,
            queue => queue == Q,
        }
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        let was_low = self.queues.list_of(access.number) == NOWHERE;
        let was_in_stack = self.stack.list_of(access.number) == S;
        let former = self.weigh(access);
        self.stack.move_to(S, access.number);
        if was_low {
            self.low = self.low - former.get() + access.weight.get();
        } else if was_in_stack || self.low + access.weight.get() <= self.most_low {
            self.make_low(access);
        } else {
            self.queues.renew(access.number);
            self.forget_beyond_the_bound();
        }
        self.prune();
        if former < access.weight {
            while self.low > self.most_low {
                self.demote();
            }
            self.shrink(self.size, evicted);
            self.forget_beyond_the_bound();
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        let was_in_stack = self.stack.list_of(access.number) == S;
        self.queues.take_out(access.number);
        self.weigh(access);
        self.stack.move_to(S, access.number);
        if was_in_stack || self.low + access.weight.get() <= self.most_low {
            self.make_low(access);
        } else {
            self.queues.put_in(Q, access.number);
        }
        self.prune();
        self.forget_beyond_the_bound();
    }

    fn remove(&mut self, number: u32) {
        let was_low = self.queues.list_of(number) == NOWHERE && self.stack.list_of(number) == S;
        if was_low {
            self.low -= self.stack.weight(number).get();
        }
        self.queues.take_out(number);
        self.stack.take_out(number);
        self.prune();
    }
}
