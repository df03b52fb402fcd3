//! Facts about files recorded along with the trace: `iotrace record` writes the sizes and interpreters of the files
//! named by a command.

use rustc_hash::FxHashMap;

/// Facts about a file recorded along with the trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFile {
    /// Its size when recorded.
    pub size_bytes: Option<i64>,
    /// The interpreter that an exec of it also reads: a script's, or the loader of a dynamic program.
    pub interpreter: Option<Box<[u8]>>,
}

/// Known files by absolute path.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    by_path: FxHashMap<Box<[u8]>, KnownFile>,
    start_directory: Option<Box<[u8]>>,
}

impl KnownFiles {
    /// Add a file.
    pub fn insert(&mut self, path: &[u8], file: KnownFile) {
        self.by_path.insert(Box::from(path), file);
    }

    /// Set the working directory of the processes at the start of the trace.
    pub fn set_start_directory(&mut self, path: &[u8]) {
        self.start_directory = Some(Box::from(path));
    }

    /// The working directory of the processes at the start of the trace.
    pub fn start_directory(&self) -> Option<&[u8]> {
        self.start_directory.as_deref()
    }

    /// Whether no file was recorded.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// The recorded facts about a path.
    pub fn get(&self, path: &[u8]) -> Option<&KnownFile> {
        self.by_path.get(path)
    }
}
