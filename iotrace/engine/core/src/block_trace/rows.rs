//! Requests that make sense, as columns.

use crate::columns::{batch, name_array, null_names, optional, renumbered, word_array, Word};
use crate::error::Error;
use crate::fields::{self, Times, LATEST_NS, LONGEST_TRACE_NS};
use arrow_array::{new_null_array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The unit of places on a disk.
const BLOCK_BYTES: i64 = 512;
/// No disk has more blocks.
const MOST_BLOCKS: i64 = 1 << 54;
/// Requests other than discards are shorter.
const LONGEST_BLOCKS: i64 = 1 << 23;
/// Stands for an unknown latency: known ones are not negative.
const UNKNOWN_NS: i64 = -1;

/// What a request does, by its place in `Operation::WORDS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    #[default]
    Read,
    Write,
    Discard,
    Flush,
    /// The format does not record it.
    Unknown,
}

impl Word for Operation {
    const WORDS: &'static [&'static str] = &["read", "write", "discard", "flush"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// Where a request begins and how long it is, apart from `lbn`.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// From `lbn` on, in blocks.
    Blocks(i64),
    /// From `lbn` on, in bytes.
    Bytes(i64),
    /// In bytes.
    Range { offset: i64, length: i64 },
}

/// How long a request took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    Unknown,
    Known(i64),
}

/// A request as its record states it.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub time_ns: i64,
    pub device: i32,
    pub host: i32,
    pub operation: Operation,
    pub lbn: i64,
    pub place: Place,
    pub latency: Latency,
}

/// What a request that makes sense is in blocks and nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    lbn: i64,
    blocks: i64,
    is_unaligned: bool,
    latency_ns: i64,
}

impl Request {
    /// What the request is, if it makes sense and its time is not before the base of times.
    #[inline]
    pub fn checked(&self) -> Option<Checked> {
        let (lbn, blocks, is_unaligned) = match self.place {
            Place::Blocks(blocks) => (self.lbn, blocks, false),
            Place::Bytes(length) => (self.lbn, length_blocks(length), length % BLOCK_BYTES != 0),
            Place::Range { offset, length } => {
                let inside = offset % BLOCK_BYTES;
                let blocks = if length > 0 { length_blocks(inside + length) } else { 0 };
                (offset / BLOCK_BYTES, blocks, inside != 0 || length % BLOCK_BYTES != 0)
            }
        };
        let longest = if self.operation == Operation::Discard { MOST_BLOCKS } else { LONGEST_BLOCKS };
        let latency_ns = match self.latency {
            Latency::Unknown => UNKNOWN_NS,
            Latency::Known(latency_ns) if (0..=LONGEST_TRACE_NS).contains(&latency_ns) => latency_ns,
            Latency::Known(_) => return None,
        };
        let is_right = (0..=LATEST_NS).contains(&self.time_ns)
            && (0..MOST_BLOCKS).contains(&lbn)
            && (0..longest).contains(&blocks)
            && lbn + blocks <= MOST_BLOCKS;
        is_right.then_some(Checked { lbn, blocks, is_unaligned, latency_ns })
    }
}

impl Default for Request {
    fn default() -> Self {
        Request {
            time_ns: 0,
            device: 0,
            host: 0,
            operation: Operation::Unknown,
            lbn: 0,
            place: Place::Blocks(0),
            latency: Latency::Unknown,
        }
    }
}

/// What requests show of their clock, and how many there are of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    pub times: Times,
    pub empty_requests: u64,
    pub discards: u64,
    pub flushes: u64,
    pub unaligned_requests: u64,
}

/// Requests, column by column.
#[derive(Debug, Default)]
pub struct Rows {
    pub devices: Vec<String>,
    pub hosts: Vec<String>,
    records: Vec<u32>,
    time_ns: Vec<i64>,
    device: Vec<i32>,
    host: Vec<i32>,
    operation: Vec<i32>,
    lbn: Vec<i64>,
    blocks: Vec<i64>,
    latency_ns: Vec<i64>,
    unaligned: Vec<bool>,
    summary: Summary,
}

impl Rows {
    pub fn reserve(&mut self, rows: usize) {
        self.records.reserve(rows);
        self.time_ns.reserve(rows);
        self.device.reserve(rows);
        self.host.reserve(rows);
        self.operation.reserve(rows);
        self.lbn.reserve(rows);
        self.blocks.reserve(rows);
        self.latency_ns.reserve(rows);
        self.unaligned.reserve(rows);
    }

    /// Take a request if it makes sense and its time is not before the base of times; `record` is its place in the
    /// block.
    #[inline]
    pub fn take(&mut self, record: u64, request: Request) -> bool {
        match request.checked() {
            Some(checked) => {
                self.push(record, request, checked);
                true
            }
            None => false,
        }
    }

