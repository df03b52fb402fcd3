//! Places of files in directories, their current and first paths, and directories of unknown path.

use rustc_hash::FxHashMap;

use super::files::{DirectoryEntry, FileId, Kind};
use super::model::MergedUsr;
use super::FileTable;
use crate::syscalls::call::FileKind;

/// The deepest path that is constructed; no directory is taken to be deeper.
const MOST_ELEMENTS: u16 = 4096;
/// The longest path that is constructed; the kernel's longest is 4096 bytes.
const MOST_PATH_BYTES: usize = 1 << 16;

/// Places of files before they were moved, so that first paths can be constructed at the end.
#[derive(Debug, Default)]
pub struct Moves {
    count: u32,
    before: FxHashMap<FileId, Vec<(u32, DirectoryEntry)>>,
}

impl Moves {
    /// A file leaves a place. For files other than directories only the first place is kept: nothing was ever below
    /// them.
    fn note(&mut self, file: FileId, left: DirectoryEntry, is_directory: bool) {
        self.count += 1;
        let places = self.before.entry(file).or_default();
        if places.is_empty() || is_directory {
            places.push((self.count, left));
        }
    }

    /// The place of a file after the first `since` moves, if it has moved since.
    fn place(&self, file: FileId, since: u32) -> Option<DirectoryEntry> {
        let places = self.before.get(&file)?;
        let at = places.partition_point(|&(left, _)| left <= since);
        places.get(at).map(|&(_, place)| place)
    }
}

impl FileTable {
    /// The root directory.
    pub(super) fn root(&mut self) -> FileId {
        if let Some(root) = self.root {
            return root;
        }
        let root = self.files.add(Kind::Of(FileKind::Directory));
        self.files[root].label = Box::from(&b"/"[..]);
        self.files[root].links = 1;
        self.root = Some(root);
        root
    }

    /// The directory that this one was found to be identical to.
    pub(super) fn forward(&self, mut directory: FileId) -> FileId {
        if self.forwards.is_empty() {
            return directory;
        }
        while let Some(&next) = self.forwards.get(&directory) {
            directory = next;
        }
        directory
    }

    /// The parent directory.
    pub(super) fn parent(&mut self, directory: FileId) -> FileId {
        if self.root == Some(directory) || directory == self.process_root() {
            return directory;
        }
        if let Some((parent, _)) = self.files[directory].place {
            return self.forward(parent);
        }
        if let Some(parent) = self.parent_of_annotated(directory) {
            return parent;
        }
        let Some(label) = label_above(&self.files[directory].label) else {
            return self.root();
        };
        let above = self.unknown_directory(&label);
        let name = self.names.set(above, b"", None);
        self.files[directory].place = Some((above, name));
        above
    }

    /// A directory whose path the trace has not shown.
    pub(super) fn unknown_directory(&mut self, label: &[u8]) -> FileId {
        let directory = self.files.add(Kind::Of(FileKind::Directory));
        let file = &mut self.files[directory];
        file.label = Box::from(label);
        file.links = 1;
        file.unknown = true;
        directory
    }

    /// A file seen for the first time, under this name.
    pub(super) fn new_file(&mut self, directory: FileId, name: &[u8], last: bool) -> FileId {
        if self.files[directory].kind == Kind::Unknown {
            self.files[directory].learn_kind(FileKind::Directory);
        }
        let above = &self.files[directory];
        let (at_root, depth) = (self.root == Some(directory), above.depth.saturating_add(1));
        let below_dev = above.below_dev && !(depth == 2 && name == b"shm") || at_root && name == b"dev";
        let target = self.assumed_target(directory, name);
        let kind = match (last, below_dev && !at_root) {
            _ if target.is_some() => Kind::Of(FileKind::Symlink),
            (false, _) => Kind::Of(FileKind::Directory),
            (true, true) => Kind::Of(FileKind::CharacterDevice),
            (true, false) => Kind::Unknown,
        };
        let file = self.files.add(kind);
        if at_root && name == b"proc" {
            self.proc = Some(file);
        }
        let record = &mut self.files[file];
        record.links = 1;
        record.depth = depth;
        record.below_dev = below_dev;
        record.since = self.moves.count;
        record.target = target;
        self.place(file, directory, name);
        if !self.known.is_empty() {
            let path = self.path(file).unwrap_or_default();
            if let Some(size) = self.known.get(&path).and_then(|known| known.size_bytes) {
                self.files[file].learn_size(size);
            }
        }
        file
    }

