//! Recordings of calls that follow each other: a call is in the one in which it returns.
//!
//! A change has two steps with a pass over the ring between them, so that all that returned before the first is in the
//! former recording. A call that is under way at that time is in both: in the former as one that had not returned, and in
//! the next with its result and the time that it took since.

use crate::clocks::{clock, now_ns};
use crate::plan::Outcome;
use crate::programs::{Maps, RECORDED};
use crate::record::{Record, FORK};
use crate::rotation::{told, Files};
use crate::snapshot;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

/// The calls that threads are in: number, and when each began.
pub(crate) type UnderWay = HashMap<u32, (u32, u64)>;

/// A change to the next recording that has begun.
pub(crate) struct Change {
    pub cut_ns: u64,
    /// The calls that were under way then and have not returned since.
    pub under_way: UnderWay,
    /// The descriptors of processes then.
    before: HashMap<u32, Vec<snapshot::Descriptor>>,
}

impl Change {
    /// The processes that are recorded, to be described at the beginning of the next recording.
    pub fn processes(&mut self, maps: &Maps) -> Vec<snapshot::Process> {
        let found = recorded(maps).into_iter().filter_map(|(process, folder)| {
            let before = self.before.remove(&process).unwrap_or_default();
            (!snapshot::threads(&folder).is_empty()).then_some(snapshot::Process {
                folder,
                known_as: process,
                before,
            })
        });
        found.collect()
    }
}

/// Begins a new recording after each time.
pub(crate) struct CallRotation<'p> {
    pub files: Files<'p>,
    change: Option<Change>,
    /// Calls that were under way as the recording began.
    carried: UnderWay,
    began_ns: u64,
    /// The processor's time that the recorder had taken by then.
    recorder_ns: u64,
    pub failure: Option<io::Error>,
}

impl<'p> CallRotation<'p> {
    /// Begin with the first recording.
    pub fn new(files: Files<'p>) -> CallRotation<'p> {
        CallRotation {
            files,
            change: None,
            carried: UnderWay::new(),
            began_ns: now_ns(),
            recorder_ns: 0,
            failure: None,
        }
    }

    /// Begin a change where it is time.
    pub fn prepare(&mut self, maps: &Maps) {
        if self.change.is_some() || !self.files.is_due() {
            return;
        }
        let cut_ns = now_ns();
        let under_way = maps.calls_under_way().unwrap_or_default();
        let under_way = under_way.into_iter().map(|(thread, number, start_ns)| (thread, (number, start_ns)));
        let before = recorded(maps).into_iter();
        let before = before.map(|(process, folder)| (process, snapshot::descriptors(&folder)));
        self.change = Some(Change { cut_ns, under_way: under_way.collect(), before: before.collect() });
    }

    /// The change that has begun, once all that was in the ring is in the former recording.
    pub fn take_change(&mut self) -> Option<Change> {
        self.change.take()
    }

    /// A record, as it goes into the recording under way: a call that was under way at its beginning begins there.
    pub fn within<'b>(&mut self, record: &Record<'b>) -> Record<'b> {
        let mut record = *record;
        if record.number >= FORK {
            return record;
        }
        if let Some(change) = &mut self.change {
            change.under_way.remove(&record.thread);
        }
        let carried = self.carried.remove(&record.thread);
        if carried.is_some_and(|(_, start_ns)| start_ns == record.start_ns) {
            let end_ns = record.end_ns();
            record.start_ns = self.began_ns;
            record.duration_ns = end_ns.saturating_sub(self.began_ns);
        }
        record
    }

    /// When a call began, or the recording under way if that was later.
    pub fn begin_of(&self, start_ns: u64) -> u64 {
        start_ns.max(self.began_ns)
    }

    /// Say that the recording before the change is whole, and count from the change on.
    pub fn begin_next(&mut self, change: Change, outcome: Outcome) -> io::Result<()> {
        let recorder_ns = clock(libc::CLOCK_PROCESS_CPUTIME_ID);
        let recorded_ns = change.cut_ns.saturating_sub(self.began_ns);
        let whole = Outcome { recorded_ns, recorder_ns: recorder_ns - self.recorder_ns, ..outcome };
        told(&self.files.former(), &whole)?;
        (self.began_ns, self.recorder_ns) = (change.cut_ns, recorder_ns);
        self.carried = change.under_way;
        Ok(())
    }

    /// Say that the last recording is whole; return what it has, by what there was since the first began.
    pub fn end(self, outcome: Outcome) -> io::Result<Outcome> {
        let recorded_ns = now_ns().saturating_sub(self.began_ns);
        let outcome = Outcome { recorded_ns, recorder_ns: outcome.recorder_ns - self.recorder_ns, ..outcome };
        told(&self.files.path(), &outcome)?;
        Ok(outcome)
    }
}

/// The processes that are recorded, with their folders in /proc.
fn recorded(maps: &Maps) -> Vec<(u32, PathBuf)> {
    let mut processes = maps.processes.keys();
    processes.retain(|&process| maps.processes.get(process).is_ok_and(|value| value == [RECORDED]));
    processes.into_iter().map(|process| (process, PathBuf::from(format!("/proc/{process}")))).collect()
}
