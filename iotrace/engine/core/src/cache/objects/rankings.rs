//! Which object a cache evicts next.

use crate::lists::{prefetch_at, Lists};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order in which objects are evicted.
pub trait Ranking {
    /// Make room for object numbers below this.
    fn prepare(&mut self, objects: usize);

    /// Prefetch the state of an object.
    fn look_ahead(&self, number: u32);

    /// Prefetch the neighbours of an object whose state has been prefetched.
    #[inline(always)]
    fn look_around(&self, _: u32) {}

    /// An object comes in.
    fn insert(&mut self, number: u32, weight: u64);

    /// An object in the cache is requested; it may weigh something else now.
    fn hit(&mut self, number: u32, weight: u64);

    /// An object leaves without being evicted.
    fn remove(&mut self, number: u32);

    /// Evict an object of those in the cache, of which there is one.
    fn evict(&mut self) -> u32;
}

/// What a ranking does whose objects all are in its field `lists`.
macro_rules! by_lists {
    () => {
        fn prepare(&mut self, objects: usize) {
            self.lists.prepare(objects);
        }

        #[inline(always)]
        fn look_ahead(&self, number: u32) {
            self.lists.look_ahead(number);
        }

        #[inline(always)]
        fn look_around(&self, number: u32) {
            self.lists.look_around(number);
        }
    };
}

/// First in, first out; hits renew an object's place or not.
#[derive(Debug)]
pub struct Queue {
    lists: Lists,
    renews: bool,
}

/// The list of a queue.
const ALL: u32 = 1;

impl Queue {
    pub fn lru() -> Self {
        Queue { lists: Lists::default(), renews: true }
    }

    pub fn fifo() -> Self {
        Queue { lists: Lists::default(), renews: false }
    }
}

impl Ranking for Queue {
    by_lists!();

    fn insert(&mut self, number: u32, _: u64) {
        self.lists.put_in(ALL, number);
    }

    fn hit(&mut self, number: u32, _: u64) {
        if self.renews {
            self.lists.renew(number);
        }
    }

    fn remove(&mut self, number: u32) {
        self.lists.take_out(number);
    }

    fn evict(&mut self) -> u32 {
        self.lists.take_oldest(ALL).unwrap_or_default()
    }
}

/// CLOCK: the oldest object is evicted unless its bit is set; then the bit is reset, and the object the newest. The bit is
/// set when an object comes in, and at each hit.
#[derive(Debug, Default)]
pub struct Clock {
    lists: Lists,
}

impl Ranking for Clock {
    by_lists!();

    fn insert(&mut self, number: u32, weight: u64) {
        self.lists.put_in(ALL, number);
        self.hit(number, weight);
    }

    fn hit(&mut self, number: u32, _: u64) {
        *self.lists.mark(number) = 1;
    }

    fn remove(&mut self, number: u32) {
        self.lists.take_out(number);
    }

    fn evict(&mut self) -> u32 {
        while let Some(number) = self.lists.oldest(ALL) {
            if std::mem::take(self.lists.mark(number)) == 0 {
                self.lists.take_out(number);
                return number;
            }
            self.lists.renew(number);
        }
        0
    }
}

/// SIEVE as `cache::policies` has it.
#[derive(Debug, Default)]
pub struct Sieve {
    lists: Lists,
    hand: Option<u32>,
}

impl Ranking for Sieve {
    by_lists!();

    fn insert(&mut self, number: u32, _: u64) {
        self.lists.put_in(ALL, number);
        *self.lists.mark(number) = 0;
    }

    fn hit(&mut self, number: u32, _: u64) {
        *self.lists.mark(number) = 1;
    }

    fn remove(&mut self, number: u32) {
        if self.hand == Some(number) {
            self.hand = self.lists.newer(number);
        }
        self.lists.take_out(number);
    }

    fn evict(&mut self) -> u32 {
        while let Some(number) = self.hand.or(self.lists.oldest(ALL)) {
            let was_visited = std::mem::take(self.lists.mark(number)) == 1;
            self.hand = self.lists.newer(number);
            if !was_visited {
                self.lists.take_out(number);
                return number;
            }
        }
        0
    }
}

/// By frequency: the object of the least priority is evicted, of equal ones the one whose priority was set first. A
/// request sets it.
///
/// For LFU it is the requests since the object came in. For greedy dual, size and frequency (GDSF, Cherkasova 1998), it is
/// that divided by its size, plus the priority of the last one evicted; as in libCacheSim, times 10⁶.
#[derive(Debug)]
pub struct Frequency {
    by_size: bool,
    /// By object number: requests since it came in, and when its priority was set.
    objects: Vec<(u64, u64)>,
    /// Priorities as bits, which order as the numbers do, when they were set, and whose they are. Former ones of an
    /// object stay until they come up.
    queue: BinaryHeap<Reverse<(u64, u64, u32)>>,
    evicted_priority: f64,
    time: u64,
    cached: usize,
}

