//! Curves over a stream of requests for objects.

use super::events::{Event, Kind, Rows, UNKNOWN};
use super::expiry::{Expiry, Moments};
use super::sizes::Sizes;
use super::small_cache::SmallCache;
use super::stack::Stack;
use super::tally::{Count, Tally};
use crate::cache::stack_distance::{Interner, Processor};
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;

/// Rows that are taken at once.
const CHUNK: usize = 1 << 12;
/// How many events ahead an object, and then its slot, are prefetched.
const FAR: usize = 48;
const NEAR: usize = 20;
/// The sum of the sizes of all objects at a time.
const MOST_BYTES: u64 = 1 << 62;

/// What the sizes of caches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    #[default]
    Objects,
    Bytes,
}

/// What is computed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub unit: Unit,
    /// The cache sizes; None: eight to each doubling.
    pub sizes: Option<Vec<u64>>,
    pub expiry: Expiry,
    /// Whether requests are counted by tenant, all in the same caches.
    pub by_tenant: bool,
}

/// LRU caches of many sizes over the same requests.
#[derive(Debug)]
pub struct ObjectCurve {
    settings: Settings,
    interner: Interner,
    moments: Moments,
    sizes: Sizes,
    stack: Stack,
    tally: Tally,
    /// The caches that are simulated alone, None for those left out; sizes from here on share the stack.
    alone: Vec<Option<SmallCache>>,
    /// The largest weight so far.
    largest: u64,
    /// Requests for objects whose size was never stated.
    without_size: u64,
    processor: Processor,
    numbers: Vec<u32>,
    events: Vec<Event>,
}

impl ObjectCurve {
    /// # Errors
    /// For a size of 0, or one above 2⁶².
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let sizes = match &settings.sizes {
            None => Sizes::grid(),
            Some(sizes) if sizes.iter().any(|&size| size == 0 || size > MOST_BYTES) => {
                return Err(Error::of("the size of a cache is 1 to 4,611,686,018,427,387,904"));
            }
            Some(sizes) => Sizes::chosen(sizes.clone()),
        };
        Ok(ObjectCurve {
            interner: Interner::default(),
            moments: Moments::new(settings.expiry),
            stack: Stack::new(settings.unit == Unit::Objects),
            tally: Tally::new(sizes.all().len()),
            sizes,
            alone: Vec::new(),
            largest: 1,
            without_size: 0,
            processor: Processor::default(),
            numbers: vec![0; CHUNK],
            events: Vec::new(),
            settings,
        })
    }

    /// Take the next requests.
    ///
    /// # Errors
    /// For columns that are missing, of another type or with nulls; for more objects or bytes than can be counted. Some of
    /// the requests may have been taken then.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let rows = Rows::of(batch, self.settings.expiry, self.settings.by_tenant)?;
        for (chunk, keys) in (0..).zip(rows.keys.chunks(CHUNK)) {
            let numbers = &mut self.numbers[..keys.len()];
            self.interner
                .numbers(keys, numbers)
                .ok_or_else(|| Error::of("more than 2,147,483,647 distinct keys"))?;
            let objects = self.interner.len();
            self.stack.prepare(objects);
            if self.settings.expiry != Expiry::Ignore {
                self.moments.prepare(objects);
            }
            self.events.clear();
            rows.append(chunk * CHUNK, numbers, &mut self.moments, &mut self.events);
            let mut events = std::mem::take(&mut self.events);
            let taken = self.take(&mut events);
            self.events = events;
            taken?;
        }
        Ok(())
    }

    /// Take events, in parts before each of which the caches that its first object exceeds leave the stack.
    fn take(&mut self, events: &mut [Event]) -> Result<(), Error> {
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
        let objects = self.interner.len();
        let unit = self.settings.unit;
        for cache in self.alone.iter_mut().flatten() {
            cache.prepare(objects);
            match unit {
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
            if let Some(far) = events.get(place + FAR) {
                self.stack.look_ahead(far.number);
            }
            if let Some(near) = events.get(place + NEAR) {
                self.stack.look_around(near.number);
            }
            let event = &mut events[place];
            if event.kind == Kind::Removal {
                self.stack.remove(event.number);
                continue;
            }
            if event.size == UNKNOWN {
                event.size = self.stack.latest_size(event.number);
                self.without_size += u64::from(event.size == 0);
            }
            let depth = self.stack.request(event.number, event.size);
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

    /// A row for each tenant and size, in ascending order. Of sizes that nobody chose, those are left out that are smaller
    /// than the largest object (but for powers of two from 2²⁰), and those above the first that hits as much as all.
    ///
    /// # Errors
    /// If Arrow rejects a column.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let tenants = self.tally.tenants().max(usize::from(!self.settings.by_tenant));
        let hits: Vec<Vec<Count>> = (0..tenants).map(|tenant| self.tally.hits(tenant)).collect();
        let end = self.first_with_all_hits(&hits);
        let places = (0..=end).filter(|&place| !matches!(self.alone.get(place), Some(None)));
        let places: Vec<usize> = places.take_while(|&place| place < self.sizes.all().len()).collect();
        let rows = (0..tenants).flat_map(|tenant| places.iter().map(move |&place| (tenant, place)));
        let hits = |(tenant, place): (usize, usize)| match self.alone.get(place) {
            Some(Some(cache)) => cache.hits().of(tenant),
            _ => hits[tenant][place],
        };
        let all = |tenant| self.tally.all().of(tenant);
        let table = table!(rows, |(tenant, place)| {
            tenant: i32 = tenant as i32,
            size: u64 = self.sizes.all()[place],
            requests: u64 = all(tenant).requests,
            request_misses: u64 = all(tenant).requests - hits((tenant, place)).requests,
            bytes: u64 = all(tenant).bytes,
            byte_misses: u64 = all(tenant).bytes - hits((tenant, place)).bytes,
        });
        Ok(table.batch()?)
    }

    /// The place of the last size that is shown.
    fn first_with_all_hits(&self, hits: &[Vec<Count>]) -> usize {
        let last = self.sizes.all().len().saturating_sub(1);
        if self.sizes.are_chosen() {
            return last;
        }
        let ends = hits.iter().filter_map(|hits| hits.iter().position(|count| Some(count) == hits.last()));
        ends.max().unwrap_or(0).max(self.alone.len()).min(last)
    }
}
