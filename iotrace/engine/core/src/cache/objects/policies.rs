//! Caches of one size each under replacement policies, over objects with sizes.
//!
//! On a miss, objects are evicted until the one requested fits; one larger than the cache is not admitted. Where an object
//! grows in the cache, others are evicted, or it leaves if it is larger than the cache or the policy names it. Where every
//! object weighs 1, the policies of blocks do as well: `blocks`.

use super::events::{Event, Kind};
use super::rankings::Ranking;
use super::tally::Hits;
use crate::lists::prefetch_at;

/// How far ahead an object's state is prefetched, and that of its neighbours.
const FAR: usize = 24;
const NEAR: usize = 12;
/// The weight of an object that is not in the cache.
const ABSENT: u64 = u64::MAX;

/// What a cache of one size holds.
pub trait Contents {
    /// Make room for object numbers below this.
    fn prepare(&mut self, objects: usize);

    /// Prefetch the state of an object.
    #[inline(always)]
    fn look_ahead(&self, _: u32) {}

    /// Prefetch the neighbours of an object whose state has been prefetched.
    #[inline(always)]
    fn look_around(&self, _: u32) {}

    /// Request an object of this weight; return whether it was there.
    fn request(&mut self, number: u32, weight: u64) -> bool;

    /// An object leaves without being evicted, if it is there.
    fn remove(&mut self, number: u32);
}

/// A cache of one size.
pub trait Cache: Send + Sync {
    /// Make room for object numbers below this, and follow events whose weights are these.
    fn follow(&mut self, events: &[Event], weights: &[u64], objects: usize);

    /// Its hits.
    fn hits(&self) -> &Hits;
}

/// A cache with these contents, which counts its hits.
pub fn counted(contents: impl Contents + Send + Sync + 'static) -> Box<dyn Cache> {
    Box::new(Counted { contents, hits: Hits::default() })
}

struct Counted<C> {
    contents: C,
    hits: Hits,
}

impl<C: Contents + Send + Sync> Cache for Counted<C> {
    fn follow(&mut self, events: &[Event], weights: &[u64], objects: usize) {
        self.contents.prepare(objects);
        for (place, (event, &weight)) in events.iter().zip(weights).enumerate() {
            if let Some(far) = events.get(place + FAR) {
                self.contents.look_ahead(far.number);
            }
            if let Some(near) = events.get(place + NEAR) {
                self.contents.look_around(near.number);
            }
            if event.kind != Kind::Request {
                self.contents.remove(event.number);
            }
            if event.kind != Kind::Removal && self.contents.request(event.number, weight) {
                self.hits.count(event.tenant, event.size);
            }
        }
    }

    fn hits(&self) -> &Hits {
        &self.hits
    }
}

/// A cache that evicts by a ranking.
pub struct Ranked<R> {
    size: u64,
    used: u64,
    /// By object number.
    weights: Vec<u64>,
    ranking: R,
}

impl<R: Ranking> Ranked<R> {
    pub fn new(size: u64, ranking: R) -> Self {
        Ranked { size, used: 0, weights: Vec::new(), ranking }
    }

    /// Evict until `weight` more would fit.
    fn evict_for(&mut self, weight: u64) {
        while self.used + weight > self.size {
            let victim = self.ranking.evict();
            self.used -= std::mem::replace(&mut self.weights[victim as usize], ABSENT);
        }
    }
}

impl<R: Ranking> Contents for Ranked<R> {
    fn prepare(&mut self, objects: usize) {
        self.weights.resize(objects.max(self.weights.len()), ABSENT);
        self.ranking.prepare(objects);
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        prefetch_at(&self.weights, number as usize);
        self.ranking.look_ahead(number);
    }

    #[inline(always)]
    fn look_around(&self, number: u32) {
        self.ranking.look_around(number);
    }

    #[inline(always)]
    fn request(&mut self, number: u32, weight: u64) -> bool {
        let former = self.weights[number as usize];
        let (is_there, fits) = (former != ABSENT, weight <= self.size);
        if is_there && fits {
            self.used = self.used - former + weight;
            self.weights[number as usize] = weight;
            self.ranking.hit(number, weight);
            self.evict_for(0);
        } else if is_there {
            self.remove(number);
        } else if fits {
            self.evict_for(weight);
            self.used += weight;
            self.weights[number as usize] = weight;
            self.ranking.insert(number, weight);
        }
        is_there
    }

    fn remove(&mut self, number: u32) {
        let former = std::mem::replace(&mut self.weights[number as usize], ABSENT);
        if former != ABSENT {
            self.ranking.remove(number);
            self.used -= former;
        }
    }
}
