//! Working directories and roots, and what the trace shows about the paths of unknown ones.

use super::files::FileId;
use super::look_up::Purpose;
use super::names::Entry;
use super::FileTable;
use crate::syscalls::call::{Call, FileKind};

impl FileTable {
    /// The root directory of the current thread.
    pub(super) fn process_root(&mut self) -> FileId {
        match self.tasks.directories().and_then(|directories| directories.root) {
            Some(root) => self.forward(root),
            None => self.root(),
        }
    }

    /// The working directory of the current thread; a directory of unknown path if the trace has not shown it.
    pub(super) fn working_directory(&mut self) -> FileId {
        if let Some(directory) =
            self.tasks.directories().and_then(|directories| directories.working_directory)
        {
            return self.forward(directory);
        }
        let (lineage, start) =
            self.tasks.directories().map_or((0, 0), |directories| (directories.lineage, directories.start));
        let directory = match self.starts.get(&start) {
            Some(&directory) => self.forward(directory),
            None => {
                let known = self.start_directory(lineage).or_else(|| self.annotated_start(start));
                let label = format!("cwd:{lineage}");
                let directory = known.unwrap_or_else(|| self.unknown_directory(label.as_bytes()));
                self.starts.insert(start, directory);
                directory
            }
        };
        self.set_working_directory(directory);
        directory
    }

    /// The directory in which a process is when the trace starts, if it was recorded along with the trace.
    fn start_directory(&mut self, process: i32) -> Option<FileId> {
        let path = self.known.start_directory(process)?.to_vec();
        let root = self.process_root();
        let (found, _) = self.walk(root, &path, true, Purpose::Create);
        self.steps.clear();
        let directory = match found.file {
            Some(file) => file,
            None => self.new_file(found.directory, &found.name, false),
        };
        Some(directory)
    }

    fn set_working_directory(&mut self, directory: FileId) {
        if let Some(directories) = self.tasks.directories() {
            directories.working_directory = Some(directory);
        }
    }

    /// chdir: a look-up, and the working directory on success.
    pub(super) fn chdir(&mut self, call: &Call<'_>) {
        let found = self.look_up_call(call, true);
        if let (None, Some(file)) = (call.error, found.and_then(|found| found.file)) {
            self.files[file].learn_kind(FileKind::Directory);
            self.set_working_directory(file);
        }
    }

    /// fchdir
    pub(super) fn fchdir(&mut self, call: &Call<'_>) {
        if call.error.is_some() {
            return;
        }
        if let Some(file) = call.fd.and_then(|fd| self.file_of_descriptor(fd)) {
            self.files[file].learn_kind(FileKind::Directory);
            self.set_working_directory(file);
        }
    }

    /// chroot: a look-up, and the root on success.
    pub(super) fn chroot(&mut self, call: &Call<'_>) {
        let found = self.look_up_call(call, true);
        if let (None, Some(file)) = (call.error, found.and_then(|found| found.file)) {
            if let Some(directories) = self.tasks.directories() {
                directories.root = Some(file);
            }
        }
    }

    /// getcwd shows the working directory's path.
    pub(super) fn getcwd(&mut self, call: &Call<'_>) {
        if call.error.is_none() {
            if let Some(path) = call.path2 {
                self.reveal_working_directory(path);
            }
        }
    }

    /// The working directory has this path, so the unknown directory in which its known path starts has the remaining
    /// part.
    pub(super) fn reveal_working_directory(&mut self, path: &[u8]) {
        let directory = self.working_directory();
        if path.first() != Some(&b'/') {
            return;
        }
        if let Some((start, path)) = self.unknown_start(directory, path) {
            let root = self.process_root();
            self.identify(start, root, path);
        }
    }

    /// The unknown directory in which the path of a directory starts, and its part of this path; None if the
    /// directory's path is known or different.
    pub(super) fn unknown_start<'p>(
        &self,
        mut directory: FileId,
        mut path: &'p [u8],
    ) -> Option<(FileId, &'p [u8])> {
        while !self.files[directory].unknown {
            let (above, name) = self.files[directory].place?;
            let slash = memchr::memrchr(b'/', path)?;
            if &path[slash + 1..] != self.names.name(name) {
                return None;
            }
            path = &path[..slash];
            directory = self.forward(above);
        }
        Some((directory, path))
    }

    /// A directory of unknown path is found to have this path below a root.
    pub(super) fn identify(&mut self, directory: FileId, root: FileId, path: &[u8]) {
        let (found, _) = self.walk(root, path, true, Purpose::Create);
        self.steps.clear();
        let known = found.file.or_else(|| self.annotated_file(found.directory, &found.name));
        match known {
            Some(known) => self.merge(directory, known),
            None if !self.is_within(found.directory, directory) => {
                let above = self.files[directory].place.map(|(above, _)| above);
                self.place(directory, found.directory, &found.name);
                self.files[directory].unknown = false;
                if let Some(above) = above {
                    self.merge(above, found.directory);
                }
            }
            None => self.counts.impossible_calls += 1,
        }
    }

    /// Directories are found to be identical to others: their names move there, and later look-ups go there.
    pub(super) fn merge(&mut self, from: FileId, into: FileId) {
        let mut pairs = vec![(from, into)];
        while let Some((from, into)) = pairs.pop() {
            let (from, into) = (self.forward(from), self.forward(into));
            if from == into {
                continue;
            }
            if self.is_within(into, from) {
                // a directory is not below itself: the reconstruction was wrong before
                self.counts.impossible_calls += 1;
                continue;
            }
            let above = self.files[from].place.map(|(above, _)| above);
            self.forwards.insert(from, into);
            self.files[into].made_after_mounts = None;
            for (name, file) in self.names.in_directory(from) {
                self.carry_over(&name, file, into, &mut pairs);
            }
            if let (Some(above), Some((parent, _))) = (above, self.files[into].place) {
                if self.files[above].unknown {
                    pairs.push((above, parent));
                }
            }
        }
    }

    /// Move a name to the directory that its own was found to be, unless that has the name already.
    fn carry_over(&mut self, name: &[u8], file: FileId, into: FileId, pairs: &mut Vec<(FileId, FileId)>) {
        let file = self.forward(file);
        match self.names.get(into, name) {
            Entry::File(known) if self.files[file].is_directory() && self.files[known].is_directory() => {
                pairs.push((file, known));
            }
            Entry::File(_) => {}
            _ if self.is_within(into, file) => {}
            _ => self.place(file, into, name),
        }
    }
}
