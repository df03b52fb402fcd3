//! The statistics of the lists that reclaim reads.
//!
//! The kernel counts per processor, and adds the counts up every two seconds, or as a program reads memory.stat. How long
//! the lists are, and how many pages were activated as they came back, is as old in reclaim's eyes.

use super::page_cache::PageCache;
use super::settings::{Age, Limit};
use super::state::Statistics;

/// The kernel adds the counts up this often.
const INTERVAL_NS: i64 = 2_000_000_000;

impl PageCache {
    fn current_statistics(&self) -> Statistics {
        Statistics {
            inactive: self.folios.inactive_pages(),
            active: self.folios.active_pages(),
            activations: self.activations,
            other: self.other_pages,
        }
    }

    /// What reclaim reads at a limit, which may not count other memory.
    pub(super) fn statistics(&self, limit: &Limit) -> Statistics {
        let statistics = self.statistics_of(limit.statistics);
        Statistics { other: if limit.has_other { statistics.other } else { 0 }, ..statistics }
    }

    /// Statistics of an age. Without times they are current.
    pub(super) fn statistics_of(&self, age: Age) -> Statistics {
        match age {
            Age::Never => Statistics::default(),
            Age::Recorded if self.added_up.next_ns.is_some() => self.added_up.as_recorded,
            Age::Interval if self.added_up.next_ns.is_some() => self.added_up.at_interval,
            Age::Recorded | Age::Interval | Age::Current => self.current_statistics(),
        }
    }

    /// Time passes until this one.
    pub(super) fn age_statistics(&mut self, time_ns: i64) {
        let next_ns = *self.added_up.next_ns.get_or_insert(time_ns.saturating_add(INTERVAL_NS));
        if time_ns >= next_ns {
            let after_ns = next_ns + (time_ns - next_ns) / INTERVAL_NS * INTERVAL_NS;
            self.added_up.next_ns = Some(after_ns.saturating_add(INTERVAL_NS));
            self.added_up.at_interval = self.current_statistics();
            self.added_up.as_recorded = self.added_up.at_interval;
        }
    }

    /// The recorder reads the statistics.
    pub(super) fn read_statistics(&mut self) {
        self.added_up.as_recorded = self.current_statistics();
    }
}
