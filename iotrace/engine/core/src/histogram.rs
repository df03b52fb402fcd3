//! A histogram of request times in bounded memory: percentiles are at most 1/128 above the true ones, never below.

const STEPS: u32 = 7;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum_ns: i128,
    largest_ns: i64,
}

impl Histogram {
    pub fn add(&mut self, time_ns: i64) {
        let at = class(time_ns.max(0) as u64);
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.count += 1;
        self.sum_ns += i128::from(time_ns);
        self.largest_ns = self.largest_ns.max(time_ns);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum_ns(&self) -> i128 {
        self.sum_ns
    }

    pub fn largest_ns(&self) -> i64 {
        self.largest_ns
    }

    /// The time in ns within which `thousandths` thousandths of the requests completed; None if there are no requests.
    pub fn within_ns(&self, thousandths: u64) -> Option<i64> {
        let rank = (self.count * thousandths).div_ceil(1000).max(1);
        let mut seen = 0;
        for (at, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(last_of(at).min(self.largest_ns));
            }
        }
        None
    }
}

/// Times below 128 ns have a class each, then 128 classes for each doubling.
fn class(time_ns: u64) -> usize {
    let doublings = (64 - time_ns.leading_zeros()).saturating_sub(STEPS + 1);
    ((u64::from(doublings) << STEPS) + (time_ns >> doublings)) as usize
}

fn last_of(class: usize) -> i64 {
    let class = class as u64;
    let doublings = (class >> STEPS).saturating_sub(1);
    let first = (class - (doublings << STEPS)) << doublings;
    (first + (1 << doublings) - 1) as i64
}

#[cfg(test)]
mod tests {
    use super::{class, last_of, Histogram};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_percentile_is_little_above_the_true_one(times in prop::collection::vec(0i64..1 << 40, 1..200), thousandths in 1u64..=1000) {
            let mut histogram = Histogram::default();
            times.iter().for_each(|&time| histogram.add(time));
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let rank = (times.len() as u64 * thousandths).div_ceil(1000) as usize;
            let (truth, found) = (sorted[rank - 1], histogram.within_ns(thousandths).unwrap_or(-1));
            prop_assert!(truth <= found && found <= truth + truth / 128, "{truth} {found}");
        }

        #[test]
        fn classes_hold_what_they_say(time in 0u64..1 << 60) {
            prop_assert!(last_of(class(time)) as u64 >= time);
            prop_assert!(time == 0 || (last_of(class(time - 1)) as u64) <= last_of(class(time)) as u64);
        }
    }
}
