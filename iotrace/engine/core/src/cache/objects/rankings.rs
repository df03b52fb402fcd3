//! Which object a cache evicts next.

use crate::lists::Lists;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order in which objects are evicted.
pub trait Ranking {
    /// Make room for object numbers below this.
    fn prepare(&mut self, objects: usize);

    /// An object comes in.
    fn insert(&mut self, number: u32, weight: u64);

    /// An object in the cache is requested; it may weigh something else now.
    fn hit(&mut self, number: u32, weight: u64);

    /// An object leaves without being evicted.
    fn remove(&mut self, number: u32);

    /// Evict an object of those in the cache, of which there is one.
    fn evict(&mut self) -> u32;
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
    fn prepare(&mut self, objects: usize) {
        self.lists.prepare(objects);
    }

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

/// Greedy dual, size and frequency (Cherkasova 1998): the object of the least priority is evicted. A request sets an
/// object's priority to the requests since it came in, divided by its size, plus the priority of the last one evicted;
/// of equal priorities the older one goes first. As libCacheSim has it, whose priorities are 10⁶ times the quotient.
#[derive(Debug, Default)]
pub struct Gdsf {
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

impl Gdsf {
    fn set(&mut self, number: u32, requests: u64, weight: u64) {
        self.time += 1;
        let priority = self.evicted_priority + requests as f64 * SCALE / weight.max(1) as f64;
        self.objects[number as usize] = (requests, self.time);
        self.queue.push(Reverse((priority.to_bits(), self.time, number)));
        if self.queue.len() > 64 + 4 * self.cached {
            let objects = &self.objects;
            self.queue.retain(|Reverse((_, time, number))| objects[*number as usize].1 == *time);
        }
    }
}

impl Ranking for Gdsf {
    fn prepare(&mut self, objects: usize) {
        self.objects.resize(objects.max(self.objects.len()), (0, NEVER));
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
