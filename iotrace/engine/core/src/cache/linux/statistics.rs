//! The statistics of the lists that reclaim reads.
//!
//! The kernel counts per processor, and adds the counts up every two seconds, or as a program reads memory.stat. How long
//! the lists are, and how many pages were activated as they came back, is as old in reclaim's eyes.

use super::page_cache::PageCache;
use super::settings::Age;
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

    /// What reclaim reads. Without times they are current.
    pub(super) fn statistics(&self) -> Statistics {
        match self.limit.statistics {
            Age::Never => Statistics::default(),
            Age::Recorded | Age::Interval if self.added_up.next_ns.is_some() => self.added_up.at,
            Age::Recorded | Age::Interval | Age::Current => self.current_statistics(),
        }
    }

    /// Time passes until this one.
    pub(super) fn age_statistics(&mut self, time_ns: i64) {
        let next_ns = *self.added_up.next_ns.get_or_insert(time_ns.saturating_add(INTERVAL_NS));
        if time_ns >= next_ns {
            let after_ns = next_ns + (time_ns - next_ns) / INTERVAL_NS * INTERVAL_NS;
            self.added_up.next_ns = Some(after_ns.saturating_add(INTERVAL_NS));
            self.added_up.at = self.current_statistics();
        }
    }

    /// The recorder reads the statistics.
    pub(super) fn read_statistics(&mut self) {
        if self.limit.statistics == Age::Recorded {
            self.added_up.at = self.current_statistics();
        }
    }
}
