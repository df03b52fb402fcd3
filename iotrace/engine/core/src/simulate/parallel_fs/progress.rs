//! How far several runs are.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How far the runs are, and whether they should stop: looked at, and set, from other threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    stops: AtomicBool,
}

impl Progress {
    /// How many runs are done.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Have the runs end soon, without outcome.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    pub(super) fn should_stop(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }
}
