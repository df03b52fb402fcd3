//! The event queue of a discrete-event simulation, in order of time.
//!
//! Events of the same time occur in the order in which they were scheduled, so that runs are reproducible.
//!
//! Most delays of a simulation are equal: those of disks with constant service time, or of a network. Of two events
//! with the same delay the one scheduled first occurs first, so a FIFO queue keeps them in order at no cost. There are
//! a few such lanes; an event goes to the end of a lane if it is later than all events there, and into a heap if there
//! is no such lane.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// Future events, and the current time.
#[derive(Debug)]
pub struct Events<E> {
    lanes: [VecDeque<Event<E>>; LANES],
    others: BinaryHeap<Event<E>>,
    /// The key of the first event of each lane and of the heap; `NEVER` if it is empty.
    first: [Key; LANES + 1],
    /// The key of the last event of each lane; the smallest key if it is empty.
    last_ns: [i64; LANES],
    scheduled: u64,
    now_ns: i64,
}

/// More lanes take more events, but more of them have to be compared.
const LANES: usize = 3;

/// The time of an event, and the number of events scheduled before it.
type Key = (i64, u64);

const NEVER: Key = (i64::MAX, u64::MAX);

#[derive(Debug)]
struct Event<E> {
    key: Key,
    what: E,
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Events {
            lanes: std::array::from_fn(|_| VecDeque::new()),
            others: BinaryHeap::new(),
            first: [NEVER; LANES + 1],
            last_ns: [i64::MIN; LANES],
            scheduled: 0,
            now_ns: 0,
        }
    }
}

impl<E> Events<E> {
    /// The current time: that of the last event; 0 before the first.
    pub fn now_ns(&self) -> i64 {
        self.now_ns
    }

    /// The number of events scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.scheduled
    }

    /// Schedule an event `delay_ns` after now; a negative delay counts as 0, and times saturate at the largest i64.
    pub fn schedule(&mut self, delay_ns: i64, what: E) {
        let at_ns = self.now_ns.saturating_add(delay_ns.max(0));
        let key = (at_ns, self.scheduled);
        let event = Event { key, what };
        self.scheduled += 1;
        // of the lanes that end before the event, the one whose last event is the latest
        let fitting = (0..LANES).filter(|&lane| self.last_ns[lane] <= at_ns);
        match fitting.max_by_key(|&lane| self.last_ns[lane]) {
            Some(lane) => {
                if self.lanes[lane].is_empty() {
                    self.first[lane] = key;
                }
                self.lanes[lane].push_back(event);
                self.last_ns[lane] = at_ns;
            }
            None => {
                self.others.push(event);
                self.first[LANES] = self.first[LANES].min(key);
            }
        }
    }

    /// Advance to the next event.
    pub fn advance(&mut self) -> Option<E> {
        let mut next = 0;
        for from in 1..=LANES {
            if self.first[from] < self.first[next] {
                next = from;
            }
        }
        let event = match self.lanes.get_mut(next) {
            None => {
                let event = self.others.pop()?;
                self.first[LANES] = self.others.peek().map_or(NEVER, |event| event.key);
                event
            }
            Some(lane) => {
                let event = lane.pop_front()?;
                match lane.front() {
                    Some(first) => self.first[next] = first.key,
                    None => (self.first[next], self.last_ns[next]) = (NEVER, i64::MIN),
                }
                event
            }
        };
        self.now_ns = event.key.0;
        Some(event.what)
    }
}

impl<E> Ord for Event<E> {
    /// The heap returns the largest first: the earliest is the largest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<E> PartialOrd for Event<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Event<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<E> Eq for Event<E> {}

#[cfg(test)]
mod tests {
    use super::Events;
    use proptest::prelude::*;

    proptest! {
        /// Some events are scheduled at the start, others when one occurs; a stable sort by time is the oracle.
        #[test]
        fn events_come_by_time_then_as_scheduled(
            first in proptest::collection::vec(-1_i64..8, 0..64),
            later in proptest::collection::vec(proptest::option::of(0_i64..8), 0..200),
        ) {
            let (mut events, mut to_come) = (Events::default(), Vec::new());
            let schedule = |events: &mut Events<usize>, to_come: &mut Vec<_>, delay_ns: i64| {
                let number = events.scheduled() as usize;
                to_come.push((events.now_ns() + delay_ns.max(0), number));
                events.schedule(delay_ns, number);
            };
            for &delay_ns in &first {
                schedule(&mut events, &mut to_come, delay_ns);
            }
            let mut later = later.into_iter();
            while let Some(number) = events.advance() {
                to_come.sort();
                prop_assert_eq!((events.now_ns(), number), to_come.remove(0));
                for delay_ns in later.by_ref().take(2).flatten() {
                    schedule(&mut events, &mut to_come, delay_ns);
                }
            }
            prop_assert!(to_come.is_empty());
        }
    }

    #[test]
    fn time_ends_at_its_largest_value() {
        let mut events = Events::default();
        events.schedule(10, 0);
        events.advance();
        events.schedule(i64::MAX, 1);
        events.schedule(i64::MAX, 2);
        let came: Vec<_> = std::iter::from_fn(|| events.advance()).collect();
        assert_eq!((came, events.now_ns()), (vec![1, 2], i64::MAX));
    }
}
