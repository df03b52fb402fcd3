//! 2Q.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, One};

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
    size: u64,
    k_in: u64,
    k_out: u64,
    lists: Lists,
}

impl TwoQ {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u64) -> Self {
        TwoQ { size, k_in: size / 4, k_out: size / 2, lists: Lists::default() }
    }

    #[inline(always)]
    fn reclaim(&mut self, evicted: &mut impl FnMut(u32)) {
        if self.lists.sum(A1_IN) + self.lists.sum(A_M) < self.size {
            return;
        }
        if self.lists.sum(A1_IN) > self.k_in {
            if let Some(paged_out) = self.lists.take_oldest(A1_IN) {
                evicted(paged_out);
                self.lists.put_in(A1_OUT, paged_out);
            }
            if self.lists.sum(A1_OUT) > self.k_out {
                self.lists.take_oldest(A1_OUT);
            }
        } else if let Some(paged_out) = self.lists.take_oldest(A_M) {
            evicted(paged_out);
        }
    }
}

impl Replacement for TwoQ {
    type Weight = One;

    as_lists_do!(prepare, prefetch_entry, prefetch_links, remove);

    #[inline(always)]
    fn contains(&self, block: u32) -> bool {
        matches!(self.lists.list_of(block), A1_IN | A_M)
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        if self.lists.list_of(access.number) == A_M {
            self.lists.renew(access.number);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        let remembered = self.lists.list_of(access.number) == A1_OUT;
        self.lists.take_out(access.number);
        self.reclaim(evicted);
        self.lists.put_in(if remembered { A_M } else { A1_IN }, access.number);
    }
}
