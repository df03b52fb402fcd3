//! Offsets counted from an unknown place.
//!
//! The file pointer of a descriptor from before the trace is unknown, and so is the offset of an append to a file of
//! unknown size. The distances of later references are known: their offsets are counted from that unknown place, in a
//! separate space of offsets. To keep the blocks of different spaces distinct, each space of a file except the first
//! one used has a separate row of table `file`, with the path of the file. When an lseek or a size reveals where a
//! space starts, later references have true offsets; earlier ones may have been written already, so the correction is
//! kept until the end.

use rustc_hash::FxHashMap;

use super::files::{FileId, Kind};
use super::stream::OffsetSource;
use super::FileTable;
use crate::columns::Word;

/// Offsets of one file from one unknown place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Space(u32);

/// Where a transfer begins.
#[derive(Debug, Clone, Copy)]
pub struct TransferOffset {
    /// None if the offset is from the file's start.
    pub space: Option<Space>,
    /// None if it is unknown.
    pub offset: Option<i64>,
    /// The source of the offset.
    pub source: OffsetSource,
}

/// The correction of the references of one row of table `file`: those whose `offset_source` is `relative` move by
/// `start_bytes` and get another source; all of them belong to `target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebase {
    /// The row of table `file`.
    pub file: i32,
    /// Where the space starts.
    pub start_bytes: i64,
    /// The new `offset_source` of the relative references.
    pub source: &'static str,
    /// The file to which the references belong.
    pub target: i32,
}

/// The references in one space.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    references: i64,
    bytes: i64,
    /// The furthest end of a reference.
    end: i64,
}

/// A row of table `file` for a space of a file in addition to the file's main row.
#[derive(Debug, Clone, Copy)]
struct Twin {
    file: FileId,
    /// Whether it is among the file's rows with writes since the last sync.
    unsynced: bool,
    /// Whether it is among the file's rows with data since the last truncation to size 0.
    has_data: bool,
}

/// All spaces.
#[derive(Debug, Default)]
pub struct Spaces {
    next: u32,
    /// For a file that was ever referenced in a space: the space of the file's main row.
    primary: FxHashMap<FileId, Option<Space>>,
    /// The rows of the other spaces.
    holders: FxHashMap<(FileId, Option<Space>), FileId>,
    /// The same by row.
    twins: FxHashMap<FileId, Twin>,
    /// By file: rows of other spaces with writes since the last sync of the file.
    unsynced: FxHashMap<FileId, Vec<FileId>>,
    /// By file: rows of other spaces with data since the file was last truncated to size 0.
    with_data: FxHashMap<FileId, Vec<FileId>>,
    /// Appends to a file of unknown size: their space, and the current end in it.
    ends: FxHashMap<FileId, (Space, i64)>,
    /// Where spaces start, once that is known.
    starts: FxHashMap<Space, i64>,
    /// The references in spaces of unknown start.
    moved: FxHashMap<Space, Moved>,
    rebased: FxHashMap<FileId, (i64, OffsetSource, FileId)>,
    merged: FxHashMap<FileId, FileId>,
}

impl Spaces {
    /// A new space.
    pub fn add(&mut self) -> Space {
        self.next += 1;
        Space(self.next)
    }

    /// The start of a space, if known.
    pub fn start(&self, space: Space) -> Option<i64> {
        self.starts.get(&space).copied()
    }

    /// The file of a row.
    pub fn file_of(&self, row: FileId) -> FileId {
        self.twins.get(&row).map_or(row, |twin| twin.file)
    }

    /// Record that data of a row are read or written.
    fn note_data(&mut self, row: FileId, written: bool) {
        let Some(twin) = self.twins.get_mut(&row) else {
            return;
        };
        if written && !std::mem::replace(&mut twin.unsynced, true) {
            self.unsynced.entry(twin.file).or_default().push(row);
        }
        if !std::mem::replace(&mut twin.has_data, true) {
            self.with_data.entry(twin.file).or_default().push(row);
        }
    }

