//! Facts recorded along with the trace: `iotrace record` writes the sizes and interpreters of the files named by a
//! command, and the descriptors of processes to which it attaches.

use rustc_hash::FxHashMap;

/// Facts about a file recorded along with the trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFile {
    /// Its size when recorded.
    pub size_bytes: Option<i64>,
    /// The interpreter that an exec of it also reads: a script's, or the loader of a dynamic program.
    pub interpreter: Option<Box<[u8]>>,
}

/// A descriptor of a process when it was attached to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownDescriptor {
    /// The file pointer, in bytes.
    pub position: Option<i64>,
    /// O_APPEND
    pub append: bool,
}

/// Known files by absolute path.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    by_path: FxHashMap<Box<[u8]>, KnownFile>,
    start_directory: Option<Box<[u8]>>,
    directories: FxHashMap<i32, Box<[u8]>>,
    descriptors: FxHashMap<(i32, i32), KnownDescriptor>,
    groups: FxHashMap<i32, i32>,
    programs: FxHashMap<i32, Box<str>>,
    is_sample: bool,
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

    /// Whether the processes that have none of their own have a working directory at the start of the trace.
    pub fn has_start_directory(&self) -> bool {
        self.start_directory.is_some()
    }

    /// Set the working directory of a process at the start of the trace.
    pub fn set_directory(&mut self, process: i32, path: &[u8]) {
        self.directories.insert(process, Box::from(path));
    }

    /// The working directory of a process at the start of the trace.
    pub fn start_directory(&self, process: i32) -> Option<&[u8]> {
        self.directories.get(&process).or(self.start_directory.as_ref()).map(AsRef::as_ref)
    }

    /// Add a descriptor of a process, the number of a thread group.
    pub fn insert_descriptor(&mut self, process: i32, fd: i32, known: KnownDescriptor) {
        self.descriptors.insert((process, fd), known);
    }

    /// What is known of a descriptor of a process from before the trace.
    pub fn descriptor(&self, process: i32, fd: i32) -> KnownDescriptor {
        self.descriptors.get(&(process, fd)).copied().unwrap_or_default()
    }

    /// Set the process of a thread from before the trace.
    pub fn set_group(&mut self, thread: i32, process: i32) {
        self.groups.insert(thread, process);
    }

    /// The process of a thread from before the trace, if that is known.
    pub fn group(&self, thread: i32) -> Option<i32> {
        self.groups.get(&thread).copied()
    }

    /// The threads from before the trace, each with its process and the program of that.
    pub fn threads(&self) -> impl Iterator<Item = (i32, i32, Option<&str>)> + '_ {
        self.groups.iter().map(|(&thread, &process)| (thread, process, self.program(process)))
    }

    /// Set the program that a process ran at the start of the trace.
    pub fn set_program(&mut self, process: i32, path: &[u8]) {
        self.programs.insert(process, String::from_utf8_lossy(path).into());
    }

    /// The program that a process ran at the start of the trace, if that is known.
    pub fn program(&self, process: i32) -> Option<&str> {
        self.programs.get(&process).map(AsRef::as_ref)
    }

    /// Say that the trace has only the calls on a sample of the files.
    pub fn set_sample(&mut self) {
        self.is_sample = true;
    }

    /// Whether the trace has only the calls on a sample of the files: what it refers to by a path alone is outside it.
    pub fn is_sample(&self) -> bool {
        self.is_sample
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
