//! The rows that are done, as a batch of requests.

use super::pieces::RequestRow;
use super::Pairing;
use crate::columns::batch;
use crate::error::Error;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;

/// The names to which the numbers of events refer.
#[derive(Clone, Copy, Debug)]
pub struct EventNames<'n> {
    pub devices: &'n [String],
    pub operations: &'n [String],
    pub flags: &'n [String],
    pub programs: &'n [String],
}

impl Pairing {
    /// The rows that are done, in the order of arrival, which are taken away, as [`batch_of`].
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn requests(&mut self, names: EventNames<'_>) -> Result<RecordBatch, Error> {
        batch_of(&std::mem::take(&mut self.done), names)
    }
}

/// Rows as a batch. The columns are those of `iotrace.formats.disk_io.block_layer`; a number that does not fit 63 bits is
/// the greatest that does.
///
/// # Errors
/// If Arrow rejects the columns.
pub fn batch_of(rows: &[RequestRow], names: EventNames<'_>) -> Result<RecordBatch, Error> {
    batch(vec![
        ("record", numbers(rows, |row| Some(fitting(row.event.record)))),
        ("time_ns", numbers(rows, |row| Some(fitting(row.event.time_ns)))),
        ("device", named(rows, names.devices, |row| Some(row.event.device))?),
        ("operation", named(rows, names.operations, |row| given(names.operations, row.event.operation))?),
        ("lbn", numbers(rows, |row| Some(fitting(row.event.sector)))),
        ("blocks", numbers(rows, |row| Some(fitting(row.event.blocks)))),
        ("pid", numbers(rows, |row| Some(row.event.pid))),
        ("program", named(rows, names.programs, |row| row.event.program)?),
        ("latency_ns", numbers(rows, |row| row.latency_ns)),
        ("service_ns", numbers(rows, |row| row.service_ns)),
        ("queued_ns", numbers(rows, |row| row.queued.then(|| fitting(row.event.time_ns)))),
        ("allocated_ns", numbers(rows, |row| row.allocated_ns.map(fitting))),
        ("inserted_ns", numbers(rows, |row| row.inserted_ns.map(fitting))),
        ("issued_ns", numbers(rows, |row| row.issued_ns.map(fitting))),
        ("completed_ns", numbers(rows, |row| row.completed_ns.map(fitting))),
        ("flags", named(rows, names.flags, |row| given(names.flags, row.event.flags))?),
    ])
}

fn fitting(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn numbers(rows: &[RequestRow], number: impl Fn(&RequestRow) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(number).collect::<Int64Array>())
}

/// The number of a name, unless that is empty.
fn given(names: &[String], number: i32) -> Option<i32> {
    names.get(number as usize).filter(|name| !name.is_empty()).map(|_| number)
}

fn named(
    rows: &[RequestRow],
    names: &[String],
    number: impl Fn(&RequestRow) -> Option<i32>,
) -> Result<ArrayRef, Error> {
    let codes: Int32Array = rows.iter().map(number).collect();
    let array = DictionaryArray::<Int32Type>::try_new(codes, Arc::new(StringArray::from(names.to_vec())))?;
    Ok(Arc::new(array))
}
