//! Calls that change directories and inodes: unlink, rename, link, mkdir, truncate, chmod and the like.

use super::files::{FileId, Kind};
use super::look_up::{purpose_of, LookUpResult, Purpose};
use super::stream::{Operation, Type};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::{Call, CallKind, FileKind};

impl FileTable {
    /// unlink, unlinkat, rmdir: a look-up, a directory write, an inode write; the file is deleted with its last name
    /// and its last descriptor.
    pub(super) fn unlink(&mut self, call: &Call<'_>) {
        let Some(found) = self.look_up_call(call, false) else {
            return;
        };
        let (None, Some(file)) = (call.error, found.file) else {
            return;
        };
        if found.name.is_empty() {
            return;
        }
        if call.kind == CallKind::Rmdir || has_flag(call.flags, "AT_REMOVEDIR") {
            self.files[file].learn_kind(FileKind::Directory);
        }
        self.write_directory(found.directory);
        self.refer_inode(file, Operation::Write);
        self.names.set(found.directory, &found.name, None);
        self.lose_link(file);
    }

    fn lose_link(&mut self, file: FileId) {
        self.files[file].replaced = true;
        self.files[file].links = self.files[file].links.saturating_sub(1);
        self.name_lost(file);
        self.delete_if_gone(file);
    }

    /// A file without names and descriptors is deleted, and so is its inode.
    pub(super) fn delete_if_gone(&mut self, file: FileId) {
        let record = &self.files[file];
        let unnamed = record.place.is_none() && record.created && record.links == 0;
        if record.deleted || record.links > 0 || record.opens > 0 || !(record.place.is_some() || unnamed) {
            return;
        }
        let kind = if record.is_directory() { Type::Directory } else { Type::Datafile };
        // a symbolic link has no data
        let has_data = record.on_disk() && record.kind != Kind::Of(FileKind::Symlink);
        self.files[file].deleted = true;
        if has_data {
            for row in self.spaces.rows_to_empty(file) {
                self.mark(Some(row), Some(kind), Operation::Delete, None, None);
            }
        }
        let inode = self.files.inode_of(file);
        self.files[inode].deleted = true;
        self.mark(Some(inode), Some(Type::Inode), Operation::Delete, None, None);
    }

    /// rename, renameat, renameat2
    pub(super) fn rename(&mut self, call: &Call<'_>) {
        let Some((from, to)) = self.look_up_two(call, false) else {
            return;
        };
        let (None, Some(file)) = (call.error, from.file) else {
            return;
        };
        if from.name.is_empty() || to.name.is_empty() || to.file == Some(file) {
            return;
        }
        let exchanged = to.file.filter(|_| has_flag(call.flags, "RENAME_EXCHANGE"));
        if self.is_within(to.directory, file)
            || exchanged.is_some_and(|other| self.is_within(from.directory, other))
        {
            // a directory cannot move below itself: the reconstruction was wrong before
            self.counts.impossible_calls += 1;
            return;
        }
        self.write_directory(from.directory);
        if to.directory != from.directory {
            self.write_directory(to.directory);
        }
        self.refer_inode(file, Operation::Write);
        if let Some(other) = exchanged {
            self.move_to(other, from.directory, &from.name);
            self.moved(other);
        } else {
            self.names.set(from.directory, &from.name, None);
        }
        self.move_to(file, to.directory, &to.name);
        self.moved(file);
        if let Some(replaced) = to.file.filter(|_| exchanged.is_none()) {
            self.refer_inode(replaced, Operation::Write);
            self.lose_link(replaced);
        }
    }

    fn moved(&mut self, file: FileId) {
        self.files[file].renames += 1;
        if self.files[file].is_directory() {
            self.agreement.directory_renamed();
        }
    }

    /// link, linkat
    pub(super) fn link(&mut self, call: &Call<'_>) {
        if call.path.is_some_and(|path| path.is_empty()) {
            self.link_descriptor(call);
            return;
        }
        let follow = has_flag(call.flags, "AT_SYMLINK_FOLLOW");
        let Some((from, to)) = self.look_up_two(call, follow) else {
            return;
        };
        if let (None, Some(file)) = (call.error, from.file) {
            self.add_link(file, &to);
        }
    }

