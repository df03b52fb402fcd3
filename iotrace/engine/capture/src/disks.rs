//! Disks, and parts of them.

use std::fs;

/// A disk, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The disk as the kernel has it: the major number from bit 20 on.
    pub disk: u64,
    /// The first of its blocks of 512 bytes, and how many there are.
    pub first: u64,
    pub blocks: u64,
}

impl Part {
    /// Whether a request is for it. A flush is for a whole disk: its place, which the kernel does not set, is in no part.
    pub(crate) fn has(&self, disk: u64, sector: u64) -> bool {
        self.disk == disk && (self.is_whole() || sector.wrapping_sub(self.first) < self.blocks)
    }

    fn is_whole(&self) -> bool {
        self.first == 0 && self.blocks == u64::MAX
    }
}

/// The disks that there are: their numbers and names.
pub(crate) fn disks() -> Vec<(u64, String)> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let disk = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("dev")).ok()?;
        let (major, minor) = text.trim().split_once(':')?;
        // a / in a name is a ! there
        let name = entry.file_name().to_str()?.replace('!', "/");
        Some((number_of(major.parse().ok()?, minor.parse().ok()?), name))
    };
    entries.filter_map(disk).collect()
}

/// A device's number as the kernel has it.
pub fn number_of(major: u32, minor: u32) -> u64 {
    u64::from(major) << 20 | u64::from(minor)
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn a_request_is_for_the_part_in_which_it_begins() {
        let whole = Part { disk: 8, first: 0, blocks: u64::MAX };
        assert!(whole.has(8, 0) && whole.has(8, u64::MAX) && !whole.has(9, 0));
        let part = Part { disk: 8, first: 2048, blocks: 10 };
        let places = [0, 2047, 2048, 2057, 2058, u64::MAX].map(|sector| part.has(8, sector));
        assert_eq!(places, [false, false, true, true, false, false]);
        assert!(!part.has(9, 2048));
    }
}
