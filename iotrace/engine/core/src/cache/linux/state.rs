//! What the page cache knows of files that are dirty, of files that are read, and of its lists.

use crate::cache::file_events::Advice;
use std::collections::VecDeque;
use std::num::NonZeroU64;

/// A file with dirty pages.
#[derive(Debug, Clone, Default)]
pub(super) struct DirtyFile {
    /// Folios, by number and stamp, that were dirty at some time since the file was last written.
    pub(super) folios: Vec<(u32, u32)>,
    /// Which entry of the queue is the file's.
    pub(super) turn: u64,
    /// Folios that are dirty or being written.
    pub(super) unwritten: usize,
    /// Whether the recording shows when its pages are written.
    pub(super) is_shown: bool,
}

/// The files with dirty pages.
#[derive(Debug, Clone, Default)]
pub struct DirtyFiles {
    pub(super) files: Vec<DirtyFile>,
    /// Since when a file is dirty, the file, and its turn.
    pub(super) queue: VecDeque<(i64, u32, u64)>,
    pub(super) turns: u64,
    pub(super) time_ns: i64,
    pub(super) next_wake_ns: Option<i64>,
    /// When the pages are written for which reclaim woke the flusher.
    pub(super) written_at_ns: Option<i64>,
    /// Files with dirty pages of which the recording does not show when they are written.
    pub(super) not_shown: u64,
    /// Dirty pages in all.
    pub pages: u64,
}

/// The window of an open file. There is one for each open file of a trace, so it is small.
#[derive(Debug, Clone, Default)]
pub struct Window {
    pub(super) start: u64,
    /// Where the last read ended.
    pub(super) previous_end: Option<NonZeroU64>,
    pub(super) pages: u32,
    /// Of these, from the end, the first is marked.
    pub(super) ahead_pages: u32,
    pub(super) misses: u32,
    pub(super) order: u8,
    /// What the program said of its reads.
    pub advice: Advice,
}

impl Window {
    /// Set where it starts, how long it is and how much of it lies behind the mark, in pages: at most a few gigabytes.
    pub(super) fn put(&mut self, start: u64, pages: u64, ahead_pages: u64) {
        (self.start, self.pages, self.ahead_pages) = (start, pages as u32, ahead_pages as u32);
    }

    /// The page after it.
    pub(super) fn end(&self) -> u64 {
        self.start + u64::from(self.pages)
    }

    /// Some pages of a mapped file were cached, which makes up for as many misses.
    pub fn forgive(&mut self, hits: u32) {
        self.misses = self.misses.saturating_sub(hits);
    }
}

/// Pages of both lists, pages activated as they came back, and pages that are not the page cache's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statistics {
    pub(super) inactive: u64,
    pub(super) active: u64,
    pub(super) activations: u64,
    pub(super) other: u64,
}

/// The statistics as they were added up last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AddedUp {
    /// By the kernel alone.
    pub(super) at_interval: Statistics,
    /// By the kernel, or as the recorder read them.
    pub(super) as_recorded: Statistics,
    /// When they are added up next; unknown before the first time.
    pub(super) next_ns: Option<i64>,
}
