//! Small tables that are complete only at the end of a trace.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use crate::file_table::{Disagreement, InheritedDescriptor};

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Table `disagreement`.
pub fn disagreements(rows: &[Disagreement]) -> Result<RecordBatch, ArrowError> {
    let schema = Schema::new(vec![
        Field::new("call_seq", DataType::Int64, false),
        Field::new("last_call_seq", DataType::Int64, false),
        Field::new("calls", DataType::Int64, false),
        Field::new("path_kernel", DataType::Utf8, false),
        Field::new("path_reconstructed", DataType::Utf8, true),
        Field::new("reason", DataType::Utf8, false),
    ]);
    let numbers = |of: fn(&Disagreement) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(of)))
    };
    let kernel = rows.iter().map(|row| shown(&row.kernel_path));
    let ours = rows
        .iter()
        .map(|row| row.reconstructed_path.as_deref().map(shown));
    let columns: Vec<ArrayRef> = vec![
        numbers(|row| row.call_seq),
        numbers(|row| row.last_call_seq),
        numbers(|row| row.calls),
        Arc::new(StringArray::from_iter_values(kernel)),
        Arc::new(StringArray::from_iter(ours)),
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| row.reason),
        )),
    ];
    RecordBatch::try_new(Arc::new(schema), columns)
}

/// A batch of table `inherited_descriptor` has so many bytes of paths, but for its last row's.
const BATCH_BYTES: usize = 16 << 20;

/// The first batch of table `inherited_descriptor`, and the rows that are left.
pub fn inherited_descriptors(
    rows: &[InheritedDescriptor],
) -> Result<(RecordBatch, &[InheritedDescriptor]), ArrowError> {
    let mut bytes = 0;
    let full = rows.iter().position(|row| {
        bytes += row.path.len();
        bytes >= BATCH_BYTES
    });
    let (rows, left) = rows.split_at(full.map_or(rows.len(), |last| last + 1));
    let schema = Schema::new(vec![
        Field::new("call_seq", DataType::Int64, false),
        Field::new("fd", DataType::Int32, false),
        Field::new("path", DataType::Utf8, false),
        Field::new("deleted", DataType::Boolean, false),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(
            rows.iter().map(|row| row.call_seq),
        )),
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.fd))),
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| shown(&row.path)),
        )),
        Arc::new(BooleanArray::from_iter(
            rows.iter().map(|row| Some(row.deleted)),
        )),
    ];
    Ok((RecordBatch::try_new(Arc::new(schema), columns)?, left))
}
