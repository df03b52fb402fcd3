//! Sums of calls, with how long the slowest of them took.

/// Parts of each doubling of a latency.
const PARTS: usize = 4;
/// Latencies below 2^6 ns are in the first part, those of 2^38 ns (275 s) or more in the last.
const LEAST_EXPONENT: usize = 6;
const MOST_EXPONENT: usize = 38;
const BUCKETS: usize = (MOST_EXPONENT - LEAST_EXPONENT) * PARTS + 2;

/// What calls did together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    pub calls: u64,
    /// Of the calls whose beginning is known.
    pub time_ns: u64,
    /// Moved from files and to files.
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Pages of files that were added to the page cache.
    pub missed_pages: u64,
    longest_ns: u64,
    buckets: [u32; BUCKETS],
}

impl Default for Totals {
    fn default() -> Totals {
        Totals {
            calls: 0,
            time_ns: 0,
            read_bytes: 0,
            written_bytes: 0,
            missed_pages: 0,
            longest_ns: 0,
            buckets: [0; BUCKETS],
        }
    }
}

impl Totals {
    /// Add a call, and how long it took if its beginning is known.
    pub fn add(&mut self, duration_ns: Option<u64>) {
        self.calls += 1;
        if let Some(duration_ns) = duration_ns {
            self.time_ns += duration_ns;
            self.longest_ns = self.longest_ns.max(duration_ns);
            self.buckets[bucket(duration_ns)] += 1;
        }
    }

    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }

    pub fn is_empty(&self) -> bool {
        self.calls == 0 && self.bytes() == 0 && self.missed_pages == 0
    }

    /// How many calls have a time.
    pub fn timed(&self) -> u64 {
        self.buckets.iter().map(|&calls| u64::from(calls)).sum()
    }

    /// The time that 99 % of the calls took at most, less than a quarter too large; 0 if none has a time.
    pub fn p99_ns(&self) -> u64 {
        let mut left = self.timed() / 100;
        for (number, &calls) in self.buckets.iter().enumerate().rev() {
            if u64::from(calls) > left {
                return most_ns(number).min(self.longest_ns);
            }
            left -= u64::from(calls);
        }
        0
    }
}

/// The part in which a latency is: parts of a doubling are of equal length.
fn bucket(latency_ns: u64) -> usize {
    let exponent = latency_ns.max(1).ilog2() as usize;
    if exponent < LEAST_EXPONENT {
        return 0;
    }
    if exponent >= MOST_EXPONENT {
        return BUCKETS - 1;
    }
    let part = (latency_ns >> (exponent - 2)) as usize & (PARTS - 1);
    1 + (exponent - LEAST_EXPONENT) * PARTS + part
}

/// The largest latency of a part.
fn most_ns(bucket: usize) -> u64 {
    if bucket == 0 {
        return (1 << LEAST_EXPONENT) - 1;
    }
    if bucket == BUCKETS - 1 {
        return u64::MAX;
    }
    let (exponent, part) = (LEAST_EXPONENT + (bucket - 1) / PARTS, (bucket - 1) % PARTS);
    ((PARTS + part + 1) as u64) * (1 << (exponent - 2)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_latency_is_in_its_bucket(latency_ns in 0_u64..1 << 40) {
            let bucket = bucket(latency_ns);
            prop_assert!(latency_ns <= most_ns(bucket));
            prop_assert!(bucket == 0 || latency_ns > most_ns(bucket - 1));
        }

        #[test]
        fn the_99th_percentile_is_nearly_exact(mut all in prop::collection::vec(64_u64..1 << 37, 1..400)) {
            let mut totals = Totals::default();
            all.iter().for_each(|&duration_ns| totals.add(Some(duration_ns)));
            all.sort_unstable();
            let exact = all[all.len() - 1 - all.len() / 100];
            prop_assert!(totals.p99_ns() >= exact);
            prop_assert!(totals.p99_ns() < exact + exact / 4);
        }
    }

    #[test]
    fn calls_without_a_time_have_no_latency() {
        let mut totals = Totals::default();
        totals.add(None);
        assert_eq!((totals.calls, totals.timed(), totals.p99_ns()), (1, 0, 0));
    }
}
