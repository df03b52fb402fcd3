//! How long after the one before each request comes: query `request_interval`.

use super::power_of_two;
use super::requests::Request;
use std::collections::BTreeMap;

/// How many times wait to be sorted: a request may come late by as many.
const HELD: usize = 1 << 15;

/// The times that wait, and the intervals between those before them, by their bins.
#[derive(Debug, Default)]
pub struct Intervals {
    waiting: Vec<i64>,
    last_ns: Option<i64>,
    counts: BTreeMap<i64, i64>,
    is_out_of_order: bool,
}

impl Intervals {
    pub fn push(&mut self, request: &Request) {
        let (Some(time_ns), true) = (request.time_ns, request.moves() && request.is_counted) else {
            return;
        };
        self.waiting.push(time_ns);
        if self.waiting.len() == 2 * HELD {
            self.count_first(HELD);
        }
    }

    /// How many intervals each bin has, or none if requests came too late.
    pub fn finish(mut self) -> Option<BTreeMap<i64, i64>> {
        self.count_first(self.waiting.len());
        (!self.is_out_of_order).then_some(self.counts)
    }

    fn count_first(&mut self, most: usize) {
        self.waiting.sort();
        for time_ns in self.waiting.drain(..most) {
            if let Some(last_ns) = self.last_ns.replace(time_ns) {
                self.is_out_of_order |= time_ns < last_ns;
                *self.counts.entry(power_of_two(time_ns.saturating_sub(last_ns))).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Intervals, HELD};
    use std::collections::BTreeMap;

    /// The intervals of some times.
    fn made(times: impl Iterator<Item = i64>) -> Option<BTreeMap<i64, i64>> {
        let mut intervals = Intervals::default();
        for time_ns in times {
            intervals.waiting.push(time_ns);
            if intervals.waiting.len() == 2 * HELD {
                intervals.count_first(HELD);
            }
        }
        intervals.finish()
    }

    #[test]
    fn times_may_be_late_by_as_many_as_wait() {
        let count = 5 * HELD as i64;
        let in_order = Some(BTreeMap::from([(4, count - 1)]));
        assert_eq!(made((0..count).map(|time| 3 * time)), in_order);
        let late = HELD as i64 - 1;
        assert_eq!(
            made((late..late + 1).chain(0..late).chain(late + 1..count).map(|time| 3 * time)),
            in_order
        );
        assert_eq!(made((0..count).chain(0..1)), None);
    }
}
