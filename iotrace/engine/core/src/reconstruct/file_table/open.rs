//! open, close, dup and the like.

use super::call_objects::kind_of_new;
use super::descriptors::{Access, Mode, OpenId, Pointer, Usage};
use super::files::{FileId, Kind};
use super::look_up::{purpose_of, LookUpResult, Purpose};
use super::names::Entry;
use super::stream::{Operation, Type};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::{Call, CallKind, FileKind};

impl FileTable {
    /// open, openat, openat2, creat: a look-up; a use; perhaps a creation or a truncation.
    pub(super) fn open(&mut self, call: &Call<'_>) {
        let Some(path) = call.path else {
            self.open_unnamed(call);
            return;
        };
        let has = |flag| has_flag(call.flags, flag);
        let creates = call.kind == CallKind::Creat || has("O_CREAT");
        let exclusive = creates && has("O_EXCL");
        let follow = !has("O_NOFOLLOW") && !exclusive;
        let expected = if creates { Purpose::Create } else { Purpose::Find };
        let returned = call.result.and_then(|fd| i32::try_from(fd).ok());
        let Some(fd) = returned.filter(|&fd| fd >= 0 && call.error.is_none()) else {
            if let (Some(purpose), false) = (purpose_of(call.error, expected), path.is_empty()) {
                self.look_up(path, call.dirfd, follow, purpose);
            }
            return;
        };
        if let Some(open) = self.open_of_descriptor_path(path).filter(|_| follow) {
            // the last name is a symbolic link with an unknown target
            self.look_up(path, call.dirfd, false, Purpose::Find);
            let (file, kind) = (self.opens[open].file, self.opens[open].kind);
            let open = self.new_open(fd, file, mode_of(call), has("O_CLOEXEC"));
            self.opens[open].kind = kind;
            return;
        }
        if has("O_TMPFILE") || has("__O_TMPFILE") {
            self.open_temporary(call, fd);
            return;
        }
        let found = self.look_up(path, call.dirfd, follow, expected);
        let truncates = call.kind == CallKind::Creat || has("O_TRUNC");
        let (file, created) = self.opened(&found, exclusive, truncates);
        self.judge_name(file, call);
        if has("O_NOFOLLOW") && !has("O_PATH") {
            self.files[file].is_no_link();
        }
        if has("O_DIRECTORY") {
            self.files[file].learn_kind(FileKind::Directory);
        }
        if created {
            self.create(file, found.directory);
        }
        if has("O_PATH") {
            let open = self.opens.add(Some(file), Pointer::Unknown, mode_of(call), None);
            self.files[file].add_open();
            self.install(fd, open, has("O_CLOEXEC"));
            return;
        }
        let open = self.new_open(fd, Some(file), mode_of(call), has("O_CLOEXEC"));
        if created {
            self.opens[open].modified = true;
        } else if truncates {
            self.truncate_at_open(open, file);
        }
    }

    /// An open whose path the log does not show: of an unknown file, but at its start. Without flags even that is unknown.
    fn open_unnamed(&mut self, call: &Call<'_>) {
        let returned = call.result.and_then(|fd| i32::try_from(fd).ok());
        let Some(fd) = returned.filter(|&fd| fd >= 0 && call.error.is_none()) else {
            return;
        };
        if call.flags.is_none() && call.kind != CallKind::Creat {
            self.stray(fd);
            return;
        }
        let has = |flag| has_flag(call.flags, flag);
        let label = format!("fd:{}:{fd}", self.tasks.current()).into_bytes();
        let file = self.labelled_file(label, Kind::Unknown);
        if has("O_DIRECTORY") {
            self.files[file].learn_kind(FileKind::Directory);
        }
        let open = self.new_open(fd, Some(file), mode_of(call), has("O_CLOEXEC"));
        if call.kind == CallKind::Creat || has("O_TRUNC") {
            self.truncate_at_open(open, file);
        }
    }

    /// The file that an open ended in, and whether the open created it: certainly with `O_EXCL` or if the name is
    /// known not to have existed; presumably if a name never seen before is opened with `O_TRUNC`.
    fn opened(&mut self, found: &LookUpResult, exclusive: bool, truncates: bool) -> (FileId, bool) {
        match found.file {
            Some(file) if !exclusive || found.name.is_empty() => return (file, false),
            Some(stale) => self.forget(stale, found),
            None => {}
        }
        if !exclusive && found.entry == Entry::Unknown {
            if let Some(file) = self.annotated_file(found.directory, &found.name) {
                self.files[found.directory].made_after_mounts = None;
                self.read_inode(file);
                return (file, false);
            }
        }
        let absent = found.entry == Entry::Absent || self.holds_only_known_names(found.directory);
        let file = self.new_file(found.directory, &found.name, true);
        self.files[file].is_no_link();
        self.read_inode(file);
        (file, exclusive || truncates || absent)
    }

