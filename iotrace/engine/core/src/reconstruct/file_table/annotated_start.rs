//! The kernel's own path of a working directory from before the trace (strace -y: `AT_FDCWD</home>`).
//!
//! It is used only if the calls have not shown the path, and never overrides what they have shown.

use super::annotations::InheritedDescriptor;
use super::files::FileId;
use super::FileTable;
use crate::syscalls::call::{Call, DescriptorPath, FileKind};

impl FileTable {
    /// Record the annotation of a call's working directory, which is that at the time when the call was issued.
    pub(super) fn note_working_directory(&mut self, call: &Call<'_>) {
        let shown = [(call.dirfd, call.dirfd_path), (call.dirfd2, call.dirfd2_path)];
        let shown = shown.into_iter().find_map(|(fd, named)| named.filter(|_| fd.is_none()));
        let Some(named) = shown.filter(|named| !named.deleted && named.path.first() == Some(&b'/')) else {
            return;
        };
        let Some(&mut directories) = self.tasks.directories() else {
            return;
        };
        let directory =
            directories.working_directory.or_else(|| self.starts.get(&directories.start).copied());
        if let Some(directory) = directory {
            self.reveal_by_annotation(directory, named, call.seq);
        } else if self.known.start_directory(directories.lineage).is_none() {
            let starts = &mut self.annotations.starts;
            starts.entry(directories.start).or_insert_with(|| working_directory(named, call.seq));
        }
    }

    /// The working directory that a process had before the trace, according to its annotation.
    pub(super) fn annotated_start(&mut self, start: u64) -> Option<FileId> {
        let named = self.annotations.starts.remove(&start)?;
        let directory = self.file_of_annotation(&named);
        self.files[directory].learn_kind(FileKind::Directory);
        Some(directory)
    }

    /// A working directory has this path: the unknown directory in which its known path starts gets the remaining
    /// part.
    fn reveal_by_annotation(&mut self, directory: FileId, named: DescriptorPath<'_>, call_seq: i64) {
        let directory = self.forward(directory);
        let Some((start, path)) = self.unknown_start(directory, named.path) else {
            return;
        };
        self.annotations.used.push(working_directory(named, call_seq));
        let root = self.root();
        let known = self.file_at(path).or_else(|| self.below_unplaced(path));
        if let Some(known) = known {
            self.files[known].learn_kind(FileKind::Directory);
            self.merge(start, known);
        } else if self.files[start].place.is_some() {
            self.identify(start, root, path);
        } else {
            self.files[start].label = Box::from(path);
            self.files[start].unknown = false;
            self.annotations.unplaced.insert(Box::from(path), start);
        }
    }
}

fn working_directory(named: DescriptorPath<'_>, call_seq: i64) -> InheritedDescriptor {
    let fd = InheritedDescriptor::WORKING_DIRECTORY;
    InheritedDescriptor { call_seq, fd, path: Box::from(named.path), deleted: false }
}
