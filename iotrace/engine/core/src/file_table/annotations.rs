//! The kernel's own paths of descriptors (strace -y) of descriptors from before the trace, which nothing else names.
//!
//! Elsewhere the reconstruction never uses them and is judged by them (see `agreement`).

use rustc_hash::FxHashMap;

use super::descriptors::Slot;
use super::files::{FileId, Kind};
use super::names::Entry;
use super::FileTable;
use crate::call::{Call, CallKind, DescriptorPath, FileKind};

/// The path of a descriptor from before the trace, as a call shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InheritedDescriptor {
    /// The call's row of table `syscall`.
    pub call_seq: i64,
    /// The descriptor.
    pub fd: i32,
    /// The path, or the kernel's form of what is no file: `pipe:[45]`.
    pub path: Box<[u8]>,
    /// Whether the file had been deleted.
    pub deleted: bool,
}

/// What the log's annotations name.
#[derive(Debug, Default)]
pub struct Annotations {
    /// The path of the descriptor that is about to be met for the first time.
    next: Option<InheritedDescriptor>,
    /// Files by path that no name in the file table stands for yet.
    unplaced: FxHashMap<Box<[u8]>, FileId>,
    used: Vec<InheritedDescriptor>,
}

impl Annotations {
    /// The path of the descriptor that is about to be met for the first time, once.
    pub fn take_next(&mut self) -> Option<InheritedDescriptor> {
        self.next.take()
    }
}

impl FileTable {
    /// Name the descriptors of a call that the trace has not shown before.
    pub(super) fn note_annotations(&mut self, call: &Call<'_>) {
        if call.error.is_some() || (call.fd_path.is_none() && call.fd2_path.is_none()) {
            return;
        }
        let (first, second) = works_on(call.kind);
        for (fd, named) in [
            (call.fd.filter(|_| first), call.fd_path),
            (call.fd2.filter(|_| second), call.fd2_path),
        ] {
            if let (Some(fd), Some(named)) = (fd, named) {
                self.note_annotation(fd, named, call.seq);
            }
        }
    }

    fn note_annotation(&mut self, fd: i32, named: DescriptorPath<'_>, call_seq: i64) {
        let slot = self.tasks.table().map(|table| table.get(fd));
        if fd < 0 || !matches!(slot, Some(Slot::Untouched | Slot::Closed)) {
            return;
        }
        self.annotations.next = Some(InheritedDescriptor {
            call_seq,
            fd,
            path: Box::from(named.path),
            deleted: named.deleted,
        });
        self.open_of(fd);
        // another process of the same lineage may have met it
        self.annotations.next = None;
    }

    /// The file of an annotation: one that is known by this path, or a new one.
    pub(super) fn file_of_annotation(&mut self, named: &InheritedDescriptor) -> FileId {
        self.annotations.used.push(named.clone());
        let path = &named.path;
        if let Some(kind) = kind_of_special(path) {
            return self.labelled_file(path.to_vec(), Kind::Of(kind));
        }
        if named.deleted {
            return self.labelled_file(path.to_vec(), Kind::Unknown);
        }
        if let Some(file) = self.file_at(path) {
            return file;
        }
        if let Some(&file) = self.annotations.unplaced.get(path) {
            return file;
        }
        let is_device = path.starts_with(b"/dev/") && !path.starts_with(b"/dev/shm/");
        let kind = if is_device {
            Kind::Of(FileKind::CharacterDevice)
        } else {
            Kind::Unknown
        };
        let file = self.labelled_file(path.to_vec(), kind);
        self.annotations.unplaced.insert(path.clone(), file);
        file
    }

    /// The file that an absolute path without symbolic links stands for, where all of its names are known.
    pub(super) fn file_at(&self, path: &[u8]) -> Option<FileId> {
        let mut at = self.root?;
        for name in path
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            let Entry::File(file) = self.names.get(at, name) else {
                return None;
            };
            at = self.forward(file);
        }
        Some(at)
    }

    /// A name that a look-up finds for the first time: it may stand for a file that an annotation named before.
    pub(super) fn first_sight(&mut self, directory: FileId, name: &[u8], last: bool) -> FileId {
        match self.annotated_file(directory, name) {
            Some(file) if last => file,
            _ => self.new_file(directory, name, last),
        }
    }

    /// The file that an annotation named so, which gets its place by that.
    pub(super) fn annotated_file(&mut self, directory: FileId, name: &[u8]) -> Option<FileId> {
        if self.annotations.unplaced.is_empty() {
            return None;
        }
        let mut path = self.path(directory)?;
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        let file = self.annotations.unplaced.remove(path.as_slice())?;
        let depth = self.files[directory].depth.saturating_add(1);
        let record = &mut self.files[file];
        record.links = 1;
        record.depth = depth;
        self.place(file, directory, name);
        Some(file)
    }

    /// The annotations that were used.
    pub fn inherited_descriptors(&self) -> &[InheritedDescriptor] {
        &self.annotations.used
    }
}

/// Whether a call works on the file of `fd`, and on that of `fd2`.
fn works_on(kind: CallKind) -> (bool, bool) {
    use CallKind as K;
    match kind {
        K::Read | K::Readv | K::Pread64 | K::Preadv | K::Preadv2 => (true, false),
        K::Write | K::Writev | K::Pwrite64 | K::Pwritev | K::Pwritev2 => (true, false),
        K::Sendfile | K::Sendfile64 | K::CopyFileRange | K::Splice => (true, true),
        K::Lseek | K::Llseek | K::Fstat | K::Fstat64 | K::Getdents | K::Getdents64 => (true, false),
        K::Fsync | K::Fdatasync | K::SyncFileRange | K::Fcntl | K::Fcntl64 => (true, false),
        K::Ftruncate | K::Ftruncate64 | K::Fallocate | K::Mmap | K::Mmap2 => (true, false),
        K::Dup | K::Dup2 | K::Dup3 | K::Fchmod | K::Fchown => (true, false),
        _ => (false, false),
    }
}

/// What the kernel calls a thing that is no file: `pipe:[45]`, `socket:[46]`, `anon_inode:[eventfd]`, `TCP:[...]`.
fn kind_of_special(path: &[u8]) -> Option<FileKind> {
    match path {
        [b'/', ..] => None,
        _ if path.starts_with(b"pipe:") => Some(FileKind::Pipe),
        _ if path.starts_with(b"anon_inode:") => Some(FileKind::Anonymous),
        _ => Some(FileKind::Socket),
    }
}
