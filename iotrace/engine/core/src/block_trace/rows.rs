//! Requests that make sense, as columns, and why others do not.

use crate::columns::{batch, name_array, null_names, optional, renumbered, word_array, Word};
use crate::error::Error;
use crate::fields::{self, Times, LATEST_NS, LONGEST_TRACE_NS};
use arrow_array::{new_null_array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The unit of places on a disk.
const BLOCK_BYTES: i64 = 512;
/// No disk has more blocks: a byte beyond them has no 64-bit address.
pub const MOST_BLOCKS: i64 = 1 << 54;
/// Requests other than discards are shorter: their length in bytes fits 32 bits in every block layer.
pub const LONGEST_BLOCKS: i64 = 1 << 23;
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

/// Why a record is not a request. If several are true, the first of them counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    CutShort,
    TooFewFields,
    OpenQuote,
    UnknownOperation,
    NoBlockNumber,
    NoLength,
    NoTime,
    NegativeBlockNumber,
    NegativeLength,
    LengthOutOfRange,
    BlockNumberOutOfRange,
    TimeOutOfRange,
}

impl Word for Reason {
    const WORDS: &'static [&'static str] = &[
        "cut short",
        "too few fields",
        "a quote that is not closed",
        "unknown operation",
        "no block number that can be read",
        "no length that can be read",
        "no time that can be read",
        "negative block number",
        "negative length",
        "length out of range",
        "block number out of range",
        "time out of range",
    ];

    fn code(self) -> i32 {
        self as i32
    }
}

/// In what a request's start and length are.
#[derive(Clone, Copy, Debug, Default)]
pub enum Units {
    #[default]
    Blocks,
    /// The start in blocks, the length in bytes.
    BlocksAndBytes,
    Bytes,
}

/// How long a request took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Latency {
    #[default]
    Unstated,
    Unreadable,
    Ns(i64),
}

/// A request as its record states it; None is what cannot be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    pub time_ns: Option<i64>,
    pub operation: Option<Operation>,
    pub start: Option<i64>,
    pub length: Option<i64>,
    pub units: Units,
    pub latency: Latency,
}

/// A request that makes sense, in blocks and nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    time_ns: i64,
    operation: Operation,
    lbn: i64,
    blocks: i64,
    is_unaligned: bool,
    latency: Latency,
}

impl Request {
    /// What the request is.
    ///
    /// # Errors
    /// Why it is invalid.
    #[inline]
    pub fn checked(&self) -> Result<Checked, Reason> {
        let operation = self.operation.ok_or(Reason::UnknownOperation)?;
        let start = self.start.ok_or(Reason::NoBlockNumber)?;
        let length = self.length.ok_or(Reason::NoLength)?;
        let time_ns = self.time_ns.ok_or(Reason::NoTime)?;
        let (lbn, blocks, is_unaligned) = match self.units {
            Units::Blocks => (start, length, false),
            Units::BlocksAndBytes => (start, in_blocks(0, length), length % BLOCK_BYTES != 0),
            Units::Bytes => {
                let inside = start.rem_euclid(BLOCK_BYTES);
                let is_unaligned = inside != 0 || length % BLOCK_BYTES != 0;
                (start.div_euclid(BLOCK_BYTES), in_blocks(inside, length), is_unaligned)
            }
        };
        let longest = if operation == Operation::Discard { MOST_BLOCKS } else { LONGEST_BLOCKS };
        if lbn < 0 {
            Err(Reason::NegativeBlockNumber)
        } else if blocks < 0 {
            Err(Reason::NegativeLength)
        } else if blocks >= longest {
            Err(Reason::LengthOutOfRange)
        } else if lbn >= MOST_BLOCKS || lbn + blocks > MOST_BLOCKS {
            Err(Reason::BlockNumberOutOfRange)
        } else if !(-LATEST_NS..=LATEST_NS).contains(&time_ns) {
            Err(Reason::TimeOutOfRange)
        } else {
            Ok(Checked { time_ns, operation, lbn, blocks, is_unaligned, latency: self.latency })
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
    pub unreadable_latencies: u64,
    pub negative_latencies: u64,
    pub latencies_out_of_range: u64,
}

/// Requests, column by column, and the records that are none.
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
    skipped: Vec<(u32, Reason)>,
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

    /// Take a request; `record` is its place in the block.
    #[inline]
    pub fn push(&mut self, record: u32, device: i32, host: i32, request: Checked) {
        let Checked { time_ns, operation, lbn, blocks, is_unaligned, latency } = request;
        let latency_ns = self.known_ns(latency);
        self.count(&request, latency_ns);
        self.records.push(record);
        self.time_ns.push(time_ns);
        self.device.push(device);
        self.host.push(host);
        self.operation.push(operation.code());
        self.lbn.push(lbn);
        self.blocks.push(blocks);
        self.latency_ns.push(latency_ns);
        self.unaligned.push(is_unaligned);
    }

    /// Count a record that is not a request.
    pub fn skip(&mut self, record: u32, reason: Reason) {
        self.skipped.push((record, reason));
    }

    /// How long a request took, `UNKNOWN_NS` for what is not a duration, which is counted.
    #[inline]
    fn known_ns(&mut self, latency: Latency) -> i64 {
        let seen = &mut self.summary;
        let wrong = match latency {
            Latency::Unstated => return UNKNOWN_NS,
            Latency::Ns(latency_ns) if (0..=LONGEST_TRACE_NS).contains(&latency_ns) => return latency_ns,
            Latency::Unreadable => &mut seen.unreadable_latencies,
            Latency::Ns(..0) => &mut seen.negative_latencies,
            Latency::Ns(_) => &mut seen.latencies_out_of_range,
        };
        *wrong += 1;
        UNKNOWN_NS
    }

    #[inline]
    fn count(&mut self, request: &Checked, latency_ns: i64) {
        let seen = &mut self.summary;
        seen.times.see(request.time_ns, latency_ns);
        let (is_discard, is_flush) =
            (request.operation == Operation::Discard, request.operation == Operation::Flush);
        seen.discards += u64::from(is_discard);
        seen.flushes += u64::from(is_flush);
        seen.empty_requests += u64::from(!is_discard && !is_flush && request.blocks == 0);
        seen.unaligned_requests += u64::from(request.is_unaligned);
    }

    /// The number of records: requests, and others.
    pub fn records(&self) -> u64 {
        (self.records.len() + self.skipped.len()) as u64
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

    /// The records that are not requests: columns record, counted as in `requests`, and reason.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn skipped(&self, first: i64) -> Result<RecordBatch, Error> {
        let records = self.skipped.iter().map(|&(record, _)| first + i64::from(record));
        let reasons = self.skipped.iter().map(|&(_, reason)| reason.code()).collect::<Vec<_>>();
        batch(vec![
            ("record", Arc::new(Int64Array::from_iter_values(records))),
            ("reason", word_array::<Reason>(reasons.into())?),
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

/// How many blocks some bytes reach into, of which the first has this many before it in its block; a negative length
/// stays negative.
fn in_blocks(inside: i64, length: i64) -> i64 {
    if length <= 0 {
        return length;
    }
    (length - 1).saturating_add(inside) / BLOCK_BYTES + 1
}
