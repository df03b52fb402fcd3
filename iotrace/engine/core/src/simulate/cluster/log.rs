//! The counts of each request, kept on demand.

use super::transfer::Transfer;

/// A request's own counts, in blocks, and when it began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub row: u64,
    pub local_hits: u64,
    pub global_hits: u64,
    pub global_misses: u64,
    pub bypass: u64,
    pub begin_ns: i64,
    pub end_ns: i64,
}

impl Entry {
    pub fn of(row: u64, transfer: &Transfer, begin_ns: i64, end_ns: i64) -> Self {
        let is_read = !transfer.is_write();
        Entry {
            row,
            local_hits: transfer.local_hits,
            global_hits: transfer.global_hits,
            global_misses: if is_read { transfer.through.len() as u64 - transfer.global_hits } else { 0 },
            bypass: transfer.bypass.len() as u64,
            begin_ns,
            end_ns,
        }
    }
}

/// Entries in the order in which requests ended.
#[derive(Debug)]
pub struct Log {
    is_kept: bool,
    pub entries: Vec<Entry>,
}

impl Log {
    pub fn new(is_kept: bool) -> Self {
        Log { is_kept, entries: Vec::new() }
    }

    pub fn push(&mut self, entry: Entry) {
        if self.is_kept {
            self.entries.push(entry);
        }
    }
}
