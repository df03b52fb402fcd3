//! The switches of the file-system model (docs/design.md section 3).

/// The bytes that a directory read moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectorySize {
    /// 512 bytes, ULTRIX's typical directory (Richardson 4.2).
    Fixed512,
    /// The size that the trace shows, or 512 bytes.
    Known,
}

/// Whether the directory in which a look-up starts is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartDirectory {
    /// No, it is held in memory: `thesis/ch1.tex` reads two inodes and one directory (Richardson 2.3).
    InCore,
    /// Yes, like any other (the one directory look-up of Richardson 4.1.1).
    Referenced,
}

/// When reading a file or directory writes its inode's access time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessTime {
    /// At each directory read of a look-up, at an exec, and once per use of a datafile that is read (ULTRIX).
    Strict,
    /// Also after every inode read.
    EveryInodeRead,
    /// Only if the file changed since its last update, as Linux does by default (without its daily update).
    Relatime,
    /// Never.
    None,
}

/// How an exec reads the executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exec {
    /// One read of the whole file (Richardson 2.3.1).
    Whole,
    /// The ranges of executable mappings, when they are mapped.
    Demand,
}

/// The effect of an executable mapping of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Libraries {
    /// One whole read, once per process and library.
    OncePerProcess,
    /// Nothing: the paper's programs were static.
    None,
}

/// The effect of other mappings of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mmap {
    /// No references, because their I/O is not traced; they are listed in table `mapping`.
    Listed,
    /// The mapped range is read when it is mapped.
    Range,
}

/// Whether `/bin`, `/lib` and the like are taken for links into `/usr` unless the trace shows otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergedUsr {
    /// As on every current Linux distribution, until a readlink or lstat shows otherwise.
    Assumed,
    /// Only if the trace shows the link.
    Learnt,
}

/// All switches of the file system model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// See [`DirectorySize`].
    pub directory_size: DirectorySize,
    /// See [`StartDirectory`].
    pub start_directory: StartDirectory,
    /// See [`AccessTime`].
    pub access_time: AccessTime,
    /// See [`Exec`].
    pub exec: Exec,
    /// See [`Libraries`].
    pub libraries: Libraries,
    /// See [`Mmap`].
    pub mmap: Mmap,
    /// See [`MergedUsr`].
    pub merged_usr: MergedUsr,
    /// Whether calls that moved nothing are references of length 0.
    pub empty_requests: bool,
}

impl Default for Model {
    fn default() -> Model {
        Model::LINUX
    }
}

impl Model {
    /// A Linux kernel with default mount options: relatime, programs read on demand, only references of calls and
    /// mappings.
    pub const LINUX: Model = Model {
        directory_size: DirectorySize::Fixed512,
        start_directory: StartDirectory::InCore,
        access_time: AccessTime::Relatime,
        exec: Exec::Demand,
        libraries: Libraries::OncePerProcess,
        mmap: Mmap::Listed,
        merged_usr: MergedUsr::Assumed,
        empty_requests: false,
    };

    /// Richardson's model.
    pub const YEAR_1994: Model = Model {
        access_time: AccessTime::Strict,
        exec: Exec::Whole,
        libraries: Libraries::None,
        merged_usr: MergedUsr::Learnt,
        ..Model::LINUX
    };

    /// Set one switch by its command-line name and value; the error lists the valid ones.
    pub fn set(&mut self, switch: &str, value: &str) -> Result<(), String> {
        match (switch, value) {
            ("model", "linux") => *self = Model::LINUX,
            ("model", "1994") => *self = Model::YEAR_1994,
            ("directory-size", "512") => self.directory_size = DirectorySize::Fixed512,
            ("directory-size", "known") => self.directory_size = DirectorySize::Known,
            ("start-directory", "in-core") => self.start_directory = StartDirectory::InCore,
            ("start-directory", "referenced") => self.start_directory = StartDirectory::Referenced,
            ("atime", "strict") => self.access_time = AccessTime::Strict,
            ("atime", "every-inode-read") => self.access_time = AccessTime::EveryInodeRead,
            ("atime", "relatime") => self.access_time = AccessTime::Relatime,
            ("atime", "none") => self.access_time = AccessTime::None,
            ("exec", "whole") => self.exec = Exec::Whole,
            ("exec", "demand") => self.exec = Exec::Demand,
            ("libraries", "once") => self.libraries = Libraries::OncePerProcess,
            ("libraries", "none") => self.libraries = Libraries::None,
            ("mmap", "listed") => self.mmap = Mmap::Listed,
            ("mmap", "range") => self.mmap = Mmap::Range,
            ("merged-usr", "assumed") => self.merged_usr = MergedUsr::Assumed,
            ("merged-usr", "learnt") => self.merged_usr = MergedUsr::Learnt,
            ("empty-requests", "keep") => self.empty_requests = true,
            ("empty-requests", "drop") => self.empty_requests = false,
            _ => return Err(format!("{value} is not a value of {switch}")),
        }
        Ok(())
    }
}
