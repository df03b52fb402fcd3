//! Several controllers over one stream of requests, on several cores.

use super::controller::{Controller, InternalError, Operation, Request};
use super::groups::Orders;
use super::measures::Measures;
use super::separate::Separate;
use super::settings::{Memories, Replay, Settings};
use super::single::Single;
use super::table::table;
use crate::columns::whole_column;
use crate::error::{At, Error};
use crate::simulate::disk::Drive;
use arrow_array::{Int64Array, RecordBatch, UInt32Array, UInt64Array, UInt8Array};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

impl From<InternalError> for Error {
    fn from(internal_error: InternalError) -> Self {
        Error::of(format!("internal error: {}", internal_error.0))
    }
}

/// A controller with either kind of caches.
#[derive(Debug)]
pub(super) enum Run {
    Separate(Box<Controller<Separate>>),
    Single(Box<Controller<Single>>),
}

impl Run {
    pub(super) fn new(drive: &Arc<Drive>, settings: Settings) -> Self {
        let (parts, drive) = (settings.parts(), Arc::clone(drive));
        let orders = Orders::of(&settings);
        match settings.memories {
            Memories::Separate { read, write } => {
                let memory = || Separate::new(read / parts, write / parts, settings.write_effect, orders);
                let memories = (0..parts).map(|_| memory()).collect();
                Run::Separate(Box::new(Controller::new(drive, settings, memories)))
            }
            Memories::Single { blocks } => {
                let memory = || Single::new(blocks / parts, orders);
                let memories = (0..parts).map(|_| memory()).collect();
                Run::Single(Box::new(Controller::new(drive, settings, memories)))
            }
        }
    }

    pub(super) fn take(&mut self, requests: &[Request]) -> Result<(), InternalError> {
        match self {
            Run::Separate(controller) => requests.iter().try_for_each(|request| controller.request(request)),
            Run::Single(controller) => requests.iter().try_for_each(|request| controller.request(request)),
        }
    }

    #[cfg(test)]
    pub(super) fn drain(&mut self) -> Vec<super::controller::Begun> {
        match self {
            Run::Separate(controller) => controller.drain(),
            Run::Single(controller) => controller.drain(),
        }
    }

    fn count_from_next(&mut self) {
        match self {
            Run::Separate(controller) => controller.count_from_next(),
            Run::Single(controller) => controller.count_from_next(),
        }
    }

    pub(super) fn finish(self) -> Result<Measures, InternalError> {
        match self {
            Run::Separate(controller) => controller.finish(),
            Run::Single(controller) => controller.finish(),
        }
    }
}

/// Controllers with the chosen settings, all with the same disks.
#[derive(Debug)]
pub struct Simulator {
    runs: Vec<Run>,
    capacity: u64,
    disks: u32,
    replay: Replay,
    threads: usize,
    rows: u64,
    last_time_ns: i64,
    requests: Vec<Request>,
}

impl Simulator {
    /// Idle disks and empty caches; `settings` agree on the number of disks and on the replay. The simulations share
    /// `threads` threads.
    pub fn new(drive: Arc<Drive>, settings: &[Settings], threads: usize) -> Result<Self, Error> {
        let first = settings.first().ok_or_else(|| Error::of("no settings"))?;
        if settings.iter().any(|one| one.disks != first.disks || one.replay != first.replay) {
            return Err(Error::of("all settings must have the same number of disks and the same replay"));
        }
        if first.disks == 0 {
            return Err(Error::of("at least one disk is needed"));
        }
        if settings.iter().any(|one| one.interval == 0) {
            return Err(Error::of("the interval between changes of thresholds must be at least one request"));
        }
        let capacity = drive.geometry.blocks();
        if capacity.checked_mul(u64::from(first.disks)).is_none() {
            let disks = first.disks;
            return Err(Error::of(format!(
                "{disks} disks of {capacity} blocks have 2^64 blocks or more together"
            )));
        }
        Ok(Simulator {
            capacity,
            disks: first.disks,
            replay: first.replay,
            runs: settings.iter().map(|&one| Run::new(&drive, one)).collect(),
            threads: threads.max(1),
            rows: 0,
            last_time_ns: i64::MIN,
            requests: Vec::new(),
        })
    }

