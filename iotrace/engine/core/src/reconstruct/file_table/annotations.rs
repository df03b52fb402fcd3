//! The kernel's own paths (strace -y) of descriptors open before the trace, for which there is no other source; those
//! of working directories are in `annotated_start`.
//!
//! The reconstruction uses them for nothing else; `agreement` compares it with them.

use rustc_hash::FxHashMap;

use super::descriptors::Slot;
use super::files::{FileId, Kind};
use super::names::Entry;
use super::FileTable;
use crate::syscalls::call::{Call, CallKind, DescriptorPath, FileKind};

/// The path of a descriptor, or of a working directory, from before the trace, as a call shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InheritedDescriptor {
    /// The call's row of table `syscall`.
    pub call_seq: i64,
    /// The descriptor, or `WORKING_DIRECTORY`.
    pub fd: i32,
    /// The path, or the kernel's name of something other than a file: `pipe:[45]`.
    pub path: Box<[u8]>,
    /// Whether the file had been deleted.
    pub deleted: bool,
}

impl InheritedDescriptor {
    /// `AT_FDCWD`, the working directory.
    pub const WORKING_DIRECTORY: i32 = -100;
}

/// The files named by the log's annotations.
#[derive(Debug, Default)]
pub struct Annotations {
    /// The current call's annotations of descriptors that may be new.
    shown: Vec<InheritedDescriptor>,
    /// Files by path that do not have a name in the file table yet.
    pub(super) unplaced: FxHashMap<Box<[u8]>, FileId>,
    /// Working directories from before the trace in which no path has started yet, by `Place::start`.
    pub(super) starts: FxHashMap<u64, InheritedDescriptor>,
    pub(super) used: Vec<InheritedDescriptor>,
}

impl Annotations {
    /// The current call's annotation of a new descriptor.
    pub fn take(&mut self, fd: i32) -> Option<InheritedDescriptor> {
        let at = self.shown.iter().position(|shown| shown.fd == fd)?;
        Some(self.shown.swap_remove(at))
    }
}

impl FileTable {
    /// Record a call's annotations of descriptors that are new in the trace, even if the call fails; they name the
    /// descriptors that the call uses.
    pub(super) fn note_annotations(&mut self, call: &Call<'_>) {
        self.annotations.shown.clear();
        for (fd, named) in [
            (call.fd, call.fd_path),
            (call.fd2, call.fd2_path),
            (call.dirfd, call.dirfd_path),
            (call.dirfd2, call.dirfd2_path),
        ] {
            if let (Some(fd), Some(named)) = (fd, named) {
                self.note_annotation(fd, named, call.seq);
            }
        }
        if call.error.is_none() && !self.annotations.shown.is_empty() {
            self.name_at_once(call);
        }
    }

    /// Name the descriptors that a call refers to, even if it does not use them: early names help to interpret the
    /// following calls.
    fn name_at_once(&mut self, call: &Call<'_>) {
        let (first, second) = works_on(call.kind);
        let fds = [call.fd.filter(|_| first), call.fd2.filter(|_| second)];
        for fd in fds.into_iter().flatten() {
            if self.annotations.shown.iter().any(|shown| shown.fd == fd) {
                self.open_of(fd);
            }
        }
    }

    fn note_annotation(&mut self, fd: i32, named: DescriptorPath<'_>, call_seq: i64) {
        let slot = self.tasks.table().map(|table| table.get(fd));
        if fd < 0 || !matches!(slot, Some(Slot::Untouched | Slot::Closed)) {
            return;
        }
        self.annotations.shown.push(InheritedDescriptor {
            call_seq,
            fd,
            path: Box::from(named.path),
            deleted: named.deleted,
        });
    }

    /// The file of an annotation: the known file of this path, or a new one.
    pub(super) fn file_of_annotation(&mut self, named: &InheritedDescriptor) -> FileId {
        self.annotations.used.push(named.clone());
        let path = &named.path;
        if let Some(kind) = kind_of_special(path) {
            return self.labelled_file(path.to_vec(), Kind::Of(kind));
        }
        if named.deleted {
            return self.labelled_file(path.to_vec(), Kind::Unknown);
        }
        self.file_of_path(path)
    }

