//! Least recently used.

use super::policy::{as_lists_do, Policy};
use crate::lists::Lists;

const CACHED: u32 = 1;

/// LRU (Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970): the block replaced is the one that has
/// not been referenced for the longest time.
#[derive(Debug)]
pub struct Lru {
    size: u32,
    lists: Lists,
}

impl Lru {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u32) -> Self {
        Lru { size, lists: Lists::default() }
    }
}

impl Policy for Lru {
    as_lists_do!(prepare, look_ahead, look_around, remove);

    #[inline(always)]
    fn hit(&mut self, block: u32) -> bool {
        let hit = self.lists.list_of(block) == CACHED;
        if hit {
            self.lists.renew(block);
        }
        hit
    }

    #[inline(always)]
    fn miss(&mut self, block: u32, expel: &mut impl FnMut(u32)) {
        if self.lists.len(CACHED) == self.size {
            self.lists.take_oldest(CACHED).into_iter().for_each(expel);
        }
        self.lists.put_in(CACHED, block);
    }
}
