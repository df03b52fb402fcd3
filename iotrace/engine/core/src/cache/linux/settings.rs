//! The settings of a page cache.

use serde::Deserialize;

/// The kernel's settings, the same for all limits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The largest read-ahead window, in pages; 0 reads nothing ahead.
    pub readahead_pages: u32,
    /// The largest request that the device takes, in pages.
    pub device_request_pages: u32,
    /// Whether the file system takes folios of several pages.
    pub large_folios: bool,
    /// Dirty pages above this share of the memory are written in the background.
    pub dirty_background_percent: u32,
    /// The memory of which that is a share, in pages; the limit's where there is none.
    pub dirtyable_pages: Option<u64>,
    /// Files whose data are dirty for this long are written.
    pub dirty_expire_ns: i64,
    /// How often the kernel looks for them.
    pub dirty_wake_ns: i64,
}

impl Default for Settings {
    /// The defaults of Linux; `device_request_pages` is 1,280 KB, that of most devices.
    fn default() -> Self {
        Settings {
            readahead_pages: 32,
            device_request_pages: 320,
            large_folios: true,
            dirty_background_percent: 10,
            dirtyable_pages: None,
            dirty_expire_ns: 30_000_000_000,
            dirty_wake_ns: 5_000_000_000,
        }
    }
}
