//! The adaptive replacement cache.

use super::policy::{as_lists_do, Access, Replacement};
use crate::lists::{Lists, One};

const T1: u32 = 1;
const T2: u32 = 2;
const B1: u32 = 3;
const B2: u32 = 4;

/// ARC (Megiddo and Modha, FAST 2003, figure 4): L1 = T1 ∪ B1 holds pages seen once recently, L2 = T2 ∪ B2 pages seen
/// at least twice recently. T1 and T2 are the cache, of c pages; B1 and B2 remember pages that left it. p is T1's
/// target size.
///
/// ```text
/// I.   x in T1 or T2: a hit. Move x to the MRU position in T2.
/// II.  x in B1: p = min(p + δ, c), δ = 1 if |B1| ≥ |B2| else |B2| / |B1|.
///      REPLACE(x, p). Move x to the MRU position in T2.
/// III. x in B2: p = max(p − δ, 0), δ = 1 if |B2| ≥ |B1| else |B1| / |B2|.
///      REPLACE(x, p). Move x to the MRU position in T2.
/// IV.  else, A: |L1| = c: if |T1| < c, delete the LRU page in B1, REPLACE(x, p);
///                         else delete the LRU page in T1.
///            B: |L1| < c and |L1| + |L2| ≥ c: delete the LRU page in B2 if |L1| + |L2| = 2c. REPLACE(x, p).
///      Move x to the MRU position in T1.
/// REPLACE(x, p): if |T1| > 0, and |T1| > p or (x in B2 and |T1| = p), move the LRU page in T1 to the MRU position
///      in B1; else move the LRU page in T2 to the MRU position in B2.
/// ```
///
/// p is a real number. After removals the cache may have free space while pages are remembered; REPLACE then does
/// nothing.
#[derive(Debug)]
pub struct AdaptiveReplacement {
    size: u64,
    target: f64,
    lists: Lists,
}

impl AdaptiveReplacement {
    /// An empty cache with a capacity of `size` blocks.
    pub fn new(size: u64) -> Self {
        AdaptiveReplacement { size, target: 0.0, lists: Lists::default() }
    }

    /// How far a page remembered in one list moves the target, by the lengths of that list and of the other.
    fn step(&self, own: u32, other: u32) -> f64 {
        (f64::from(self.lists.len(other)) / f64::from(self.lists.len(own))).max(1.0)
    }

    #[inline(always)]
    fn replace(&mut self, in_b2: bool, evicted: &mut impl FnMut(u32)) {
        let first = self.lists.len(T1);
        if u64::from(first) + self.lists.sum(T2) < self.size {
            return;
        }
        let over = f64::from(first) > self.target || (in_b2 && f64::from(first) == self.target);
        let (from, to) = if first > 0 && over { (T1, B1) } else { (T2, B2) };
        if let Some(page) = self.lists.take_oldest(from) {
            evicted(page);
            self.lists.put_in(to, page);
        }
    }

    /// Case IV.
    #[inline(always)]
    fn bring_in_new(&mut self, block: u32, evicted: &mut impl FnMut(u32)) {
        let once = self.lists.sum(T1) + self.lists.sum(B1);
        let twice = self.lists.sum(T2) + self.lists.sum(B2);
        if once == self.size {
            if self.lists.sum(T1) < self.size {
                self.lists.take_oldest(B1);
                self.replace(false, evicted);
            } else {
                self.lists.take_oldest(T1).into_iter().for_each(evicted);
            }
        } else {
            if once + twice == 2 * self.size {
                self.lists.take_oldest(B2);
            }
            self.replace(false, evicted);
        }
        self.lists.put_in(T1, block);
    }
}

impl Replacement for AdaptiveReplacement {
    type Weight = One;

    as_lists_do!(prepare, prefetch_entry, prefetch_links, remove);

    #[inline(always)]
    fn contains(&self, block: u32) -> bool {
        matches!(self.lists.list_of(block), T1 | T2)
    }

    #[inline(always)]
    fn hit(&mut self, access: &Access<One>, _: &mut impl FnMut(u32)) {
        self.lists.move_to(T2, access.number);
    }

    #[inline(always)]
    fn miss(&mut self, access: &Access<One>, evicted: &mut impl FnMut(u32)) {
        let block = access.number;
        let list = self.lists.list_of(block);
        match list {
            B1 => self.target = (self.target + self.step(B1, B2)).min(self.size as f64),
            B2 => self.target = (self.target - self.step(B2, B1)).max(0.0),
            _ => return self.bring_in_new(block, evicted),
        }
        self.replace(list == B2, evicted);
        self.lists.move_to(T2, block);
    }
}
