//! The progress of several runs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The progress of the runs, and whether they should stop; read and set by other threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    stops: AtomicBool,
}

impl Progress {
    /// The number of completed runs.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Stop the runs soon, without results.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    pub(super) fn should_stop(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }
}
