//! Recordings of requests to disks (`iotrace record --block`).

use super::letters::{all_flags, OPERATIONS};
use super::pairing::{batch_of, Action, Event, EventNames, RequestRow};
use crate::columns::Named;
use crate::error::Error;
use crate::fields::{text_of, Names};
use crate::recording::{
    damage, epoch_ns, open, Operation, RecordingError, RecordingReader, Request, RequestFlags,
};
use arrow_array::RecordBatch;
use iotrace_capture::record::{Loss, Record, DISK_REQUEST};
use iotrace_capture::recording::{Block, Records, REQUESTS_MAGIC};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The requests that a recording lacks, or has not all of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cut {
    /// Those for which the recorder had no room, and which it dropped so that the recording keeps its size.
    pub lost: u64,
    /// Those on all disks that were completed and whose beginning was not seen, and that were not yet completed.
    pub begun_before: u64,
    pub unfinished: u64,
    /// Why the end is missing.
    pub damage: Option<String>,
}

/// A recording being read.
pub struct BlockRecording {
    path: PathBuf,
    reader: RecordingReader,
    flags: RequestFlags,
    epoch_ns: i64,
    /// Requests whose turn is still to come, by their start and number.
    waiting: BTreeMap<(u64, u64), RequestRow>,
    records: u64,
    others: u64,
    disks: FxHashMap<u64, String>,
    device_numbers: FxHashMap<u64, i32>,
    devices: Vec<String>,
    programs: Names,
    flag_sets: Vec<String>,
    has_begun: bool,
    is_finished: bool,
    read_bytes: u64,
    total_bytes: u64,
}

impl BlockRecording {
    /// Open a recording. One that is compressed, or comes through a pipe, is copied to a temporary file of at most this
    /// size.
    ///
    /// # Errors
    /// If it cannot be read, or is not a recording of requests.
    pub fn open(path: &Path, most_unpacked_bytes: u64) -> Result<Self, RecordingError> {
        let (reader, total_bytes) = open(path, REQUESTS_MAGIC, most_unpacked_bytes)?;
        Ok(BlockRecording {
            path: path.to_owned(),
            flags: RequestFlags::new(reader.start_values("request_flag")),
            epoch_ns: epoch_ns(&reader)?,
            disks: reader.start_values("disk").filter_map(disk).collect(),
            reader,
            waiting: BTreeMap::new(),
            records: 0,
            others: 0,
            device_numbers: FxHashMap::default(),
            devices: Vec::new(),
            programs: Names::default(),
            flag_sets: all_flags(),
            has_begun: false,
            is_finished: false,
            read_bytes: 0,
            total_bytes,
        })
    }

