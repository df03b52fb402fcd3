//! The threads of the global caches, and the requests that wait for one.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The requests at one global cache.
#[derive(Debug, Default)]
struct Requests {
    handled: u32,
    waiting: VecDeque<u32>,
}

/// The threads of all global caches.
#[derive(Debug)]
pub(super) struct Threads {
    /// Of each cache; 0 for as many as there are requests.
    count: u32,
    caches: FxHashMap<u32, Requests>,
}

impl Threads {
    pub fn new(count: u32) -> Self {
        Threads { count, caches: FxHashMap::default() }
    }

    /// A job's request has arrived at a cache; false if it waits for a thread.
    pub fn take(&mut self, cache: u32, job: u32) -> bool {
        if self.count == 0 {
            return true;
        }
        let requests = self.caches.entry(cache).or_default();
        if requests.handled == self.count {
            requests.waiting.push_back(job);
            return false;
        }
        requests.handled += 1;
        true
    }

    /// A request has been answered; return the job that gets its thread.
    pub fn give_back(&mut self, cache: u32) -> Option<u32> {
        let requests = self.caches.get_mut(&cache)?;
        let next = requests.waiting.pop_front();
        requests.handled -= u32::from(next.is_none());
        next
    }
}
