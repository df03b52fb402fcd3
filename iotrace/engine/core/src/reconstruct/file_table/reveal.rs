//! Calls that reveal sizes, kinds and symbolic links: the stat family and readlink.

use super::files::FileId;
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::{Call, CallKind, FileKind};

impl FileTable {
    /// stat, lstat, newfstatat, statx: a look-up, unless the path is empty, which is an fstat.
    pub(super) fn stat(&mut self, call: &Call<'_>) {
        if call.path.is_none_or(|path| path.is_empty()) {
            let file = self.file_of_call(call, call.dirfd.or(call.fd));
            self.learn(file, call);
            return;
        }
        let stays = matches!(call.kind, CallKind::Lstat | CallKind::Lstat64)
            || has_flag(call.flags, "AT_SYMLINK_NOFOLLOW");
        let found = self.look_up_call(call, !stays);
        self.learn(found.and_then(|found| found.file), call);
    }

    /// fstat makes no reference.
    pub(super) fn fstat(&mut self, call: &Call<'_>) {
        let file = self.file_of_call(call, call.fd);
        self.learn(file, call);
    }

    fn learn(&mut self, file: Option<FileId>, call: &Call<'_>) {
        let (Some(file), None) = (file, call.error) else {
            return;
        };
        if let Some(kind) = call.file_kind {
            self.files[file].learn_kind(kind);
            if kind != FileKind::Symlink {
                self.files[file].target = None;
            }
        }
        let size = call.size.filter(|&size| size >= 0);
        if let (Some(size), true) = (size, self.files[file].on_disk()) {
            if !self.files[file].is_directory() {
                self.reveal_end(file, size);
            }
            self.files[file].learn_size(size);
        }
    }

    /// readlink shows a symbolic link's target. Targets in `/proc` differ between processes, and are ignored except
    /// that of the working directory.
    pub(super) fn readlink(&mut self, call: &Call<'_>) {
        let found = self.look_up_call(call, false);
        if call.error == Some(b"EINVAL") {
            if let Some(file) = found.as_ref().and_then(|found| found.file) {
                self.files[file].is_no_link();
            }
        }
        let (Some(file), Some(target), None) = (found.and_then(|found| found.file), call.path2, call.error)
        else {
            return;
        };
        match call.path {
            Some(b"/proc/self/cwd") => self.reveal_working_directory(target),
            Some(path) if path.starts_with(b"/proc/") => {}
            _ => {
                self.files[file].learn_kind(FileKind::Symlink);
                self.files[file].learn_size(target.len() as i64);
                self.files[file].target = Some(Box::from(target));
            }
        }
    }
}
