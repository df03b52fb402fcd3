//! Path look-ups: which inodes and directories a path reads, and which file it ends in (Richardson 2.3, figure 2.3).

use std::borrow::Cow;

use super::files::{FileId, DIRECTORY_BYTES, INODE_BYTES};
use super::model::{AccessTime, DirectorySize, StartDirectory};
use super::names::Entry;
use super::stream::{Operation, Type};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::{Call, FileKind};

/// One element that a look-up passed.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    file: FileId,
    /// Whether the element's directory was searched for the next one.
    searched: bool,
    /// A symbolic link; only its inode is read.
    link: bool,
}

/// What a look-up is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The path exists.
    Find,
    /// The last element may be new.
    Create,
    /// The kernel reported that the path does not exist.
    Fail,
    /// The kernel reported that some element of this or another path does not exist or is not a directory, but not
    /// which: nothing is learnt.
    Unclear,
}

/// Where a look-up ended.
#[derive(Debug)]
pub struct LookUpResult {
    /// The file; None if the name is new or does not exist.
    pub file: Option<FileId>,
    /// The directory that holds, or would hold, the last element.
    pub directory: FileId,
    /// The last element's name; empty if the path is the start itself, a root, or ends in `..`.
    pub name: Box<[u8]>,
    /// The name's entry before the look-up.
    pub entry: Entry,
}

/// Number of symbolic links at which Linux ends a look-up (ELOOP).
const MOST_LINKS: u32 = 40;
/// The most elements that fit into a path of PATH_MAX bytes.
const MOST_ELEMENTS: u32 = 2048;

impl LookUpResult {
    /// A look-up that ended in a directory instead of at a name.
    fn directory(directory: FileId) -> LookUpResult {
        LookUpResult { file: Some(directory), directory, name: Box::default(), entry: Entry::Unknown }
    }
}

impl FileTable {
    /// The directory in which a path starts.
    pub(super) fn start(&mut self, path: &[u8], dirfd: Option<i32>) -> FileId {
        if path.first() == Some(&b'/') {
            return self.process_root();
        }
        match dirfd.and_then(|fd| self.file_of_descriptor(fd)) {
            Some(directory) => directory,
            None => self.working_directory(),
        }
    }

    /// Look a path up, record what its success or failure shows, and make its references.
    pub(super) fn look_up(
        &mut self,
        path: &[u8],
        dirfd: Option<i32>,
        follow: bool,
        purpose: Purpose,
    ) -> LookUpResult {
        let start = self.start(path, dirfd);
        let shown =
            (follow && purpose == Purpose::Find).then(|| self.open_of_descriptor_path(path)).flatten();
        // the last name is a symbolic link with an unknown target
        let (mut found, failed) = self.walk(start, path, follow && shown.is_none(), purpose);
        self.refer_look_up(start, failed);
        if let Some(file) = shown.and_then(|open| self.opens[open].file) {
            found.file = Some(self.forward(file));
            found.name = Box::default();
        }
        self.looked_up = self.looked_up.or(found.file);
        self.looked_from = self.looked_from.or(Some(start));
        found
    }

    /// Walk a path without references. The steps are stored in `self.steps`. The second result is true for a look-up
    /// that ended because a name is not known to exist.
    pub(super) fn walk(
        &mut self,
        start: FileId,
        path: &[u8],
        follow: bool,
        purpose: Purpose,
    ) -> (LookUpResult, bool) {
        let mut name = std::mem::take(&mut self.name);
        let (found, failed) = self.walk_naming(start, path, follow, purpose, &mut name);
        let found = LookUpResult { name: Box::from(name.as_slice()), ..found };
        self.name = name;
        (found, failed)
    }

