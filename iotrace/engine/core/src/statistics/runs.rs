//! Sequential runs, and where they start: queries `run_length` and `run_start`.

use super::power_of_two;
use super::requests::{Kind, Request};
use super::run::{Direction, Run};
use super::uses::Uses;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What requests follow each other in: a use, or of those that belong to none a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stream {
    usage: Option<i32>,
    file: i32,
    kind: Kind,
    lone_process: Option<i32>,
}

/// A stream's open run.
#[derive(Clone, Copy, Debug)]
struct Open {
    run: Run,
    /// Where its last request ended, and whether it wrote.
    reached: Option<i64>,
    wrote: bool,
    /// Where the run before ended (whole executables left out); None for the first.
    before: Option<Option<i64>>,
}

/// Runs of a length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    pub runs: i64,
    pub bytes: i64,
}

/// Where runs start, seen from where the run before ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Starts {
    pub requests: i64,
    pub runs: i64,
    pub first: i64,
    pub turned: i64,
    pub forward: i64,
    pub backward: i64,
    pub unknown: i64,
}

/// The open runs of all streams, and the counts of the complete ones.
#[derive(Debug, Default)]
pub struct Runs {
    may_mix: bool,
    open: FxHashMap<Stream, Open>,
    pub lengths: BTreeMap<(Kind, i64), Lengths>,
    pub starts: BTreeMap<(Kind, Direction), Starts>,
    pub uses: Uses,
}

impl Runs {
    /// `may_mix` says whether a run may change its direction.
    pub fn new(may_mix: bool) -> Self {
        Runs { may_mix, ..Runs::default() }
    }

    pub fn push(&mut self, request: &Request) {
        let (Some(kind), true) = (request.kind, request.moves()) else {
            return;
        };
        if kind.is_metadata() {
            self.count_length(kind, request.length);
            return;
        }
        let Request { usage, file, lone_process, .. } = *request;
        let stream = Stream { usage, file, kind, lone_process };
        let (reached, wrote) = (request.end(), request.writes());
        let Some(open) = self.open.get_mut(&stream) else {
            self.open.insert(stream, Open { run: Run::of(request), reached, wrote, before: None });
            return;
        };
        let goes_on = open.reached.is_some() && open.reached == request.offset;
        if goes_on && (self.may_mix || open.wrote == wrote) {
            open.run.add(request);
            (open.reached, open.wrote) = (reached, wrote);
            return;
        }
        let complete = *open;
        let before =
            if complete.run.is_whole_executable { complete.before } else { Some(complete.run.end()) };
        *open = Open { run: Run::of(request), reached, wrote, before };
        self.complete(stream, complete);
    }

    /// The trace's end.
    pub fn finish(&mut self) {
        for (stream, open) in std::mem::take(&mut self.open) {
            self.complete(stream, open);
        }
    }

    fn complete(&mut self, stream: Stream, Open { run, before, .. }: Open) {
        self.count_length(stream.kind, run.length_bytes);
        if !run.is_whole_executable {
            self.starts.entry((stream.kind, run.direction)).or_default().add(&run, before);
        }
        if let (Kind::Datafile, Some(usage)) = (stream.kind, stream.usage) {
            self.uses.add(usage, &run);
        }
    }

    fn count_length(&mut self, kind: Kind, length: Option<i64>) {
        if let Some(length) = length {
            let lengths = self.lengths.entry((kind, power_of_two(length))).or_default();
            lengths.runs += 1;
            lengths.bytes += length;
        }
    }
}

impl Starts {
    fn add(&mut self, run: &Run, before: Option<Option<i64>>) {
        self.requests += run.requests;
        self.runs += 1;
        let kind = match (before, run.offset_bytes) {
            (None, _) => &mut self.first,
            (Some(Some(reached)), Some(offset)) if offset == reached => &mut self.turned,
            (Some(Some(reached)), Some(offset)) if offset > reached => &mut self.forward,
            (Some(Some(_)), Some(_)) => &mut self.backward,
            _ => &mut self.unknown,
        };
        *kind += 1;
    }
}
