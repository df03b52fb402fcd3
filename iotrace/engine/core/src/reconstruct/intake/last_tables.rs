//! Small tables that are complete only at the end of a trace.

use std::borrow::Cow;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use crate::columns::table;
use crate::reconstruct::file_table::{Disagreement, InheritedDescriptor};

fn shown(path: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(path)
}

/// Table `disagreement`.
pub fn disagreements(rows: &[Disagreement]) -> Result<RecordBatch, ArrowError> {
    let table = table!(rows.iter(), |row| {
        call_seq: i64 = row.call_seq,
        last_call_seq: i64 = row.last_call_seq,
        calls: i64 = row.calls,
        path_kernel: Cow<'_, str> = shown(&row.kernel_path),
        path_reconstructed: Option<Cow<'_, str>> = row.reconstructed_path.as_deref().map(shown),
        reason: &str = row.reason,
    });
    table.batch()
}

/// Bytes of paths at which a batch of table `inherited_descriptor` is cut off, after the row that reaches it.
const BATCH_BYTES: usize = 16 << 20;

/// The first batch of table `inherited_descriptor`, and the remaining rows.
pub fn inherited_descriptors(
    rows: &[InheritedDescriptor],
) -> Result<(RecordBatch, &[InheritedDescriptor]), ArrowError> {
    let mut bytes = 0;
    let full = rows.iter().position(|row| {
        bytes += row.path.len();
        bytes >= BATCH_BYTES
    });
    let (rows, left) = rows.split_at(full.map_or(rows.len(), |last| last + 1));
    let table = table!(rows.iter(), |row| {
        call_seq: i64 = row.call_seq,
        fd: i32 = row.fd,
        path: Cow<'_, str> = shown(&row.path),
        deleted: bool = row.deleted,
    });
    Ok((table.batch()?, left))
}
