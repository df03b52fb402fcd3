//! Calls as batches of columns.

use super::call::{Layer, OpenFlags, Operation, Whence, UNKNOWN};
use super::calls::{Calls, Numbers, Reason};
use crate::columns::{self, batch, optional_codes, optional_words, renumbered, word_array, Word};
use crate::error::Error;
use arrow_array::{new_null_array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::DataType;
use std::sync::Arc;

impl Calls {
    /// The calls as records of their block, of which the first has the number `first`: columns record, time_ns,
    /// duration_ns, process, key (its place among them), thread, layer, operation, offset, length, file (its place among
    /// the names), host likewise, descriptor, whence, requested, flags and list_call.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn calls(&self, first: i64) -> Result<RecordBatch, Error> {
        let records = self.record.iter().map(|&record| first + i64::from(record));
        let processes = self.process.iter().map(|&process| self.processes()[process as usize].0);
        batch(vec![
            ("record", Arc::new(Int64Array::from_iter_values(records))),
            ("time_ns", Arc::new(Int64Array::from(self.time.clone()))),
            ("duration_ns", optional(self.duration.clone())),
            ("process", Arc::new(Int64Array::from_iter_values(processes))),
            ("key", Arc::new(Int32Array::from(self.process.clone()))),
            ("thread", optional(self.thread.clone())),
            ("layer", optional_words::<Layer>(self.layer.clone())?),
            ("operation", self.operations()?),
            ("offset", optional(self.offset.clone())),
            ("length", optional(self.length.clone())),
            ("file", optional_codes(self.file.clone())),
            ("host", optional_codes(self.host.clone())),
            ("descriptor", optional(self.descriptor.clone())),
            ("whence", optional_words::<Whence>(self.whence.clone())?),
            ("requested", optional(self.requested.clone())),
            ("flags", optional_words::<OpenFlags>(self.flags.clone())?),
            ("list_call", list_calls(self.lists.clone(), self.record.len())),
        ])
    }

    /// The lines that are not calls: columns record, as in `calls`, and reason.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn skips(&self, first: i64) -> Result<RecordBatch, Error> {
        let records = self.skipped().iter().map(|&(line, _)| first + i64::from(line));
        let reasons = self.skipped().iter().map(|&(_, reason)| reason.code()).collect::<Vec<_>>();
        batch(vec![
            ("record", Arc::new(Int64Array::from_iter_values(records))),
            ("reason", word_array::<Reason>(reasons.into())?),
        ])
    }

    /// The calls as rows of table parallel_io, in which they are numbered from `first_seq` on, and their times count from
    /// `zero_ns`. The calls are taken away.
    ///
    /// # Errors
    /// If Arrow rejects the columns, or a process, file or section has no number.
    pub fn table(&mut self, first_seq: i64, zero_ns: i64, given: &Numbers) -> Result<RecordBatch, Error> {
        let mut taken = std::mem::take(self);
        let rows = taken.record.len();
        taken.time.iter_mut().for_each(|time_ns| *time_ns -= zero_ns);
        let operations = taken.operations()?;
        let node = renumbered(taken.host, &given.nodes)?;
        batch(vec![
            ("seq", Arc::new(Int64Array::from_iter_values(first_seq..first_seq + rows as i64))),
            ("time_ns", Arc::new(Int64Array::from(taken.time))),
            ("duration_ns", optional(taken.duration)),
            ("process", Arc::new(Int32Array::from(renumbered(taken.process, &given.processes)?))),
            ("node", optional_codes(node)),
            ("thread", optional(taken.thread)),
            ("layer", optional_words::<Layer>(taken.layer)?),
            ("operation", operations),
            ("file", optional_codes(renumbered(taken.file, &given.files)?)),
            ("descriptor", optional(taken.descriptor)),
            ("offset", optional(taken.offset)),
            ("whence", optional_words::<Whence>(taken.whence)?),
            ("length", optional(taken.length)),
            ("requested", optional(taken.requested)),
            ("compute_ns", new_null_array(&DataType::Int64, rows)),
            ("list_call", list_calls(taken.lists, rows)),
            ("flags", optional_words::<OpenFlags>(taken.flags)?),
        ])
    }

    fn operations(&self) -> Result<ArrayRef, Error> {
        let codes = self.operation.iter().map(|&operation| operation.code());
        Ok(word_array::<Operation>(Int32Array::from_iter_values(codes))?)
    }
}

/// The list-I/O calls of which calls are parts; there are none of them in some formats.
fn list_calls(lists: Vec<i64>, rows: usize) -> ArrayRef {
    if lists.is_empty() {
        return new_null_array(&DataType::Int64, rows);
    }
    optional(lists)
}

/// A column of numbers some of which may be unknown.
pub(super) fn optional(numbers: Vec<i64>) -> ArrayRef {
    columns::optional(numbers, UNKNOWN)
}
