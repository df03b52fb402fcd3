//! How the reconstruction agrees with the kernel: logs recorded with `strace -y` hold the path of every descriptor.
//!
//! The reconstruction never uses those paths. A call agrees if the kernel's path is the one that most calls on its
//! reconstructed file have, and that path has no second reconstructed file beyond hard links (DESIGN.md 3). A file
//! that is renamed rightly changes its path, so what is compared is the file under one name.

use rustc_hash::FxHashMap;

use super::descriptors::OpenId;
use super::files::FileId;
use super::FileTable;
use crate::call::{Call, DescriptorPath};

/// Why calls disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The descriptor was taken for something that is no file.
    NotAFile,
    /// The descriptor came from before the trace, so that its file is not known to be the one that was opened by path.
    InheritedDescriptor,
    /// A path started in a directory whose own path the trace never tells.
    UnknownStart,
    /// Two names of one file that a symbolic link joins which the trace never resolves.
    UnresolvedLink,
    /// The file has other paths in the kernel's eyes.
    OtherFile,
}

impl Cause {
    /// The cause's name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Cause::NotAFile => "not_a_file",
            Cause::InheritedDescriptor => "inherited_descriptor",
            Cause::UnknownStart => "unknown_start_directory",
            Cause::UnresolvedLink => "unresolved_symbolic_link",
            Cause::OtherFile => "other_file",
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Pair {
    calls: i64,
    literal: i64,
    renames_when_compared: u64,
    literal_now: bool,
}

/// Counts of calls by reconstructed file and kernel's path.
#[derive(Debug, Default)]
pub struct Agreement {
    paths: FxHashMap<Box<[u8]>, u32>,
    pairs: FxHashMap<(FileId, u32), Pair>,
    not_a_file: i64,
    renames: u64,
}

/// The verdict.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Read and write calls on regular files for which the log has the kernel's path.
    pub checked: i64,
    /// Those that agree.
    pub agreed: i64,
    /// Those whose path is literally the kernel's.
    pub literal: i64,
    /// Disagreeing calls by cause.
    pub disagreed: Vec<(&'static str, i64)>,
}

impl Agreement {
    /// Some file changed its name, so paths have to be compared anew.
    pub fn renamed(&mut self) {
        self.renames += 1;
    }
}

impl FileTable {
    /// Compare a call's file with what the kernel says.
    pub(super) fn judge(&mut self, open: OpenId, call: &Call<'_>) {
        let Some(kernel) = call.fd_path.filter(is_regular) else { return };
        let Some(file) = self.opens[open].file.filter(|&file| self.files[file].on_disk()) else {
            self.agreement.not_a_file += 1;
            return;
        };
        let path = match self.agreement.paths.get(kernel.path) {
            Some(&path) => path,
            None => {
                let path = self.agreement.paths.len() as u32;
                self.agreement.paths.insert(Box::from(kernel.path), path);
                path
            }
        };
        let renames = self.agreement.renames;
        let known = self.agreement.pairs.get(&(file, path)).copied();
        let literal_now = match known {
            Some(pair) if pair.renames_when_compared == renames => pair.literal_now,
            _ => self.path(file) == kernel.path,
        };
        let pair = self.agreement.pairs.entry((file, path)).or_default();
        pair.calls += 1;
        pair.literal += i64::from(literal_now);
        pair.literal_now = literal_now;
        pair.renames_when_compared = renames;
    }

    /// Judge all calls.
    pub fn verdict(&self) -> Verdict {
        let pairs = &self.agreement.pairs;
        let mut most: FxHashMap<FileId, (i64, u32)> = FxHashMap::default();
        let mut files_of_path: FxHashMap<u32, Vec<FileId>> = FxHashMap::default();
        for (&(file, path), pair) in pairs {
            let best = most.entry(file).or_insert((0, u32::MAX));
            if (pair.calls, u32::MAX - path) > (best.0, u32::MAX - best.1) {
                *best = (pair.calls, path);
            }
            files_of_path.entry(path).or_default().push(file);
        }
        let mut verdict = Verdict { checked: self.agreement.not_a_file, ..Verdict::default() };
        let mut causes: FxHashMap<Cause, i64> = FxHashMap::default();
        if self.agreement.not_a_file > 0 {
            causes.insert(Cause::NotAFile, self.agreement.not_a_file);
        }
        for (&(file, path), pair) in pairs {
            verdict.checked += pair.calls;
            verdict.literal += pair.literal;
            let majority = most.get(&file).is_some_and(|best| best.1 == path);
            let alone = files_of_path.get(&path).is_some_and(|files| files.len() == 1);
            if majority && alone {
                verdict.agreed += pair.calls;
            } else {
                let files = files_of_path.get(&path).map_or(&[][..], Vec::as_slice);
                *causes.entry(self.cause(files, alone)).or_default() += pair.calls;
            }
        }
        verdict.disagreed = causes.into_iter().map(|(cause, calls)| (cause.name(), calls)).collect();
        verdict.disagreed.sort_unstable();
        verdict
    }

    fn cause(&self, files: &[FileId], alone: bool) -> Cause {
        let starts = |prefix: &[u8]| files.iter().any(|&file| self.files[file].first_path.starts_with(prefix));
        if starts(b"fd:") {
            Cause::InheritedDescriptor
        } else if starts(b"cwd:") {
            Cause::UnknownStart
        } else if !alone {
            Cause::UnresolvedLink
        } else {
            Cause::OtherFile
        }
    }
}

/// Whether the kernel's path is a regular file's: absolute, and no device.
fn is_regular(kernel: &DescriptorPath<'_>) -> bool {
    let path = kernel.path;
    path.first() == Some(&b'/') && (!path.starts_with(b"/dev/") || path.starts_with(b"/dev/shm/"))
}
