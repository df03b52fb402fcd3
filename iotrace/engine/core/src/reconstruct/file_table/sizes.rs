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
    start_directory: Option<Box<[u8]>>,
}

impl KnownFiles {
    /// Note a file.
    pub fn insert(&mut self, path: &[u8], file: KnownFile) {
        self.by_path.insert(Box::from(path), file);
    }

    /// Note the working directory of the processes that the trace starts with.
    pub fn set_start_directory(&mut self, path: &[u8]) {
        self.start_directory = Some(Box::from(path));
    }

    /// The working directory of the processes that the trace starts with.
    pub fn start_directory(&self) -> Option<&[u8]> {
        self.start_directory.as_deref()
    }

    /// Whether no file was noted.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// What is known of a path.
    pub fn get(&self, path: &[u8]) -> Option<&KnownFile> {
        self.by_path.get(path)
    }
}
