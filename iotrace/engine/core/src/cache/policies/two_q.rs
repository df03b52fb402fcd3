//! 2Q.

use super::policy::{as_lists_do, Policy};
use crate::lists::Lists;

const A1_IN: u32 = 1;
const A1_OUT: u32 = 2;
const A_M: u32 = 3;

/// 2Q, full version (Johnson and Shasha, VLDB 1994): A1in is a FIFO queue of pages, A1out one of identifiers of
/// pages that were paged out of it, and Am an LRU queue of pages.
///
/// ```text
/// on accessing page X:
///   X in Am:    move X to the head of Am
///   X in A1out: reclaim for X, add X to the head of Am
///   X in A1in:  do nothing
///   else:       reclaim for X, add X to the head of A1in
/// reclaim for X:
///   free page slots: take one
///   |A1in| > Kin:    page out the tail of A1in, Y; add Y's identifier to the head of A1out;
///                    if |A1out| > Kout, remove the identifier at the tail of A1out
///   else:            page out the tail of Am; do not put it on A1out, it hasn't been accessed for a while
/// ```
///
/// Kin is a quarter of the page slots and Kout half of them, as the paper advises, rounded down. The paper does not
/// say when X leaves A1out; here it does before the slot is reclaimed. libCacheSim (0.3.5) has the same defaults.
#[derive(Debug)]
pub struct TwoQ {
    size: u32,
    k_in: u32,
    k_out: u32,
    lists: Lists,
}

impl TwoQ {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        TwoQ { size, k_in: size / 4, k_out: size / 2, lists: Lists::default() }
    }

    #[inline(always)]
    fn reclaim(&mut self, expel: &mut impl FnMut(u32)) {
        if self.lists.len(A1_IN) + self.lists.len(A_M) < self.size {
            return;
        }
        if self.lists.len(A1_IN) > self.k_in {
            if let Some(paged_out) = self.lists.take_oldest(A1_IN) {
                expel(paged_out);
                self.lists.put_in(A1_OUT, paged_out);
            }
            if self.lists.len(A1_OUT) > self.k_out {
                self.lists.take_oldest(A1_OUT);
            }
        } else if let Some(paged_out) = self.lists.take_oldest(A_M) {
            expel(paged_out);
        }
    }
}

impl Policy for TwoQ {
    as_lists_do!(prepare, look_ahead, look_around, remove);

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        match self.lists.list_of(block) {
            A_M => self.lists.renew(block),
            A1_IN => {}
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        let remembered = self.lists.list_of(block) == A1_OUT;
        self.lists.take_out(block);
        self.reclaim(expel);
        self.lists.put_in(if remembered { A_M } else { A1_IN }, block);
    }
}
