//! Keeps a recording within a size: what it has of the oldest blocks becomes a count of lost calls.

use super::encoding::{self, Context};
use super::writer::Stored;
use super::{Block, BlockKind, Writer};
use crate::record::Loss;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// Moved at a time.
const MOVED_BYTES: u64 = 1 << 20;

impl Writer<File> {
    /// Drop the older half of the records if the file is larger than this. The texts at its beginning stay.
    pub fn trim(&mut self, most_bytes: u64) -> io::Result<()> {
        let stored_bytes = self.stored_bytes;
        // with two blocks, what is dropped has more bytes than the count of what was lost
        if stored_bytes <= most_bytes || self.trimmed.blocks.len() < 3 {
            return Ok(());
        }
        let head_bytes = self.trimmed.head_bytes;
        let half_bytes = most_bytes.saturating_sub(head_bytes) / 2;
        let (mut from, mut calls, mut opened_ns) = (head_bytes, 0, 0);
        while stored_bytes - from > half_bytes && self.trimmed.blocks.len() > 1 {
            let Some(dropped) = self.trimmed.blocks.pop_front() else { break };
            from += dropped.bytes;
            calls += dropped.calls;
            opened_ns = dropped.opened_ns;
            self.records -= dropped.records;
            self.recorded_calls -= dropped.recorded_calls;
            // calls that were lost before are in the losses of the programs already
            self.trimmed.lost[Loss::Calls as usize] += dropped.recorded_calls;
            self.trimmed.lost[Loss::Lives as usize] += dropped.lives;
            self.trimmed.lost[Loss::UnderCalls as usize] += dropped.events;
        }
        let mut contents = Vec::new();
        encoding::write(&encoding::loss(calls, opened_ns), &mut Context::default(), &mut contents);
        let mut written = Vec::new();
        let lost = self.trimmed.lost;
        let block = Block { kind: BlockKind::Calls, opened_ns, closed_ns: opened_ns, lost, contents };
        let bytes = block.write(&mut written)?;
        let loss = Stored { bytes, opened_ns, records: 0, recorded_calls: 0, calls, lives: 0, events: 0 };
        self.trimmed.blocks.push_front(loss);
        self.file.write_all_at(&written, head_bytes)?;
        let end = moved(&self.file, from, stored_bytes, head_bytes + bytes)?;
        self.file.set_len(end)?;
        self.stored_bytes = end;
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(end))?;
        self.file.flush()
    }
}

/// Move a part of a file to an earlier place; returns where it ends there.
fn moved(file: &File, from: u64, end: u64, to: u64) -> io::Result<u64> {
    let mut bytes = vec![0; MOVED_BYTES as usize];
    let mut at = from;
    while at < end {
        let part = &mut bytes[..MOVED_BYTES.min(end - at) as usize];
        file.read_exact_at(part, at)?;
        file.write_all_at(part, to + (at - from))?;
        at += part.len() as u64;
    }
    Ok(to + (end - from))
}
