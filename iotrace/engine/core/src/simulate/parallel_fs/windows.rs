//! Time series of a run: exact integrals over equal windows.

use crate::columns::{named, Named};

named! {
    /// The gauges, whose values change over time.
    pub enum Gauge {
        DisksReading = "disks_reading_ns",
        DisksWriting = "disks_writing_ns",
        RequestsQueued = "requests_queued_ns",
        BuffersClean = "buffers_clean_ns",
        BuffersDirty = "buffers_dirty_ns",
        BuffersFree = "buffers_free_ns",
        ProcessesComputing = "processes_computing_ns",
        ProcessesOverhead = "processes_overhead_ns",
        ProcessesWaitingForReads = "processes_waiting_for_reads_ns",
        ProcessesWaitingForBuffers = "processes_waiting_for_buffers_ns",
        ProcessesWaitingForWrites = "processes_waiting_for_writes_ns",
    }
}

impl Gauge {
    pub const COUNT: usize = Self::ALL.len();
}

/// Window i extends from i/n to (i+1)/n of the whole time, rounded down.
#[derive(Clone, Debug)]
pub struct Windows {
    end_ns: i64,
    count: u32,
    values: [i64; Gauge::COUNT],
    since_ns: [i64; Gauge::COUNT],
    /// For each window, the integral of each gauge.
    pub sums: Vec<[i128; Gauge::COUNT]>,
}

impl Windows {
    /// `count` windows over a run that ends at `end_ns`.
    pub fn new(count: u32, end_ns: i64) -> Self {
        Windows {
            end_ns,
            count,
            values: [0; Gauge::COUNT],
            since_ns: [0; Gauge::COUNT],
            sums: vec![[0; Gauge::COUNT]; count as usize],
        }
    }

    /// The start of a window; for the number of windows, the end of the last one.
    pub fn start_ns(&self, window: u32) -> i64 {
        (i128::from(self.end_ns) * i128::from(window) / i128::from(self.count.max(1))) as i64
    }

    pub fn add(&mut self, gauge: Gauge, change: i64, now_ns: i64) {
        self.settle(gauge as usize, now_ns);
        self.values[gauge as usize] += change;
    }

    /// The run has ended.
    pub fn close(&mut self) {
        for gauge in 0..Gauge::COUNT {
            self.settle(gauge, self.end_ns);
        }
    }

    fn settle(&mut self, gauge: usize, now_ns: i64) {
        let (since_ns, value) = (self.since_ns[gauge], self.values[gauge]);
        self.since_ns[gauge] = now_ns;
        if value == 0 || since_ns == now_ns || self.end_ns == 0 {
            return;
        }
        let share = i128::from(since_ns) * i128::from(self.count) / i128::from(self.end_ns);
        let mut window = (share as u32).min(self.count - 1);
        let mut from_ns = since_ns;
        while from_ns < now_ns && window < self.count {
            let to_ns = self.start_ns(window + 1).min(now_ns);
            if to_ns > from_ns {
                self.sums[window as usize][gauge] += i128::from(value) * i128::from(to_ns - from_ns);
                from_ns = to_ns;
            }
            window += 1;
        }
    }
}