    /// Links that every Linux system has, and those of current distributions.
    fn assumed_target(&self, directory: FileId, name: &[u8]) -> Option<Box<[u8]>> {
        let merged_usr = self.model.merged_usr == MergedUsr::Assumed;
        let target: &[u8] = match name {
            b"mounts" if self.proc == Some(directory) => b"self/mounts",
            b"net" if self.proc == Some(directory) => b"self/net",
            _ if self.root != Some(directory) || !merged_usr => return None,
            b"bin" => b"usr/bin",
            b"sbin" => b"usr/sbin",
            b"lib" => b"usr/lib",
            b"lib32" => b"usr/lib32",
            b"lib64" => b"usr/lib64",
            b"libx32" => b"usr/libx32",
            _ => return None,
        };
        Some(Box::from(target))
    }

    /// Make a name in a directory refer to a file, as its main name from now on.
    pub(super) fn place(&mut self, file: FileId, directory: FileId, name: &[u8]) {
        let name = self.names.set(directory, name, Some(file));
        self.files[file].place = Some((directory, name));
    }

    /// The same for a file that had no name: its first path is this one.
    pub(super) fn place_unnamed(&mut self, file: FileId, directory: FileId, name: &[u8]) {
        let depth = self.files[directory].depth.saturating_add(1);
        let record = &mut self.files[file];
        record.depth = depth;
        record.since = self.moves.count;
        self.place(file, directory, name);
    }

    /// The same for a file that moves from another place.
    pub(super) fn move_to(&mut self, file: FileId, directory: FileId, name: &[u8]) {
        if let Some(left) = self.files[file].place {
            self.leave(file, left);
            if self.files[file].links > 1 {
                self.note_hard_link(file, left);
            }
        }
        self.place(file, directory, name);
    }

    /// Record a place that a file leaves.
    pub(super) fn leave(&mut self, file: FileId, left: DirectoryEntry) {
        let is_directory = self.files[file].is_directory();
        self.moves.note(file, left, is_directory);
    }

    /// Whether a directory is this file or below it; assumed if the directory is too deep to determine it.
    pub(super) fn is_within(&self, directory: FileId, file: FileId) -> bool {
        if !matches!(self.files[file].kind, Kind::Unknown | Kind::Of(FileKind::Directory)) {
            return false;
        }
        let mut at = self.forward(directory);
        for _ in 0..MOST_ELEMENTS {
            if at == file {
                return true;
            }
            match self.files[at].place {
                Some((above, _)) => at = self.forward(above),
                None => return false,
            }
        }
        true
    }

    /// The current path of a file; None if it is too long or too deep.
    pub(super) fn path(&self, file: FileId) -> Option<Vec<u8>> {
        self.path_by(file, |at| self.files[at].place)
    }

    /// The first path of a file; directories whose path became known later have that path.
    pub(super) fn path_at_first(&self, file: FileId) -> Option<Vec<u8>> {
        let since = self.files[file].since;
        self.path_by(file, |at| self.moves.place(at, since).or(self.files[at].place))
    }

    fn path_by(&self, file: FileId, place: impl Fn(FileId) -> Option<DirectoryEntry>) -> Option<Vec<u8>> {
        if self.files[file].depth > MOST_ELEMENTS {
            return None;
        }
        let mut names: Vec<&[u8]> = Vec::new();
        let mut length = 0;
        let mut at = self.forward(file);
        while let (Some((directory, name)), false) = (place(at), self.files[at].unknown) {
            let name = self.names.name(name);
            length += name.len() + 1;
            if names.len() >= usize::from(MOST_ELEMENTS) || length > MOST_PATH_BYTES {
                return None;
            }
            names.push(name);
            at = self.forward(directory);
        }
        let mut path = Vec::with_capacity(length + self.files[at].label.len());
        path.extend_from_slice(&self.files[at].label);
        for name in names.iter().rev() {
            if path.last() != Some(&b'/') {
                path.push(b'/');
            }
            path.extend_from_slice(name);
        }
        Some(path)
    }

    /// The label of the directory in which a file's path starts.
    pub(super) fn start_label(&self, file: FileId) -> &[u8] {
        let mut at = self.forward(file);
        for _ in 0..MOST_ELEMENTS {
            match self.files[at].place {
                Some((above, _)) if !self.files[at].unknown => at = self.forward(above),
                _ => break,
            }
        }
        &self.files[at].label
    }
}

/// `cwd:7:above` for `cwd:7`, `cwd:7:above:2` above that, and so on; None if no directory is that deep.
fn label_above(label: &[u8]) -> Option<Vec<u8>> {
    const ABOVE: &[u8] = b":above";
    let Some(at) = memchr::memmem::rfind(label, ABOVE) else {
        return Some([label, ABOVE].concat());
    };
    let number = label.get(at + ABOVE.len() + 1..).unwrap_or_default();
    let levels: u16 = std::str::from_utf8(number).ok()?.parse().unwrap_or(1);
    let above = format!(":{}", levels + 1).into_bytes();
    (levels < MOST_ELEMENTS).then(|| [&label[..at + ABOVE.len()], &above].concat())
}
