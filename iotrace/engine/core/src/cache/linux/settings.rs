//! The settings of a page cache.

use serde::Deserialize;

/// How old the statistics of the lists are that reclaim reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Age {
    /// As old as they were with the recorder, which reads them with each sample of memory.
    #[default]
    Recorded,
    /// Up to the interval: nobody reads them.
    Interval,
    /// They have no age.
    Current,
    /// They were never added up, as in a cgroup that is younger than the interval.
    Never,
}

/// The kernel's settings, the same for all limits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The largest read-ahead window, in pages; 0 reads nothing ahead.
    pub readahead_pages: u32,
    /// The largest request that the device takes, in pages.
    pub device_request_pages: u32,
    /// The flusher, once it has started, writes down to this share of dirty pages of the page cache.
    pub dirty_background_percent: u32,
    /// Files whose data are dirty for this long are written.
    pub dirty_expire_ns: i64,
    /// How often the kernel looks for them.
    pub dirty_wake_ns: i64,
}

/// When programs touch pages that they have mapped: no event shows that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touches {
    /// Only as they fault.
    #[default]
    Faults,
    /// Between any two rounds of reclaim, too.
    Rounds,
    /// Once more after they were evicted here, until the recorded kernel evicts them.
    AfterEviction,
}

/// When dirty pages that reclaim meets are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flusher {
    /// Reclaim wakes the flusher, which takes `write_page_ns` a page.
    #[default]
    Woken,
    /// When the recorded kernel wrote them; those of files that no recorded request writes as with `Woken`.
    Recorded,
    /// When they are too old or too many: reclaim hastens nothing, and no recorded request counts.
    Late,
}

/// How a page cache of one limit is run.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Pages that the page cache and all other memory may have.
    pub pages: u64,
    /// Whether the other memory is what the events say at each time; else there is none.
    #[serde(default)]
    pub has_other: bool,
    /// Whether the file system takes folios of several pages.
    #[serde(default = "yes")]
    pub large_folios: bool,
    /// How old the statistics are that reclaim reads.
    #[serde(default)]
    pub statistics: Age,
    /// Whether folios wait on processors before they are on a list.
    #[serde(default)]
    pub batches: bool,
    /// When programs touch what they have mapped.
    #[serde(default)]
    pub touches: Touches,
    /// When dirty pages that reclaim meets are written.
    #[serde(default)]
    pub flusher: Flusher,
    /// How long the flusher writes a page where reclaim wakes it: all stay dirty until the last one is written.
    #[serde(default)]
    pub write_page_ns: u64,
    /// The flusher starts above this share of dirty pages of the page cache; never if it is none.
    #[serde(default = "ten")]
    pub dirty_start_percent: Option<u32>,
    /// Whether LRU and Belady's policy are run beside it, with all pages.
    #[serde(default)]
    pub is_compared: bool,
}

impl Age {
    /// All of them, in order.
    pub(super) const ALL: [Age; 4] = [Age::Recorded, Age::Interval, Age::Current, Age::Never];
}

impl Limit {
    /// Pages that the page cache may have beside other memory of this many.
    pub(super) fn capacity(&self, other_pages: u64) -> u64 {
        self.pages.saturating_sub(if self.has_other { other_pages } else { 0 })
    }

    /// A share of these.
    pub(super) fn share(&self, percent: u32, other_pages: u64) -> u64 {
        self.capacity(other_pages) * u64::from(percent) / 100
    }

    /// The most dirty pages for which the flusher does not start.
    pub(super) fn most_dirty(&self, other_pages: u64) -> u64 {
        self.dirty_start_percent.map_or(u64::MAX, |percent| self.share(percent, other_pages))
    }

    /// A page cache of this many pages.
    pub fn of(pages: u64) -> Self {
        Limit {
            pages,
            has_other: false,
            large_folios: yes(),
            statistics: Age::default(),
            batches: false,
            touches: Touches::default(),
            flusher: Flusher::default(),
            write_page_ns: 0,
            dirty_start_percent: ten(),
            is_compared: false,
        }
    }
}

fn yes() -> bool {
    true
}

fn ten() -> Option<u32> {
    Some(10)
}

impl Default for Settings {
    /// The defaults of Linux; `device_request_pages` is 1,280 KB, that of most devices.
    fn default() -> Self {
        Settings {
            readahead_pages: 32,
            device_request_pages: 320,
            dirty_background_percent: 10,
            dirty_expire_ns: 30_000_000_000,
            dirty_wake_ns: 5_000_000_000,
        }
    }
}
