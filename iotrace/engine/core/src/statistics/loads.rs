//! What requests move in each window: query `window_load`.

use super::requests::{Kind, Request};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Windows of equal length into which the trace is divided.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSettings {
    pub width_ns: i64,
    pub windows: i64,
}

/// Requests that begin in a window, and what moves in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub requests: i64,
    pub bytes_read: i64,
    pub bytes_written: i64,
}

/// The loads of windows, by their number and the requests' type.
#[derive(Debug)]
pub struct Loads {
    windows: WindowSettings,
    /// That of the request before.
    last: Option<((i64, Kind), Load)>,
    loads: BTreeMap<(i64, Kind), Load>,
}

impl Loads {
    pub fn new(windows: WindowSettings) -> Self {
        let windows = WindowSettings { width_ns: windows.width_ns.max(1), ..windows };
        Loads { windows, last: None, loads: BTreeMap::new() }
    }

    pub fn push(&mut self, request: &Request) {
        let (Some(time_ns), Some(kind)) = (request.time_ns, request.kind) else {
            return;
        };
        if !request.moves() || !request.is_counted {
            return;
        }
        let WindowSettings { width_ns, windows } = self.windows;
        let taken_ns = request.duration_ns.unwrap_or(0).max(1);
        let first = time_ns / width_ns;
        let last = (time_ns.saturating_add(taken_ns - 1) / width_ns).min(windows - 1);
        if last <= first {
            self.add((first, kind), request.writes(), 1, request.length.unwrap_or(0));
            return;
        }
        // what moved until the window's end, less what moved until its start: the parts sum to the length
        let moved_after = |after_ns: i128| {
            let part = i128::from(request.length.unwrap_or(0)) * after_ns.clamp(0, i128::from(taken_ns));
            (part / i128::from(taken_ns)) as i64
        };
        for window in first..=last {
            let starts_after = i128::from(window) * i128::from(width_ns) - i128::from(time_ns);
            let bytes = moved_after(starts_after + i128::from(width_ns)) - moved_after(starts_after);
            self.add((window, kind), request.writes(), i64::from(window == first), bytes);
        }
    }

    /// The trace's end.
    pub fn finish(mut self) -> BTreeMap<(i64, Kind), Load> {
        self.note_last();
        self.loads
    }

    fn add(&mut self, key: (i64, Kind), writes: bool, requests: i64, bytes: i64) {
        if self.last.is_none_or(|(before, _)| before != key) {
            self.note_last();
        }
        let (_, load) = self.last.get_or_insert((key, Load::default()));
        load.requests += requests;
        let moved = if writes { &mut load.bytes_written } else { &mut load.bytes_read };
        *moved = moved.saturating_add(bytes);
    }

    fn note_last(&mut self) {
        if let Some((key, load)) = self.last.take() {
            let known = self.loads.entry(key).or_default();
            known.requests += load.requests;
            known.bytes_read = known.bytes_read.saturating_add(load.bytes_read);
            known.bytes_written = known.bytes_written.saturating_add(load.bytes_written);
        }
    }
}
