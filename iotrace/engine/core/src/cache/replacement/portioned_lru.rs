//! LRU whose last portion is known.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, One, NOWHERE};

/// The blocks used more recently than those of the last portion.
const UPPER: u32 = 1;
/// The last portion.
const LAST: u32 = 2;

/// LRU, which knows the part of its stack that is evicted next (Richardson 1994, 2.4.3).
#[derive(Debug)]
pub struct PortionedLru {
    size_blocks: u32,
    /// The most blocks above the last portion.
    upper_blocks: u32,
    lists: Lists,
}

impl PortionedLru {
    /// An empty cache of `size_blocks` blocks, of which the last `last_blocks`, 1 to all, are the last portion when it is
    /// full.
    pub fn new(size_blocks: u32, last_blocks: u32) -> Self {
        PortionedLru { size_blocks, upper_blocks: size_blocks - last_blocks, lists: Lists::default() }
    }

    /// Whether a block was in the last portion before the present access; exact if the access evicted a block.
    #[inline(always)]
    pub fn is_in_last_portion(&self, block: u32) -> bool {
        self.lists.list_of(block) == LAST
    }

    /// Move what the previous access pushed out of the upper part into the last portion.
    #[inline(always)]
    fn settle(&mut self) {
        if self.lists.len(UPPER) > self.upper_blocks {
            if let Some(oldest) = self.lists.take_oldest(UPPER) {
                self.lists.put_in(LAST, oldest);
            }
        }
    }
}

impl Replacement for PortionedLru {
    type Weight = One;

    as_lists_do!(prepare, prefetch_entry, prefetch_links);

    #[inline(always)]
    fn contains(&self, block: u32) -> bool {
        self.lists.list_of(block) != NOWHERE
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        self.settle();
        self.lists.move_to(UPPER, access.number);
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        self.settle();
        if self.lists.len(UPPER) + self.lists.len(LAST) == self.size_blocks {
            self.lists.take_oldest(LAST).into_iter().for_each(evicted);
        }
        self.lists.put_in(UPPER, access.number);
    }

    fn remove(&mut self, block: u32) {
        self.settle();
        self.lists.take_out(block);
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, One, PortionedLru, Replacement};
    use proptest::prelude::*;

    fn access(number: u32) -> Access<One> {
        Access { number, weight: One, write: false, time_ns: None, file: None, first_of_run: true }
    }

    proptest! {
        #[test]
        fn the_last_portion_is_that_of_a_plain_stack(
            steps in prop::collection::vec((0..12_u32, prop::bool::weighted(0.2)), 0..80),
            (size, last) in (1..9_u32).prop_flat_map(|size| (Just(size), 1..=size)),
        ) {
            let mut lru = PortionedLru::new(size, last);
            lru.prepare(12);
            let mut plain: Vec<u32> = Vec::new(); // oldest first
            for (block, removes) in steps {
                let (before, mut evicted) = (plain.clone(), None);
                plain.retain(|&other| other != block);
                if removes {
                    lru.remove(block);
                    continue;
                }
                if lru.contains(block) {
                    lru.hit(&access(block), &mut |_| unreachable!("a hit evicts nothing"));
                } else {
                    lru.miss(&access(block), &mut |block| evicted = Some(block));
                    let is_full = plain.len() == size as usize;
                    prop_assert_eq!(evicted, is_full.then(|| plain.remove(0)));
                }
                if evicted.is_some() {
                    for (place, &other) in before.iter().enumerate().skip(1) {
                        prop_assert_eq!(lru.is_in_last_portion(other), place < last as usize);
                    }
                }
                plain.push(block);
            }
            prop_assert_eq!((0..12).filter(|&block| lru.contains(block)).count(), plain.len());
        }
    }
}
