//! What was noted of files beside the trace: `iotrace record` writes sizes and interpreters of the files that a
//! command named.

use rustc_hash::FxHashMap;

/// What is known of a file beside the trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFile {
    /// Its size when it was noted.
    pub size_bytes: Option<i64>,
    /// The interpreter that an exec of it reads as well: a script's, or the loader of a dynamic program.
    pub interpreter: Option<Box<[u8]>>,
}

/// Known files by absolute path.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    by_path: FxHashMap<Box<[u8]>, KnownFile>,
}

impl KnownFiles {
    /// Note a file.
    pub fn insert(&mut self, path: &[u8], file: KnownFile) {
        self.by_path.insert(Box::from(path), file);
    }

    /// What is known of a path.
    pub fn get(&self, path: &[u8]) -> Option<&KnownFile> {
        if self.by_path.is_empty() {
            return None;
        }
        self.by_path.get(path)
    }
}