    /// linkat with AT_EMPTY_PATH gives a name to an open file.
    fn link_descriptor(&mut self, call: &Call<'_>) {
        let Some(path) = call.path2.filter(|path| !path.is_empty() && call.error.is_none()) else {
            return;
        };
        let to = self.look_up(path, call.dirfd2, false, Purpose::Create);
        if let Some(file) = call.dirfd.and_then(|fd| self.file_of_descriptor(fd)) {
            self.add_link(file, &to);
        }
    }

    fn add_link(&mut self, file: FileId, to: &LookUpResult) {
        if to.name.is_empty() || self.is_within(to.directory, file) {
            return;
        }
        if let Some(stale) = to.file.filter(|&stale| stale != file) {
            self.forget(stale, to);
        }
        self.write_directory(to.directory);
        self.refer_inode(file, Operation::Write);
        self.files[file].links += 1;
        if self.files[file].place.is_none() {
            self.place_unnamed(file, to.directory, &to.name);
        } else if self.files[file].links == 1 {
            self.move_to(file, to.directory, &to.name);
        } else {
            let name = self.names.set(to.directory, &to.name, Some(file));
            self.note_hard_link(file, (to.directory, name));
        }
    }

    /// symlink, symlinkat: `path` is the new name, `path2` its target.
    pub(super) fn symlink(&mut self, call: &Call<'_>) {
        let Some(file) = self.make_name(call, Kind::Of(FileKind::Symlink)) else {
            return;
        };
        self.files[file].target = call.path2.map(Box::from);
        let length = call.path2.map_or(0, |target| target.len() as i64);
        self.files[file].learn_size(length);
    }

    /// mkdir, mkdirat, mknod, mknodat
    pub(super) fn make(&mut self, call: &Call<'_>) {
        let kind = match call.kind {
            CallKind::Mkdir | CallKind::Mkdirat => FileKind::Directory,
            _ if has_flag(call.flags, "S_IFCHR") => FileKind::CharacterDevice,
            _ if has_flag(call.flags, "S_IFBLK") => FileKind::BlockDevice,
            _ if has_flag(call.flags, "S_IFIFO") => FileKind::Pipe,
            _ if has_flag(call.flags, "S_IFSOCK") => FileKind::Socket,
            _ => FileKind::Regular,
        };
        if let Some(file) = self.make_name(call, Kind::Of(kind)) {
            match kind {
                FileKind::Regular => self.files[file].learn_size(0),
                FileKind::Directory => self.files[file].made_after_mounts = Some(self.mounts),
                _ => {}
            }
        }
    }

    /// Whether all names in a directory are known, because it was created in the trace: a name that the trace has not
    /// mentioned does not exist there. (Effects of processes outside the trace are never known.)
    pub(super) fn holds_only_known_names(&self, directory: FileId) -> bool {
        self.files[directory].made_after_mounts == Some(self.mounts)
    }

    fn make_name(&mut self, call: &Call<'_>, kind: Kind) -> Option<FileId> {
        let path = call.path.filter(|path| !path.is_empty())?;
        let purpose = purpose_of(call.error, Purpose::Create)?;
        let found = self.look_up(path, call.dirfd, false, purpose);
        if call.error.is_some() || found.name.is_empty() {
            return None;
        }
        if let Some(stale) = found.file {
            self.forget(stale, &found);
        }
        let file = self.new_file(found.directory, &found.name, true);
        self.files[file].is_no_link();
        self.files[file].kind = kind;
        self.looked_up = Some(file);
        self.files[file].created = true;
        self.write_directory(found.directory);
        self.refer_inode(file, Operation::Write);
        Some(file)
    }