    /// Read on; the next requests, in the order in which they were queued, and None at the end. The columns are those of
    /// [`super::Pairing::requests`]; times are those of the monotonic clock.
    ///
    /// # Errors
    /// If the file cannot be read, or Arrow rejects the columns.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, RecordingError> {
        if self.is_finished {
            return Ok(None);
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            let late = self.reader.take_late_calls();
            late.iter().for_each(|block| self.take(block));
        }
        let horizon_ns = match self.reader.next_calls()? {
            Some(block) => {
                self.read_bytes = self.reader.position()?;
                self.take(&block);
                // what later blocks have began after this one was opened
                block.opened_ns
            }
            None => {
                self.is_finished = true;
                u64::MAX
            }
        };
        let later = self.waiting.split_off(&(horizon_ns, 0));
        let rows: Vec<RequestRow> = std::mem::replace(&mut self.waiting, later).into_values().collect();
        self.batch(&rows).map(Some).map_err(|error| RecordingError::Refused(error.to_string()))
    }

    fn take(&mut self, block: &Block) {
        let mut records = Records::new(block);
        for record in &mut records {
            if record.number == DISK_REQUEST {
                self.push(&record);
            }
        }
        if records.is_damaged() {
            self.reader.set_damage("a record cannot be read");
        }
    }

    fn push(&mut self, record: &Record<'_>) {
        self.records += 1;
        let request = Request::of(record, &self.flags);
        if request.operation == Operation::Other {
            self.others += 1;
            return;
        }
        let start_ns = record.start_ns;
        let completed_ns = record.end_ns();
        let stage = |since_ns: Option<u64>| Some(start_ns.saturating_add(since_ns?));
        let operation = OPERATIONS.iter().position(|name| *name == request.operation.name()).unwrap_or(0);
        let program = Some(request.program).filter(|program| !program.is_empty());
        let event = Event {
            time_ns: start_ns,
            record: self.records,
            action: Action::Complete,
            device: self.device(request.device),
            operation: operation as i32,
            flags: request.flags as i32,
            sector: request.first_block,
            blocks: request.blocks,
            pid: i64::from(record.thread),
            program: program.map(|program| self.programs.number(program)),
            new_sector: 0,
            source: 0,
        };
        let issued_ns = stage(request.issued_ns);
        let row = RequestRow {
            inserted_ns: stage(request.inserted_ns),
            issued_ns,
            completed_ns: Some(completed_ns),
            latency_ns: request.is_queued.then(|| duration(completed_ns, start_ns)),
            service_ns: issued_ns.map(|issued_ns| duration(completed_ns, issued_ns)),
            ..RequestRow::new(event, request.is_queued)
        };
        self.waiting.insert((start_ns, self.records), row);
    }

    fn device(&mut self, number: u64) -> i32 {
        let (devices, disks) = (&mut self.devices, &self.disks);
        *self.device_numbers.entry(number).or_insert_with(|| {
            let unnamed = || format!("{},{}", number >> 20, number & 0xf_ffff);
            devices.push(disks.get(&number).cloned().unwrap_or_else(unnamed));
            devices.len() as i32 - 1
        })
    }

    fn batch(&self, rows: &[RequestRow]) -> Result<RecordBatch, Error> {
        let operations = OPERATIONS.map(str::to_owned);
        let programs: Vec<String> = self.programs.texts().map(|name| text_of(name).into_owned()).collect();
        batch_of(
            rows,
            EventNames {
                devices: &self.devices,
                operations: &operations,
                flags: &self.flag_sets,
                programs: &programs,
            },
        )
    }

    /// The bytes read, and those of the file.
    pub fn progress(&self) -> (u64, u64) {
        (self.read_bytes, self.total_bytes)
    }

    /// The records of requests read so far, and how many of these neither read, write, discard nor flush.
    pub fn counts(&self) -> (u64, u64) {
        (self.records, self.others)
    }

    /// What the monotonic clock is behind the time of day.
    pub fn epoch_ns(&self) -> i64 {
        self.epoch_ns
    }

    /// What the part of the recording read until now lacks.
    pub fn cut(&self) -> Cut {
        let end = self.reader.end().unwrap_or_default();
        let count = |key: &str| {
            let value = end.iter().find(|(of, _)| of == key).map(|(_, value)| value.as_slice());
            value.and_then(|value| std::str::from_utf8(value).ok()?.parse().ok()).unwrap_or(0)
        };
        Cut {
            lost: self.reader.lost()[Loss::UnderCalls as usize],
            begun_before: count("requests_begun_before"),
            unfinished: count("requests_unfinished"),
            damage: damage(&self.reader, &self.path),
        }
    }
}

/// A line `NUMBER NAME` of a disk.
fn disk(line: &[u8]) -> Option<(u64, String)> {
    let (number, name) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    Some((number.parse().ok()?, name.to_owned()))
}

