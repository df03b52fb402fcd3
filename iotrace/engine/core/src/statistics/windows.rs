//! How many bytes windows of the trace touch: query `window_footprint`.

use super::range_set::{bytes_and_files, Range, RangeSet};
use super::requests::Request;
use std::collections::BTreeMap;

/// How many windows each level has in one, compared with the level below.
const JOINED: i64 = 4;
const LEVELS: u32 = 5;

/// What a window touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    pub joined: i64,
    pub window: i64,
    pub unique_bytes: i64,
    pub unique_files: i64,
}

/// The open windows of each level, and what closed ones touched.
///
/// Two windows of the lowest level are open, so that requests may come late by the length of a window.
#[derive(Debug)]
pub struct Windows {
    width_ns: i64,
    open: BTreeMap<i64, RangeSet>,
    /// Of each level above the lowest, the open window's number.
    above: Vec<(i64, RangeSet)>,
    closed_before: i64,
    made: Vec<Footprint>,
    /// Whether a request came too late.
    is_out_of_order: bool,
}

impl Windows {
    /// Windows of a trace: the lowest level has `windows` windows of `width_ns`.
    pub fn new(width_ns: i64, windows: i64) -> Self {
        // a level whose windows are four times the trace or longer says nothing new
        let levels = (1..LEVELS).take_while(|&level| JOINED.pow(level) < JOINED.saturating_mul(windows));
        Windows {
            width_ns: width_ns.max(1),
            open: BTreeMap::new(),
            above: levels.map(|_| (0, RangeSet::default())).collect(),
            closed_before: i64::MIN,
            made: Vec::new(),
            is_out_of_order: false,
        }
    }

    pub fn push(&mut self, request: &Request) {
        let (Some(time_ns), Some(length)) = (request.time_ns, request.length) else {
            return;
        };
        if !request.moves() || !request.is_counted || length <= 0 {
            return;
        }
        let window = time_ns / self.width_ns;
        if window < self.closed_before {
            self.is_out_of_order = true;
            return;
        }
        let start = request.offset.unwrap_or(0);
        let range = Range { file: request.file, start, end: start.saturating_add(length) };
        self.open.entry(window).or_default().add(range);
        if self.open.len() > 2 {
            self.close_first();
        }
    }

    /// What every window touched, or none if requests came too late.
    pub fn finish(mut self) -> Option<Vec<Footprint>> {
        while !self.open.is_empty() {
            self.close_first();
        }
        for level in 0..self.above.len() {
            self.close_above(level);
        }
        self.made.sort_unstable_by_key(|made| (made.joined, made.window));
        (!self.is_out_of_order).then_some(self.made)
    }

    fn close_first(&mut self) {
        if let Some((window, mut set)) = self.open.pop_first() {
            self.closed_before = window + 1;
            self.note(1, window, set.ranges());
            self.add_above(0, window, set.ranges());
        }
    }

    /// Add a closed window's ranges to the window above it; `level` is that window's.
    fn add_above(&mut self, level: usize, window: i64, ranges: &[Range]) {
        let Some((number, set)) = self.above.get_mut(level) else {
            return;
        };
        if *number != window / JOINED {
            let before = std::mem::take(set);
            let closed = std::mem::replace(number, window / JOINED);
            self.close(level, closed, before);
        }
        if let Some((_, set)) = self.above.get_mut(level) {
            set.add_all(ranges);
        }
    }

    fn close_above(&mut self, level: usize) {
        let (number, set) = std::mem::take(&mut self.above[level]);
        self.above[level].0 = number;
        self.close(level, number, set);
    }

    fn close(&mut self, level: usize, window: i64, mut set: RangeSet) {
        if !set.ranges().is_empty() {
            self.note(JOINED.pow(level as u32 + 1), window, set.ranges());
            self.add_above(level + 1, window, set.ranges());
        }
    }

    fn note(&mut self, joined: i64, window: i64, ranges: &[Range]) {
        let (unique_bytes, unique_files) = bytes_and_files(ranges);
        self.made.push(Footprint { joined, window, unique_bytes, unique_files });
    }
}