    fn truncate_at_open(&mut self, open: OpenId, file: FileId) {
        if !self.files[file].on_disk() {
            return;
        }
        if self.files.size(file) != Some(0) {
            self.mark_truncate(file, 0);
            self.opens[open].modified = true;
            self.files[file].changed_since_update = true;
        }
        self.files[file].learn_size(0);
    }

    /// A new file: its directory is written now, its inode when it is closed.
    fn create(&mut self, file: FileId, directory: FileId) {
        let record = &mut self.files[file];
        record.created = true;
        record.kind = if record.kind == Kind::Unknown { Kind::Of(FileKind::Regular) } else { record.kind };
        record.size_first = None;
        record.learn_size(0);
        self.write_directory(directory);
    }

    fn open_temporary(&mut self, call: &Call<'_>, fd: i32) {
        let found = self.look_up_call(call, true);
        let file = self.files.add(Kind::Of(FileKind::Regular));
        let directory = found.and_then(|found| found.file);
        let mut path = directory.and_then(|directory| self.path(directory)).unwrap_or_default();
        path.extend_from_slice(format!("/#{}", file.0).as_bytes());
        let record = &mut self.files[file];
        record.label = path.into_boxed_slice();
        record.created = true;
        record.learn_size(0);
        let open = self.new_open(fd, Some(file), mode_of(call), has_flag(call.flags, "O_CLOEXEC"));
        self.opens[open].modified = true;
    }

    /// An open-file entry for a file, its use, and the descriptor that refers to it.
    fn new_open(&mut self, fd: i32, file: Option<FileId>, mode: Mode, close_on_exec: bool) -> OpenId {
        let usage = file.map(|_| self.new_usage(self.origin.time_ns));
        let open = self.opens.add(file, Pointer::At(0), mode, usage);
        if let Some(file) = file {
            self.files[file].add_open();
        }
        self.install(fd, open, close_on_exec);
        open
    }

    /// The next use.
    pub(super) fn new_usage(&mut self, open_ns: Option<i64>) -> Usage {
        let number = self.next_use;
        self.next_use += 1;
        let process = self.origin.process;
        Usage { number, process, open_ns, references: 0, bytes_read: 0, bytes_written: 0 }
    }

    /// `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N` and `/proc/PID/fd/N` lead to the descriptor's file.
    pub(super) fn open_of_descriptor_path(&mut self, path: &[u8]) -> Option<OpenId> {
        let number = match path {
            b"/dev/stdin" => &b"0"[..],
            b"/dev/stdout" => b"1",
            b"/dev/stderr" => b"2",
            _ => match path.strip_prefix(b"/dev/fd/") {
                Some(number) => number,
                None => {
                    let below = path.strip_prefix(b"/proc/")?;
                    let slash = memchr::memchr(b'/', below)?;
                    let number = below[slash..].strip_prefix(b"/fd/")?;
                    let process = &below[..slash];
                    if !matches!(process, b"self" | b"thread-self")
                        && whole_number(process)? != self.tasks.pid()
                    {
                        return self.tasks.open_of_process(whole_number(process)?, whole_number(number)?);
                    }
                    number
                }
            },
        };
        self.open_of(whole_number(number)?)
    }

    /// The file of a descriptor of the current thread.
    pub(super) fn file_of_descriptor(&mut self, fd: i32) -> Option<FileId> {
        let open = self.open_of(fd)?;
        let file = self.opens[open].file?;
        Some(self.forward(file))
    }

    /// The file of a call's descriptor, if the call succeeded.
    pub(super) fn file_of_call(&mut self, call: &Call<'_>, fd: Option<i32>) -> Option<FileId> {
        fd.filter(|_| call.error.is_none()).and_then(|fd| self.file_of_descriptor(fd))
    }

    /// The open-file entry of a call's descriptor; none is created for a bad one.
    pub(super) fn open_of_call(&mut self, call: &Call<'_>) -> Option<OpenId> {
        let fd = call.fd.filter(|_| call.error != Some(b"EBADF"));
        fd.and_then(|fd| self.open_of(fd))
    }

    /// A close frees its descriptor even before it returns.
    pub(super) fn close_early(&mut self, call: &Call<'_>) {
        if let Some(fd) = call.fd {
            self.tasks.note_closing(Some(fd));
            self.close_descriptor(fd);
        }
    }

    /// close
    pub(super) fn close(&mut self, call: &Call<'_>) {
        let early = self.tasks.take_closing();
        let Some(fd) = call.fd else { return };
        // Linux frees the descriptor even if close reports an error, and a bad one was not open
        if early != Some(fd) {
            self.close_descriptor(fd);
        }
    }

    /// close_range
    pub(super) fn close_range(&mut self, call: &Call<'_>) {
        let (Some(first), Some(last), Some(0)) = (call.fd, call.fd2, call.result) else {
            return;
        };
        if has_flag(call.flags, "CLOSE_RANGE_UNSHARE") {
            self.own_table();
        }
        let Some(table) = self.tasks.table() else {
            return;
        };
        if has_flag(call.flags, "CLOSE_RANGE_CLOEXEC") {
            table.close_range_on_exec(first, last);
            return;
        }
        for open in table.close_range(first, last) {
            self.drop_descriptor_of(open);
        }
    }

