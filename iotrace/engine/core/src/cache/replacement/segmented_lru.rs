//! Segmented LRU.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, One};

const PROBATIONARY: u32 = 1;
const PROTECTED: u32 = 2;

/// Segmented LRU (Karedla, Love and Wherry, Caching Strategies to Improve Disk System Performance, IEEE Computer
/// 27(3), 1994): two segments, probationary and protected, each in the order of last reference. Data from misses
/// enter at the most recently used end of the probationary segment. A hit, wherever the line is, moves it to the most
/// recently used end of the protected segment, so that its lines have been accessed at least twice. The protected
/// segment's size is limited by a parameter: when a line that enters puts it over its limit, its least recently used
/// line goes to the most recently used end of the probationary segment, for another chance. Lines are discarded from
/// the least recently used end of the probationary segment only.
///
/// Richardson (1994, 1.2) gives the protected segment 70 to 80 % of the cache. The limit is rounded down to blocks,
/// and is less than the cache; with a limit of 0 this is LRU. Nothing is discarded while the cache has free space.
///
/// libCacheSim (0.3.5) has four equal segments by default. With two, it limits the probationary segment to what the
/// protected one leaves, even while the cache has free space, and puts misses into the protected one while only that
/// has free space.
#[derive(Debug)]
pub struct SegmentedLru {
    size: u64,
    limit: u64,
    lists: Lists,
}

impl SegmentedLru {
    /// An empty cache with a capacity of `size` blocks, `protected_percent` percent of them protected.
    pub fn new(size: u64, protected_percent: u32) -> Self {
        let limit = u128::from(size) * u128::from(protected_percent) / 100;
        SegmentedLru { size, limit: limit.min(u128::from(size) - 1) as u64, lists: Lists::default() }
    }
}

impl Replacement for SegmentedLru {
    type Weight = One;

    as_lists_do!(prepare, prefetch_entry, prefetch_links, contains, remove);

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        if self.lists.list_of(access.number) == PROTECTED {
            return self.lists.renew(access.number);
        }
        self.lists.move_to(PROTECTED, access.number);
        if self.lists.sum(PROTECTED) > self.limit {
            if let Some(demoted) = self.lists.take_oldest(PROTECTED) {
                self.lists.put_in(PROBATIONARY, demoted);
            }
        }
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        if self.lists.sum(PROBATIONARY) + self.lists.sum(PROTECTED) == self.size {
            self.lists.take_oldest(PROBATIONARY).into_iter().for_each(evicted);
        }
        self.lists.put_in(PROBATIONARY, access.number);
    }
}
