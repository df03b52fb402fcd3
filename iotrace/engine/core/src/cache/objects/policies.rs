//! Caches of one size each under replacement policies, over objects with or without sizes.
//!
//! On a miss, objects are evicted until the one requested fits; one larger than the cache is not admitted. Where an object
//! grows in the cache, others are evicted, or it leaves if it is larger than the cache or the policy names it.

use super::events::{Event, Kind};
use super::sizes::Unit;
use super::tally::Hits;
use crate::cache::replacement::{Access, CacheBuilder, Choice, Policy, Replacement, POLICIES};
use crate::lists::Weight;

/// How far ahead an object's state is prefetched, and that of its neighbours.
const ENTRY_AHEAD: usize = 24;
const LINKS_AHEAD: usize = 12;
/// The protected part of a segmented LRU cache.
const PROTECTED_PERCENT: u32 = 75;

/// The policies of caches whose sizes are in a unit: names, and which variant of each is simulated.
pub fn policies(unit: Unit) -> Vec<(&'static str, &'static str)> {
    let variant = |policy: &Policy| match unit {
        Unit::Objects if policy.looks_ahead() => None,
        Unit::Objects => policy.blocks.or(policy.bytes),
        Unit::Bytes => policy.bytes,
    };
    POLICIES.iter().filter_map(|policy| Some((policy.name, variant(policy)?))).collect()
}

/// An empty cache of a policy by its name; None if there is none for caches sized in that unit.
pub fn cache(policy: &str, unit: Unit, size: u64) -> Option<Box<dyn Cache>> {
    let policy = POLICIES.iter().find(|row| row.name == policy)?;
    let choice = Choice { policy, size, protected_percent: PROTECTED_PERCENT };
    match unit {
        Unit::Objects => choice.build(OfSize(size)),
        Unit::Bytes => choice.build_sized(OfSize(size)),
    }
}

/// A cache of one size.
pub trait Cache: Send + Sync {
    /// Make room for object numbers below this, and follow events.
    fn follow(&mut self, events: &[Event], objects: usize);

    /// Its hits.
    fn hits(&self) -> &Hits;
}

/// A cache of this size, which counts its hits.
struct OfSize(u64);

impl<W: Weight> CacheBuilder<W> for OfSize {
    type Cache = Box<dyn Cache>;

    fn build<P: Replacement<Weight = W> + Send + Sync + 'static>(self, policy: P) -> Self::Cache {
        Box::new(Counted { size: self.0, policy, hits: Hits::default() })
    }
}

struct Counted<P> {
    size: u64,
    policy: P,
    hits: Hits,
}

impl<P: Replacement> Counted<P> {
    /// Request an object; return whether it was there.
    #[inline(always)]
    fn request(&mut self, event: &Event) -> bool {
        let access = Access {
            number: event.number,
            weight: P::Weight::of(event.size),
            write: event.sets,
            time_ns: None,
            file: None,
            first_of_run: true,
        };
        let hit = self.policy.contains(event.number);
        if access.weight.get() > self.size {
            self.policy.refuse(event.number);
        } else if hit {
            self.policy.hit(&access, &mut |_| {});
        } else {
            self.policy.miss(&access, &mut |_| {});
        }
        hit
    }
}

impl<P: Replacement + Send + Sync> Cache for Counted<P> {
    fn follow(&mut self, events: &[Event], objects: usize) {
        self.policy.prepare(objects);
        for (place, event) in events.iter().enumerate() {
            if let Some(far) = events.get(place + ENTRY_AHEAD) {
                self.policy.prefetch_entry(far.number);
            }
            if let Some(near) = events.get(place + LINKS_AHEAD) {
                self.policy.prefetch_links(near.number);
            }
            if event.kind != Kind::Request {
                self.policy.remove(event.number);
            }
            if event.kind != Kind::Removal && self.request(event) {
                self.hits.count(event.tenant, event.size);
            }
        }
    }

    fn hits(&self) -> &Hits {
        &self.hits
    }
}
