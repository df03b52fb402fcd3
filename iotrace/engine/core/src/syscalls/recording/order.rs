//! Puts records into the order of time: each begins, and if something else happens before it ends, ends later.

use super::calls::Kept;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A moment of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// It begins and ends, with nothing between.
    Whole(Box<Kept>),
    /// It begins; the number is that for [`Order::take`].
    Begins(Box<Kept>, u64),
    Ends(Box<Kept>),
}

/// Records by the time of their next moment; those of the same time in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Time, number, and whether the record has begun.
    waiting: BinaryHeap<Reverse<(u64, u64, bool)>>,
    records: FxHashMap<u64, Box<Kept>>,
    added: u64,
}

impl Order {
    /// Add a record, whose beginning must not be before the last moment that was taken.
    pub fn push(&mut self, record: Kept) {
        self.waiting.push(Reverse((record.start_ns, self.added, false)));
        self.records.insert(self.added, Box::new(record));
        self.added += 1;
    }

    /// Whether records wait for their moments.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The next moment before this time. No record that begins before it may be added later.
    pub fn next(&mut self, horizon_ns: u64) -> Option<Moment> {
        loop {
            let &Reverse((time_ns, number, has_begun)) = self.waiting.peek()?;
            if time_ns >= horizon_ns {
                return None;
            }
            self.waiting.pop();
            let Some(record) = self.records.get(&number) else { continue };
            if has_begun {
                return self.take(number).map(Moment::Ends);
            }
            let end_ns = record.end_ns;
            let next_ns = self.waiting.peek().map_or(horizon_ns, |Reverse((next_ns, ..))| *next_ns);
            if end_ns <= next_ns.min(horizon_ns) {
                return self.take(number).map(Moment::Whole);
            }
            let record = record.clone();
            self.waiting.push(Reverse((end_ns, number, true)));
            return Some(Moment::Begins(record, number));
        }
    }

    /// Take a record that has begun and not ended.
    pub fn take(&mut self, number: u64) -> Option<Box<Kept>> {
        self.records.remove(&number)
    }
}
