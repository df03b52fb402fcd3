//! Directory entries: the file of each name in a directory.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::files::{FileId, NameId};

/// What is known about a name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Unknown.
    Unknown,
    /// The name is known not to exist.
    Absent,
    /// The name refers to this file.
    File(FileId),
}

#[derive(Debug)]
struct Record {
    directory: FileId,
    start: usize,
    length: u32,
    file: Option<FileId>,
    /// The previous name recorded in the same directory; `u32::MAX` for the first.
    before: u32,
}

/// All directory entries that the trace mentioned: about 60 bytes plus the name for each.
#[derive(Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    records: Vec<Record>,
    index: HashTable<u32>,
    /// The last name recorded in each directory.
    latest: FxHashMap<FileId, u32>,
}

fn hash(directory: FileId, name: &[u8]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    hasher.write_u32(directory.0);
    hasher.write(name);
    hasher.finish()
}

impl Names {
    fn find(&self, directory: FileId, name: &[u8]) -> Option<usize> {
        self.index
            .find(hash(directory, name), |&at| self.is(at as usize, directory, name))
            .map(|&at| at as usize)
    }

    fn is(&self, at: usize, directory: FileId, name: &[u8]) -> bool {
        let record = &self.records[at];
        record.directory == directory && self.text(record) == name
    }

    fn text(&self, record: &Record) -> &[u8] {
        &self.bytes[record.start..record.start + record.length as usize]
    }

    /// The entry of a name.
    pub fn get(&self, directory: FileId, name: &[u8]) -> Entry {
        match self.find(directory, name).map(|at| self.records[at].file) {
            None => Entry::Unknown,
            Some(None) => Entry::Absent,
            Some(Some(file)) => Entry::File(file),
        }
    }

    /// Make a name refer to a file, or to nothing.
    pub fn set(&mut self, directory: FileId, name: &[u8], file: Option<FileId>) -> NameId {
        if let Some(at) = self.find(directory, name) {
            self.records[at].file = file;
            return NameId(at as u32);
        }
        let at = self.records.len() as u32;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.records.push(Record {
            directory,
            start,
            length: name.len() as u32,
            file,
            before: self.latest.insert(directory, at).unwrap_or(u32::MAX),
        });
        let (records, bytes) = (&self.records, &self.bytes);
        self.index.insert_unique(hash(directory, name), at, |&other| {
            let record = &records[other as usize];
            hash(record.directory, &bytes[record.start..record.start + record.length as usize])
        });
        NameId(at)
    }

    /// The file of a name.
    pub fn file(&self, name: NameId) -> Option<FileId> {
        self.records[name.0 as usize].file
    }

    /// The text of a name.
    pub fn name(&self, name: NameId) -> &[u8] {
        self.text(&self.records[name.0 as usize])
    }

    /// Every name in a directory that refers to a file.
    pub fn in_directory(&self, directory: FileId) -> Vec<(Vec<u8>, FileId)> {
        let latest = self.latest.get(&directory).map(|&at| &self.records[at as usize]);
        std::iter::successors(latest, |record| self.records.get(record.before as usize))
            .filter_map(|record| Some((self.text(record).to_vec(), record.file?)))
            .collect()
    }
}
