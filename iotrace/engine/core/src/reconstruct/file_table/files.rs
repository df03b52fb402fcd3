//! Files: what is known of each, by dense identifier. An inode is a file of its own.

use crate::syscalls::call::FileKind;

/// A file's dense identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A name's place in the store of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameId(pub u32);

/// A directory and a name in it.
pub type Place = (FileId, NameId);

/// What a row of table `file` is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Not told yet; a datafile or executable for all that is known.
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

/// What is known of one file.
#[derive(Debug, Default)]
pub struct File {
    /// What it is.
    pub kind: Kind,
    /// The directory and name by which it is known now; None for the root, inodes and files without a name.
    pub place: Option<Place>,
    /// What stands for its path where it has no place: `/`, `cwd:7`, `fd:7:3`, `/tmp/#12`.
    pub label: Box<[u8]>,
    /// A directory whose path the trace has not told.
    pub unknown: bool,
    /// Of a directory that the trace made, and in which nothing was found that the trace had not put there: how many
    /// mounts came before it.
    pub made_after_mounts: Option<u64>,
    /// Whether it is below `/dev`, but not in `/dev/shm`.
    pub below_dev: bool,
    /// How many elements its path had at first.
    pub depth: u16,
    /// How many moves of files came before it.
    pub since: u32,
    /// The inode of this file once it was referenced; for an inode, the file that it describes.
    pub inode: Option<FileId>,
    /// The file's size where the trace has told it.
    pub size: Option<i64>,
    /// The first size told.
    pub size_first: Option<i64>,
    /// The largest end of any request or size seen.
    pub size_largest: Option<i64>,
    /// A symbolic link's target, once learnt.
    pub target: Option<Box<[u8]>>,
    /// Names that stand for the file, as far as known.
    pub links: u32,
    /// Open descriptions that refer to it.
    pub opens: u32,
    /// Whether the trace created it.
    pub created: bool,
    /// Whether it has gone.
    pub deleted: bool,
    /// How often its name changed.
    pub renames: u32,
    /// Whether one of its names was given to another file, or taken away.
    pub replaced: bool,
    /// Whether its absolute name leads elsewhere in the kernel's eyes; never used to reconstruct.
    pub leads_elsewhere: bool,
    /// Whether its data was ever referenced at an offset from its start.
    pub has_absolute: bool,
    /// Whether it changed since its access time was last written (for relatime).
    pub changed_since_update: bool,
}

impl File {
    fn new(kind: Kind) -> File {
        File { kind, changed_since_update: true, ..File::default() }
    }

    /// Whether its data goes to a disk: neither a pipe, a socket, a character device nor an anonymous thing.
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

    /// Note the file's exact size.
    pub fn learn_size(&mut self, size: i64) {
        self.size = Some(size);
        self.size_first.get_or_insert(size);
        self.size_largest = Some(self.size_largest.unwrap_or(0).max(size));
    }

    /// Note that the file reaches at least to `end`.
    pub fn reach(&mut self, end: i64) {
        if self.size.is_some_and(|size| size < end) {
            self.size = Some(end);
        }
        self.reached_once(end);
    }

    /// Note that the file reached at least to `end` once.
    pub fn reached_once(&mut self, end: i64) {
        self.size_largest = Some(self.size_largest.unwrap_or(0).max(end));
    }

    /// Note that it is no symbolic link, whatever was assumed.
    pub fn is_no_link(&mut self) {
        self.target = None;
        if self.kind == Kind::Of(FileKind::Symlink) {
            self.kind = Kind::Unknown;
        }
    }

    /// Note what kind of file a call revealed it to be.
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
}

impl Files {
    /// Add a file.
    pub fn add(&mut self, kind: Kind) -> FileId {
        let file = FileId(self.records.len() as u32);
        self.records.push(File::new(kind));
        file
    }

    /// The inode of a file, made at its first reference.
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

    /// How many files there are.
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
        &mut self.records[file.0 as usize]
    }
}