    /// The file of an absolute path of the kernel: the known file of this path, or a new one.
    fn file_of_path(&mut self, path: &[u8]) -> FileId {
        if path == b"/" {
            return self.root();
        }
        if let Some(file) = self.file_at(path).or_else(|| self.below_unplaced(path)) {
            return file;
        }
        let is_device = path.starts_with(b"/dev/") && !path.starts_with(b"/dev/shm/");
        let kind = if is_device { Kind::Of(FileKind::CharacterDevice) } else { Kind::Unknown };
        let file = self.labelled_file(path.to_vec(), kind);
        self.annotations.unplaced.insert(Box::from(path), file);
        file
    }

    /// The file of this path, or of one below, if only its start was named by an annotation.
    pub(super) fn below_unplaced(&self, path: &[u8]) -> Option<FileId> {
        let unplaced = &self.annotations.unplaced;
        let mut end = path.len();
        while end > 0 && !unplaced.is_empty() {
            if let Some(&start) = unplaced.get(&path[..end]) {
                return self.file_below(start, &path[end..]);
            }
            end = memchr::memrchr(b'/', &path[..end])?;
        }
        None
    }

    /// The parent of a directory known only from an annotation, by the directory's path.
    pub(super) fn parent_of_annotated(&mut self, directory: FileId) -> Option<FileId> {
        let path = self.files[directory].label.clone();
        if self.annotations.unplaced.get(&path) != Some(&directory) {
            return None;
        }
        let slash = memchr::memrchr(b'/', &path)?;
        let above = self.file_of_path(&path[..slash.max(1)]);
        self.files[above].learn_kind(FileKind::Directory);
        self.place_unplaced(above, &path[slash + 1..], &path)?;
        Some(above)
    }

    /// The file of an absolute path without symbolic links, if all its elements are known.
    pub(super) fn file_at(&self, path: &[u8]) -> Option<FileId> {
        self.file_below(self.root?, path)
    }

    /// The same for a path that starts in a directory.
    fn file_below(&self, directory: FileId, path: &[u8]) -> Option<FileId> {
        let mut at = directory;
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            let Entry::File(file) = self.names.get(at, name) else {
                return None;
            };
            at = self.forward(file);
        }
        Some(at)
    }

    /// A name that a look-up finds for the first time: it may be a file that an annotation named before.
    pub(super) fn first_sight(&mut self, directory: FileId, name: &[u8], last: bool) -> FileId {
        // the trace does not show its creation, so there may be more entries like it
        self.files[directory].made_after_mounts = None;
        self.annotated_file(directory, name).unwrap_or_else(|| self.new_file(directory, name, last))
    }

    /// The file with this name in an annotation, which is given this place.
    pub(super) fn annotated_file(&mut self, directory: FileId, name: &[u8]) -> Option<FileId> {
        if self.annotations.unplaced.is_empty() {
            return None;
        }
        let mut path = self.path(directory)?;
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        self.place_unplaced(directory, name, &path)
    }

    fn place_unplaced(&mut self, directory: FileId, name: &[u8], path: &[u8]) -> Option<FileId> {
        let file = self.annotations.unplaced.remove(path)?;
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

/// Whether a call uses the file of `fd`, and that of `fd2`.
fn works_on(kind: CallKind) -> (bool, bool) {
    use CallKind as K;
    match kind {
        K::Read | K::Readv | K::Pread64 | K::Preadv | K::Preadv2 => (true, false),
        K::Write | K::Writev | K::Pwrite64 | K::Pwritev | K::Pwritev2 => (true, false),
        K::Sendfile | K::Sendfile64 | K::CopyFileRange | K::Splice => (true, true),
        K::Lseek | K::Llseek | K::Fstat | K::Fstat64 | K::Getdents | K::Getdents64 => (true, false),
        K::Fsync | K::Fdatasync | K::SyncFileRange | K::Fcntl | K::Fcntl64 => (true, false),
        K::Ftruncate | K::Ftruncate64 | K::Fallocate | K::Mmap | K::Mmap2 => (true, false),
        K::Dup | K::Dup2 | K::Dup3 | K::Fchmod | K::Fchown | K::Fchdir => (true, false),
        K::Fgetxattr | K::Fsetxattr | K::Flistxattr | K::Fremovexattr => (true, false),
        _ => (false, false),
    }
}

/// The kernel's names of descriptors that are not files: `pipe:[45]`, `socket:[46]`, `anon_inode:[eventfd]`,
/// `TCP:[...]`.
fn kind_of_special(path: &[u8]) -> Option<FileKind> {
    match path {
        [b'/', ..] => None,
        _ if path.starts_with(b"pipe:") => Some(FileKind::Pipe),
        _ if path.starts_with(b"anon_inode:") => Some(FileKind::Anonymous),
        _ => Some(FileKind::Socket),
    }
}
