//! What slices know of files' sizes, and what they took for granted without knowing.

use super::super::references::Reference;
use super::super::span::file_key;
use crate::error::Error;
use std::collections::BTreeMap;

/// What a slice says of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileEnd {
    /// The known size, or the largest end of a request.
    pub extent: i64,
    /// Whether the slice stated the size.
    pub is_size_known: bool,
    /// Whether a request was placed as if no earlier slice knew the file's size.
    pub assumes_unknown_size: bool,
    /// Whether a request was placed as if no earlier slice had touched the file.
    pub assumes_untouched: bool,
}

/// What a slice says of its files.
#[derive(Debug, Default)]
pub struct FileEnds {
    pub files: BTreeMap<u32, FileEnd>,
    /// Whether the blocks of some request depend on a size from an earlier slice.
    pub look_back: bool,
}

impl FileEnds {
    /// Note what a read or write says, as the engine's files do.
    pub fn request(&mut self, reference: Reference) {
        let Some(file) = reference.file.filter(|_| reference.length != Some(0)) else {
            return;
        };
        let file = self.files.entry(file_key(file)).or_default();
        let is_size_known = file.is_size_known;
        let offset = reference.offset.unwrap_or(file.extent);
        if !is_size_known {
            file.assumes_untouched |= reference.offset.is_none();
            file.assumes_unknown_size |= reference.file_size.is_none();
            self.look_back |=
                reference.offset.is_none() || (reference.length.is_none() && reference.file_size.is_none());
        }
        let known = reference.file_size.or(is_size_known.then_some(file.extent));
        let end = match reference.length {
            Some(length) => offset.saturating_add(length),
            None => known.map_or(offset, |size| size.max(offset)),
        };
        file.extent = reference.file_size.unwrap_or(file.extent).max(end);
        file.is_size_known |= reference.file_size.is_some();
    }

    /// Note requests for known bytes of a file that do not state its size; `end` is the largest end of one.
    pub fn ranges(&mut self, file: u32, end: i64) {
        let file = self.files.entry(file).or_default();
        file.assumes_unknown_size |= !file.is_size_known;
        file.extent = file.extent.max(end);
    }

    /// Note a truncation to a known length.
    pub fn truncate(&mut self, reference: Reference) {
        if let (Some(file), Some(length)) = (reference.file, reference.offset) {
            let file = self.files.entry(file_key(file)).or_default();
            (file.extent, file.is_size_known) = (length, true);
        }
    }

    /// Add what the slice that follows says.
    ///
    /// # Errors
    /// Where that slice took for granted what this one contradicts.
    pub fn add(&mut self, right: &FileEnds) -> Result<(), Error> {
        for (&key, &right) in &right.files {
            let left = self.files.entry(key).or_default();
            left.meet(right).map_err(|reason| Error::of(format!("file {}: {reason}", key - 1)))?;
        }
        self.look_back |= right.look_back;
        Ok(())
    }
}

impl FileEnd {
    fn meet(&mut self, right: FileEnd) -> Result<(), &'static str> {
        if right.assumes_unknown_size && self.is_size_known {
            return Err("a request without the file's size follows a slice that states it");
        }
        if right.assumes_untouched && self.extent > 0 {
            return Err("a request of unknown offset follows a slice that touches the file");
        }
        self.assumes_unknown_size |= right.assumes_unknown_size && !self.is_size_known;
        self.assumes_untouched |= right.assumes_untouched;
        self.extent = if right.is_size_known { right.extent } else { self.extent.max(right.extent) };
        self.is_size_known |= right.is_size_known;
        Ok(())
    }
}
