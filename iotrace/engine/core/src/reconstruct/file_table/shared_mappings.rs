//! Shared mappings of files by address, so that an msync can be shown as a sync of the file's range.

use std::collections::BTreeMap;

use super::files::FileId;

/// A mapping from its first address on.
#[derive(Debug, Clone, Copy)]
struct Mapping {
    /// The first address after it.
    end: i64,
    file: FileId,
    /// The file offset of the first address; None if unknown.
    offset: Option<i64>,
}

impl Mapping {
    /// The part from `address` on, of a mapping that starts at `start`.
    fn from(self, start: i64, address: i64) -> Mapping {
        let passed = address.saturating_sub(start);
        let offset = self.offset.and_then(|offset| offset.checked_add(passed));
        Mapping { offset, ..self }
    }
}

/// A range of a file that a process has mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedRange {
    /// The file.
    pub file: FileId,
    /// The offset of the range in the file; None if unknown.
    pub offset: Option<i64>,
    /// Its length in bytes.
    pub length: i64,
}

/// Shared mappings of every process.
#[derive(Debug, Default)]
pub struct SharedMappings {
    /// By process and first address.
    mappings: BTreeMap<(i32, i64), Mapping>,
}

impl SharedMappings {
    /// A process maps a file, from this offset on, at an address.
    pub fn map(&mut self, pid: i32, address: i64, length: i64, file: FileId, offset: Option<i64>) {
        self.unmap(pid, address, length);
        if length > 0 {
            let end = address.saturating_add(length);
            let mapping = Mapping { end, file, offset };
            self.mappings.insert((pid, address), mapping);
        }
    }

    /// A process unmaps an address range, which may shorten or split mappings.
    pub fn unmap(&mut self, pid: i32, address: i64, length: i64) {
        if self.mappings.is_empty() {
            return;
        }
        let end = address.saturating_add(length);
        for (start, mapping) in self.overlapping(pid, address, end) {
            self.mappings.remove(&(pid, start));
            if start < address {
                let kept = Mapping { end: address, ..mapping };
                self.mappings.insert((pid, start), kept);
            }
            if mapping.end > end {
                self.mappings.insert((pid, end), mapping.from(start, end));
            }
        }
    }

    /// Mappings never overlap, so only the last mapping that starts before the range can overlap it.
    fn overlapping(&self, pid: i32, address: i64, end: i64) -> Vec<(i64, Mapping)> {
        let before = self.mappings.range((pid, i64::MIN)..(pid, address)).next_back();
        let within = self.mappings.range((pid, address)..(pid, end.max(address)));
        let all = before.into_iter().chain(within);
        let starts = all.map(|(&(_, start), &mapping)| (start, mapping));
        starts.filter(|(_, mapping)| mapping.end > address).collect()
    }

    /// The ranges of files that a process has mapped at these addresses, in the order of the addresses.
    pub fn mapped(&self, pid: i32, address: i64, length: i64) -> Vec<MappedRange> {
        let end = address.saturating_add(length);
        let range = |(start, mapping): (i64, Mapping)| {
            let first = start.max(address);
            MappedRange {
                file: mapping.file,
                offset: mapping.from(start, first).offset,
                length: mapping.end.min(end).saturating_sub(first),
            }
        };
        self.overlapping(pid, address, end).into_iter().map(range).collect()
    }

    /// A forked process starts with its parent's mappings.
    pub fn fork(&mut self, parent: i32, child: i32) {
        if self.mappings.is_empty() || parent == child {
            return;
        }
        for (start, mapping) in self.overlapping(parent, i64::MIN, i64::MAX) {
            self.mappings.insert((child, start), mapping);
        }
    }

    /// A process has ended, or runs another program.
    pub fn clear(&mut self, pid: i32) {
        if self.mappings.is_empty() {
            return;
        }
        for (start, _) in self.overlapping(pid, i64::MIN, i64::MAX) {
            self.mappings.remove(&(pid, start));
        }
    }
}
