//! Files: what is known of each, by dense identifier. An inode is a separate file.

use crate::syscalls::call::FileKind;

/// A file's dense identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A name's index in the store of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameId(pub u32);

/// A directory and a name in it.
pub type DirectoryEntry = (FileId, NameId);

/// The kind of a row of table `file`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Unknown; possibly a datafile or executable.
    #[default]
    Unknown,
    /// An inode, the 128 bytes that describe another file.
    Inode,
    /// A file of this kind.
    Of(FileKind),
}

/// The size of an inode in ULTRIX 4.2 (Richardson 2.3.2).
pub const INODE_BYTES: i64 = 128;
/// The size of a typical directory (Richardson 4.2).
pub const DIRECTORY_BYTES: i64 = 512;

/// The known state of one file.
#[derive(Debug, Default)]
pub struct File {
    /// Its kind.
    pub kind: Kind,
    /// The directory and name by which it is known now; None for the root, inodes and files without a name.
    pub place: Option<DirectoryEntry>,
    /// A label instead of a path if it has no place: `/`, `cwd:7`, `fd:7:3`, `/tmp/#12`.
    pub label: Box<[u8]>,
    /// A directory whose path the trace has not shown.
    pub unknown: bool,
    /// For a directory created in the trace, in which nothing was found that the trace had not created: the number of
    /// mounts before its creation.
    pub made_after_mounts: Option<u64>,
    /// Whether it is below `/dev`, but not in `/dev/shm`.
    pub below_dev: bool,
    /// The number of elements of its first path.
    pub depth: u16,
    /// The number of moves of files before its creation.
    pub since: u32,
    /// The inode of this file once it was referenced; for an inode, the file that it describes.
    pub inode: Option<FileId>,
    /// The file's size, if the trace has shown it; read it with `Files::size`.
    pub size: Option<i64>,
    /// The first size shown.
    pub size_first: Option<i64>,
    /// The largest end of any request or size seen.
    pub size_largest: Option<i64>,
    /// A symbolic link's target, once known.
    pub target: Option<Box<[u8]>>,
    /// Number of known names of the file.
    pub links: u32,
    /// Open descriptions that refer to it.
    pub opens: u32,
    /// Whether there ever was one.
    pub was_opened: bool,
    /// Whether the trace created it.
    pub created: bool,
    /// Whether it was deleted.
    pub deleted: bool,
    /// How often its name changed.
    pub renames: u32,
    /// Whether one of its names was given to another file, or removed.
    pub replaced: bool,
    /// Whether the kernel resolves its absolute name to another path; never used to reconstruct.
    pub leads_elsewhere: bool,
    /// Whether its data was ever referenced at an offset from its start.
    pub has_absolute: bool,
    /// Whether it changed since its access time was last written (for relatime).
    pub changed_since_update: bool,
    /// How often records were lost before its size was known.
    losses: u32,
}

impl File {
    fn new(kind: Kind) -> File {
        File { kind, changed_since_update: true, ..File::default() }
    }

    /// Count an open description that refers to it.
    pub fn add_open(&mut self) {
        self.opens += 1;
        self.was_opened = true;
    }

    /// Whether its data are on a disk: not a pipe, socket, character device or anonymous descriptor.
    pub fn on_disk(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Of(FileKind::CharacterDevice | FileKind::Pipe | FileKind::Socket | FileKind::Anonymous)
        )
    }

    /// Whether it is known to be a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Of(FileKind::Directory)
    }

    /// Record the file's exact size.
    pub fn learn_size(&mut self, size: i64) {
        self.size = Some(size);
        self.size_first.get_or_insert(size);
        self.size_largest = Some(self.size_largest.unwrap_or(0).max(size));
    }

    /// Record that the file reaches at least to `end`.
    pub fn reach(&mut self, end: i64) {
        if self.size.is_some_and(|size| size < end) {
            self.size = Some(end);
        }
        self.reached_once(end);
    }

    /// Record that the file at some time reached at least to `end`.
    pub fn reached_once(&mut self, end: i64) {
        self.size_largest = Some(self.size_largest.unwrap_or(0).max(end));
    }

    /// Record that it is not a symbolic link, even if it was assumed to be one.
    pub fn is_no_link(&mut self) {
        self.target = None;
        if self.kind == Kind::Of(FileKind::Symlink) {
            self.kind = Kind::Unknown;
        }
    }

    /// Record the kind of file that a call revealed.
    pub fn learn_kind(&mut self, kind: FileKind) {
        if self.kind != Kind::Inode {
            self.kind = Kind::Of(kind);
        }
    }
}

/// All files, by identifier.
#[derive(Debug, Default)]
pub struct Files {
    records: Vec<File>,
    /// How often records were lost.
    pub losses: u32,
}

impl Files {
    /// Add a file.
    pub fn add(&mut self, kind: Kind) -> FileId {
        let file = FileId(self.records.len() as u32);
        self.records.push(File::new(kind));
        file
    }

    /// The inode of a file, created at its first reference.
    pub fn inode_of(&mut self, file: FileId) -> FileId {
        if let Some(inode) = self.records[file.0 as usize].inode {
            return inode;
        }
        let inode = self.add(Kind::Inode);
        let record = &mut self[inode];
        record.inode = Some(file);
        record.learn_size(INODE_BYTES);
        self[file].inode = Some(inode);
        inode
    }

    /// A file's size, if the trace has shown it since it last lost records.
    pub fn size(&self, file: FileId) -> Option<i64> {
        let record = &self[file];
        record.size.filter(|_| record.losses == self.losses || record.kind == Kind::Inode)
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.records.len()
    }
}

impl std::ops::Index<FileId> for Files {
    type Output = File;

    fn index(&self, file: FileId) -> &File {
        &self.records[file.0 as usize]
    }
}

impl std::ops::IndexMut<FileId> for Files {
    fn index_mut(&mut self, file: FileId) -> &mut File {
        let record = &mut self.records[file.0 as usize];
        if std::mem::replace(&mut record.losses, self.losses) != self.losses && record.kind != Kind::Inode {
            record.size = None;
        }
        record
    }
}
