//! Requests to disks as recordings have them.

use crate::columns::named;
use iotrace_capture::record::{self, Record};

named! {
    /// What a request asks of a disk.
    pub enum Operation {
        Read = "read",
        Write = "write",
        Flush = "flush",
        Discard = "discard",
        Other = "other",
    }
}

/// The operations of requests, by number (`include/linux/blk_types.h`).
const OPERATIONS: [(u64, Operation); 7] = [
    (0, Operation::Read),
    (1, Operation::Write),
    (2, Operation::Flush),
    (3, Operation::Discard),
    (5, Operation::Discard),
    (7, Operation::Write),
    (9, Operation::Write),
];
const OPERATION_BITS: u64 = 0xff;
/// The words of a request's flags, by their bits.
pub const FLAGS: [&str; 4] = ["forced", "synchronous", "read_ahead", "metadata"];
const BLOCK_BITS: u32 = 9;
/// In place of the first block of a request that has none.
const NO_PLACE: u64 = u64::MAX;

/// The words of a set of flags.
pub fn flag_names(bits: usize) -> String {
    let set = FLAGS.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join("|")
}

/// The kernel's bits of the flags of requests.
#[derive(Debug, Default)]
pub struct RequestFlags([Option<u32>; FLAGS.len()]);

impl RequestFlags {
    /// As a recording says in lines `NAME BIT`.
    pub fn new<'a>(lines: impl Iterator<Item = &'a [u8]>) -> RequestFlags {
        let mut flags = RequestFlags::default();
        for (name, bit) in lines.filter_map(|line| std::str::from_utf8(line).ok()?.split_once(' ')) {
            if let Some(place) = FLAGS.iter().position(|flag| *flag == name) {
                flags.0[place] = bit.parse().ok().filter(|&bit| bit < u64::BITS);
            }
        }
        flags
    }

    fn set_of(&self, kernel_bits: u64) -> usize {
        let is_set = |bit: &Option<u32>| bit.is_some_and(|bit| kernel_bits >> bit & 1 == 1);
        self.0.iter().rev().fold(0, |bits, bit| bits << 1 | usize::from(is_set(bit)))
    }
}

/// A request that was completed. Times are nanoseconds; those of stages count from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'r> {
    /// The numbers of the disk and of the part of it, as the kernel has them.
    pub device: u64,
    pub partition: u64,
    pub operation: Operation,
    /// In blocks of 512 bytes.
    pub first_block: u64,
    pub blocks: u64,
    /// As [`flag_names`] has them.
    pub flags: usize,
    /// Whether it starts as it is queued, and not with a later stage.
    pub is_queued: bool,
    pub inserted_ns: Option<u64>,
    pub issued_ns: Option<u64>,
    /// The name of the thread that queued it.
    pub program: &'r [u8],
}

impl<'r> Request<'r> {
    /// The request of a record of one.
    pub fn of(record: &Record<'r>, flags: &RequestFlags) -> Request<'r> {
        let [device, partition, sector, bytes, bits, not_queued] = record.arguments;
        let operation = OPERATIONS.iter().find(|(number, _)| *number == bits & OPERATION_BITS);
        let data = record.data.unwrap_or_default();
        let time = |place: usize| {
            let bytes = data.get(8 * place..8 * place + 8)?.try_into().ok()?;
            u64::from_le_bytes(bytes).checked_sub(1)
        };
        let program = data.get(16..16 + record::PROGRAM_BYTES).unwrap_or_default();
        let length = program.iter().position(|&byte| byte == 0).unwrap_or(program.len());
        Request {
            device,
            partition,
            operation: operation.map_or(Operation::Other, |(_, operation)| *operation),
            first_block: if sector == NO_PLACE { 0 } else { sector },
            blocks: bytes >> BLOCK_BITS,
            flags: flags.set_of(bits),
            is_queued: not_queued == 0,
            inserted_ns: time(0),
            issued_ns: time(1),
            program: &program[..length],
        }
    }
}
