//! Runs page caches over events, each for all limits that do the same, on several threads.
//!
//! A cache that stands for several limits is copied now and then. Where limits part, the copy goes on for them from there:
//! the events since are run again. Copies are so far apart that they cost less than the events between them.

use super::page_cache::PageCache;
use crate::cache::file_events::Event;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A cache is copied at the earliest after this many events and touched pages.
const LEAST_WORK: usize = 4096;
/// The same for each of its folios, nodes, files and open files.
const WORK_PER_ITEM: usize = 2;

/// Caches to be run from an event on, those that were run, and how many threads run one.
struct Queue {
    waiting: Vec<(PageCache, usize)>,
    done: Vec<PageCache>,
    running: usize,
}

fn locked(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Run all caches over events; return them, with those that parted.
pub(super) fn run(caches: Vec<PageCache>, events: &[Event], threads: usize) -> Vec<PageCache> {
    let waiting = caches.into_iter().map(|cache| (cache, 0)).collect();
    let queue = Mutex::new(Queue { waiting, done: Vec::new(), running: 0 });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(&queue, &changed, events));
        }
        work(&queue, &changed, events);
    });
    queue.into_inner().unwrap_or_else(PoisonError::into_inner).done
}

/// Run caches until none waits, and none can part any more.
fn work(queue: &Mutex<Queue>, changed: &Condvar, events: &[Event]) {
    let mut held = locked(queue);
    loop {
        if let Some((cache, first)) = held.waiting.pop() {
            held.running += 1;
            drop(held);
            let cache = run_one(cache, events, first, |parted| {
                locked(queue).waiting.push(parted);
                changed.notify_one();
            });
            held = locked(queue);
            held.running -= 1;
            held.done.push(cache);
            changed.notify_all();
        } else if held.running == 0 {
            return;
        } else {
            held = changed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Run a cache from an event on. Caches of limits that part, and the events that they run from, are given away.
fn run_one(
    mut cache: PageCache,
    events: &[Event],
    mut first: usize,
    mut part: impl FnMut((PageCache, usize)),
) -> PageCache {
    while first < events.len() && cache.members().len() > 1 {
        let copy = cache.clone();
        let most = LEAST_WORK.max(WORK_PER_ITEM * cache.items());
        let start = first;
        let mut work = 0;
        while first < events.len() && work < most {
            cache.process(&events[first]);
            work += 1 + events[first].pages();
            first += 1;
        }
        let parted = cache.take_parted();
        if !parted.is_empty() {
            part((copy.only_for(parted), start));
        }
    }
    for event in &events[first..] {
        cache.process(event);
    }
    cache
}
