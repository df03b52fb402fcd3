//! Path look-ups: which inodes and directories a path reads, and which file it ends in (Richardson 2.3, figure 2.3).

use std::borrow::Cow;

use super::files::{FileId, Kind, DIRECTORY_BYTES, INODE_BYTES};
use super::model::{AccessTime, DirectorySize, MergedUsr, StartDirectory};
use super::names::Entry;
use super::stream::{Operation, Type};
use super::FileTable;
use crate::call::{Call, FileKind};

/// One element that a look-up passed.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    file: FileId,
    /// Whether the element's directory was searched for the next one.
    searched: bool,
    /// A symbolic link, of which only the inode is read.
    link: bool,
}

/// What a look-up is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The path exists.
    Find,
    /// The last element may be new.
    Create,
    /// The kernel said that the path does not exist.
    Fail,
}

/// Where a look-up ended.
#[derive(Debug)]
pub struct Found {
    /// The file; None where the name is new or does not exist.
    pub file: Option<FileId>,
    /// The directory that holds, or would hold, the last element.
    pub directory: FileId,
    /// The last element's name; empty where the path is the start itself, a root, or ends in `..`.
    pub name: Box<[u8]>,
    /// What was known of the name before.
    pub entry: Entry,
}

const MOST_LINKS: u32 = 40;

impl FileTable {
    /// The root directory.
    pub(super) fn root(&mut self) -> FileId {
        if let Some(root) = self.root {
            return root;
        }
        let root = self.files.add(Kind::Of(FileKind::Directory));
        self.files[root].first_path = Box::from(&b"/"[..]);
        self.files[root].links = 1;
        self.root = Some(root);
        root
    }

    /// The directory that this one turned out to be.
    pub(super) fn forward(&self, mut directory: FileId) -> FileId {
        while let Some(&next) = self.forwards.get(&directory) {
            directory = next;
        }
        directory
    }

    /// The directory in which a path starts.
    pub(super) fn start(&mut self, path: &[u8], dirfd: Option<i32>) -> FileId {
        if path.first() == Some(&b'/') {
            return self.process_root();
        }
        let of_descriptor = dirfd.and_then(|fd| self.file_of_descriptor(fd));
        match of_descriptor {
            Some(directory) => self.forward(directory),
            None => self.working_directory(),
        }
    }

    /// Look a path up, learn what its success or failure tells, and make its references.
    pub(super) fn look_up(
        &mut self,
        path: &[u8],
        dirfd: Option<i32>,
        follow: bool,
        purpose: Purpose,
    ) -> Found {
        let start = self.start(path, dirfd);
        let (found, failed) = self.walk(start, path, follow, purpose);
        self.refer_look_up(start, failed);
        found
    }

    /// Walk a path without references. Steps are left in `self.steps`. The second answer is true for a look-up that
    /// ended because a name is not known to exist.
    pub(super) fn walk(
        &mut self,
        start: FileId,
        path: &[u8],
        follow: bool,
        purpose: Purpose,
    ) -> (Found, bool) {
        self.steps.clear();
        let mut path = Cow::Borrowed(path);
        let mut at = 0;
        let mut links = 0;
        let mut directory = start;
        let mut found = Found {
            file: Some(start),
            directory: start,
            name: Box::default(),
            entry: Entry::Unknown,
        };
        while let Some((element, next)) = next_element(&path, at) {
            let name = &path[element];
            at = next;
            let last = next_element(&path, at).is_none();
            if name == b".." {
                directory = self.parent(directory);
                self.leave_step(directory);
                found = Found {
                    file: Some(directory),
                    directory,
                    name: Box::default(),
                    entry: Entry::Unknown,
                };
                continue;
            }
            let proc_name = self.proc_name(directory, name);
            let name = proc_name.as_deref().unwrap_or(name);
            let entry = self.names.get(directory, name);
            let file = match entry {
                Entry::File(file) => file,
                _ if purpose == Purpose::Fail => {
                    found = Found {
                        file: None,
                        directory,
                        name: Box::from(name),
                        entry,
                    };
                    return (found, true);
                }
                _ if last && purpose == Purpose::Create => {
                    found = Found {
                        file: None,
                        directory,
                        name: Box::from(name),
                        entry,
                    };
                    return (found, false);
                }
                _ => self.new_file(directory, name, last),
            };

            let target = self.files[file].target.as_deref();
            if let (Some(target), true) = (target, !last || follow) {
                links += 1;
                if links > MOST_LINKS {
                    self.counts.symbolic_link_loops += 1;
                    return (
                        Found {
                            file: Some(file),
                            directory,
                            name: Box::from(name),
                            entry,
                        },
                        false,
                    );
                }
                let rest = &path[at..];
                let mut whole = Vec::with_capacity(target.len() + 1 + rest.len());
                whole.extend_from_slice(target);
                whole.push(b'/');
                whole.extend_from_slice(rest);
                self.steps.push(Step {
                    file,
                    searched: false,
                    link: true,
                });
                if whole.first() == Some(&b'/') {
                    directory = self.process_root();
                }
                found = Found {
                    file: Some(directory),
                    directory,
                    name: Box::default(),
                    entry: Entry::Unknown,
                };
                path = Cow::Owned(whole);
                at = 0;
                continue;
            }
            self.steps.push(Step {
                file,
                searched: !last,
                link: false,
            });
            if last {
                found = Found {
                    file: Some(file),
                    directory,
                    name: Box::from(name),
                    entry,
                };
            } else if !self.files[file].is_directory() {
                self.files[file].learn_kind(FileKind::Directory);
            }
            directory = file;
        }
        self.close_walk(purpose);
        (found, purpose == Purpose::Fail)
    }

