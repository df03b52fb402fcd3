//! Table `failed_path`: where the relative paths start on which calls failed.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::files::FileId;
use super::FileTable;
use crate::columns::table;
use crate::syscalls::call::Call;

/// Rows in a full batch.
const BATCH_ROWS: usize = 65_536;

/// Rows of table `failed_path`: a call, and a directory.
#[derive(Debug, Default)]
pub struct FailedPathRows {
    rows: Vec<(i64, FileId)>,
}

impl FileTable {
    /// A batch of table `failed_path`, once one is full; with `last`, all that is left.
    pub fn failed_paths(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        let rows = &self.failed_paths.rows;
        if rows.is_empty() || (!last && rows.len() < BATCH_ROWS) {
            return Ok(None);
        }
        let batch = {
            let table = table!(rows.iter(), |(call_seq, directory)| {
                call_seq: i64 = *call_seq,
                directory: i32 = directory.0 as i32,
            });
            table.batch()?
        };
        self.failed_paths.rows.clear();
        Ok(Some(batch))
    }

    /// Add the row of a call that failed on a relative path, if the path was looked up.
    pub(super) fn note_failed_path(&mut self, call: &Call<'_>) {
        let is_relative = call.path.is_some_and(|path| path.first().is_some_and(|&first| first != b'/'));
        if call.error.is_none() || !is_relative {
            return;
        }
        if let Some(directory) = self.looked_from {
            self.failed_paths.rows.push((call.seq, directory));
        }
    }
}
