//! When objects expire.
//!
//! As in Olken++ (Sultan, Shakiba, Lee, Chen and Stumm, TTLs Matter, EuroSys 2024): the request that brings an object in
//! starts its time to live, hits do not renew it, and the moments are those of a cache of unlimited size, the same for
//! caches of all sizes. A set starts it anew.

use crate::lists::prefetch_at;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens to objects whose time has run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expiry {
    /// Times to live are ignored.
    #[default]
    Ignore,
    /// They leave the cache at once.
    Eager,
    /// They stay until they are evicted or requested; such a request misses, and brings them in anew.
    Lazy,
}

/// The moment of an object that is not in the cache of unlimited size, and of one that does not expire.
const ABSENT: i64 = i64::MIN;
const NEVER: i64 = i64::MAX;

/// The moments at which objects expire.
#[derive(Debug)]
pub struct Moments {
    expiry: Expiry,
    /// By object number.
    moments: Vec<i64>,
    queue: Queue,
}

/// Moments and the objects that expire at them, in order up to the current time (a radix heap).
///
/// What comes later is kept by the highest bit in which its moment differs from the time. As the time moves on, only moments
/// that differ from it in the highest bit that changes, or in a lower one, are looked at.
#[derive(Debug)]
struct Queue {
    /// The latest so far.
    time: i64,
    /// Those up to the time.
    due: BinaryHeap<Reverse<(i64, u32)>>,
    later: [Vec<(i64, u32)>; 64],
    /// A bit for each of `later` that has any.
    occupied: u64,
}

/// The highest bit in which two moments differ.
#[inline(always)]
fn differing_bit(one: i64, other: i64) -> u32 {
    63 - (one ^ other).leading_zeros()
}

impl Queue {
    fn new() -> Self {
        let later = std::array::from_fn(|_| Vec::new());
        Queue { time: i64::MIN, due: BinaryHeap::new(), later, occupied: 0 }
    }

    #[inline(always)]
    fn push(&mut self, moment: i64, number: u32) {
        if moment <= self.time {
            self.due.push(Reverse((moment, number)));
        } else {
            let bit = differing_bit(moment, self.time);
            self.later[bit as usize].push((moment, number));
            self.occupied |= 1 << bit;
        }
    }

    /// The first up to a time, in the order of moments, then of objects.
    #[inline(always)]
    fn pop(&mut self, now: i64) -> Option<(i64, u32)> {
        if now > self.time {
            self.move_on(now);
        }
        match self.due.peek() {
            Some(Reverse((moment, _))) if *moment <= now => self.due.pop().map(|Reverse(first)| first),
            _ => None,
        }
    }

    /// Let the time be a later one.
    #[inline(always)]
    fn move_on(&mut self, now: i64) {
        let mut changed = self.occupied & u64::MAX >> (63 - differing_bit(now, self.time));
        self.occupied &= !changed;
        self.time = now;
        while changed != 0 {
            for (moment, number) in std::mem::take(&mut self.later[changed.trailing_zeros() as usize]) {
                self.push(moment, number);
            }
            changed &= changed - 1;
        }
    }
}

impl Moments {
    pub fn new(expiry: Expiry) -> Self {
        Moments { expiry, moments: Vec::new(), queue: Queue::new() }
    }

    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        if objects > self.moments.len() {
            self.moments.resize(objects, ABSENT);
        }
    }

    /// Prefetch the moment of an object.
    #[inline(always)]
    pub fn prefetch_entry(&self, number: u32) {
        prefetch_at(&self.moments, number as usize);
    }

    /// The objects that leave up to a time, one after the other.
    #[inline(always)]
    pub fn leaving(&mut self, now: i64) -> Option<u32> {
        while let Some((moment, number)) = self.queue.pop(now) {
            if self.moments[number as usize] == moment {
                self.moments[number as usize] = ABSENT;
                return Some(number);
            }
        }
        None
    }

    /// A request for an object; whether it finds the object expired.
    pub fn request(&mut self, number: u32, now: i64, ttl: Option<i64>, sets: bool) -> bool {
        let moment = self.moments[number as usize];
        let expired = moment != ABSENT && moment <= now;
        if sets || expired || moment == ABSENT {
            let moment = ttl.map_or(NEVER, |ttl| now.saturating_add(ttl).clamp(ABSENT + 1, NEVER - 1));
            self.moments[number as usize] = moment;
            if self.expiry == Expiry::Eager && moment != NEVER {
                self.queue.push(moment, number);
            }
        }
        expired
    }

    /// An object was removed.
    pub fn remove(&mut self, number: u32) {
        self.moments[number as usize] = ABSENT;
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn moment() -> impl Strategy<Value = i64> {
        prop_oneof![-20..20_i64, 0..2000_i64, any::<i64>(), (0..8_i64).prop_map(|step| i64::MAX - step)]
    }

    proptest! {
        #[test]
        fn moments_come_in_the_order_of_a_sorted_set(
            steps in prop::collection::vec((any::<bool>(), moment()), 0..300),
        ) {
            let (mut queue, mut set) = (Queue::new(), BTreeSet::new());
            for ((comes, moment), number) in steps.into_iter().zip(0..) {
                if comes {
                    queue.push(moment, number);
                    set.insert((moment, number));
                } else {
                    // times may also go back
                    while let Some(&first) = set.first().filter(|first| first.0 <= moment) {
                        prop_assert_eq!(queue.pop(moment), Some(first));
                        set.remove(&first);
                    }
                    prop_assert_eq!(queue.pop(moment), None);
                }
            }
        }
    }
}
