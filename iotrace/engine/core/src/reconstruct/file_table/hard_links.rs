//! The names of a file beyond the one by which it is known: hard links.

use rustc_hash::FxHashMap;

use super::files::{FileId, Place};
use super::FileTable;

/// The most names kept for each file.
const MOST_NAMES: usize = 64;

/// Other names of files; some may no longer refer to the file.
#[derive(Debug, Default)]
pub struct HardLinks {
    of_file: FxHashMap<FileId, Vec<Place>>,
}

impl FileTable {
    /// The file has this name too.
    pub(super) fn note_hard_link(&mut self, file: FileId, place: Place) {
        let names = &self.names;
        let places = self.hard_links.of_file.entry(file).or_default();
        if places.len() >= MOST_NAMES {
            places.retain(|&(_, name)| names.file(name) == Some(file));
        }
        if places.len() < MOST_NAMES && !places.contains(&place) {
            places.push(place);
        }
    }

    /// A name stands for the file no longer: if it was the one by which it is known, it is known by another from now
    /// on, and by that one still where there is none.
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