/// What a priority of one request for one byte is.
const SCALE: f64 = 1e6;
/// The time of an object that is not in the cache.
const NEVER: u64 = 0;

impl Frequency {
    pub fn of_requests() -> Self {
        Frequency {
            by_size: false,
            objects: Vec::new(),
            queue: BinaryHeap::new(),
            evicted_priority: 0.0,
            time: 0,
            cached: 0,
        }
    }

    pub fn by_size() -> Self {
        Frequency { by_size: true, ..Self::of_requests() }
    }

    fn set(&mut self, number: u32, requests: u64, weight: u64) {
        self.time += 1;
        let priority = if self.by_size {
            self.evicted_priority + requests as f64 * SCALE / weight.max(1) as f64
        } else {
            requests as f64
        };
        self.objects[number as usize] = (requests, self.time);
        self.queue.push(Reverse((priority.to_bits(), self.time, number)));
        if self.queue.len() > 64 + 4 * self.cached {
            let objects = &self.objects;
            self.queue.retain(|Reverse((_, time, number))| objects[*number as usize].1 == *time);
        }
    }
}

impl Ranking for Frequency {
    fn prepare(&mut self, objects: usize) {
        self.objects.resize(objects.max(self.objects.len()), (0, NEVER));
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        prefetch_at(&self.objects, number as usize);
    }

    fn insert(&mut self, number: u32, weight: u64) {
        self.cached += 1;
        self.set(number, 1, weight);
    }

    fn hit(&mut self, number: u32, weight: u64) {
        self.set(number, self.objects[number as usize].0 + 1, weight);
    }

    fn remove(&mut self, number: u32) {
        self.cached -= 1;
        self.objects[number as usize].1 = NEVER;
    }

    fn evict(&mut self) -> u32 {
        while let Some(Reverse((priority, time, number))) = self.queue.pop() {
            if self.objects[number as usize].1 == time {
                self.evicted_priority = f64::from_bits(priority);
                self.remove(number);
                return number;
            }
        }
        0
    }
}

/// LRU by samples, as Redis has it since version 3: at each eviction five objects are drawn, with replacement, and enter a
/// pool of the 16 whose last request lay furthest back when they were drawn; the first of the pool that is still in the
/// cache is evicted. Times are numbers of requests, where Redis counts seconds.
#[derive(Debug, Default)]
pub struct SampledLru {
    /// By object number: its place among those in the cache, and its last request.
    objects: Vec<(u32, u64)>,
    cached: Vec<u32>,
    /// Last request when it was drawn, and number; the latest first.
    pool: Vec<(u64, u32)>,
    time: u64,
    chance: u64,
}

const SAMPLES: usize = 5;
const POOL: usize = 16;
/// The place of an object that is not in the cache.
const NOWHERE: u32 = u32::MAX;

impl SampledLru {
    /// A number below `end`: SplitMix64.
    fn draw(&mut self, end: usize) -> usize {
        self.chance = self.chance.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * end as u128) >> 64) as usize
    }

    fn fill_pool(&mut self) {
        for _ in 0..SAMPLES {
            let place = self.draw(self.cached.len());
            let number = self.cached[place];
            let entry = (self.objects[number as usize].1, number);
            if self.pool.iter().any(|&(_, other)| other == number) {
                continue;
            }
            let place = self.pool.partition_point(|&(time, _)| time > entry.0);
            self.pool.insert(place, entry);
            if self.pool.len() > POOL {
                self.pool.remove(0);
            }
        }
    }
}

impl Ranking for SampledLru {
    fn prepare(&mut self, objects: usize) {
        self.objects.resize(objects.max(self.objects.len()), (NOWHERE, 0));
    }

    #[inline(always)]
    fn look_ahead(&self, number: u32) {
        prefetch_at(&self.objects, number as usize);
    }

    fn insert(&mut self, number: u32, weight: u64) {
        self.objects[number as usize].0 = self.cached.len() as u32;
        self.cached.push(number);
        self.hit(number, weight);
    }

    fn hit(&mut self, number: u32, _: u64) {
        self.time += 1;
        self.objects[number as usize].1 = self.time;
    }

    fn remove(&mut self, number: u32) {
        let place = std::mem::replace(&mut self.objects[number as usize].0, NOWHERE);
        self.cached.swap_remove(place as usize);
        if let Some(&moved) = self.cached.get(place as usize) {
            self.objects[moved as usize].0 = place;
        }
    }

    fn evict(&mut self) -> u32 {
        loop {
            self.fill_pool();
            while let Some((_, number)) = self.pool.pop() {
                if self.objects[number as usize].0 != NOWHERE {
                    self.remove(number);
                    return number;
                }
            }
        }
    }
}