    /// dup, dup2, dup3
    pub(super) fn dup(&mut self, call: &Call<'_>) {
        self.duplicate(call, has_flag(call.flags, "O_CLOEXEC"));
    }

    /// fcntl: duplicates, close-on-exec, and the flags that F_SETFL can change.
    pub(super) fn fcntl(&mut self, call: &Call<'_>) {
        let Some(fd) = call.fd.filter(|_| call.error.is_none()) else {
            return;
        };
        let has = |flag| has_flag(call.flags, flag);
        if has("F_DUPFD") || has("F_DUPFD_CLOEXEC") {
            self.duplicate(call, has("F_DUPFD_CLOEXEC"));
        } else if has("F_SETFD") {
            self.set_close_on_exec(fd, has("FD_CLOEXEC"));
        } else if has("F_SETFL") {
            if let Some(open) = self.open_of(fd) {
                let mode = &mut self.opens[open].mode;
                mode.append = has("O_APPEND");
                mode.direct = has("O_DIRECT");
            }
        }
    }

    fn duplicate(&mut self, call: &Call<'_>, close_on_exec: bool) {
        let (Some(fd), Some(copy)) = (call.fd, call.result) else {
            return;
        };
        let Ok(copy) = i32::try_from(copy) else {
            return;
        };
        if call.error.is_some() || copy < 0 || copy == fd {
            return;
        }
        if let Some(open) = self.open_of(fd) {
            self.opens[open].descriptors += 1;
            self.install(copy, open, close_on_exec);
        } else if self.known.is_sample() {
            self.close_descriptor(copy);
        }
    }

    /// A call that returned a descriptor that is not a file.
    pub(super) fn not_a_file(&mut self, call: &Call<'_>) {
        let Some(fd) = call.result.and_then(|fd| i32::try_from(fd).ok()) else {
            return;
        };
        if call.error.is_none() && fd >= 0 {
            self.install_not_a_file(fd, call);
        }
    }

    /// pipe, pipe2, socketpair
    pub(super) fn not_a_file_pair(&mut self, call: &Call<'_>) {
        let (Some(0), Some(first), Some(second)) = (call.result, call.fd, call.fd2) else {
            return;
        };
        let [first, second] = [first, second].map(|fd| self.install_not_a_file(fd, call));
        if call.kind == CallKind::Socketpair {
            self.pair_sockets(first, second);
        }
    }

    fn install_not_a_file(&mut self, fd: i32, call: &Call<'_>) -> OpenId {
        let close_on_exec = call.flags.is_some_and(|flags| memchr::memmem::find(flags, b"CLOEXEC").is_some());
        let open = self.opens.add(None, Pointer::Unknown, Mode::default(), None);
        self.opens[open].kind = kind_of_new(call.kind);
        self.install(fd, open, close_on_exec);
        open
    }

    /// One descriptor fewer refers to an entry; with the last one the use ends, and what is under way to a socket.
    pub(super) fn drop_descriptor_of(&mut self, open: OpenId) {
        let mut dropped = vec![open];
        while let Some(open) = dropped.pop() {
            let entry = &mut self.opens[open];
            entry.descriptors -= 1;
            if entry.descriptors > 0 {
                continue;
            }
            let (file, modified, end) = (entry.file, entry.modified, entry.end);
            self.use_row(open, self.origin.time_ns);
            self.opens.release(open);
            dropped.extend(self.rights_to_closed(end));
            if let Some(file) = file {
                if modified && self.files[file].on_disk() {
                    self.refer_inode(file, Operation::Write);
                }
                self.files[file].opens -= 1;
                self.delete_if_gone(file);
            }
        }
    }

    /// The row of a use that ends.
    pub(super) fn use_row(&mut self, open: OpenId, close_ns: Option<i64>) {
        let entry = &self.opens[open];
        let (Some(usage), Some(file)) = (entry.usage, entry.file) else {
            return;
        };
        let kind = if entry.executable {
            Type::Executable
        } else if self.files[file].is_directory() {
            Type::Directory
        } else {
            Type::Datafile
        };
        self.uses.push(usage, file, kind, close_ns, entry.mode.access);
    }
}

fn whole_number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn mode_of(call: &Call<'_>) -> Mode {
    let has = |flag| has_flag(call.flags, flag);
    let access = if call.kind == CallKind::Creat || has("O_WRONLY") {
        Access::Write
    } else if has("O_RDWR") {
        Access::ReadWrite
    } else {
        Access::Read
    };
    Mode {
        append: has("O_APPEND"),
        direct: has("O_DIRECT"),
        synchronous: has("O_SYNC") || has("O_DSYNC"),
        access: Some(access),
    }
}
