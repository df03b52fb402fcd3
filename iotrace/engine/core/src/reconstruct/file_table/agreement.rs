//! How the reconstruction agrees with the kernel: logs recorded with `strace -y` hold the path of every descriptor.
//!
//! The reconstruction never uses those paths. A call agrees if the kernel's path is the one that most calls on its
//! reconstructed file have, or is a known name of the file (one of its hard links, even if removed since), and no
//! second reconstructed file has that path, apart from hard links (docs/design.md 3). The kernel's paths follow
//! renames, so the first condition is checked between one rename of the file and the next. Files that had the path at
//! different times do not count as second files if the reconstruction saw the earlier one lose it (by unlink or
//! rename) before the later one was used.
//!
//! If a path has two files at one time and no trace without the kernel's paths could distinguish them, the calls on
//! the file that cannot be identified are not checked but counted as undecidable, by cause: a file opened by an
//! absolute path that the log shows to lead elsewhere, through a symbolic link that no call reveals; and a descriptor
//! from before the trace, whose only path is the kernel's: calls on it are never judged.

use crate::columns::{named, Named};
use rustc_hash::{FxHashMap, FxHashSet};

use super::descriptors::OpenId;
use super::files::FileId;
use super::FileTable;
use crate::syscalls::call::{Call, DescriptorPath};

named! {
    /// Why calls disagree, or are undecidable.
    pub enum Cause {
        /// The reconstruction took the descriptor for something other than a file.
        NotAFile = "not_a_file",
        /// The descriptor was open before the trace began.
        InheritedDescriptor = "inherited_descriptor",
        /// A path started in a directory whose path the trace never shows.
        UnknownStart = "unknown_start_directory",
        /// An absolute name leads through a symbolic link that no call reveals.
        UnrevealedLink = "unrevealed_symbolic_link",
        /// Two reconstructed files have the kernel's path at the same time.
        SecondFile = "second_file",
        /// The kernel gives the file other paths.
        OtherPath = "other_path",
    }
}

/// A reconstructed path is shown up to this length.
const MOST_SHOWN_BYTES: usize = 4096;
/// The most bytes of reconstructed paths that are kept for display.
const MOST_KEPT_BYTES: usize = 64 << 20;
/// The most disagreements that are listed, and the most bytes of their paths.
const MOST_LISTED: usize = 100_000;
const MOST_LISTED_BYTES: usize = 64 << 20;

/// The calls on one reconstructed file, between two of its renames, that the kernel gives one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    file: FileId,
    /// Earlier renames of the file, and of any directory.
    renames: (u32, u32),
    path: u32,
    /// Whether the kernel says that the path was deleted.
    deleted: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Pair {
    calls: i64,
    literal: i64,
    /// Whether the reconstructed path was identical to the kernel's at the first call.
    literally: bool,
    /// The first and the last call, numbered over all calls.
    first: i64,
    last: i64,
    /// Their rows of table `syscall`.
    first_seq: i64,
    last_seq: i64,
    /// Whether the kernel's path was a known name of the reconstructed file at the first call.
    is_name: bool,
    /// The reconstructed path at the first call; None if it is too long to show.
    ours: Option<u32>,
}

impl Pair {
    fn new(call_seq: i64, now: i64) -> Pair {
        Pair { calls: 1, first: now, last: now, first_seq: call_seq, last_seq: call_seq, ..Pair::default() }
    }

    fn add(&mut self, call_seq: i64, now: i64) {
        self.calls += 1;
        self.literal += i64::from(self.literally);
        self.last = now;
        self.last_seq = call_seq;
    }
}

/// The verdict on the calls of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ruling {
    Agreed,
    Disagreed(Cause),
    Undecidable(Cause),
}

/// Calls on one reconstructed file that the kernel gives one other path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The first call's row of table `syscall`.
    pub call_seq: i64,
    /// The last call's row.
    pub last_call_seq: i64,
    /// The number of calls.
    pub calls: i64,
    /// The kernel's path.
    pub kernel_path: Box<[u8]>,
    /// The reconstructed path at the first call; None if there is none.
    pub reconstructed_path: Option<Box<[u8]>>,
    /// The cause, as in the manifest.
    pub reason: &'static str,
}