    /// Take a request that was checked.
    #[inline]
    pub fn push(&mut self, record: u64, request: Request, checked: Checked) {
        let Checked { lbn, blocks, is_unaligned, latency_ns } = checked;
        self.count(&request, blocks, is_unaligned, latency_ns);
        self.records.push(record as u32);
        self.time_ns.push(request.time_ns);
        self.device.push(request.device);
        self.host.push(request.host);
        self.operation.push(request.operation.code());
        self.lbn.push(lbn);
        self.blocks.push(blocks);
        self.latency_ns.push(latency_ns);
        self.unaligned.push(is_unaligned);
    }

    #[inline]
    fn count(&mut self, request: &Request, blocks: i64, is_unaligned: bool, latency_ns: i64) {
        let seen = &mut self.summary;
        seen.times.see(request.time_ns, latency_ns);
        let (is_discard, is_flush) =
            (request.operation == Operation::Discard, request.operation == Operation::Flush);
        seen.discards += u64::from(is_discard);
        seen.flushes += u64::from(is_flush);
        seen.empty_requests += u64::from(!is_discard && !is_flush && blocks == 0);
        seen.unaligned_requests += u64::from(is_unaligned);
    }

    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// How many requests came before an earlier one in time, of which the latest before these was at `reached_ns`.
    pub fn unsorted(&self, reached_ns: i64) -> u64 {
        fields::unsorted(&self.time_ns, reached_ns)
    }

    /// The requests as records of their block, with the names of devices and machines: columns record, time_ns,
    /// device, operation, lbn, blocks, latency_ns, host and unaligned; `first` is the number of the block's first record.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn requests(&self, first: i64) -> Result<RecordBatch, Error> {
        let records = self.records.iter().map(|&record| first + i64::from(record));
        let names = |codes: &[i32], names: &[String]| -> Result<ArrayRef, Error> {
            match names {
                [] => Ok(null_names(codes.len())),
                _ => Ok(name_array(codes.to_vec(), names.to_vec())?),
            }
        };
        batch(vec![
            ("record", Arc::new(Int64Array::from_iter_values(records))),
            ("time_ns", Arc::new(Int64Array::from(self.time_ns.clone()))),
            ("device", names(&self.device, &self.devices)?),
            ("operation", operations(self.operation.clone())?),
            ("lbn", Arc::new(Int64Array::from(self.lbn.clone()))),
            ("blocks", Arc::new(Int64Array::from(self.blocks.clone()))),
            ("latency_ns", optional(self.latency_ns.clone(), UNKNOWN_NS)),
            ("host", names(&self.host, &self.hosts)?),
            ("unaligned", Arc::new(BooleanArray::from(self.unaligned.clone()))),
        ])
    }

    /// The requests as rows of table disk_io, in which they are numbered from `first_seq` on, and their times count
    /// from `zero_ns`. Devices and machines get the numbers given; `hosts` are the names of all machines. The requests
    /// are taken away.
    ///
    /// # Errors
    /// If Arrow rejects the columns, or a device or machine has no number.
    pub fn table(
        &mut self,
        first_seq: i64,
        zero_ns: i64,
        devices: &[i32],
        host_numbers: &[i32],
        hosts: Vec<String>,
    ) -> Result<RecordBatch, Error> {
        let taken = std::mem::take(self);
        let rows = taken.time_ns.len();
        let mut time_ns = taken.time_ns;
        time_ns.iter_mut().for_each(|time_ns| *time_ns -= zero_ns);
        let host = match taken.hosts[..] {
            [] => null_names(rows),
            _ => name_array(renumbered(taken.host, host_numbers)?, hosts)?,
        };
        let nulls = new_null_array(&DataType::Int64, rows);
        let no_numbers = new_null_array(&DataType::Int32, rows);
        batch(vec![
            ("seq", Arc::new(Int64Array::from_iter_values(first_seq..first_seq + rows as i64))),
            ("time_ns", Arc::new(Int64Array::from(time_ns))),
            ("device", Arc::new(Int32Array::from(renumbered(taken.device, devices)?))),
            ("operation", operations(taken.operation)?),
            ("lbn", Arc::new(Int64Array::from(taken.lbn))),
            ("blocks", Arc::new(Int64Array::from(taken.blocks))),
            ("process", no_numbers.clone()),
            ("file", no_numbers),
            ("latency_ns", optional(taken.latency_ns, UNKNOWN_NS)),
            ("service_ns", nulls.clone()),
            ("host", host),
            ("flags", null_names(rows)),
            ("queued_ns", nulls.clone()),
            ("allocated_ns", nulls.clone()),
            ("inserted_ns", nulls.clone()),
            ("issued_ns", nulls.clone()),
            ("completed_ns", nulls),
        ])
    }
}

fn operations(codes: Vec<i32>) -> Result<ArrayRef, Error> {
    let unknown = Operation::Unknown.code();
    let codes = match codes.contains(&unknown) {
        false => Int32Array::from(codes),
        true => codes.into_iter().map(|code| (code != unknown).then_some(code)).collect(),
    };
    Ok(word_array::<Operation>(codes)?)
}

/// How many blocks this many bytes reach into.
fn length_blocks(length: i64) -> i64 {
    (length + BLOCK_BYTES - 1) / BLOCK_BYTES
}
