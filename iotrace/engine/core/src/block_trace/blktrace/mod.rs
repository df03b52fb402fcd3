//! blktrace's binary files, merged by time and paired into requests.
//!
//! A record is struct blk_io_trace: version 7 of 48 bytes, version 8 of 64, in the writer's byte order, followed by
//! data whose length it gives. A record's magic number shows its byte order. Times count from the machine's start; a
//! record of the wall clock, if there is one, gives the epoch.

mod file;
mod record;

pub use file::{Failure, Skipped};

use super::letters::{all_flags, OPERATIONS};
use super::pairing::{Action, Event, EventNames, Pairing, WAITING_ROWS};
use crate::error::Error;
use crate::fields::text_of;
use arrow_array::RecordBatch;
use file::{Item, ReadSummary, TraceFile};
use rustc_hash::FxHashMap;
use std::path::PathBuf;

/// What there is to say of the records read since the last time.
#[derive(Debug, Default)]
pub struct News {
    pub records: u64,
    pub remarks: Vec<(&'static str, u64)>,
    pub skipped: Vec<Skipped>,
    pub damage: Vec<String>,
    pub lost_bytes: u64,
    /// The wall clock when the machine's clock was 0, if a record shows it.
    pub zero_ns: Option<u64>,
}

/// The files of a trace being read.
pub struct Blktrace {
    files: Vec<TraceFile>,
    found: ReadSummary,
    pairing: Pairing,
    device_numbers: FxHashMap<i32, i32>,
    devices: Vec<String>,
    program_numbers: FxHashMap<u32, i32>,
    programs: Vec<String>,
    flags: Vec<String>,
    zero_ns: Option<u64>,
    is_ended: bool,
}

impl Blktrace {
    /// Open files, of which `read_bytes` are read at a time.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub fn open(paths: Vec<PathBuf>, read_bytes: usize) -> Result<Self, Failure> {
        let open = |path| TraceFile::open(path, read_bytes);
        let files = paths.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        Ok(Blktrace {
            files,
            found: ReadSummary::default(),
            pairing: Pairing::new(WAITING_ROWS),
            device_numbers: FxHashMap::default(),
            devices: Vec::new(),
            program_numbers: FxHashMap::default(),
            programs: Vec::new(),
            flags: all_flags(),
            zero_ns: None,
            is_ended: false,
        })
    }

    /// The bytes read and in all.
    pub fn progress(&self) -> (u64, u64) {
        let files = self.files.iter().map(TraceFile::progress);
        files.fold((0, 0), |(done, total), (read, size)| (done + read, total + size.unwrap_or(0)))
    }

    /// Follow the events of at least this number of records; false if the trace had ended before.
    ///
    /// # Errors
    /// If a file is not a trace.
    pub fn next(&mut self, records: u64) -> Result<bool, Failure> {
        if self.is_ended {
            return Ok(false);
        }
        while self.found.records < records {
            let Some(item) = self.next_item()? else {
                self.is_ended = true;
                break;
            };
            self.take(item);
        }
        Ok(true)
    }

    /// The requests whose fate is known, if they are many or the trace has ended, else none.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn requests(&mut self) -> Result<Option<RecordBatch>, Error> {
        if !self.pairing.advance(self.is_ended) {
            return Ok(None);
        }
        let operations = OPERATIONS.map(str::to_owned);
        let names = EventNames {
            devices: &self.devices,
            operations: &operations,
            flags: &self.flags,
            programs: &self.programs,
        };
        self.pairing.requests(names).map(Some)
    }

    /// The name of each file, how many records were read of it, and how many of these were skipped.
    pub fn counts_by_file(&self) -> Vec<(String, u64, u64)> {
        self.files.iter().map(TraceFile::counts).collect()
    }

    /// Which devices lie on which, as [`super::Stacks::named`].
    pub fn stacks(&self) -> Vec<(String, String, u64, u64)> {
        self.pairing.stacks.named(&self.devices)
    }

    /// What there is to say of the records read since the last time.
    pub fn news(&mut self) -> News {
        let found = std::mem::take(&mut self.found);
        let mut remarks = found.remarks;
        let mut said = remarks.take();
        said.extend(self.pairing.remarks.take());
        News {
            records: found.records,
            remarks: said,
            skipped: found.skipped,
            damage: found.damage,
            lost_bytes: found.lost_bytes,
            zero_ns: self.zero_ns,
        }
    }

    /// The earliest of the files' next items; of those at one time, the first file's.
    fn next_item(&mut self) -> Result<Option<Item>, Failure> {
        let mut earliest: Option<(u64, usize)> = None;
        for (number, file) in self.files.iter_mut().enumerate() {
            if let Some(time_ns) = file.next_time_ns(&mut self.found)? {
                if earliest.is_none_or(|(least_ns, _)| time_ns < least_ns) {
                    earliest = Some((time_ns, number));
                }
            }
        }
        Ok(earliest.and_then(|(_, number)| self.files[number].pop()))
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Event(event) => {
                let program = self.program_numbers.get(&(event.pid as u32)).copied();
                let device = self.device(event.device);
                let source = if event.action == Action::Remap { self.device(event.source) } else { 0 };
                self.pairing.take(&Event { device, program, source, ..event });
            }
            Item::Process { pid, name, .. } => {
                let name = text_of(&name).into_owned();
                let known = self.programs.iter().position(|program| *program == name);
                let number = known.unwrap_or_else(|| {
                    self.programs.push(name);
                    self.programs.len() - 1
                });
                self.program_numbers.insert(pid, number as i32);
                self.found.remarks.add("names of processes", 1);
            }
            Item::Time { time_ns, wall_ns } => {
                if wall_ns > time_ns {
                    self.found.remarks.add("times of day", 1);
                    self.zero_ns = Some(wall_ns - time_ns);
                }
            }
        }
    }

    fn device(&mut self, word: i32) -> i32 {
        let devices = &mut self.devices;
        *self.device_numbers.entry(word).or_insert_with(|| {
            let word = word as u32;
            devices.push(format!("{},{}", word >> 20, word & 0xf_ffff));
            devices.len() as i32 - 1
        })
    }
}
