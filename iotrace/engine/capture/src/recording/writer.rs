//! Writes a recording.

use super::block::{Block, BlockKind};
use super::encoding::{self, Context};
use super::{BLOCK_BYTES, MAGIC, VERSION};
use crate::record::{Record, FORK, LOSSES, UNDER_WAY};
use std::io::{self, Write};

/// Records that go into one block.
#[derive(Debug, Default)]
struct Part {
    contents: Vec<u8>,
    context: Context,
}

impl Part {
    fn push(&mut self, record: &Record<'_>) {
        encoding::write(record, &mut self.context, &mut self.contents);
    }
}

/// Writes a recording to a file, whole blocks at a time.
#[derive(Debug)]
pub struct Writer<W: Write> {
    file: W,
    calls: Part,
    late: Part,
    /// When this block was opened, and the one before it.
    opened_ns: u64,
    former_ns: u64,
    /// The calls that were lost so far.
    lost_calls: u64,
    records: u64,
    recorded_calls: u64,
    stored_bytes: u64,
    contents_bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begin a recording, at a time of the monotonic clock.
    pub fn new(mut file: W, now_ns: u64) -> io::Result<Writer<W>> {
        file.write_all(&MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        Ok(Writer {
            file,
            calls: Part::default(),
            late: Part::default(),
            opened_ns: now_ns,
            former_ns: now_ns,
            lost_calls: 0,
            records: 0,
            recorded_calls: 0,
            stored_bytes: 12,
            contents_bytes: 0,
        })
    }

    /// Add a record, before which this number of calls were lost.
    pub fn push(&mut self, record: &Record<'_>, lost_calls: u64) {
        self.lose(lost_calls, record.end_ns());
        let part = if record.start_ns < self.former_ns { &mut self.late } else { &mut self.calls };
        part.push(record);
        self.records += 1;
        self.recorded_calls += u64::from(record.number < FORK || record.number == UNDER_WAY);
    }

    /// Note how many calls were lost so far, up to a time.
    pub fn lose(&mut self, lost_calls: u64, time_ns: u64) {
        if lost_calls > self.lost_calls {
            self.calls.push(&encoding::loss(lost_calls - self.lost_calls, time_ns));
            self.lost_calls = lost_calls;
        }
    }

    /// Whether there is enough for a block.
    pub fn is_full(&self) -> bool {
        self.calls.contents.len().max(self.late.contents.len()) >= BLOCK_BYTES
    }

    /// Write what there is as blocks, at a time of the monotonic clock, with the losses so far.
    pub fn flush(&mut self, now_ns: u64, lost: [u64; LOSSES]) -> io::Result<()> {
        let times = (self.opened_ns, now_ns);
        for (kind, part) in [
            (BlockKind::LateCalls, std::mem::take(&mut self.late)),
            (BlockKind::Calls, std::mem::take(&mut self.calls)),
        ] {
            if !part.contents.is_empty() {
                self.block(kind, times, lost, part.contents)?;
            }
        }
        (self.former_ns, self.opened_ns) = times;
        self.file.flush()
    }

    /// Write a block of text.
    pub fn text(&mut self, kind: BlockKind, now_ns: u64, lost: [u64; LOSSES], text: &[u8]) -> io::Result<()> {
        for piece in text.split_inclusive(|&byte| byte == b'\n').collect::<Vec<_>>().chunks(LINES) {
            self.block(kind, (now_ns, now_ns), lost, piece.concat())?;
        }
        self.file.flush()
    }

    fn block(
        &mut self,
        kind: BlockKind,
        (opened_ns, closed_ns): (u64, u64),
        lost: [u64; LOSSES],
        contents: Vec<u8>,
    ) -> io::Result<()> {
        self.contents_bytes += contents.len() as u64;
        let block = Block { kind, opened_ns, closed_ns, lost, contents };
        self.stored_bytes += block.write(&mut self.file)?;
        Ok(())
    }

    /// The number of records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many of them are calls.
    pub fn calls(&self) -> u64 {
        self.recorded_calls
    }

    /// The bytes of the file so far, and of its blocks before compression.
    pub fn bytes(&self) -> (u64, u64) {
        (self.stored_bytes, self.contents_bytes)
    }
}

/// Lines of text in a block; the longest is a name with a few numbers.
const LINES: usize = 64;