    /// The last element that a walk ended in was not searched. Where the kernel says that a path does not exist though
    /// all of its names are known, the search ended before the last.
    fn close_walk(&mut self, purpose: Purpose) {
        if purpose == Purpose::Fail {
            self.steps.pop();
        } else if let Some(step) = self.steps.last_mut() {
            step.searched = false;
        }
    }

    /// `..` undoes the element before it: paths are normalised lexically, but for symbolic links.
    fn leave_step(&mut self, parent: FileId) {
        let undo = self.steps.last().is_some_and(|step| {
            !step.link
                && self.files[step.file]
                    .place
                    .is_some_and(|(holder, _)| holder == parent)
        });
        if undo {
            self.steps.pop();
        }
    }

    /// `/proc/self` is a different directory for each process.
    fn proc_name(&self, directory: FileId, name: &[u8]) -> Option<Box<[u8]>> {
        if !matches!(name, b"self" | b"thread-self")
            || &*self.files[directory].first_path != b"/proc"
        {
            return None;
        }
        Some(self.tasks.pid().to_string().into_bytes().into_boxed_slice())
    }

    /// The directory above.
    pub(super) fn parent(&mut self, directory: FileId) -> FileId {
        if self.root == Some(directory) || directory == self.process_root() {
            return directory;
        }
        if let Some((parent, _)) = self.files[directory].place {
            return self.forward(parent);
        }
        let above =
            self.unknown_directory(&[&self.files[directory].first_path, &b":above"[..]].concat());
        let name = self.names.set(above, b"\0below", None);
        self.files[directory].place = Some((above, name));
        above
    }

    /// A directory whose path the trace has not told.
    pub(super) fn unknown_directory(&mut self, label: &[u8]) -> FileId {
        let directory = self.files.add(Kind::Of(FileKind::Directory));
        let file = &mut self.files[directory];
        file.first_path = Box::from(label);
        file.links = 1;
        file.origin = Some(directory);
        directory
    }

    /// A file met for the first time under this name.
    pub(super) fn new_file(&mut self, directory: FileId, name: &[u8], last: bool) -> FileId {
        let kind = if last {
            Kind::Unknown
        } else {
            Kind::Of(FileKind::Directory)
        };
        let file = self.files.add(kind);
        self.files[file].links = 1;
        self.place(file, directory, name);
        let path = self.first_path(directory, name);
        let device = path.starts_with(b"/dev/") && !path.starts_with(b"/dev/shm/");
        if last && device {
            self.files[file].kind = Kind::Of(FileKind::CharacterDevice);
        }
        self.files[file].target = self.assumed_target(&path);
        if let Some(known) = self.known.get(&path) {
            let size = known.size_bytes;
            if let Some(size) = size {
                self.files[file].learn_size(size);
            }
        }
        let origin = self.files[directory].origin;
        let record = &mut self.files[file];
        record.origin = origin;
        record.first_path = path.into_boxed_slice();
        file
    }

    /// Links that Linux has always, and those that current distributions have.
    fn assumed_target(&self, path: &[u8]) -> Option<Box<[u8]>> {
        let target: &[u8] = match path {
            b"/proc/mounts" => b"self/mounts",
            b"/proc/net" => b"self/net",
            _ if self.model.merged_usr == MergedUsr::Learnt => return None,
            b"/bin" => b"usr/bin",
            b"/sbin" => b"usr/sbin",
            b"/lib" => b"usr/lib",
            b"/lib32" => b"usr/lib32",
            b"/lib64" => b"usr/lib64",
            b"/libx32" => b"usr/libx32",
            _ => return None,
        };
        Some(Box::from(target))
    }

    /// Let a name in a directory stand for a file, which is known by that name from now on.
    pub(super) fn place(&mut self, file: FileId, directory: FileId, name: &[u8]) {
        let name = self.names.set(directory, name, Some(file));
        self.files[file].place = Some((directory, name));
    }