    /// The same, with the last element's name in a buffer, as most names are only passed.
    fn walk_naming(
        &mut self,
        start: FileId,
        path: &[u8],
        follow: bool,
        purpose: Purpose,
        found_name: &mut Vec<u8>,
    ) -> (LookUpResult, bool) {
        self.steps.clear();
        found_name.clear();
        let mut path = Cow::Borrowed(path);
        let (mut at, mut links, mut elements) = (0, 0, 0);
        let mut directory = start;
        let mut found = LookUpResult::directory(start);
        while let Some((element, next)) = next_element(&path, at) {
            let name = &path[element];
            at = next;
            elements += 1;
            if links > MOST_LINKS || elements > MOST_ELEMENTS {
                self.counts.symbolic_link_loops += 1;
                return (found, false);
            }
            if name == b".." {
                directory = self.parent(directory);
                self.leave_step(directory);
                found = LookUpResult::directory(directory);
                found_name.clear();
                continue;
            }
            let last = next_element(&path, at).is_none();
            // a slash after the last name asks for a directory, and follows a link to it
            let bare = at >= path.len();
            let proc_name = self.proc_name(directory, name);
            let name = proc_name.as_deref().unwrap_or(name);
            let entry = self.entry(directory, name);
            found = LookUpResult { file: None, directory, name: Box::default(), entry };
            found_name.clear();
            found_name.extend_from_slice(name);
            let file = match entry {
                Entry::File(file) => file,
                _ if purpose == Purpose::Unclear => return (found, true),
                _ if purpose == Purpose::Fail => {
                    if last {
                        self.names.set(directory, name, None);
                    }
                    return (found, true);
                }
                _ if last && purpose == Purpose::Create => return (found, false),
                _ => self.first_sight(directory, name, bare),
            };
            found.file = Some(file);
            let target = self.files[file].target.as_deref();
            if let (Some(target), true) = (target, !bare || follow) {
                links += 1;
                path = Cow::Owned([target, &path[at..]].concat());
                at = 0;
                self.steps.push(Step { file, searched: false, link: true });
                if path.first() == Some(&b'/') {
                    directory = self.process_root();
                }
                continue;
            }
            self.steps.push(Step { file, searched: !last, link: false });
            if !last && !self.files[file].is_directory() {
                if purpose == Purpose::Unclear {
                    found.file = None;
                    break;
                }
                self.files[file].learn_kind(FileKind::Directory);
            }
            directory = file;
        }
        self.close_walk(purpose);
        (found, purpose == Purpose::Fail)
    }

    /// The entry of a name in a directory.
    fn entry(&self, directory: FileId, name: &[u8]) -> Entry {
        match self.names.get(directory, name) {
            Entry::File(file) => Entry::File(self.forward(file)),
            other => other,
        }
    }

    /// The last element of a walk was not searched. If the kernel reports that a path does not exist although all of
    /// its names are known, the search ended before the last.
    fn close_walk(&mut self, purpose: Purpose) {
        if purpose == Purpose::Fail {
            self.steps.pop();
        } else if let Some(step) = self.steps.last_mut() {
            step.searched = false;
        }
    }

    /// `..` undoes the element before it: paths are normalised lexically, except for symbolic links.
    fn leave_step(&mut self, parent: FileId) {
        let undo = self.steps.last().is_some_and(|step| {
            !step.link && self.files[step.file].place.is_some_and(|(holder, _)| holder == parent)
        });
        if undo {
            self.steps.pop();
        }
    }

    /// `/proc/self` is a different directory for each process.
    fn proc_name(&self, directory: FileId, name: &[u8]) -> Option<Box<[u8]>> {
        if !matches!(name, b"self" | b"thread-self") || self.proc != Some(directory) {
            return None;
        }
        Some(self.tasks.pid().to_string().into_bytes().into_boxed_slice())
    }

    fn refer_look_up(&mut self, start: FileId, failed: bool) {
        let steps = std::mem::take(&mut self.steps);
        if self.model.start_directory == StartDirectory::Referenced && (failed || !steps.is_empty()) {
            self.refer_directory(start);
        }
        for (at, step) in steps.iter().enumerate() {
            self.read_inode(step.file);
            let last = at + 1 == steps.len();
            if !step.link && (step.searched || (last && failed)) {
                self.refer_directory(step.file);
            }
        }
        self.steps = steps;
    }

    /// A directory is read, and its access time updated.
    pub(super) fn refer_directory(&mut self, directory: FileId) {
        let length = self.directory_bytes(directory);
        self.refer(directory, Type::Directory, Operation::Read, Some(length), None);
        self.note_access(directory);
    }

