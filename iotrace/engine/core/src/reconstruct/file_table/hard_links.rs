//! Hard links: the names of a file in addition to its main name.

use rustc_hash::FxHashMap;

use super::files::{DirectoryEntry, FileId};
use super::FileTable;

/// The most names kept for each file.
const MOST_NAMES: usize = 64;

/// Other names of files; some may no longer refer to the file.
#[derive(Debug, Default)]
pub struct HardLinks {
    of_file: FxHashMap<FileId, Vec<DirectoryEntry>>,
}

impl FileTable {
    /// Add a name of the file.
    pub(super) fn note_hard_link(&mut self, file: FileId, place: DirectoryEntry) {
        let names = &self.names;
        let places = self.hard_links.of_file.entry(file).or_default();
        if places.len() >= MOST_NAMES {
            places.retain(|&(_, name)| names.file(name) == Some(file));
        }
        if places.len() < MOST_NAMES && !places.contains(&place) {
            places.push(place);
        }
    }

    /// A name no longer refers to the file: if it was the main name, another name becomes the main name; without
    /// another one it stays.
    pub(super) fn name_lost(&mut self, file: FileId) {
        let Some(left) = self.files[file].place else {
            return;
        };
        if self.names.file(left.1) == Some(file) {
            return;
        }
        let Some(mut places) = self.hard_links.of_file.remove(&file) else {
            return;
        };
        places.retain(|&(_, name)| self.names.file(name) == Some(file));
        if let Some(place) = places.pop() {
            self.leave(file, left);
            self.files[file].place = Some(place);
            self.hard_links.of_file.insert(file, places);
        }
    }
}
