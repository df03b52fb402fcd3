//! Totals of intervals, as `iotrace top` reads them.

use crate::clocks::now_ns;
use crate::live::Live;
use crate::plan::Plan;
use crate::programs::Maps;
use crate::record::Loss;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The most files and processes that are printed for each sort order, where recording has no set end.
const MOST_ROWS: usize = 200;

/// Totals of intervals, which are printed.
pub(crate) struct Totals {
    pub live: Live,
    every: Duration,
    last: Instant,
}

impl Totals {
    pub fn every(every: Duration) -> Totals {
        Totals { live: Live::new(now_ns()), every, last: Instant::now() }
    }

    pub fn begin(&mut self, now: Instant) {
        self.last = now;
        self.live.begin(now_ns());
    }

    /// Whether an interval has passed; the last one ends with the recording.
    pub fn is_due(&self, plan: &Plan, began: Instant) -> bool {
        let now = Instant::now();
        let is_last = plan.seconds.is_some_and(|seconds| (now - began).as_secs_f64() >= seconds);
        now - self.last >= self.every && !is_last
    }

    pub fn print(&mut self, plan: &Plan, maps: &Maps) -> io::Result<()> {
        self.last = Instant::now();
        let lost = maps.lost().unwrap_or_default();
        let lost = [lost[Loss::Calls as usize], lost[Loss::Narrow as usize]];
        let line =
            self.live.line(now_ns(), lost, if plan.seconds.is_some() { usize::MAX } else { MOST_ROWS });
        let mut output = io::stdout().lock();
        output.write_all(line.as_bytes())?;
        output.flush()
    }
}
