//! Greedy dual, size and frequency.

use super::policy::{Access, Replacement};
use crate::lists::{prefetch_at, Weight};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The priority of one request for one byte.
const SCALE: f64 = 1e6;
/// The time of an object that is not cached.
const NEVER: u64 = 0;

#[derive(Debug, Clone, Copy)]
struct Object<W> {
    /// Requests since it came in.
    requests: u64,
    /// When its priority was set.
    set_at: u64,
    weight: W,
}

/// GDSF (Cherkasova, Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy, HP Laboratories
/// 98-69, 1998): the object of the least priority is evicted, of equal ones the one whose priority was set first. A
/// request sets it to the requests since the object came in, divided by its size, plus the priority of the last object
/// evicted; as in libCacheSim, the quotient is multiplied by 10⁶.
#[derive(Debug)]
pub struct GreedyDual<W> {
    size: u64,
    used: u64,
    objects: Vec<Object<W>>,
    /// Priorities as bits, which order as the numbers do, when they were set, and whose they are. Former ones of an
    /// object stay until they come up.
    queue: BinaryHeap<Reverse<(u64, u64, u32)>>,
    evicted_priority: f64,
    time: u64,
    cached: usize,
}

impl<W: Weight> GreedyDual<W> {
    /// An empty cache with this capacity.
    pub fn new(size: u64) -> Self {
        GreedyDual {
            size,
            used: 0,
            objects: Vec::new(),
            queue: BinaryHeap::new(),
            evicted_priority: 0.0,
            time: 0,
            cached: 0,
        }
    }

    /// Count a request, and set the priority.
    fn set(&mut self, access: &Access<W>, requests: u64) {
        let Access { number, weight, .. } = *access;
        self.time += 1;
        let priority = self.evicted_priority + requests as f64 * SCALE / weight.get().max(1) as f64;
        self.objects[number as usize] = Object { requests, set_at: self.time, weight };
        self.queue.push(Reverse((priority.to_bits(), self.time, number)));
        if self.queue.len() > 64 + 4 * self.cached {
            let objects = &self.objects;
            self.queue.retain(|Reverse((_, time, number))| objects[*number as usize].set_at == *time);
        }
    }

    /// Evict until no more than `most` is cached.
    fn shrink(&mut self, most: u64, evicted: &mut impl FnMut(u32)) {
        while self.used > most {
            let Some(Reverse((priority, time, number))) = self.queue.pop() else { break };
            if self.objects[number as usize].set_at == time {
                self.evicted_priority = f64::from_bits(priority);
                self.remove(number);
                evicted(number);
            }
        }
    }
}

impl<W: Weight> Replacement for GreedyDual<W> {
    type Weight = W;

    fn prepare(&mut self, numbers: usize) {
        let absent = Object { requests: 0, set_at: NEVER, weight: W::default() };
        self.objects.resize(numbers.max(self.objects.len()), absent);
    }

    #[inline(always)]
    fn prefetch_entry(&self, number: u32) {
        prefetch_at(&self.objects, number as usize);
    }

    #[inline(always)]
    fn contains(&self, number: u32) -> bool {
        self.objects[number as usize].set_at != NEVER
    }

    fn hit(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        let Object { requests, weight: former, .. } = self.objects[access.number as usize];
        self.used = self.used - former.get() + access.weight.get();
        self.set(access, requests + 1);
        self.shrink(self.size, evicted);
    }

    fn miss(&mut self, access: &Access<W>, evicted: &mut impl FnMut(u32)) {
        self.shrink(self.size - access.weight.get(), evicted);
        self.used += access.weight.get();
        self.cached += 1;
        self.set(access, 1);
    }

    fn remove(&mut self, number: u32) {
        if self.contains(number) {
            let object = &mut self.objects[number as usize];
            object.set_at = NEVER;
            self.used -= object.weight.get();
            self.cached -= 1;
        }
    }
}
