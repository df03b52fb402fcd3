//! The processes of a cgroup or of the system that the recorder meets.

use crate::clocks::now_ns;
use crate::record::{self, Record};
use crate::recording::{text, BlockKind, Writer};
use crate::snapshot;
use std::collections::HashSet;
use std::fs::File;
use std::io;

/// The processes that were neither there when the recording began nor made by one that was recorded.
pub(crate) struct MetProcesses {
    known: HashSet<u32>,
    met: Vec<u32>,
}

impl MetProcesses {
    pub fn of(before: &[snapshot::Process]) -> MetProcesses {
        MetProcesses { known: before.iter().map(|process| process.known_as).collect(), met: Vec::new() }
    }

    pub fn see(&mut self, record: &Record<'_>) {
        if self.known.insert(record.process) {
            self.met.push(record.process);
        }
        if record.number == record::FORK {
            self.known.insert(record.arguments[1] as u32);
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.met.len() as u64
    }

    pub fn write(&self, writer: &mut Writer<File>) -> io::Result<()> {
        let mut lines = Vec::new();
        for process in &self.met {
            text::write(&mut lines, "met", process.to_string().as_bytes());
        }
        writer.text(BlockKind::Processes, now_ns(), [0; record::LOSSES], &lines)
    }
}
