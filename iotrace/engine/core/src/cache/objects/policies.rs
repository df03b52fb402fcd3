//! Caches of one size each under replacement policies other than LRU, over objects with sizes.
//!
//! On a miss, objects are evicted until the one requested fits; one larger than the cache is not admitted. Where an object
//! grows in the cache, others are evicted, or it leaves if it is larger than the cache or the policy names it.

use super::events::{Event, Kind};
use super::rankings::{Gdsf, Queue, Ranking, SampledLru};
use super::tally::Hits;
use serde::Deserialize;

/// The weight of an object that is not in the cache.
const ABSENT: u64 = u64::MAX;

/// A policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Policy {
    #[serde(rename = "lru")]
    Lru,
    #[serde(rename = "fifo")]
    Fifo,
    #[serde(rename = "gdsf")]
    Gdsf,
    #[serde(rename = "sampled-lru")]
    SampledLru,
}

/// A cache of one size.
pub trait Cache: Send + Sync {
    /// Make room for object numbers below this, and follow events whose weights are these.
    fn follow(&mut self, events: &[Event], weights: &[u64], objects: usize);

    /// Its hits.
    fn hits(&self) -> &Hits;
}

/// An empty cache.
pub fn cache(policy: Policy, size: u64) -> Box<dyn Cache> {
    match policy {
        Policy::Lru => Box::new(Ranked::new(size, Queue::lru())),
        Policy::Fifo => Box::new(Ranked::new(size, Queue::fifo())),
        Policy::Gdsf => Box::new(Ranked::new(size, Gdsf::default())),
        Policy::SampledLru => Box::new(Ranked::new(size, SampledLru::default())),
    }
}

struct Ranked<R> {
    size: u64,
    used: u64,
    /// By object number.
    weights: Vec<u64>,
    ranking: R,
    hits: Hits,
}

impl<R: Ranking> Ranked<R> {
    fn new(size: u64, ranking: R) -> Self {
        Ranked { size, used: 0, weights: Vec::new(), ranking, hits: Hits::default() }
    }

    /// Evict until `weight` more would fit.
    fn evict_for(&mut self, weight: u64) {
        while self.used + weight > self.size {
            let victim = self.ranking.evict();
            self.used -= std::mem::replace(&mut self.weights[victim as usize], ABSENT);
        }
    }

    fn remove(&mut self, number: u32) {
        self.ranking.remove(number);
        self.used -= std::mem::replace(&mut self.weights[number as usize], ABSENT);
    }

    fn request(&mut self, number: u32, weight: u64) {
        let former = self.weights[number as usize];
        let fits = weight <= self.size;
        if former != ABSENT && fits {
            self.used = self.used - former + weight;
            self.weights[number as usize] = weight;
            self.ranking.hit(number, weight);
            self.evict_for(0);
        } else if former != ABSENT {
            self.remove(number);
        } else if fits {
            self.evict_for(weight);
            self.used += weight;
            self.weights[number as usize] = weight;
            self.ranking.insert(number, weight);
        }
    }
}

impl<R: Ranking + Send + Sync> Cache for Ranked<R> {
    fn follow(&mut self, events: &[Event], weights: &[u64], objects: usize) {
        self.weights.resize(objects.max(self.weights.len()), ABSENT);
        self.ranking.prepare(objects);
        for (event, &weight) in events.iter().zip(weights) {
            let is_there = self.weights[event.number as usize] != ABSENT;
            if is_there && event.kind != Kind::Request {
                self.remove(event.number);
            }
            if event.kind == Kind::Removal {
                continue;
            }
            if is_there && event.kind == Kind::Request {
                self.hits.count(event.tenant, event.size);
            }
            self.request(event.number, weight);
        }
    }

    fn hits(&self) -> &Hits {
        &self.hits
    }
}