    /// A directory is changed.
    pub(super) fn write_directory(&mut self, directory: FileId) {
        let length = self.directory_bytes(directory);
        self.files[directory].changed_since_update = true;
        self.refer(directory, Type::Directory, Operation::Write, Some(length), None);
    }

    /// The bytes that a reference to a directory moves.
    pub(super) fn directory_bytes(&self, directory: FileId) -> i64 {
        match self.model.directory_size {
            DirectorySize::Fixed512 => DIRECTORY_BYTES,
            DirectorySize::Known => {
                self.files.size(directory).filter(|&size| size > 0).unwrap_or(DIRECTORY_BYTES)
            }
        }
    }

    /// An inode is read during a look-up.
    pub(super) fn read_inode(&mut self, file: FileId) {
        self.refer_inode(file, Operation::Read);
        if self.model.access_time == AccessTime::EveryInodeRead {
            self.refer_inode(file, Operation::Update);
        }
    }

    /// A reference to the inode of a file.
    pub(super) fn refer_inode(&mut self, file: FileId, operation: Operation) {
        let inode = self.files.inode_of(file);
        self.refer(inode, Type::Inode, operation, Some(INODE_BYTES), None);
    }

    /// A file or directory was read: its inode's access time is written according to the model.
    pub(super) fn note_access(&mut self, file: FileId) {
        let write = match self.model.access_time {
            AccessTime::Strict => true,
            AccessTime::Relatime => std::mem::take(&mut self.files[file].changed_since_update),
            // each inode read has already been followed by an update
            AccessTime::EveryInodeRead | AccessTime::None => false,
        };
        if write {
            self.refer_inode(file, Operation::Update);
        }
    }

    /// A call that only looks up its path.
    pub(super) fn look_up_only(&mut self, call: &Call<'_>, follow: bool) {
        self.look_up_call(call, follow);
    }

    /// Look up a call's first path, which must exist, according to its result; None if the call made no look-up.
    pub(super) fn look_up_call(&mut self, call: &Call<'_>, follow: bool) -> Option<LookUpResult> {
        let path = call.path.filter(|path| !path.is_empty())?;
        let purpose = purpose_of(call.error, Purpose::Find)?;
        Some(self.look_up(path, call.dirfd, follow, purpose))
    }

    /// Look up a call's two paths, of which the second may be new; None if it did not look up both.
    pub(super) fn look_up_two(
        &mut self,
        call: &Call<'_>,
        follow: bool,
    ) -> Option<(LookUpResult, LookUpResult)> {
        let path = call.path.filter(|path| !path.is_empty())?;
        let path2 = call.path2.filter(|path| !path.is_empty())?;
        let purpose = purpose_of(call.error, Purpose::Create)?;
        if matches!(purpose, Purpose::Fail | Purpose::Unclear) {
            // the kernel does not report which of the two is missing: the second, if the first is known
            let start = self.start(path, call.dirfd);
            let (from, failed) = self.walk(start, path, follow, Purpose::Unclear);
            if from.file.is_none() {
                self.refer_look_up(start, failed);
                return None;
            }
        }
        let purpose = match purpose {
            Purpose::Fail => Purpose::Unclear,
            Purpose::Create if has_flag(call.flags, "RENAME_EXCHANGE") => Purpose::Find,
            other => other,
        };
        let from = self.look_up(path, call.dirfd, follow, Purpose::Find);
        let to = self.look_up(path2, call.dirfd2, false, purpose);
        Some((from, to))
    }
}

/// What a call's error shows about the look-up of its path; `otherwise` if it succeeded, None if the call failed
/// before it.
pub fn purpose_of(error: Option<&[u8]>, otherwise: Purpose) -> Option<Purpose> {
    match error {
        Some(b"ENOENT" | b"ENAMETOOLONG") => Some(Purpose::Fail),
        Some(b"ENOTDIR") => Some(Purpose::Unclear),
        Some(b"EBADF" | b"EFAULT" | b"ENOSYS" | b"EINTR" | b"EMFILE" | b"ENFILE" | b"ENOMEM") => None,
        Some(error) if error.starts_with(b"ERESTART") => None,
        Some(b"EEXIST") => Some(Purpose::Find),
        _ => Some(otherwise),
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
