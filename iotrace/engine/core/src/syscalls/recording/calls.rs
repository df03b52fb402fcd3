//! Records, kept until their turn comes.

use iotrace_capture::record::{Inode, Record};

/// A record that owns its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub number: u16,
    pub thread: i32,
    pub process: i32,
    pub start_ns: u64,
    pub has_start: bool,
    pub end_ns: u64,
    pub result: i64,
    pub arguments: [u64; 6],
    pub names: [Box<[u8]>; 2],
    pub data: Option<Box<[u8]>>,
    pub second: Option<u64>,
    pub inode: Option<Inode>,
}

impl Kept {
    pub fn of(record: &Record<'_>) -> Kept {
        Kept {
            number: record.number,
            thread: record.thread as i32,
            process: record.process as i32,
            start_ns: record.start_ns,
            has_start: record.has_start,
            end_ns: record.end_ns(),
            result: record.result,
            arguments: record.arguments,
            names: [record.name.into(), record.second_name.into()],
            data: record.data.map(Box::from),
            second: record.second,
            inode: record.inode,
        }
    }
}
