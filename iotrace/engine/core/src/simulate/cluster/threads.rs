//! The threads of the global caches: each handles one request from its arrival to the reply.

use super::clock::{Clock, Event, Step};
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
    fn take(&mut self, cache: u32, job: u32) -> bool {
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
    fn give_back(&mut self, cache: u32) -> Option<u32> {
        let requests = self.caches.get_mut(&cache)?;
        let next = requests.waiting.pop_front();
        requests.handled -= u32::from(next.is_none());
        next
    }
}

impl Clock {
    /// A request has arrived at the global cache: a thread looks up its blocks, or it waits for one.
    pub(super) fn arrived_globally(&mut self, number: u32) {
        let cache = self.global_number(number);
        if self.threads.take(cache, number) {
            self.look_up_globally(number);
        }
    }

    /// The global cache has answered a request: its thread takes the next one.
    pub(super) fn answered_globally(&mut self, number: u32) {
        let cache = self.global_number(number);
        if let Some(next) = self.threads.give_back(cache) {
            self.look_up_globally(next);
        }
    }

    fn look_up_globally(&mut self, number: u32) {
        let (service_ns, now_ns) = (self.costs.look_up_ns(), self.now_ns());
        let ends_ns = self.server(number).queue.serve(now_ns, service_ns);
        self.schedule_at(ends_ns, Event::Step(number, Step::GlobalLookedUp));
    }

    pub(super) fn global_number(&mut self, number: u32) -> u32 {
        let file = self.jobs.get(number).transfer.file;
        self.machine.settings.global_number(file)
    }
}