/// Calls that disagree, by the first of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disagreements {
    /// The listed ones.
    pub listed: Vec<Disagreement>,
    /// The number of disagreements that are not listed.
    pub unlisted: i64,
}

/// Counts of calls by reconstructed file and kernel's path.
#[derive(Debug, Default)]
pub struct Agreement {
    paths: FxHashMap<Box<[u8]>, u32>,
    pairs: FxHashMap<Key, Pair>,
    /// By the kernel's path: calls on descriptors taken for something other than a file.
    not_files: FxHashMap<u32, Pair>,
    /// Calls on descriptors from before the trace, which are not judged.
    inherited: i64,
    calls: i64,
    directory_renames: u32,
    /// Bytes of reconstructed paths kept for display.
    kept_bytes: usize,
}

/// The verdict.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Read and write calls on regular files for which the log has the kernel's path.
    pub calls: i64,
    /// Those that are decidable.
    pub checked: i64,
    /// Decidable calls that agree.
    pub agreed: i64,
    /// Calls whose reconstructed path is identical to the kernel's.
    pub literal: i64,
    /// Disagreeing calls by cause.
    pub disagreed: Vec<(&'static str, i64)>,
    /// Undecidable calls by cause.
    pub undecidable: Vec<(&'static str, i64)>,
}

impl Agreement {
    /// A directory was renamed, which changes the paths of everything below it.
    pub fn directory_renamed(&mut self) {
        self.directory_renames += 1;
    }

    fn path(&mut self, path: &[u8]) -> u32 {
        if let Some(&number) = self.paths.get(path) {
            return number;
        }
        let number = self.paths.len() as u32;
        self.paths.insert(Box::from(path), number);
        number
    }

    /// The number of a reconstructed path; None if it is not kept.
    fn reconstructed_path(&mut self, path: &[u8]) -> Option<u32> {
        if path.len() > MOST_SHOWN_BYTES {
            return None;
        }
        if !self.paths.contains_key(path) {
            if self.kept_bytes + path.len() > MOST_KEPT_BYTES {
                return None;
            }
            self.kept_bytes += path.len();
        }
        Some(self.path(path))
    }
}

impl FileTable {
    /// Compare a call's file with the kernel's path.
    pub(super) fn judge(&mut self, open: OpenId, call: &Call<'_>) {
        let Some(kernel) = call.fd_path.filter(is_regular) else {
            return;
        };
        self.agreement.calls += 1;
        if self.opens[open].inherited {
            self.agreement.inherited += 1;
            return;
        }
        let (seq, now) = (call.seq, self.agreement.calls);
        let path = self.agreement.path(kernel.path);
        let Some(file) = self.opens[open].file.filter(|&file| self.files[file].on_disk()) else {
            let pairs = self.agreement.not_files.entry(path);
            pairs.and_modify(|pair| pair.add(seq, now)).or_insert_with(|| Pair::new(seq, now));
            return;
        };
        let key = Key {
            file,
            renames: (self.files[file].renames, self.agreement.directory_renames),
            path,
            deleted: kernel.deleted,
        };
        if let Some(pair) = self.agreement.pairs.get_mut(&key) {
            pair.add(seq, now);
            return;
        }
        let ours = self.path(file);
        let literally = ours.as_deref() == Some(kernel.path);
        let ours = ours.and_then(|path| self.agreement.reconstructed_path(&path));
        let pair = Pair {
            literal: i64::from(literally),
            literally,
            is_name: literally || self.file_at(kernel.path) == Some(file),
            ours,
            ..Pair::new(seq, now)
        };
        self.agreement.pairs.insert(key, pair);
    }

    /// Record whether the kernel resolved the absolute path by which a file was opened to another path.
    pub(super) fn judge_name(&mut self, file: FileId, call: &Call<'_>) {
        let Some(kernel) = call.fd_path.filter(is_regular) else {
            return;
        };
        let absolute = call.path.is_some_and(|path| path.first() == Some(&b'/'));
        if absolute
            && !self.files[file].leads_elsewhere
            && self.path(file).is_none_or(|path| path != kernel.path)
        {
            self.files[file].leads_elsewhere = true;
        }
    }

    /// Judge all calls.
    pub fn verdict(&self) -> Verdict {
        let mut verdict = Verdict { calls: self.agreement.calls, ..Verdict::default() };
        let mut disagreed: FxHashMap<Cause, i64> = FxHashMap::default();
        let mut undecidable: FxHashMap<Cause, i64> = FxHashMap::default();
        if self.agreement.inherited > 0 {
            undecidable.insert(Cause::InheritedDescriptor, self.agreement.inherited);
        }
        for pair in self.agreement.not_files.values() {
            *disagreed.entry(Cause::NotAFile).or_default() += pair.calls;
        }
        for (_, pair, ruling) in self.rulings() {
            verdict.literal += pair.literal;
            match ruling {
                Ruling::Agreed => verdict.agreed += pair.calls,
                Ruling::Disagreed(cause) => *disagreed.entry(cause).or_default() += pair.calls,
                Ruling::Undecidable(cause) => *undecidable.entry(cause).or_default() += pair.calls,
            }
        }
        let undecided: i64 = undecidable.values().sum();
        verdict.checked = verdict.calls - undecided;
        verdict.disagreed = by_name(disagreed);
        verdict.undecidable = by_name(undecidable);
        verdict
    }

    /// The verdicts on all pairs.
    fn rulings(&self) -> Vec<(Key, Pair, Ruling)> {
        let mut rulings = Vec::with_capacity(self.agreement.pairs.len());
        let most = self.most_frequent_paths();
        let pairs = self.agreement.pairs.iter();
        let names: FxHashSet<(FileId, u32)> =
            pairs.filter(|(_, pair)| pair.is_name).map(|(key, _)| (key.file, key.path)).collect();
        for (path, users) in self.users_of_paths() {
            let contested = self.has_second_file(&users);
            let decidable: Vec<(Key, Pair)> =
                users.iter().copied().filter(|(key, _)| self.excuse(key.file).is_none()).collect();
            let second = self.has_second_file(&decidable).then(|| self.second_cause(&decidable));
            for (key, pair) in users {
                let best = most.get(&(key.file, key.renames));
                let ruling = if let Some(cause) = self.excuse(key.file).filter(|_| contested) {
                    Ruling::Undecidable(cause)
                } else if let Some(cause) = second {
                    Ruling::Disagreed(cause)
                } else if best.is_some_and(|best| best.1 == path)
                    || pair.is_name
                    || (key.deleted && names.contains(&(key.file, path)))
                {
                    Ruling::Agreed
                } else {
                    Ruling::Disagreed(Cause::OtherPath)
                };
                rulings.push((key, pair, ruling));
            }
        }
        rulings
    }

    /// The calls that disagree, by the first of each kind, up to the limit of the list.
    pub fn disagreements(&self) -> Disagreements {
        let mut paths: Vec<&[u8]> = vec![b""; self.agreement.paths.len()];
        for (path, &number) in &self.agreement.paths {
            paths[number as usize] = path;
        }
        let shown = |pair: &Pair, path: u32, cause: Cause| Disagreement {
            call_seq: pair.first_seq,
            last_call_seq: pair.last_seq,
            calls: pair.calls,
            kernel_path: Box::from(paths[path as usize]),
            reconstructed_path: pair.ours.map(|ours| Box::from(paths[ours as usize])),
            reason: cause.name(),
        };
        let not_files = self.agreement.not_files.iter();
        let mut all: Vec<(Pair, u32, Cause)> =
            not_files.map(|(&path, &pair)| (pair, path, Cause::NotAFile)).collect();
        for (key, pair, ruling) in self.rulings() {
            if let Ruling::Disagreed(cause) = ruling {
                all.push((pair, key.path, cause));
            }
        }
        all.sort_unstable_by_key(|&(pair, path, _)| (pair.first_seq, paths[path as usize]));
        let mut listed: Vec<Disagreement> = Vec::new();
        let mut bytes = 0;
        for (pair, path, cause) in &all {
            if listed.len() >= MOST_LISTED || bytes > MOST_LISTED_BYTES {
                break;
            }
            let row = shown(pair, *path, *cause);
            bytes += row.kernel_path.len() + row.reconstructed_path.as_deref().map_or(0, <[u8]>::len);
            listed.push(row);
        }
        let unlisted = (all.len() - listed.len()) as i64;
        Disagreements { listed, unlisted }
    }

    /// Why a file cannot be distinguished from another one with the same path.
    fn excuse(&self, file: FileId) -> Option<Cause> {
        if self.start_label(file).starts_with(b"fd:") {
            Some(Cause::InheritedDescriptor)
        } else if self.files[file].leads_elsewhere {
            Some(Cause::UnrevealedLink)
        } else {
            None
        }
    }

    fn second_cause(&self, users: &[(Key, Pair)]) -> Cause {
        let unknown = users.iter().any(|(key, _)| self.start_label(key.file).starts_with(b"cwd:"));
        if unknown {
            Cause::UnknownStart
        } else {
            Cause::SecondFile
        }
    }

    /// For each file between two renames, the path that most of its calls have, and their number.
    fn most_frequent_paths(&self) -> FxHashMap<(FileId, (u32, u32)), (i64, u32)> {
        let mut calls: FxHashMap<(FileId, (u32, u32), u32), i64> = FxHashMap::default();
        for (key, pair) in &self.agreement.pairs {
            *calls.entry((key.file, key.renames, key.path)).or_default() += pair.calls;
        }
        let mut most = FxHashMap::default();
        for ((file, renames, path), calls) in calls {
            let best = most.entry((file, renames)).or_insert((0, u32::MAX));
            if (calls, u32::MAX - path) > (best.0, u32::MAX - best.1) {
                *best = (calls, path);
            }
        }
        most
    }

    /// For each of the kernel's paths, the reconstructed files that have it, in the order of their first call.
    fn users_of_paths(&self) -> FxHashMap<u32, Vec<(Key, Pair)>> {
        let mut users: FxHashMap<u32, Vec<(Key, Pair)>> = FxHashMap::default();
        for (&key, &pair) in &self.agreement.pairs {
            users.entry(key.path).or_default().push((key, pair));
        }
        for users in users.values_mut() {
            users.sort_unstable_by_key(|(key, pair)| (pair.first, *key));
        }
        users
    }

    /// Whether two reconstructed files have one path at the same time. A deleted file keeps its path in the kernel.
    fn has_second_file(&self, users: &[(Key, Pair)]) -> bool {
        let mut holder: Option<(FileId, i64)> = None;
        for (key, pair) in users.iter().filter(|(key, _)| !key.deleted) {
            if let Some((file, last)) = holder {
                let gave_way =
                    self.files[file].deleted || self.files[file].renames > 0 || self.files[file].replaced;
                if file != key.file && !(gave_way && last < pair.first) {
                    return true;
                }
            }
            holder = Some((key.file, holder.map_or(pair.last, |(_, last)| last.max(pair.last))));
        }
        false
    }
}

fn by_name(calls: FxHashMap<Cause, i64>) -> Vec<(&'static str, i64)> {
    let mut named: Vec<_> = calls.into_iter().map(|(cause, calls)| (cause.name(), calls)).collect();
    named.sort_unstable();
    named
}

/// Whether the kernel's path is that of a regular file: absolute, and not a device.
fn is_regular(kernel: &DescriptorPath<'_>) -> bool {
    let path = kernel.path;
    path.first() == Some(&b'/') && (!path.starts_with(b"/dev/") || path.starts_with(b"/dev/shm/"))
}