fn duration(end_ns: u64, start_ns: u64) -> i64 {
    i64::try_from(end_ns.saturating_sub(start_ns)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use iotrace_capture::recording::{BlockKind, Writer, MAGIC};
    use std::fs::File;

    const START: &[u8] =
        b"machine x86_64\nrealtime_ns 5000\nmonotonic_ns 1000\nrequest_flag synchronous 11\n\
        disk 8388608 sda\ndisk damaged\n";

    /// Of each stage its time plus 1, then the name of a program.
    fn data(inserted_ns: u64, issued_ns: u64, program: &[u8; 16]) -> Vec<u8> {
        [&inserted_ns.to_le_bytes()[..], &issued_ns.to_le_bytes(), program].concat()
    }

    fn request(start_ns: u64, duration_ns: u64, arguments: [u64; 6], thread: u32, data: &[u8]) -> Record<'_> {
        Record {
            number: DISK_REQUEST,
            thread,
            process: thread,
            start_ns,
            has_start: true,
            duration_ns,
            arguments,
            data: Some(data),
            ..Record::default()
        }
    }

    fn numbers(batch: &RecordBatch, column: &str) -> Vec<Option<i64>> {
        batch
            .column_by_name(column)
            .map_or(Vec::new(), |column| column.as_primitive::<Int64Type>().iter().collect())
    }

    fn names(batch: &RecordBatch, column: &str) -> Vec<Option<String>> {
        let Some(column) = batch.column_by_name(column) else { return Vec::new() };
        let column = column.as_dictionary::<arrow_array::types::Int32Type>();
        let words = column.values().as_string::<i32>();
        column.keys().iter().map(|key| Some(words.value(key? as usize).to_owned())).collect()
    }

    #[test]
    fn requests_of_a_recording() -> std::io::Result<()> {
        let path = std::env::temp_dir().join(format!("iotrace-block-test-{}.iorec", std::process::id()));
        let mut writer = Writer::new(File::create(&path)?, REQUESTS_MAGIC, 0)?;
        writer.text(BlockKind::Start, 0, [0; 6], START)?;
        let (sda, other) = (8 << 20, 7 << 20 | 1);
        let (write, flush, command) = (1 | 1 << 11, 2, 34);
        let all = data(11, 21, b"dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        let issued = data(0, 1, b"kworker/0:1H-kbl");
        // in the order of their completion
        writer.push(&request(2500, 100, [sda, sda | 1, 16, 4096, write, 0], 7, &all), 0);
        writer.push(&request(2000, 900, [other, other, 0, 512, 0, 0], 8, &all), 0);
        writer.push(&request(2700, 300, [sda, sda, u64::MAX, 0, flush, 1], 9, &issued), 0);
        writer.push(&request(2800, 400, [sda, sda, u64::MAX, 0, command, 1], 9, &issued), 0);
        writer.flush(4000, [0, 0, 0, 0, 0, 3])?;
        let read = |path: &Path| -> Result<(Vec<RecordBatch>, BlockRecording), RecordingError> {
            let mut recording = BlockRecording::open(path, u64::MAX)?;
            let mut batches = Vec::new();
            while let Some(batch) = recording.next_batch()? {
                batches.push(batch);
            }
            Ok((batches, recording))
        };
        let (batches, recording) = read(&path).map_err(std::io::Error::other)?;
        let batch = only_batch(&batches);
        assert_eq!(numbers(&batch, "time_ns"), [Some(2000), Some(2500), Some(2700)]);
        assert_eq!(numbers(&batch, "queued_ns"), [Some(2000), Some(2500), None]);
        assert_eq!(numbers(&batch, "inserted_ns"), [Some(2010), Some(2510), None]);
        assert_eq!(numbers(&batch, "issued_ns"), [Some(2020), Some(2520), Some(2700)]);
        assert_eq!(numbers(&batch, "completed_ns"), [Some(2900), Some(2600), Some(3000)]);
        assert_eq!(numbers(&batch, "latency_ns"), [Some(900), Some(100), None]);
        assert_eq!(numbers(&batch, "service_ns"), [Some(880), Some(80), Some(300)]);
        assert_eq!(numbers(&batch, "lbn"), [Some(0), Some(16), Some(0)]);
        assert_eq!(numbers(&batch, "blocks"), [Some(1), Some(8), Some(0)]);
        assert_eq!(numbers(&batch, "pid"), [Some(8), Some(7), Some(9)]);
        let words = |column: &str| names(&batch, column).into_iter().map(|name| name.unwrap_or_default());
        assert!(words("device").eq(["7,1", "sda", "sda"]));
        assert!(words("operation").eq(["read", "write", "flush"]));
        assert!(words("program").eq(["dd", "dd", "kworker/0:1H-kbl"]));
        assert!(words("flags").eq(["", "synchronous", ""]));
        assert_eq!((recording.counts(), recording.epoch_ns()), ((4, 1), 4000));
        let cut = recording.cut();
        assert_eq!((cut.lost, cut.begun_before, cut.unfinished), (3, 0, 0));
        assert!(cut.damage.is_some_and(|why| why.contains("did not come to its end")));

        writer.text(BlockKind::End, 5000, [0; 6], b"requests_begun_before 2\nrequests_unfinished 1\n")?;
        let (_, recording) = read(&path).map_err(std::io::Error::other)?;
        let expected = Cut { lost: 3, begun_before: 2, unfinished: 1, damage: None };
        assert_eq!(recording.cut(), expected);

        // a recording of calls is none of requests
        Writer::new(File::create(&path)?, MAGIC, 0)?;
        let refused = BlockRecording::open(&path, u64::MAX).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("is not a recording of iotrace"));
        std::fs::remove_file(&path)
    }

    /// The only batch that has rows.
    fn only_batch(batches: &[RecordBatch]) -> RecordBatch {
        let with_rows: Vec<&RecordBatch> = batches.iter().filter(|batch| batch.num_rows() > 0).collect();
        assert_eq!(with_rows.len(), 1);
        with_rows[0].clone()
    }
}
