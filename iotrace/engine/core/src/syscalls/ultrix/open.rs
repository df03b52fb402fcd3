//! The calls that have not returned yet.

use super::entry::Entry;
use rustc_hash::FxHashMap;

/// A call without its return, and its position.
#[derive(Debug)]
pub struct Open {
    pub seq: i64,
    pub entry: Entry,
}

/// Calls without their returns by thread, oldest first.
#[derive(Debug, Default)]
pub struct OpenCalls(FxHashMap<i32, Vec<Open>>);

impl OpenCalls {
    /// A call was issued.
    pub fn push(&mut self, call: Open) {
        self.0.entry(call.entry.thread).or_default().push(call);
    }

    /// Whether a call with this thread and name is open.
    pub fn contains(&self, thread: i32, name: &[u8]) -> bool {
        self.oldest(thread, name).is_some()
    }

    /// Take the oldest open call with this thread and name.
    pub fn take(&mut self, thread: i32, name: &[u8]) -> Option<Open> {
        let index = self.oldest(thread, name)?;
        let calls = self.0.get_mut(&thread)?;
        let call = calls.remove(index);
        if calls.is_empty() {
            self.0.remove(&thread);
        }
        Some(call)
    }

    /// Take all calls of a thread, oldest first.
    pub fn of_thread(&mut self, thread: i32) -> Vec<Open> {
        self.0.remove(&thread).unwrap_or_default()
    }

    /// Take all calls, oldest first.
    pub fn all(&mut self) -> Vec<Open> {
        let mut calls: Vec<Open> = self.0.drain().flat_map(|(_, calls)| calls).collect();
        calls.sort_by_key(|call| call.seq);
        calls
    }

    fn oldest(&self, thread: i32, name: &[u8]) -> Option<usize> {
        self.0.get(&thread)?.iter().position(|call| call.entry.name() == name)
    }
}
