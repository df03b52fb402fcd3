//! The rows of a program, checked.

use super::transfer::{Operation, Request};
use crate::columns::{column, whole_column};
use crate::error::{At, Error};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, UInt32Array, UInt64Array, UInt8Array};

/// The longest request, in bytes, that is simulated.
pub const LONGEST_BYTES: u64 = 1 << 36;
/// The largest offset of a request, in bytes.
pub const LARGEST_OFFSET: u64 = 1 << 62;

/// A process and the node that it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub application: u32,
    pub node: u32,
}

/// One row of a program: a request, if any, followed by computation.
#[derive(Clone, Copy, Debug)]
pub struct ProgramRow {
    pub number: u64,
    pub application: u32,
    /// None if any process of the application may execute it.
    pub process: Option<u32>,
    pub phase: Option<u32>,
    /// None if it only computes, or uses the metadata server.
    pub operation: Option<Operation>,
    /// Whether it opens or closes its file.
    pub is_metadata: bool,
    pub file: u32,
    pub offset: u64,
    pub length: u64,
    pub compute_ns: i64,
}

impl ProgramRow {
    /// The row's request, for a process on a node.
    pub fn request(&self, node: u32) -> Option<Request> {
        Some(Request {
            application: self.application,
            node,
            phase: self.phase,
            operation: self.operation?,
            file: self.file,
            offset: self.offset,
            length: self.length,
        })
    }
}

/// The columns of a batch.
pub struct Rows<'a> {
    application: &'a UInt32Array,
    process: &'a Int32Array,
    phase: &'a Int32Array,
    operation: &'a UInt8Array,
    file: &'a UInt32Array,
    offset: &'a UInt64Array,
    length: &'a UInt64Array,
    compute_ns: &'a Int64Array,
}

impl<'a> Rows<'a> {
    /// The columns application (uint32), process and phase (int32, may be null), operation (uint8: 0 read, 1 write, 2
    /// `sync_write`, 3 compute, 4 open, 5 close), file (uint32), offset and length (uint64), `compute_ns` (int64).
    pub fn of(batch: &'a RecordBatch) -> Result<Self, Error> {
        Ok(Rows {
            application: whole_column(batch, "application")?,
            process: column(batch, "process")?,
            phase: column(batch, "phase")?,
            operation: whole_column(batch, "operation")?,
            file: whole_column(batch, "file")?,
            offset: whole_column(batch, "offset")?,
            length: whole_column(batch, "length")?,
            compute_ns: whole_column(batch, "compute_ns")?,
        })
    }

    /// A row of the batch, which is number `number` of all.
    pub fn row(&self, at: usize, number: u64, processes: &[Process]) -> Result<ProgramRow, Error> {
        let refused = |reason: String| Error::at(At::ProgramRow(number), reason);
        let application = self.application.value(at);
        let process = optional(self.process, at).map_err(&refused)?;
        if let Some(process) = process {
            match processes.get(process as usize) {
                None => {
                    return Err(refused(format!("process {process} is not below {}", processes.len())));
                }
                Some(found) if found.application != application => {
                    return Err(refused(format!("process {process} belongs to another application")))
                }
                Some(_) => {}
            }
        }
        let (offset, length) = (self.offset.value(at), self.length.value(at));
        let operation = match self.operation.value(at) {
            _ if length == 0 => None,
            0 => Some(Operation::Read),
            1 => Some(Operation::Write),
            2 => Some(Operation::SyncWrite),
            3..=5 => None,
            other => return Err(refused(format!("unknown operation {other}"))),
        };
        if operation.is_some() && (length > LONGEST_BYTES || offset > LARGEST_OFFSET) {
            return Err(refused(format!(
                "{length} bytes at {offset}: a request is of at most {LONGEST_BYTES} bytes, within the first {LARGEST_OFFSET}"
            )));
        }
        Ok(ProgramRow {
            number,
            application,
            process,
            phase: optional(self.phase, at).map_err(&refused)?,
            operation,
            is_metadata: matches!(self.operation.value(at), 4 | 5),
            file: self.file.value(at),
            offset,
            length,
            compute_ns: self.compute_ns.value(at).max(0),
        })
    }
}

fn optional(column: &Int32Array, at: usize) -> Result<Option<u32>, String> {
    if column.is_null(at) {
        return Ok(None);
    }
    let value = column.value(at);
    let found = u32::try_from(value);
    found.map(Some).map_err(|_| format!("invalid identifier {value}"))
}
