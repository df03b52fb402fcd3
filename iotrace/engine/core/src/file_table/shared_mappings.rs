//! Shared mappings of files by address, so that an msync can be told to be a sync of its file.

use std::collections::BTreeMap;

use super::files::FileId;

/// Shared mappings of every process.
#[derive(Debug, Default)]
pub struct SharedMappings {
    /// By process and first address: the address after the last, and the file.
    ranges: BTreeMap<(i32, i64), (i64, FileId)>,
}

impl SharedMappings {
    /// A process maps a file at an address.
    pub fn map(&mut self, pid: i32, address: i64, length: i64, file: FileId) {
        self.unmap(pid, address, length);
        if length > 0 {
            let end = address.saturating_add(length);
            self.ranges.insert((pid, address), (end, file));
        }
    }

    /// A process unmaps an address range, which may cut mappings short.
    pub fn unmap(&mut self, pid: i32, address: i64, length: i64) {
        if self.ranges.is_empty() {
            return;
        }
        let end = address.saturating_add(length);
        for (start, (stop, file)) in self.overlapping(pid, address, end) {
            self.ranges.remove(&(pid, start));
            if start < address {
                self.ranges.insert((pid, start), (address, file));
            }
            if stop > end {
                self.ranges.insert((pid, end), (stop, file));
            }
        }
    }

    /// Mappings never overlap, so that only the last of those that start before the range can reach into it.
    fn overlapping(&self, pid: i32, address: i64, end: i64) -> Vec<(i64, (i64, FileId))> {
        let before = self
            .ranges
            .range((pid, i64::MIN)..(pid, address))
            .next_back();
        let within = self.ranges.range((pid, address)..(pid, end.max(address)));
        let all = before.into_iter().chain(within);
        let starts = all.map(|(&(_, start), &range)| (start, range));
        starts.filter(|&(_, (stop, _))| stop > address).collect()
    }

    /// The files that a process has mapped in an address range, each once.
    pub fn files(&self, pid: i32, address: i64, length: i64) -> Vec<FileId> {
        let found = self.overlapping(pid, address, address.saturating_add(length.max(1)));
        let mut files: Vec<FileId> = found.into_iter().map(|(_, (_, file))| file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// A forked process starts with its parent's mappings.
    pub fn fork(&mut self, parent: i32, child: i32) {
        if self.ranges.is_empty() || parent == child {
            return;
        }
        for (start, range) in self.overlapping(parent, i64::MIN, i64::MAX) {
            self.ranges.insert((child, start), range);
        }
    }

    /// A process has ended, or runs another program.
    pub fn clear(&mut self, pid: i32) {
        if self.ranges.is_empty() {
            return;
        }
        for (start, _) in self.overlapping(pid, i64::MIN, i64::MAX) {
            self.ranges.remove(&(pid, start));
        }
    }
}
