//! When objects expire.
//!
//! As in Olken++ (Sultan, Shakiba, Lee, Chen and Stumm, TTLs Matter, EuroSys 2024): the request that brings an object in
//! starts its time to live, hits do not renew it, and the moments are those of a cache of unlimited size, the same for
//! caches of all sizes. A set starts it anew.

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
    queue: BinaryHeap<Reverse<(i64, u32)>>,
}

impl Moments {
    pub fn new(expiry: Expiry) -> Self {
        Moments { expiry, moments: Vec::new(), queue: BinaryHeap::new() }
    }

    /// Make room for object numbers below this.
    pub fn prepare(&mut self, objects: usize) {
        if objects > self.moments.len() {
            self.moments.resize(objects, ABSENT);
        }
    }

    /// The objects that leave up to a time, one after the other.
    pub fn leaving(&mut self, now: i64) -> Option<u32> {
        while let Some(&Reverse((moment, number))) = self.queue.peek() {
            if moment > now {
                return None;
            }
            self.queue.pop();
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
                self.queue.push(Reverse((moment, number)));
            }
        }
        expired
    }

    /// An object was removed.
    pub fn remove(&mut self, number: u32) {
        self.moments[number as usize] = ABSENT;
    }
}
