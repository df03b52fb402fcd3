//! A model of a cache in flash: a log of segments, written once each from beginning to end, and erased as a whole.
//!
//! Objects that miss, and those that are set, are appended to the open segment. Where they do not fit it is closed, and
//! once all segments are in use the oldest is reclaimed: what was requested since it was written is appended again, the
//! rest leaves the cache. It is a first model: of what a device does within (its own garbage collection) it knows nothing.

use super::events::{Event, Intake, Kind, UNKNOWN};
use super::expiry::Expiry;
use crate::columns::table;
use crate::error::Error;
use arrow_array::RecordBatch;
use serde::Deserialize;
use std::collections::VecDeque;

/// The log.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    pub size_bytes: u64,
    pub segment_bytes: u64,
    /// Whether objects that were requested since they were written are appended again.
    pub reinserts: bool,
    pub expiry: Expiry,
}

/// The copy of an object that is not in the cache.
const NO_COPY: u64 = 0;

#[derive(Debug, Clone, Copy, Default)]
struct Object {
    /// Which append wrote its copy, and when, in requests.
    copy: u64,
    written: u64,
    bytes: u64,
    /// At the latest request.
    latest: u64,
    requested: bool,
}

#[derive(Debug, Clone, Default)]
struct Segment {
    /// Objects and their copies, of which some may be dead.
    copies: Vec<(u32, u64)>,
    bytes: u64,
}

#[derive(Debug, Clone, Default)]
struct Counts {
    requests: u64,
    request_misses: u64,
    bytes: u64,
    byte_misses: u64,
    appended: u64,
    appended_again: u64,
    padding: u64,
    /// Objects that left, and the sum of the requests that they stayed for.
    left: u64,
    stayed: u64,
}

/// A cache in flash.
#[derive(Debug)]
pub struct FlashLog {
    intake: Intake,
    log: Log,
}

#[derive(Debug)]
struct Log {
    settings: LogSettings,
    segments: u64,
    objects: Vec<Object>,
    closed: VecDeque<Segment>,
    open: Segment,
    copies: u64,
    counts: Counts,
}

impl FlashLog {
    /// # Errors
    /// If the log has less than two segments.
    pub fn new(settings: LogSettings) -> Result<Self, Error> {
        let segments = settings.size_bytes.checked_div(settings.segment_bytes).unwrap_or(0);
        if segments < 2 {
            return Err(Error::of("a log has at least two segments, and a segment at least 1 byte"));
        }
        let intake = Intake::new(settings.expiry, false);
        let log = Log {
            settings,
            segments,
            objects: Vec::new(),
            closed: VecDeque::new(),
            open: Segment::default(),
            copies: NO_COPY,
            counts: Counts::default(),
        };
        Ok(FlashLog { intake, log })
    }

    /// Take the next requests.
    ///
    /// # Errors
    /// As `ObjectCurve::push`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let log = &mut self.log;
        self.intake.read(batch, |events, objects| {
            log.objects.resize(objects.max(log.objects.len()), Object::default());
            events.iter().for_each(|event| log.follow(event));
            Ok(())
        })
    }

    /// One row.
    ///
    /// # Errors
    /// If Arrow rejects a column.
    pub fn table(&self) -> Result<RecordBatch, Error> {
        let written = |counts: &Counts| counts.appended + counts.appended_again + counts.padding;
        let table = table!([&self.log.counts].into_iter(), |counts| {
            size: u64 = self.log.settings.size_bytes,
            requests: u64 = counts.requests,
            request_misses: u64 = counts.request_misses,
            bytes: u64 = counts.bytes,
            byte_misses: u64 = counts.byte_misses,
            appended_bytes: u64 = counts.appended,
            appended_again_bytes: u64 = counts.appended_again,
            padding_bytes: u64 = counts.padding,
            write_amplification: Option<f64> =
                (counts.appended > 0).then(|| written(counts) as f64 / counts.appended as f64),
            mean_lifetime_requests: Option<f64> =
                (counts.left > 0).then(|| counts.stayed as f64 / counts.left as f64),
        });
        Ok(table.batch()?)
    }
}

impl Log {
    fn follow(&mut self, event: &Event) {
        let number = event.number;
        let Object { copy, latest, .. } = self.objects[number as usize];
        if event.kind != Kind::Request {
            self.leave(number);
        }
        if event.kind == Kind::Removal {
            return;
        }
        let bytes = if event.size == UNKNOWN { latest } else { event.size };
        let hit = copy != NO_COPY && event.kind == Kind::Request;
        self.counts.requests += 1;
        self.counts.bytes += bytes;
        let object = &mut self.objects[number as usize];
        object.latest = bytes;
        object.requested = hit;
        if !hit {
            self.counts.request_misses += 1;
            self.counts.byte_misses += bytes;
        }
        if !hit || event.sets || object.bytes != bytes {
            self.leave(number);
            self.append(number, bytes);
        }
    }

    /// Append an object that is not in the cache, unless it is larger than a segment.
    fn append(&mut self, number: u32, bytes: u64) {
        if bytes > self.settings.segment_bytes {
            return;
        }
        while self.open.bytes + bytes > self.settings.segment_bytes {
            self.close();
        }
        self.counts.appended += bytes;
        self.write(number, bytes);
        self.objects[number as usize].written = self.counts.requests;
    }

    fn write(&mut self, number: u32, bytes: u64) {
        self.copies += 1;
        self.open.copies.push((number, self.copies));
        self.open.bytes += bytes;
        let object = &mut self.objects[number as usize];
        (object.copy, object.bytes, object.requested) = (self.copies, bytes, false);
    }

    /// Close the open segment, and open another one.
    fn close(&mut self) {
        self.counts.padding += self.settings.segment_bytes - self.open.bytes;
        self.closed.push_back(std::mem::take(&mut self.open));
        if (self.closed.len() as u64) < self.segments {
            return;
        }
        for (number, copy) in self.closed.pop_front().unwrap_or_default().copies {
            let Object { copy: latest, bytes, requested, .. } = self.objects[number as usize];
            if latest != copy {
                continue;
            }
            if requested && self.settings.reinserts {
                self.counts.appended_again += bytes;
                self.write(number, bytes);
            } else {
                self.leave(number);
            }
        }
    }

    fn leave(&mut self, number: u32) {
        let object = &mut self.objects[number as usize];
        if object.copy != NO_COPY {
            object.copy = NO_COPY;
            self.counts.left += 1;
            self.counts.stayed += self.counts.requests - object.written;
        }
    }
}