    /// Take the next requests: time_ns (int64), disk (uint32), operation (uint8: 0 read, 1 write, 2 discard, 3 flush,
    /// 4 forced write), lbn and blocks (uint64), none null. In open replay times ascend; in closed replay they are
    /// counted from the answer to the previous request.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let times = whole_column::<Int64Array>(batch, "time_ns")?;
        let disks = whole_column::<UInt32Array>(batch, "disk")?;
        let operations = whole_column::<UInt8Array>(batch, "operation")?;
        let lbns = whole_column::<UInt64Array>(batch, "lbn")?;
        let blocks = whole_column::<UInt64Array>(batch, "blocks")?;
        let mut requests = std::mem::take(&mut self.requests);
        requests.clear();
        for row in 0..batch.num_rows() {
            let request = self.checked(
                times.value(row),
                disks.value(row),
                operations.value(row),
                lbns.value(row),
                blocks.value(row),
            );
            requests.push(request.map_err(|reason| Error::at(At::Request(self.rows), reason))?);
            self.rows += 1;
        }
        let outcome = self.run(&requests);
        self.requests = requests;
        outcome.map_err(Error::from)
    }

    /// Have the requests so far only warm the caches: what is counted begins with the next.
    pub fn count_from_next(&mut self) {
        self.runs.iter_mut().for_each(Run::count_from_next);
    }

    fn checked(
        &mut self,
        time_ns: i64,
        disk: u32,
        operation: u8,
        lbn: u64,
        blocks: u64,
    ) -> Result<Request, String> {
        let earliest_ns = match self.replay {
            Replay::Open => self.last_time_ns,
            Replay::Closed => 0,
        };
        if time_ns < earliest_ns {
            return Err(format!("its time, {time_ns} ns, is before {earliest_ns} ns"));
        }
        self.last_time_ns = time_ns;
        let operation = match operation {
            0 => Operation::Read,
            1 => Operation::Write,
            2 => Operation::Discard,
            3 => Operation::Flush,
            4 => Operation::ForcedWrite,
            other => return Err(format!("unknown operation {other}")),
        };
        if disk >= self.disks {
            return Err(format!("disk {disk} is not below {}", self.disks));
        }
        let is_on_disk = lbn.checked_add(blocks).is_some_and(|end| end <= self.capacity);
        if operation != Operation::Flush && (blocks == 0 || !is_on_disk) {
            return Err(format!(
                "{blocks} blocks from {lbn} on are not within a disk of {} blocks",
                self.capacity
            ));
        }
        Ok(Request { time_ns, disk, operation, lbn, blocks })
    }

    fn run(&mut self, requests: &[Request]) -> Result<(), InternalError> {
        let next = AtomicUsize::new(0);
        let runs: Vec<_> = self.runs.iter_mut().map(Mutex::new).collect();
        let work = || -> Result<(), InternalError> {
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Ok(mut run) = run.lock() {
                    run.take(requests)?;
                }
            }
            Ok(())
        };
        let others = self.threads.min(runs.len()).saturating_sub(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
            let mut outcome = work();
            for thread in threads {
                let ended = thread.join();
                outcome = outcome.and(ended.unwrap_or(Err(InternalError("a thread ended early"))));
            }
            outcome
        })
    }

    /// End the stream: answer all waiting requests, and return a row for each of the settings.
    pub fn finish(self) -> Result<RecordBatch, Error> {
        let measures: Result<Vec<_>, _> = self.runs.into_iter().map(Run::finish).collect();
        Ok(table(&measures?)?)
    }
}
