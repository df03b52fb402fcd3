//! The clock of a discrete-event simulation: what will happen, in the order in which it will.
//!
//! Events of the same instant happen in the order in which they were scheduled, so that a run is the same each time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Events to come, and the time of the last one that came.
#[derive(Debug)]
pub struct Events<E> {
    to_come: BinaryHeap<Event<E>>,
    scheduled: u64,
    now_ns: i64,
}

#[derive(Debug)]
struct Event<E> {
    at_ns: i64,
    /// How many were scheduled before it.
    number: u64,
    what: E,
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Events {
            to_come: BinaryHeap::new(),
            scheduled: 0,
            now_ns: 0,
        }
    }
}

impl<E> Events<E> {
    /// The time of the event that came last; 0 before the first.
    pub fn now_ns(&self) -> i64 {
        self.now_ns
    }

    /// How many events were ever scheduled.
    pub fn scheduled(&self) -> u64 {
        self.scheduled
    }

    /// Let something happen so much later than now; a delay below 0 counts as 0, and time ends at its largest value.
    pub fn schedule(&mut self, delay_ns: i64, what: E) {
        self.to_come.push(Event {
            at_ns: self.now_ns.saturating_add(delay_ns.max(0)),
            number: self.scheduled,
            what,
        });
        self.scheduled += 1;
    }

    /// Move on to the next event.
    pub fn advance(&mut self) -> Option<E> {
        let event = self.to_come.pop()?;
        self.now_ns = event.at_ns;
        Some(event.what)
    }
}

impl<E> Event<E> {
    fn key(&self) -> (i64, u64) {
        (self.at_ns, self.number)
    }
}

impl<E> Ord for Event<E> {
    /// The heap gives the largest first: the earliest is the largest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Event<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Event<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Event<E> {}

#[cfg(test)]
mod tests {
    use super::Events;
    use proptest::prelude::*;

    proptest! {
        /// A stable sort by time is the oracle.
        #[test]
        fn events_come_by_time_then_as_scheduled(delays in proptest::collection::vec(0_i64..8, 0..64)) {
            let mut events = Events::default();
            for (number, &delay_ns) in delays.iter().enumerate() {
                events.schedule(delay_ns, number);
            }
            let mut expected: Vec<usize> = (0..delays.len()).collect();
            expected.sort_by_key(|&number| delays[number]);
            let mut came = Vec::new();
            while let Some(number) = events.advance() {
                prop_assert_eq!(events.now_ns(), delays[number]);
                came.push(number);
            }
            prop_assert_eq!(came, expected);
        }
    }
}
