//! LRU by samples.

use super::policy::{Access, Replacement};
use crate::lists::{prefetch_at, Weight};

const SAMPLES: usize = 5;
const POOL: usize = 16;
/// The place of an object that is not cached.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Object<W> {
    /// Its place among those cached.
    place: u32,
    last_request: u64,
    weight: W,
}

/// LRU by samples, as Redis has it since version 3: at each eviction five objects are drawn, with replacement, and enter a
/// pool of the 16 whose last request lay furthest back when they were drawn; the first of the pool that is still in the
/// cache is evicted. Times are numbers of requests, where Redis counts seconds.
#[derive(Debug)]
pub struct SampledLru<W> {
    size: u64,
    used: u64,
    objects: Vec<Object<W>>,
    cached: Vec<u32>,
    /// Last request when it was drawn, and number; the latest first.
    pool: Vec<(u64, u32)>,
    time: u64,
    chance: u64,
}

impl<W: Weight> SampledLru<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        SampledLru {
            size,
            used: 0,
            objects: Vec::new(),
            cached: Vec::new(),
            pool: Vec::new(),
            time: 0,
            chance: 0,
        }
    }

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
            let entry = (self.objects[number as usize].last_request, number);
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

    /// Note a request, and what the object weighs.
    fn note(&mut self, access: &Access<W>) {
        self.time += 1;
        let object = &mut self.objects[access.number as usize];
        (object.last_request, object.weight) = (self.time, access.weight);
        self.used += access.weight.get();
    }

    /// Evict until no more than `most` is cached.
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.used > most {
            self.fill_pool();
            while let Some((_, number)) = self.pool.pop() {
                if self.contains(number) {
                    self.remove(number);
                    evicted(number);
                    break;
                }
            }
        }
    }
}

impl<W: Weight> Replacement for SampledLru<W> {
    type Weight = W;

    fn prepare(&mut self, numbers: usize) {
        let absent = Object { place: NOWHERE, last_request: 0, weight: W::default() };
        self.objects.resize(numbers.max(self.objects.len()), absent);
    }

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        prefetch_at(&self.objects, number as usize);
    }

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.objects[number as usize].place != NOWHERE
    }

    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.used -= self.objects[access.number as usize].weight.get();
        self.note(access);
        self.shrink(self.size, evicted);
    }

    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        self.objects[access.number as usize].place = self.cached.len() as u32;
        self.cached.push(access.number);
        self.note(access);
    }

    fn remove(&mut self, number: u32) {
        if self.contains(number) {
            let object = &mut self.objects[number as usize];
            let place = std::mem::replace(&mut object.place, NOWHERE) as usize;
            self.used -= object.weight.get();
            self.cached.swap_remove(place);
            if let Some(&moved) = self.cached.get(place) {
                self.objects[moved as usize].place = place as u32;
            }
        }
    }
}
