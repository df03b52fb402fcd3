//! Locks of what Python's threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lock it, also after a panic in another thread.
pub fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
