//! Events from the rows of a native table, as the query `entry` puts them in order.

use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, RecordBatch, RecordBatchReader, StringArray};

use rustc_hash::FxHashMap;

use super::error::IntakeError;
use super::source::{EventSource, SourceReport, Times};
use crate::columns::column;
use crate::reconstruct::file_table::InheritedDescriptor;
use crate::reconstruct::syscall_table::end_of_name;
use crate::syscalls::call::{Call, CallKind, DescriptorPath, End, Ended, Event, EventSink, FileKind};

/// Rows of calls, batch by batch.
pub struct Rows {
    batches: Box<dyn RecordBatchReader + Send>,
    kinds: FxHashMap<&'static [u8], CallKind>,
    /// By call row: the paths of descriptors and working directories from before the trace.
    inherited: FxHashMap<i64, Vec<InheritedDescriptor>>,
    rows: u64,
}

impl Rows {
    /// Read these batches, whose columns are those of the query `entry`, with plain strings.
    pub fn new(batches: Box<dyn RecordBatchReader + Send>) -> Rows {
        let kinds = CallKind::ALL.iter().map(|&kind| (kind.name().as_bytes(), kind)).collect();
        Rows { batches, kinds, inherited: FxHashMap::default(), rows: 0 }
    }

    /// Add the paths of these descriptors and working directories to the calls; the native table does not hold them.
    pub fn with_inherited(mut self, inherited: Vec<InheritedDescriptor>) -> Rows {
        for descriptor in inherited {
            let of_call = self.inherited.entry(descriptor.call_seq).or_default();
            of_call.push(descriptor);
        }
        self
    }
}

impl EventSource for Rows {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let Some(batch) = self.batches.next() else {
            return Ok(false);
        };
        let batch = batch?;
        self.rows += batch.num_rows() as u64;
        let columns = Columns::of(&batch)?;
        for row in 0..batch.num_rows() {
            let mut event = columns.event(row, &self.kinds);
            if let (Event::Issued(call) | Event::Returned(call), false) =
                (&mut event, self.inherited.is_empty())
            {
                show_paths(call, self.inherited.get(&call.seq));
            }
            sink.event(event);
        }
        Ok(true)
    }

    fn lines(&self) -> u64 {
        self.rows
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (0, None)
    }

    fn report(&self) -> SourceReport {
        SourceReport {
            lines: self.rows,
            parsed: self.rows,
            times: Times { base: "relative", first_ns: None, resolution_ns: None },
            ..SourceReport::default()
        }
    }
}

/// Add the paths of descriptors and of the working directory to a call.
fn show_paths<'a>(call: &mut Call<'a>, inherited: Option<&'a Vec<InheritedDescriptor>>) {
    for descriptor in inherited.into_iter().flatten() {
        let shown = Some(DescriptorPath { path: &descriptor.path, deleted: descriptor.deleted });
        if descriptor.fd == InheritedDescriptor::WORKING_DIRECTORY {
            let first = call.dirfd.is_none();
            *(if first { &mut call.dirfd_path } else { &mut call.dirfd2_path }) = shown;
            continue;
        }
        for (fd, path) in [
            (call.fd, &mut call.fd_path),
            (call.fd2, &mut call.fd2_path),
            (call.dirfd, &mut call.dirfd_path),
            (call.dirfd2, &mut call.dirfd2_path),
        ] {
            if fd == Some(descriptor.fd) {
                *path = shown;
            }
        }
    }
}

struct Columns<'a> {
    issued: &'a BooleanArray,
    seq: &'a Int64Array,
    seq_return: &'a Int64Array,
    time_ns: &'a Int64Array,
    duration_ns: &'a Int64Array,
    thread: &'a Int32Array,
    call: &'a StringArray,
    fd: &'a Int32Array,
    fd2: &'a Int32Array,
    dirfd: &'a Int32Array,
    dirfd2: &'a Int32Array,
    path: &'a StringArray,
    path2: &'a StringArray,
    offset: &'a Int64Array,
    offset2: &'a Int64Array,
    count: &'a Int64Array,
    result: &'a Int64Array,
    error: &'a StringArray,
    flags: &'a StringArray,
    size: &'a Int64Array,
    file_kind: &'a StringArray,
    arguments: &'a StringArray,
}

fn number(column: &Int64Array, row: usize) -> Option<i64> {
    column.is_valid(row).then(|| column.value(row))
}

fn small(column: &Int32Array, row: usize) -> Option<i32> {
    column.is_valid(row).then(|| column.value(row))
}

fn bytes(column: &StringArray, row: usize) -> Option<&[u8]> {
    column.is_valid(row).then(|| column.value(row).as_bytes())
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Columns<'a>, IntakeError> {
        Ok(Columns {
            issued: column(batch, "issued")?,
            seq: column(batch, "seq")?,
            seq_return: column(batch, "seq_return")?,
            time_ns: column(batch, "time_ns")?,
            duration_ns: column(batch, "duration_ns")?,
            thread: column(batch, "thread")?,
            call: column(batch, "call")?,
            fd: column(batch, "fd")?,
            fd2: column(batch, "fd2")?,
            dirfd: column(batch, "dirfd")?,
            dirfd2: column(batch, "dirfd2")?,
            path: column(batch, "path")?,
            path2: column(batch, "path2")?,
            offset: column(batch, "offset")?,
            offset2: column(batch, "offset2")?,
            count: column(batch, "count")?,
            result: column(batch, "result")?,
            error: column(batch, "error")?,
            flags: column(batch, "flags")?,
            size: column(batch, "size")?,
            file_kind: column(batch, "file_kind")?,
            arguments: column(batch, "arguments")?,
        })
    }

    fn event(&self, row: usize, kinds: &FxHashMap<&'static [u8], CallKind>) -> Event<'a> {
        let name = self.call.value(row).as_bytes();
        if let Some(how) = end_of_name(name) {
            return Event::Ended(self.ended(row, how));
        }
        let mut call = Call {
            seq: self.seq.value(row),
            seq_return: self.seq_return.value(row),
            thread: self.thread.value(row),
            time_ns: number(self.time_ns, row),
            duration_ns: number(self.duration_ns, row),
            kind: kinds.get(name).copied().unwrap_or_default(),
            name,
            fd: small(self.fd, row),
            fd2: small(self.fd2, row),
            dirfd: small(self.dirfd, row),
            dirfd2: small(self.dirfd2, row),
            path: bytes(self.path, row),
            path2: bytes(self.path2, row),
            offset: number(self.offset, row),
            offset2: number(self.offset2, row),
            count: number(self.count, row),
            result: number(self.result, row),
            error: bytes(self.error, row),
            flags: bytes(self.flags, row),
            size: number(self.size, row),
            file_kind: bytes(self.file_kind, row).and_then(FileKind::from_name),
            arguments: bytes(self.arguments, row),
            fd_path: None,
            fd2_path: None,
            dirfd_path: None,
            dirfd2_path: None,
        };
        if self.issued.value(row) {
            (call.result, call.error) = (None, None);
            return Event::Issued(call);
        }
        Event::Returned(call)
    }

    fn ended(&self, row: usize, how: End) -> Ended<'a> {
        Ended {
            seq: self.seq.value(row),
            time_ns: number(self.time_ns, row),
            thread: self.thread.value(row),
            how,
            status: number(self.result, row),
            signal: bytes(self.flags, row),
        }
    }
}