    /// The name is new, so a file that it referred to was deleted outside the trace.
    pub(super) fn forget(&mut self, stale: FileId, found: &LookUpResult) {
        self.names.set(found.directory, &found.name, None);
        self.files[stale].links = self.files[stale].links.saturating_sub(1);
        self.files[stale].replaced = true;
        self.name_lost(stale);
    }

    /// truncate: a look-up, the truncation, an inode write.
    pub(super) fn truncate(&mut self, call: &Call<'_>) {
        let Some(found) = self.look_up_call(call, true) else {
            return;
        };
        let (None, Some(file), Some(length)) = (call.error, found.file, call.offset) else {
            return;
        };
        self.cut(file, length);
        self.refer_inode(file, Operation::Write);
    }

    fn cut(&mut self, file: FileId, length: i64) {
        if length < 0 || !self.files[file].on_disk() {
            return;
        }
        self.files[file].learn_size(length);
        self.files[file].changed_since_update = true;
        self.mark_truncate(file, length);
    }

    /// A truncation: one to size 0 leaves no data in any space of offsets.
    pub(super) fn mark_truncate(&mut self, file: FileId, length: i64) {
        self.spaces.forget_end(file);
        let rows = if length == 0 { self.spaces.rows_to_empty(file) } else { vec![self.holder(file, None)] };
        for row in rows {
            let kind = Some(Type::Datafile);
            self.mark(Some(row), kind, Operation::Truncate, Some(length), None);
        }
    }

    /// ftruncate and fallocate: the inode is written at close.
    pub(super) fn resize(&mut self, call: &Call<'_>) {
        let Some(open) = self.open_of_call(call).filter(|_| call.error.is_none()) else {
            return;
        };
        let Some(file) = self.opens[open].file else {
            return;
        };
        self.opens[open].modified = true;
        if call.kind != CallKind::Fallocate {
            if let Some(length) = call.offset {
                self.cut(file, length);
            }
            return;
        }
        let has = |flag| has_flag(call.flags, flag);
        if has("FALLOC_FL_KEEP_SIZE") || has("FALLOC_FL_PUNCH_HOLE") {
            return;
        }
        self.spaces.forget_end(file);
        let (Some(offset), Some(count)) = (call.offset, call.count) else {
            return;
        };
        if offset < 0 || count < 0 {
            return;
        }
        let size = self.files.size(file);
        if has("FALLOC_FL_COLLAPSE_RANGE") {
            if let Some(size) = size {
                self.files[file].learn_size(size.saturating_sub(count).max(0));
            }
        } else if has("FALLOC_FL_INSERT_RANGE") {
            if let Some(size) = size {
                self.files[file].learn_size(size.saturating_add(count));
            }
        } else {
            self.files[file].reach(offset.saturating_add(count));
        }
    }

    /// A call that changes an inode by path: a look-up and an inode write; a change of a directory's permissions is
    /// also a directory write (docs/design.md 3).
    pub(super) fn change_inode(&mut self, call: &Call<'_>, permissions: bool) {
        let stays = matches!(call.kind, CallKind::Lchown | CallKind::Lsetxattr | CallKind::Lremovexattr);
        if call.path.is_none_or(|path| path.is_empty()) {
            if let Some(file) = self.file_of_call(call, call.dirfd.or(call.fd)) {
                self.change(file, permissions);
            }
            return;
        }
        let follow = !stays && !has_flag(call.flags, "AT_SYMLINK_NOFOLLOW");
        let Some(found) = self.look_up_call(call, follow) else {
            return;
        };
        if let (None, Some(file)) = (call.error, found.file) {
            self.change(file, permissions);
        }
    }

    /// A call that changes an inode by descriptor.
    pub(super) fn change_open_inode(&mut self, call: &Call<'_>, permissions: bool) {
        if let Some(file) = self.file_of_call(call, call.fd) {
            self.change(file, permissions);
        }
    }

    fn change(&mut self, file: FileId, permissions: bool) {
        self.refer_inode(file, Operation::Write);
        if permissions && self.files[file].is_directory() {
            self.write_directory(file);
        }
    }
}
