//! Records of one width, little-endian.

use super::rows::{Latency, Operation, Reason, Request, Rows, Units};
use crate::fields::{NS_PER_S, NS_PER_US};
use serde::Deserialize;

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// CloudPhysics' virtual SCSI, 32 bytes.
    Vscsi1,
    /// With response times, 40 bytes.
    Vscsi2,
    /// libCacheSim's oracleGeneral, 24 bytes.
    OracleGeneral,
    /// With operations, 27 bytes.
    OracleGeneralOps,
}

const DEVICE: &str = "disk";

/// Read the records of a block, all of one disk; the last may be cut short.
pub fn read_records(block: &[u8], kind: Kind) -> Rows {
    match kind {
        Kind::Vscsi1 => read::<32>(block, vscsi_1),
        Kind::Vscsi2 => read::<40>(block, vscsi_2),
        Kind::OracleGeneral => read::<24>(block, |record| ObjectRequest::plain(record).of_block()),
        Kind::OracleGeneralOps => {
            read::<27>(block, |record| ObjectRequest::with_operation(record).of_block())
        }
    }
}

fn read<const WIDTH: usize>(block: &[u8], request: impl Fn(&[u8; WIDTH]) -> Request) -> Rows {
    let mut rows = Rows::default();
    rows.reserve(block.len() / WIDTH);
    rows.devices.push(DEVICE.to_owned());
    let records = block.chunks_exact(WIDTH);
    let is_cut = !records.remainder().is_empty();
    for record in records.filter_map(|record| record.first_chunk()) {
        match request(record).checked() {
            Ok(checked) => rows.push(rows.records() as u32, 0, 0, checked),
            Err(reason) => rows.skip(rows.records() as u32, reason),
        }
    }
    if is_cut {
        rows.skip(rows.records() as u32, Reason::CutShort);
    }
    rows
}

fn bytes<const COUNT: usize>(record: &[u8], at: usize) -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    bytes.copy_from_slice(&record[at..at + COUNT]);
    bytes
}

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes(record, at))
}

fn u32_at(record: &[u8], at: usize) -> i64 {
    i64::from(u32::from_le_bytes(bytes(record, at)))
}

/// A number; what does not fit 63 bits is the largest that does, which is out of every range.
fn u64_at(record: &[u8], at: usize) -> i64 {
    i64::try_from(u64::from_le_bytes(bytes(record, at))).unwrap_or(i64::MAX)
}

fn vscsi_1(record: &[u8; 32]) -> Request {
    Request {
        time_ns: Some(u64_at(record, 24).saturating_mul(NS_PER_US)),
        operation: scsi(u16_at(record, 12)),
        start: Some(u64_at(record, 16)),
        length: Some(u32_at(record, 4)),
        units: Units::BlocksAndBytes,
        latency: Latency::Unstated,
    }
}

fn vscsi_2(record: &[u8; 40]) -> Request {
    Request {
        time_ns: Some(u64_at(record, 24).saturating_mul(NS_PER_US)),
        operation: scsi(u16_at(record, 0)),
        start: Some(u64_at(record, 16)),
        length: Some(u32_at(record, 8)),
        units: Units::BlocksAndBytes,
        latency: Latency::Ns(u64_at(record, 32).saturating_mul(NS_PER_US)),
    }
}

/// What a SCSI command does; the list is that of `iotrace.formats.vscsi`.
fn scsi(command: u16) -> Option<Operation> {
    match command {
        0x08 | 0x28 | 0xa8 | 0x88 => Some(Operation::Read),
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e | 0x41 | 0x93 => Some(Operation::Write),
        0x35 | 0x91 => Some(Operation::Flush),
        0x42 => Some(Operation::Discard),
        _ => None,
    }
}

/// A record of oracleGeneral as it stands.
#[derive(Clone, Copy, Debug)]
pub struct ObjectRequest {
    pub time_ns: i64,
    pub object: u64,
    pub bytes: i64,
    /// libCacheSim's number of the operation, 0 for none, and the namespace, where the records have these.
    pub operation: Option<u8>,
    pub namespace: Option<u16>,
}

impl ObjectRequest {
    /// A record without operations.
    #[inline]
    pub fn plain(record: &[u8; 24]) -> Self {
        Self::of(record, None, None)
    }

    /// A record with one.
    #[inline]
    pub fn with_operation(record: &[u8; 27]) -> Self {
        Self::of(record, Some(record[16]), Some(u16_at(record, 17)))
    }

    #[inline]
    fn of(record: &[u8], operation: Option<u8>, namespace: Option<u16>) -> Self {
        ObjectRequest {
            time_ns: u32_at(record, 0) * NS_PER_S,
            object: u64::from_le_bytes(bytes(record, 4)),
            bytes: u32_at(record, 12),
            operation,
            namespace,
        }
    }

    /// The same as a request to a disk, where the object is a block.
    fn of_block(self) -> Request {
        Request {
            time_ns: Some(self.time_ns),
            operation: self.operation.map_or(Some(Operation::Unknown), cache_operation),
            start: Some(i64::try_from(self.object).unwrap_or(i64::MAX)),
            length: Some(self.bytes),
            units: Units::BlocksAndBytes,
            latency: Latency::Unstated,
        }
    }
}

/// What an operation of a cache does; libCacheSim's others (nop, incr, decr, ...) have no meaning for a disk.
fn cache_operation(code: u8) -> Option<Operation> {
    match code {
        1 | 2 | 12 => Some(Operation::Read),
        3..=8 | 13 | 14 => Some(Operation::Write),
        9 => Some(Operation::Discard),
        _ => None,
    }
}

/// Objects of oracleGeneral and their neighbours, which show keys apart from blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// How many different objects but the last are longer than a block at their first request.
    pub longer: u64,
    /// How many of these are followed by the object with the next number.
    pub followed: u64,
    /// The first request of the earliest such object.
    pub first: Option<u32>,
}

/// Compare the objects of records of this width, by their numbers in order.
pub fn neighbours(block: &[u8], width: usize) -> Neighbours {
    let objects = || block.chunks_exact(width.max(16)).map(|record| u64::from_le_bytes(bytes(record, 4)));
    let place_bits = (block.len() / width.max(16)).max(2).ilog2() + 1;
    if objects().all(|object| object.leading_zeros() >= place_bits) {
        let mut requests: Vec<u64> =
            (0..).zip(objects()).map(|(place, object)| object << place_bits | place).collect();
        requests.sort_unstable();
        let place = |request: u64| request & ((1 << place_bits) - 1);
        counted(block, width, requests.into_iter().map(|request| (request >> place_bits, place(request))))
    } else {
        let mut requests: Vec<(u64, u64)> = objects().zip(0..).collect();
        requests.sort_unstable();
        counted(block, width, requests.into_iter())
    }
}

/// Count neighbours among objects with the places of their requests, in order.
fn counted(block: &[u8], width: usize, mut requests: impl Iterator<Item = (u64, u64)>) -> Neighbours {
    let mut found = Neighbours::default();
    let Some((mut object, mut first)) = requests.next() else {
        return found;
    };
    for (next, place) in requests {
        if next == object {
            continue;
        }
        if u32_at(&block[first as usize * width..], 12) > 512 {
            found.longer += 1;
            if next == object + 1 {
                found.followed += 1;
                found.first = Some(found.first.map_or(first as u32, |least| least.min(first as u32)));
            }
        }
        (object, first) = (next, place);
    }
    found
}
