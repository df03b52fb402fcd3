//! What the times of a block of records show of their clock.

use serde::Serialize;

pub const NS_PER_S: i64 = 1_000_000_000;
pub const NS_PER_MS: i64 = 1_000_000;
pub const NS_PER_US: i64 = 1_000;
/// No record has a later time, counted from the format's base.
pub const LATEST_NS: i64 = 1 << 62;
/// Thirty years: a longer duration is an error, as is a time further than this from the usual one.
pub const LONGEST_TRACE_NS: i64 = 30 * 366 * 86_400 * NS_PER_S;

/// What the times of some records show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// How many there are.
    pub rows: u64,
    /// The first, least and greatest time, and the latest end; 0 without rows.
    pub first_ns: i64,
    pub least_ns: i64,
    pub most_ns: i64,
    pub end_ns: i64,
    /// The coarsest of 1 s, 1 ms, 1 us and 1 ns of which all times are multiples.
    pub step_ns: i64,
}

impl Times {
    /// Take the time of the next record, and how long it took, which is below 0 if unknown.
    #[inline]
    pub fn see(&mut self, time_ns: i64, duration_ns: i64) {
        let end_ns = time_ns + duration_ns.max(0);
        if self.rows == 0 {
            *self = Times {
                rows: 0,
                first_ns: time_ns,
                least_ns: time_ns,
                most_ns: time_ns,
                end_ns,
                step_ns: NS_PER_S,
            };
        }
        self.rows += 1;
        self.least_ns = self.least_ns.min(time_ns);
        self.most_ns = self.most_ns.max(time_ns);
        self.end_ns = self.end_ns.max(end_ns);
        while self.step_ns > 1 && time_ns % self.step_ns != 0 {
            self.step_ns /= 1000;
        }
    }
}

/// How many times are before an earlier one, of which the latest before these was `reached_ns`.
pub fn unsorted(times_ns: &[i64], mut reached_ns: i64) -> u64 {
    let mut unsorted = 0;
    for &time_ns in times_ns {
        unsorted += u64::from(time_ns < reached_ns);
        reached_ns = reached_ns.max(time_ns);
    }
    unsorted
}
