//! First in, first out.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, Weight};

const CACHED: u32 = 1;

/// FIFO (Belady, IBM Systems Journal 5(2), 1966): the block replaced is the one that has been in the cache for the
/// longest time, however often it was referenced.
#[derive(Debug)]
pub struct Fifo<W> {
    size: u64,
    lists: Lists<W>,
}

impl<W: Weight> Fifo<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        Fifo { size, lists: Lists::default() }
    }
}

impl<W: Weight> Replacement for Fifo<W> {
    type Weight = W;

    as_lists_do!(prepare, prefetch_entry, remove);

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.lists.list_of(number) == CACHED
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
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
