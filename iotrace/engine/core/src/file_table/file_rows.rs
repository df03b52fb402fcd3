//! Table `file` as Arrow batches.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::files::{File, FileId, Kind};
use super::stream::{dictionary, dictionary_type};
use super::FileTable;
use crate::call::FileKind;

const KINDS: [&str; 5] = ["inode", "directory", "regular", "device", "symlink"];
/// A batch ends after so many rows, or so many bytes of paths.
const BATCH_ROWS: usize = 65_536;
const BATCH_BYTES: usize = 16 << 20;

fn kind_code(kind: Kind) -> i32 {
    match kind {
        Kind::Inode => 0,
        Kind::Of(FileKind::Directory) => 1,
        Kind::Unknown | Kind::Of(FileKind::Regular) => 2,
        Kind::Of(FileKind::Symlink) => 4,
        Kind::Of(_) => 3,
    }
}

impl FileTable {
    /// The next batch of table `file`, at the end of the trace; None after the last.
    pub fn next_files(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let first = self.files_handed_out;
        let (mut path, mut path_last) = (StringBuilder::new(), StringBuilder::new());
        let mut next = first;
        while next < self.files.len() && next - first < BATCH_ROWS {
            if path.values_slice().len() + path_last.values_slice().len() > BATCH_BYTES {
                break;
            }
            let file = self.spaces.file_of(FileId(next as u32));
            path.append_option(self.shown(file, self.path_at_first(file)));
            path_last.append_option(self.shown(file, self.path(file)));
            next += 1;
        }
        self.files_handed_out = next;
        if first == next {
            return Ok(None);
        }
        self.file_batch(first..next, path, path_last).map(Some)
    }

    fn shown(&self, file: FileId, path: Option<Vec<u8>>) -> Option<String> {
        let path = path.filter(|_| self.files[file].kind != Kind::Inode)?;
        Some(String::from_utf8_lossy(&path).into_owned())
    }

    fn file_batch(
        &self,
        rows: std::ops::Range<usize>,
        mut path: StringBuilder,
        mut path_last: StringBuilder,
    ) -> Result<RecordBatch, ArrowError> {
        let schema = Schema::new(vec![
            Field::new("file", DataType::Int32, false),
            Field::new("job", DataType::Int32, true),
            Field::new("path", DataType::Utf8, true),
            Field::new("path_last", DataType::Utf8, true),
            Field::new("kind", dictionary_type(), false),
            Field::new("of_file", DataType::Int32, true),
            Field::new("device", DataType::Int32, true),
            Field::new("size_first_bytes", DataType::Int64, true),
            Field::new("size_last_bytes", DataType::Int64, true),
            Field::new("size_largest_bytes", DataType::Int64, true),
            Field::new("created", DataType::Boolean, false),
            Field::new("deleted", DataType::Boolean, false),
        ]);
        // a row of another space of offsets describes the same file, but for the end of what was touched in it
        let files: Vec<&File> = rows
            .clone()
            .map(|at| &self.files[self.spaces.file_of(FileId(at as u32))])
            .collect();
        let largest = rows.clone().zip(&files).map(|(at, file)| {
            let own = self.files[FileId(at as u32)].size_largest;
            own.or(file.size_largest)
        });
        let largest: Int64Array = largest.collect();
        let size = |of: fn(&File) -> Option<i64>| -> ArrayRef {
            Arc::new(files.iter().map(|file| of(file)).collect::<Int64Array>())
        };
        let truth = |of: fn(&File) -> bool| -> ArrayRef {
            Arc::new(
                files
                    .iter()
                    .map(|file| Some(of(file)))
                    .collect::<BooleanArray>(),
            )
        };
        let of_file = |file: &&File| match file.kind {
            Kind::Inode => file.inode.map(|of| of.0 as i32),
            _ => None,
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.map(|at| Some(at as i32)).collect::<Int32Array>()),
            Arc::new(Int32Array::new_null(files.len())),
            Arc::new(path.finish()),
            Arc::new(path_last.finish()),
            dictionary(
                files.iter().map(|file| kind_code(file.kind)).collect(),
                &KINDS,
            )?,
            Arc::new(files.iter().map(of_file).collect::<Int32Array>()),
            Arc::new(Int32Array::new_null(files.len())),
            size(|file| file.size_first),
            size(|file| file.size),
            Arc::new(largest),
            truth(|file| file.created),
            truth(|file| file.deleted),
        ];
        RecordBatch::try_new(Arc::new(schema), columns)
    }

    /// How many files there are, inodes included.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// How many directory entries are known.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }
}