    /// The rows affected by a sync of a file: its main row, and those of its other spaces with writes since the last
    /// sync.
    pub fn rows_to_sync(&mut self, file: FileId) -> Vec<FileId> {
        let rows = self.unsynced.remove(&file).unwrap_or_default();
        self.each_once(file, rows, |twin| twin.unsynced = false)
    }

    /// The rows that lose their data when a file is deleted or truncated to size 0: its main row, and those of its
    /// other spaces with data since the last time.
    pub fn rows_to_empty(&mut self, file: FileId) -> Vec<FileId> {
        let rows = self.with_data.remove(&file).unwrap_or_default();
        self.each_once(file, rows, |twin| twin.has_data = false)
    }

    /// A file's main row, and the rows to which those of its other spaces now belong, each once.
    fn each_once(&mut self, file: FileId, mut rows: Vec<FileId>, forget: fn(&mut Twin)) -> Vec<FileId> {
        for row in &mut rows {
            self.twins.get_mut(row).map(forget);
            *row = self.row_by_now(*row);
        }
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|&row| row != file);
        rows.insert(0, file);
        rows
    }

    /// The row to which the references of a row now belong.
    fn row_by_now(&self, row: FileId) -> FileId {
        match self.rebased.get(&row) {
            Some(&(_, _, target)) => self.final_row(target),
            None => self.final_row(row),
        }
    }

    /// The end of a file is no longer the end of its appends.
    pub fn forget_end(&mut self, file: FileId) {
        if !self.ends.is_empty() {
            self.ends.remove(&file);
        }
    }

    /// The same for all files.
    pub fn forget_ends(&mut self) {
        self.ends.clear();
    }

    fn final_row(&self, mut row: FileId) -> FileId {
        while let Some(&next) = self.merged.get(&row) {
            row = next;
        }
        row
    }

    /// The corrections of references made before, at the end of the trace.
    pub fn rebases(&self) -> Vec<Rebase> {
        let revealed = self.rebased.iter().map(|(&row, &(start, source, target))| Rebase {
            file: row.0 as i32,
            start_bytes: start,
            source: source.word(),
            target: self.final_row(target).0 as i32,
        });
        let merged = self.merged.keys().filter(|row| !self.rebased.contains_key(row));
        let merged = merged.map(|&row| Rebase {
            file: row.0 as i32,
            start_bytes: 0,
            source: OffsetSource::Explicit.word(),
            target: self.final_row(row).0 as i32,
        });
        let mut all: Vec<Rebase> = revealed.chain(merged).collect();
        all.sort_unstable_by_key(|rebase| rebase.file);
        all
    }
}

impl FileTable {
    /// The row of table `file` for a reference in a space of a file.
    pub(super) fn holder(&mut self, file: FileId, space: Option<Space>) -> FileId {
        if space.is_none() && !self.spaces.primary.contains_key(&file) {
            self.files[file].has_absolute = true;
            return file;
        }
        let first = if self.files[file].has_absolute { None } else { space };
        if *self.spaces.primary.entry(file).or_insert(first) == space {
            return file;
        }
        if let Some(&holder) = self.spaces.holders.get(&(file, space)) {
            return holder;
        }
        let holder = self.add_twin(file);
        self.spaces.holders.insert((file, space), holder);
        holder
    }

    /// The same for a reference that reads or writes data.
    pub(super) fn holder_of_data(&mut self, file: FileId, space: Option<Space>, written: bool) -> FileId {
        let row = self.holder(file, space);
        if row != file {
            self.spaces.note_data(row, written);
        }
        row
    }

    fn add_twin(&mut self, file: FileId) -> FileId {
        let twin = self.files.add(Kind::Unknown);
        let (kind, created) = (self.files[file].kind, self.files[file].created);
        let record = &mut self.files[twin];
        (record.kind, record.created) = (kind, created);
        let of = Twin { file, unsynced: false, has_data: false };
        self.spaces.twins.insert(twin, of);
        twin
    }