    fn first_path(&self, directory: FileId, name: &[u8]) -> Vec<u8> {
        let mut path = self.path(directory);
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// The path by which a file is known now.
    pub(super) fn path(&self, file: FileId) -> Vec<u8> {
        let mut names: Vec<&[u8]> = Vec::new();
        let mut at = file;
        let mut most = 4096;
        while let Some((directory, name)) = self.files[at].place {
            let text = self.names.name(name);
            if text == b"\0below" || most == 0 {
                break;
            }
            names.push(text);
            at = self.forward(directory);
            most -= 1;
        }
        let mut path = self.files[at].first_path.to_vec();
        for name in names.iter().rev() {
            if path.last() != Some(&b'/') {
                path.push(b'/');
            }
            path.extend_from_slice(name);
        }
        path
    }

    fn refer_look_up(&mut self, start: FileId, failed: bool) {
        let steps = std::mem::take(&mut self.steps);
        if self.model.start_directory == StartDirectory::Referenced && (failed || !steps.is_empty())
        {
            self.refer_directory(start);
        }
        for (at, step) in steps.iter().enumerate() {
            self.refer_inode(step.file, Operation::Read);
            if self.model.access_time == AccessTime::EveryInodeRead {
                self.refer_inode(step.file, Operation::Update);
            }
            let last = at + 1 == steps.len();
            if !step.link && (step.searched || (last && failed)) {
                self.refer_directory(step.file);
            }
        }
        self.steps = steps;
    }

    /// A directory is read, and its access time noted.
    pub(super) fn refer_directory(&mut self, directory: FileId) {
        let length = self.directory_bytes(directory);
        self.refer(
            directory,
            Type::Directory,
            Operation::Read,
            Some(length),
            None,
        );
        self.note_access(directory);
    }

    /// A directory is changed.
    pub(super) fn write_directory(&mut self, directory: FileId) {
        let length = self.directory_bytes(directory);
        self.files[directory].changed_since_update = true;
        self.refer(
            directory,
            Type::Directory,
            Operation::Write,
            Some(length),
            None,
        );
    }

    /// What a reference to a directory moves.
    pub(super) fn directory_bytes(&self, directory: FileId) -> i64 {
        match self.model.directory_size {
            DirectorySize::Fixed512 => DIRECTORY_BYTES,
            DirectorySize::Known => self.files[directory]
                .size
                .filter(|&size| size > 0)
                .unwrap_or(DIRECTORY_BYTES),
        }
    }

    /// A reference to the inode of a file.
    pub(super) fn refer_inode(&mut self, file: FileId, operation: Operation) {
        let inode = self.files.inode_of(file);
        self.refer(inode, Type::Inode, operation, Some(INODE_BYTES), None);
    }

    /// A file or directory was read: its inode's access time is written, as the model has it.
    pub(super) fn note_access(&mut self, file: FileId) {
        let write = match self.model.access_time {
            AccessTime::Strict => true,
            AccessTime::Relatime => std::mem::take(&mut self.files[file].changed_since_update),
            // each inode read was followed by an update already
            AccessTime::EveryInodeRead | AccessTime::None => false,
        };
        if write {
            self.refer_inode(file, Operation::Update);
        }
    }

    /// What a call's error tells of a look-up.
    pub(super) fn purpose_of(call: &Call<'_>) -> Option<Purpose> {
        match call.error {
            None => Some(Purpose::Find),
            Some(b"ENOENT" | b"ENOTDIR" | b"ENAMETOOLONG") => Some(Purpose::Fail),
            Some(
                b"EBADF" | b"EFAULT" | b"ENOSYS" | b"EINTR" | b"EMFILE" | b"ENFILE" | b"ENOMEM",
            ) => None,
            Some(error) if error.starts_with(b"ERESTART") => None,
            Some(_) => Some(Purpose::Find),
        }
    }

    /// A call that only looks its path up.
    pub(super) fn look_up_only(&mut self, call: &Call<'_>, follow: bool) {
        self.look_up_call(call, follow);
    }

    /// Look up a call's first path as its result says; None where the call looked nothing up.
    pub(super) fn look_up_call(&mut self, call: &Call<'_>, follow: bool) -> Option<Found> {
        let path = call.path.filter(|path| !path.is_empty())?;
        let purpose = Self::purpose_of(call)?;
        Some(self.look_up(path, call.dirfd, follow, purpose))
    }
}

/// The next element that is neither empty nor `.`, as a range, and where to look on.
fn next_element(path: &[u8], mut at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    loop {
        while path.get(at) == Some(&b'/') {
            at += 1;
        }
        if at >= path.len() {
            return None;
        }
        let end = memchr::memchr(b'/', &path[at..]).map_or(path.len(), |slash| at + slash);
        if &path[at..end] != b"." {
            return Some((at..end, end));
        }
        at = end;
    }
}
