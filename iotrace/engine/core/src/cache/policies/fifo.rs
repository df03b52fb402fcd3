//! First in, first out.

use super::policy::{as_lists_do, Policy};
use crate::lists::{Lists, NOWHERE};

const CACHED: u32 = 1;

/// FIFO (Belady, IBM Systems Journal 5(2), 1966): the block replaced is the one that has been in the cache for the
/// longest time, however often it was referenced.
#[derive(Debug)]
pub struct Fifo {
    size: u32,
    lists: Lists,
}

impl Fifo {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        Fifo { size, lists: Lists::default() }
    }
}

impl Policy for Fifo {
    as_lists_do!(prepare, look_ahead, remove);

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        self.lists.list_of(block) != NOWHERE
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        if self.lists.len(CACHED) == self.size {
            self.lists.take_oldest(CACHED).into_iter().for_each(expel);
        }
        self.lists.put_in(CACHED, block);
    }
}