    /// Record a read or write of `bytes` bytes that ends at offset `end` of a space.
    pub(super) fn note_relative(&mut self, space: Space, bytes: i64, end: i64) {
        self.counts.relative_references += 1;
        self.counts.relative_bytes = self.counts.relative_bytes.saturating_add(bytes);
        let moved = self.spaces.moved.entry(space).or_default();
        moved.references += 1;
        moved.bytes = moved.bytes.saturating_add(bytes);
        moved.end = moved.end.max(end);
    }

    /// The place of an append of `moved` bytes: at the end of the file, or relative to an unknown end.
    pub(super) fn place_of_append(&mut self, file: FileId, moved: i64) -> TransferOffset {
        if let Some(size) = self.files.size(file) {
            self.spaces.forget_end(file);
            return TransferOffset { space: None, offset: Some(size), source: OffsetSource::Estimated };
        }
        self.counts.appends_of_unknown_offset += 1;
        let (space, offset) = match self.spaces.ends.get(&file) {
            Some(&(space, end)) if end.checked_add(moved).is_some() => (space, end),
            _ => (self.spaces.add(), 0),
        };
        self.spaces.ends.insert(file, (space, offset + moved));
        TransferOffset { space: Some(space), offset: Some(offset), source: OffsetSource::Relative }
    }

    /// A call shows the size of a file, which fixes the places of appends relative to its unknown end.
    pub(super) fn reveal_end(&mut self, file: FileId, size: i64) {
        if self.spaces.ends.is_empty() {
            return;
        }
        if let Some((space, end)) = self.spaces.ends.remove(&file) {
            self.reveal(file, space, size.saturating_sub(end), OffsetSource::Estimated);
        }
    }

    /// A call shows where a space of a file starts. An impossible start is ignored: one before the file's start, or
    /// one that would move references beyond 64 bits.
    pub(super) fn reveal(&mut self, file: FileId, space: Space, start: i64, source: OffsetSource) {
        if start < 0 || self.spaces.starts.contains_key(&space) {
            return;
        }
        let appended = self.spaces.ends.get(&file).copied();
        let appended = appended.filter(|end| end.0 == space);
        let moved = self.spaces.moved.get(&space).map(|moved| moved.end);
        let ends = appended.map(|(_, end)| end).into_iter().chain(moved);
        if ends.max().is_some_and(|end| start.checked_add(end).is_none()) {
            return;
        }
        self.spaces.starts.insert(space, start);
        if let Some((_, end)) = appended {
            self.spaces.ends.remove(&file);
            self.files[file].learn_size(start.saturating_add(end));
        }
        let Some(moved) = self.spaces.moved.remove(&space) else {
            return;
        };
        self.counts.relative_references -= moved.references;
        self.counts.relative_bytes = self.counts.relative_bytes.saturating_sub(moved.bytes);
        let spaces = &mut self.spaces;
        let primary = spaces.primary.get(&file).copied().flatten();
        let own = primary == Some(space);
        let Some(row) = own.then_some(file).or_else(|| spaces.holders.remove(&(file, Some(space)))) else {
            return;
        };
        let absolute = match primary {
            None => Some(file),
            Some(_) => spaces.holders.get(&(file, None)).copied(),
        };
        let target = if own { file } else { absolute.unwrap_or(row) };
        spaces.rebased.insert(row, (start, source, target));
        if own {
            spaces.primary.insert(file, None);
            spaces.holders.remove(&(file, None));
            if let Some(absolute) = absolute {
                spaces.merged.insert(absolute, file);
            }
        } else if absolute.is_none() {
            spaces.holders.insert((file, None), row);
        }
        let reached = moved.end.saturating_add(start);
        self.files[target].reached_once(reached);
        self.files[file].reached_once(reached);
    }

    /// Corrections of references that had left in a batch; at the end of the trace.
    pub fn rebases(&self) -> Vec<Rebase> {
        self.spaces.rebases()
    }
}
