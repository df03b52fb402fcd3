//! One pass over events: the stack of all caches that no object exceeds, and the others alone.

use super::events::{Event, Kind, UNKNOWN};
use super::sizes::{Sizes, Unit};
use super::small_cache::SmallCache;
use super::stack::Stack;
use super::tally::{Count, Hits, Tally};
use super::writes::Writes;
use crate::cache::stack_distance::Processor;
use crate::error::Error;

/// How many events ahead an object, and then its slot, are prefetched.
const ENTRY_AHEAD: usize = 48;
const LINKS_AHEAD: usize = 20;
/// The largest size, and sum of the sizes of all objects at a time.
pub const MOST_BYTES: u64 = 1 << 62;

/// Caches of many sizes.
#[derive(Debug)]
pub struct Pass {
    unit: Unit,
    sizes: Sizes,
    stack: Stack,
    tally: Tally,
    writes: Option<Writes>,
    /// The caches that are simulated alone, None for those left out; sizes from here on share the stack.
    alone: Vec<Option<SmallCache>>,
    /// The largest weight so far.
    largest: u64,
    /// Requests for objects whose size was never stated.
    without_size: u64,
    objects: usize,
    processor: Processor,
}

impl Pass {
    /// Empty caches; whether writes are followed.
    pub fn new(unit: Unit, sizes: Sizes, writes: bool) -> Self {
        Pass {
            unit,
            stack: Stack::new(unit == Unit::Objects),
            tally: Tally::new(sizes.all().len()),
            writes: writes.then(|| Writes::new(sizes.all().len())),
            sizes,
            alone: Vec::new(),
            largest: 1,
            without_size: 0,
            objects: 0,
            processor: Processor::default(),
        }
    }

    /// Take events for objects with numbers below `objects`, in parts before each of which the caches that its first
    /// object exceeds leave the stack.
    pub fn take(&mut self, events: &mut [Event], objects: usize) -> Result<(), Error> {
        self.objects = objects;
        self.stack.prepare(objects);
        if let Some(writes) = &mut self.writes {
            writes.prepare(objects);
        }
        let mut rest = events;
        while !rest.is_empty() {
            let exceeds = |event: &Event| self.weight_of(event) > self.largest;
            let end = rest.iter().position(exceeds).unwrap_or(rest.len());
            let (part, beyond) = rest.split_at_mut(end);
            self.take_part(part)?;
            if let Some(event) = beyond.first() {
                self.largest = self.weight_of(event);
                self.leave_stack();
            }
            rest = beyond;
        }
        Ok(())
    }

    fn weight_of(&self, event: &Event) -> u64 {
        if event.size == UNKNOWN || event.kind == Kind::Removal {
            0
        } else {
            self.stack.weight(event.size)
        }
    }

    /// Let the caches smaller than the largest object leave the stack.
    fn leave_stack(&mut self) {
        for place in self.alone.len()..self.sizes.place(self.largest) {
            let size = self.sizes.all()[place];
            let cache = self
                .sizes
                .alone(size)
                .then(|| SmallCache::new(size, &self.stack.content(size), self.tally.hits_at(place)));
            self.alone.push(cache);
        }
    }

    fn take_part(&mut self, events: &mut [Event]) -> Result<(), Error> {
        let largest = u128::from(self.largest) * events.len() as u128 + u128::from(self.stack.total());
        if largest > u128::from(MOST_BYTES) {
            return Err(Error::of("the objects have more than 4,611,686,018,427,387,904 bytes together"));
        }
        let processor = self.processor;
        processor.run(|| self.follow(events));
        for cache in self.alone.iter_mut().flatten() {
            cache.prepare(self.objects);
            match self.unit {
                Unit::Bytes => cache.follow(events, |size| size),
                Unit::Objects => cache.follow(events, |_| 1),
            }
        }
        Ok(())
    }

    /// Let events change the stack, and count their hits in the caches that share it.
    #[inline(always)]
    fn follow(&mut self, events: &mut [Event]) {
        for place in 0..events.len() {
            if let Some(far) = events.get(place + ENTRY_AHEAD) {
                self.stack.prefetch_entry(far.number);
                if let Some(writes) = &self.writes {
                    writes.prefetch_entry(far.number);
                }
            }
            if let Some(near) = events.get(place + LINKS_AHEAD) {
                self.stack.prefetch_links(near.number);
            }
            let event = &mut events[place];
            if event.kind == Kind::Removal {
                if let Some(writes) = &mut self.writes {
                    writes.remove(event.number, self.stack.depth(event.number), &self.sizes);
                }
                self.stack.remove(event.number);
                continue;
            }
            if event.size == UNKNOWN {
                event.size = self.stack.latest_size(event.number);
                self.without_size += u64::from(event.size == 0);
            }
            let depth = self.stack.request(event.number, event.size);
            if let Some(writes) = &mut self.writes {
                writes.request(event.number, depth, event.sets.then_some(event.size), &self.sizes);
            }
            let place = match depth {
                Some(depth) if event.kind == Kind::Request => Some(self.sizes.place(depth)),
                _ => None,
            };
            self.tally.count(event.tenant, event.size, place);
        }
    }

    /// Requests for objects whose size neither they nor an earlier request states.
    pub fn without_size(&self) -> u64 {
        self.without_size
    }

    pub fn sizes(&self) -> &[u64] {
        self.sizes.all()
    }

    /// All requests by tenant, whose numbers are below `tenants`.
    pub fn all(&self) -> &Hits {
        self.tally.all()
    }

    pub fn tenants(&self) -> usize {
        self.tally.tenants()
    }

    /// A tenant's hits at each size; None for a size that is left out.
    pub fn hits(&self, tenant: usize) -> Vec<Option<Count>> {
        let mut hits: Vec<Option<Count>> = self.tally.hits(tenant).into_iter().map(Some).collect();
        for (hits, cache) in hits.iter_mut().zip(&self.alone) {
            *hits = cache.as_ref().map(|cache| cache.hits().of(tenant));
        }
        hits
    }

    /// The places of the sizes that are shown: of sizes that nobody chose, those up to the first that hits as much as all.
    pub fn places(&self) -> Vec<usize> {
        let last = self.sizes.all().len().saturating_sub(1);
        let ends = (0..self.tenants()).filter_map(|tenant| {
            let hits = self.tally.hits(tenant);
            hits.iter().position(|count| Some(count) == hits.last())
        });
        let end = if self.sizes.are_chosen() {
            last
        } else {
            ends.max().unwrap_or(0).max(self.alone.len()).min(last)
        };
        let places = (0..self.sizes.all().len()).take_while(|&place| place <= end);
        places.filter(|&place| !matches!(self.alone.get(place), Some(None))).collect()
    }

    /// All writes, and at each size those absorbed and those whose objects are dirty now; None for a size that an object
    /// exceeds.
    pub fn writes(&self) -> (Count, Vec<Option<[Count; 2]>>) {
        let Some(writes) = &self.writes else {
            return (Count::default(), Vec::new());
        };
        let dirty = writes.at_end(self.stack.depths(), &self.sizes);
        let counts = writes.absorbed.hits(0).into_iter().zip(dirty.hits(0)).enumerate();
        let counts =
            counts.map(|(place, (absorbed, dirty))| (place >= self.alone.len()).then_some([absorbed, dirty]));
        (writes.absorbed.all().of(0), counts.collect())
    }
}
