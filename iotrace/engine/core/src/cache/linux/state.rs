//! What the page cache knows of files that are dirty, and of files that are read.

use crate::cache::file_events::Advice;
use std::collections::VecDeque;

/// A file with dirty pages.
#[derive(Debug, Default)]
pub(super) struct DirtyFile {
    /// Folios, by number and stamp, that were dirty at some time since the file was last written.
    pub(super) folios: Vec<(u32, u32)>,
    /// Which entry of the queue is the file's.
    pub(super) turn: u64,
}

/// The files with dirty pages.
#[derive(Debug, Default)]
pub struct DirtyFiles {
    pub(super) files: Vec<DirtyFile>,
    /// Since when a file is dirty, the file, and its turn.
    pub(super) queue: VecDeque<(i64, u32, u64)>,
    pub(super) turns: u64,
    pub(super) time_ns: i64,
    pub(super) next_wake_ns: Option<i64>,
    /// When the pages are written for which reclaim woke the flusher.
    pub(super) written_at_ns: Option<i64>,
    /// Dirty pages in all.
    pub pages: u64,
}

/// The window of an open file.
#[derive(Debug, Clone, Default)]
pub struct Window {
    pub(super) start: u64,
    pub(super) pages: u64,
    /// Of these, from the end, the first is marked.
    pub(super) ahead_pages: u64,
    pub(super) order: u32,
    pub(super) misses: u32,
    /// Where the last read ended.
    pub previous_end: Option<u64>,
    /// What the program said of its reads.
    pub advice: Advice,
}

impl Window {
    /// Some pages of a mapped file were cached, which makes up for as many misses.
    pub fn forgive(&mut self, hits: u32) {
        self.misses = self.misses.saturating_sub(hits);
    }
}
