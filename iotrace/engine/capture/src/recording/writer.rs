//! Writes a recording.

use super::block::{Block, BlockKind};
use super::encoding::{self, Context};
use super::{BLOCK_BYTES, VERSION};
use crate::record::{is_event, is_under_calls, Loss, Record, FORK, LOSSES, LOST_CALLS, UNDER_WAY};
use std::collections::VecDeque;
use std::io::{self, Write};

/// Records that go into one block.
#[derive(Debug, Default)]
struct Part {
    contents: Vec<u8>,
    context: Context,
    records: u64,
    /// Its calls, these with those that it counts as lost, the beginnings and ends of threads, and what is under the
    /// calls.
    recorded_calls: u64,
    calls: u64,
    lives: u64,
    events: u64,
}

impl Part {
    fn push(&mut self, record: &Record<'_>) {
        encoding::write(record, &mut self.context, &mut self.contents);
        if record.number == LOST_CALLS {
            self.calls += record.arguments[0];
            return;
        }
        self.records += 1;
        if is_call(record.number) {
            self.recorded_calls += 1;
            self.calls += 1;
        } else if is_event(record.number) {
            self.events += 1;
        } else if !is_under_calls(record.number) {
            self.lives += 1;
        }
    }
}

fn is_call(number: u16) -> bool {
    number < FORK || number == UNDER_WAY
}

/// A block of records in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    pub bytes: u64,
    pub opened_ns: u64,
    pub records: u64,
    /// What is lost with it: its calls, these with those that it counts as lost, beginnings and ends of threads, and what
    /// is under the calls.
    pub recorded_calls: u64,
    pub calls: u64,
    pub lives: u64,
    pub events: u64,
}

/// The blocks of records in the file, and what was lost with those that are no longer there.
#[derive(Debug, Default)]
pub(super) struct Trimmed {
    pub blocks: VecDeque<Stored>,
    /// The bytes before the first of them.
    pub head_bytes: u64,
    pub lost: [u64; LOSSES],
}

/// Writes a recording to a file, whole blocks at a time.
#[derive(Debug)]
pub struct Writer<W: Write> {
    pub(super) file: W,
    pub(super) trimmed: Trimmed,
    calls: Part,
    late: Part,
    /// When this block was opened, and the one before it.
    opened_ns: u64,
    former_ns: u64,
    /// The calls that were lost so far.
    lost_calls: u64,
    /// What was lost before it began.
    lost_before: [u64; LOSSES],
    pub(super) records: u64,
    pub(super) recorded_calls: u64,
    pub(super) stored_bytes: u64,
    contents_bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begin a recording, whose file begins with `magic`, at a time of the monotonic clock.
    pub fn new(mut file: W, magic: [u8; 8], now_ns: u64) -> io::Result<Writer<W>> {
        file.write_all(&magic)?;
        file.write_all(&VERSION.to_le_bytes())?;
        Ok(Writer {
            file,
            trimmed: Trimmed::default(),
            calls: Part::default(),
            late: Part::default(),
            opened_ns: now_ns,
            former_ns: now_ns,
            lost_calls: 0,
            lost_before: [0; LOSSES],
            records: 0,
            recorded_calls: 0,
            stored_bytes: 12,
            contents_bytes: 0,
        })
    }

    /// Begin after this was lost.
    pub fn begin_after(&mut self, lost: [u64; LOSSES]) {
        self.lost_before = lost;
        self.lost_calls = lost[Loss::Calls as usize];
    }

    /// What was lost since the beginning, by what was lost in all.
    pub fn lost_since(&self, lost: [u64; LOSSES]) -> [u64; LOSSES] {
        std::array::from_fn(|kind| lost[kind].saturating_sub(self.lost_before[kind]))
    }

    /// Add one record. `lost_calls` is how many calls were lost before it.
    pub fn push(&mut self, record: &Record<'_>, lost_calls: u64) {
        self.lose(lost_calls, record.end_ns());
        let part = if record.start_ns < self.former_ns { &mut self.late } else { &mut self.calls };
        part.push(record);
        self.records += 1;
        self.recorded_calls += u64::from(is_call(record.number));
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
                let Part { records, recorded_calls, calls, lives, events, .. } = part;
                let bytes = self.block(kind, times, lost, part.contents)?;
                self.trimmed.blocks.push_back(Stored {
                    bytes,
                    opened_ns: self.opened_ns,
                    records,
                    recorded_calls,
                    calls,
                    lives,
                    events,
                });
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
        if self.trimmed.blocks.is_empty() {
            self.trimmed.head_bytes = self.stored_bytes;
        }
        self.file.flush()
    }

    fn block(
        &mut self,
        kind: BlockKind,
        (opened_ns, closed_ns): (u64, u64),
        lost: [u64; LOSSES],
        contents: Vec<u8>,
    ) -> io::Result<u64> {
        self.contents_bytes += contents.len() as u64;
        let mut lost = self.lost_since(lost);
        lost.iter_mut().zip(self.trimmed.lost).for_each(|(lost, trimmed)| *lost += trimmed);
        let block = Block { kind, opened_ns, closed_ns, lost, contents };
        let bytes = block.write(&mut self.file)?;
        self.stored_bytes += bytes;
        Ok(bytes)
    }

    /// What was dropped so that the recording keeps its size, by kind.
    pub fn dropped(&self) -> [u64; LOSSES] {
        self.trimmed.lost
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
