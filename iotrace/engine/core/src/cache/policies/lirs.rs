//! LIRS.

use super::policy::Policy;
use crate::lists::{Lists, NOWHERE};

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
#[derive(Debug)]
pub struct Lirs {
    size: u32,
    /// The share of LIR blocks, and how many there are.
    most_low: u32,
    low: u32,
    stack: Lists,
    queues: Lists,
}

impl Lirs {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
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

    /// Turn a block at the top of S into a LIR block, and another one into a HIR block for it if there are too many.
    #[inline(always)]
    fn make_low(&mut self, block: u32) {
        self.queues.take_out(block);
        self.low += 1;
        if self.low > self.most_low {
            if let Some(bottom) = self.stack.take_oldest(S) {
                self.queues.put_in(Q, bottom);
                self.low -= 1;
            }
        }
    }

    /// Evict the front of Q if the cache is full.
    #[inline(always)]
    fn free_a_block(&mut self, expel: &mut impl FnMut(u32)) {
        if self.low + self.queues.len(Q) < self.size {
            return;
        }
        if let Some(front) = self.queues.take_oldest(Q) {
            expel(front);
            if self.stack.list_of(front) == S {
                self.queues.put_in(NOT_RESIDENT, front);
            }
        }
    }

    #[inline(always)]
    fn forget_beyond_the_bound(&mut self) {
        while u64::from(self.stack.len(S)) > 2 * u64::from(self.size) {
            let Some(forgotten) = self.queues.take_oldest(NOT_RESIDENT) else { break };
            self.stack.take_out(forgotten);
        }
    }
}

impl Policy for Lirs {
    fn prepare(&mut self, blocks: usize) {
        self.stack.prepare(blocks);
        self.queues.prepare(blocks);
    }

    #[inline(always)]
    fn look_ahead(&self, block: u32) {
        self.stack.look_ahead(block);
        self.queues.look_ahead(block);
    }

    #[inline(always)]
    fn look_around(&self, block: u32) {
        self.stack.look_around(block);
    }

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        let queue = self.queues.list_of(block);
        let was_in_stack = self.stack.list_of(block) == S;
        if queue == NOT_RESIDENT || (queue == NOWHERE && !was_in_stack) {
            return false;
        }
        self.stack.move_to(S, block);
        if queue == Q {
            if was_in_stack || self.low < self.most_low {
                self.make_low(block);
            } else {
                self.queues.renew(block);
                self.forget_beyond_the_bound();
            }
        }
        self.prune();
        true
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        self.free_a_block(expel);
        let was_in_stack = self.stack.list_of(block) == S;
        self.queues.take_out(block);
        self.stack.move_to(S, block);
        if was_in_stack || self.low < self.most_low {
            self.make_low(block);
        } else {
            self.queues.put_in(Q, block);
        }
        self.prune();
        self.forget_beyond_the_bound();
    }

    fn remove(&mut self, block: u32) {
        let was_low = self.queues.list_of(block) == NOWHERE && self.stack.list_of(block) == S;
        self.low -= u32::from(was_low);
        self.queues.take_out(block);
        self.stack.take_out(block);
        self.prune();
    }
}
