//! Least recently used.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, Weight};

const CACHED: u32 = 1;

/// LRU (Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970): the block replaced is the one that has
/// not been referenced for the longest time.
#[derive(Debug)]
pub struct Lru<W> {
    size: u64,
    lists: Lists<W>,
}

impl<W: Weight> Lru<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        Lru { size, lists: Lists::default() }
    }

    /// Change the capacity, and evict what no longer fits.
    pub fn resize(&mut self, size: u64, mut evicted: impl FnMut(u32)) {
        self.size = size;
        while self.lists.sum(CACHED) > size {
            self.lists.shrink(CACHED, size, &mut evicted);
        }
    }
}

impl<W: Weight> Replacement for Lru<W> {
    type Weight = W;

    as_lists_do!(prepare, prefetch_entry, prefetch_links, remove);

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.lists.list_of(number) == CACHED
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.lists.renew(access.number);
        if self.lists.weigh(access.number, access.weight) < access.weight {
            self.lists.shrink(CACHED, self.size, evicted);
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.lists.shrink(CACHED, self.size - access.weight.get(), evicted);
        self.lists.weigh(access.number, access.weight);
        self.lists.put_in(CACHED, access.number);
    }
}
