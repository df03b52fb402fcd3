//! Table `file` as Arrow batches.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::files::{FileId, Kind};
use super::FileTable;
use crate::columns::{table, Word};
use crate::syscalls::call::FileKind;

/// The most rows, and bytes of paths, of a batch.
const BATCH_ROWS: usize = 65_536;
const BATCH_BYTES: usize = 16 << 20;

impl Word for Kind {
    const WORDS: &'static [&'static str] = &["inode", "directory", "regular", "device", "symlink"];

    fn code(self) -> i32 {
        match self {
            Kind::Inode => 0,
            Kind::Of(FileKind::Directory) => 1,
            Kind::Unknown | Kind::Of(FileKind::Regular) => 2,
            Kind::Of(FileKind::Symlink) => 4,
            Kind::Of(_) => 3,
        }
    }
}

impl FileTable {
    /// The next batch of table `file`, at the end of the trace; None after the last.
    pub fn next_files(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let first = self.files_handed_out;
        let (mut paths, mut bytes) = (Vec::new(), 0);
        for next in (first..self.files.len()).take(BATCH_ROWS) {
            if bytes > BATCH_BYTES {
                break;
            }
            let file = self.spaces.file_of(FileId(next as u32));
            let of_file = [self.path_at_first(file), self.path(file)];
            let of_file = of_file.map(|path| self.shown(file, path));
            bytes += of_file.iter().flatten().map(String::len).sum::<usize>();
            paths.push(of_file);
        }
        self.files_handed_out += paths.len();
        if paths.is_empty() {
            return Ok(None);
        }
        self.file_batch(first, &paths).map(Some)
    }

    fn shown(&self, file: FileId, path: Option<Vec<u8>>) -> Option<String> {
        let path = path.filter(|_| self.files[file].kind != Kind::Inode)?;
        Some(String::from_utf8_lossy(&path).into_owned())
    }

    fn file_batch(&self, first: usize, paths: &[[Option<String>; 2]]) -> Result<RecordBatch, ArrowError> {
        // a row of another space of offsets describes the same file, except the end of the range referenced in it
        let rows = (first..).zip(paths).map(|(at, paths)| {
            let space = FileId(at as u32);
            let file = self.spaces.file_of(space);
            (space, &self.files[file], self.files.size(file), paths)
        });
        let table = table!(rows, |(space, file, size, paths)| {
            file: i32 = space.0 as i32,
            job: Option<i32> = None,
            path: Option<&str> = paths[0].as_deref(),
            path_last: Option<&str> = paths[1].as_deref(),
            kind: Kind = file.kind,
            of_file: Option<i32> = match file.kind {
                Kind::Inode => file.inode.map(|of| of.0 as i32),
                _ => None,
            },
            device: Option<i32> = None,
            size_first_bytes: Option<i64> = file.size_first,
            size_last_bytes: Option<i64> = size,
            size_largest_bytes: Option<i64> = self.files[space].size_largest.or(file.size_largest),
            created: bool = file.created,
            deleted: bool = file.deleted,
        });
        table.batch()
    }

    /// The number of files, including inodes.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }
}
