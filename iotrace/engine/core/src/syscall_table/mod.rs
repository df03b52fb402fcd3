//! Calls as the native table `syscall` (schemas/syscall.toml), in record batches.

mod columns;

use crate::call::{Call, CallKind, End, Ended};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use columns::{Dictionary, Numbers};
use std::sync::{Arc, OnceLock};

/// Rows in a full batch.
const BATCH_ROWS: usize = 65_536;

/// A batch is also full when its strings take this much.
const BATCH_TEXT_BYTES: usize = 64 << 20;

/// Builds table `syscall`, a row per returned call or ended thread, in the order of the pushes.
///
/// Each batch has dictionaries of its own. Memory: one batch.
#[derive(Debug, Default)]
pub struct SyscallTable {
    origin_ns: i64,
    seq: Numbers<i64>,
    seq_return: Numbers<i64>,
    time_ns: Numbers<i64>,
    duration_ns: Numbers<i64>,
    thread: Numbers<i32>,
    process: Numbers<i32>,
    call: Dictionary,
    fd: Numbers<i32>,
    fd2: Numbers<i32>,
    dirfd: Numbers<i32>,
    dirfd2: Numbers<i32>,
    path: Dictionary,
    path2: Dictionary,
    offset: Numbers<i64>,
    offset2: Numbers<i64>,
    count: Numbers<i64>,
    result: Numbers<i64>,
    error: Dictionary,
    flags: Dictionary,
    size: Numbers<i64>,
    file_kind: Dictionary,
    /// The keys of the known calls' names and of the kinds of files in this batch, to save looking them up.
    call_keys: Vec<Option<i32>>,
}

impl SyscallTable {
    /// An empty table.
    pub fn new() -> SyscallTable {
        SyscallTable::default()
    }

    /// Show times as since `origin_ns`, the log's first. To be set before the first push.
    pub fn set_origin(&mut self, origin_ns: i64) {
        self.origin_ns = origin_ns;
    }

    /// Add a call that returned. `process` is its thread's row in table `process` at that moment.
    pub fn push(&mut self, call: &Call<'_>, process: i32) {
        self.push_name(call.kind, call.name);
        self.seq.push(call.seq);
        self.seq_return.push(call.seq_return);
        self.time_ns.push_option(self.since_origin(call.time_ns));
        self.duration_ns.push_option(call.duration_ns);
        self.thread.push(call.thread);
        self.process.push(process);
        self.fd.push_option(call.fd);
        self.fd2.push_option(call.fd2);
        self.dirfd.push_option(call.dirfd);
        self.dirfd2.push_option(call.dirfd2);
        self.path.push_option(call.path);
        self.path2.push_option(call.path2);
        self.offset.push_option(call.offset);
        self.offset2.push_option(call.offset2);
        self.count.push_option(call.count);
        self.result.push_option(call.result);
        self.error.push_option(call.error);
        self.flags.push_option(call.flags);
        self.size.push_option(call.size);
        self.file_kind
            .push_option(call.file_kind.map(|kind| kind.name().as_bytes()));
    }

    /// Add the end of a thread: `result` is the exit status or the surviving thread, `flags` the signal's name.
    pub fn push_end(&mut self, ended: &Ended<'_>, process: i32) {
        self.push(
            &Call {
                seq: ended.seq,
                seq_return: ended.seq,
                thread: ended.thread,
                time_ns: ended.time_ns,
                name: end_name(ended.how).as_bytes(),
                result: ended.status,
                flags: ended.signal,
                ..Call::default()
            },
            process,
        );
    }

    /// Rows since the last batch was taken.
    pub fn rows(&self) -> usize {
        self.seq.len()
    }

    /// Whether it is time to take a batch; to be asked after each push.
    pub fn is_full(&self) -> bool {
        let text = [
            &self.call,
            &self.path,
            &self.path2,
            &self.error,
            &self.flags,
        ];
        self.rows() >= BATCH_ROWS
            || text.iter().map(|names| names.text_bytes()).sum::<usize>() >= BATCH_TEXT_BYTES
    }

    /// All rows since the last batch, as a batch.
    pub fn take_batch(&mut self) -> Result<RecordBatch, ArrowError> {
        self.call_keys.clear();
        let columns: Vec<ArrayRef> = vec![
            self.seq.finish(),
            self.seq_return.finish(),
            self.time_ns.finish(),
            self.duration_ns.finish(),
            self.thread.finish(),
            self.process.finish(),
            self.call.finish()?,
            self.fd.finish(),
            self.fd2.finish(),
            self.dirfd.finish(),
            self.dirfd2.finish(),
            self.path.finish()?,
            self.path2.finish()?,
            self.offset.finish(),
            self.offset2.finish(),
            self.count.finish(),
            self.result.finish(),
            self.error.finish()?,
            self.flags.finish()?,
            self.size.finish(),
            self.file_kind.finish()?,
        ];
        RecordBatch::try_new(schema(), columns)
    }

    fn push_name(&mut self, kind: CallKind, name: &[u8]) {
        if kind == CallKind::Other {
            self.call.push(name);
            return;
        }
        if self.call_keys.is_empty() {
            self.call_keys.resize(CallKind::ALL.len() + 1, None);
        }
        match self.call_keys[kind as usize] {
            Some(key) => self.call.push_key(key),
            None => self.call_keys[kind as usize] = Some(self.call.push(name)),
        }
    }

    fn since_origin(&self, time_ns: Option<i64>) -> Option<i64> {
        time_ns.map(|time_ns| time_ns.saturating_sub(self.origin_ns))
    }
}

/// The name in column `call` of a row for the end of a thread.
pub fn end_name(how: End) -> &'static str {
    match how {
        End::Exited => "process_exited",
        End::Killed => "process_killed",
        End::Superseded => "process_superseded",
        End::Detached => "process_detached",
    }
}

/// The end of a thread that has this name in column `call`.
pub fn end_of_name(name: &[u8]) -> Option<End> {
    [End::Exited, End::Killed, End::Superseded, End::Detached]
        .into_iter()
        .find(|&how| end_name(how).as_bytes() == name)
}

/// The schema of table `syscall`, without the units and sentences of schemas/syscall.toml.
pub fn schema() -> SchemaRef {
    static SCHEMA: OnceLock<SchemaRef> = OnceLock::new();
    let name = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let build = || {
        Arc::new(Schema::new(vec![
            Field::new("seq", DataType::Int64, false),
            Field::new("seq_return", DataType::Int64, false),
            Field::new("time_ns", DataType::Int64, true),
            Field::new("duration_ns", DataType::Int64, true),
            Field::new("thread", DataType::Int32, false),
            Field::new("process", DataType::Int32, false),
            Field::new("call", name(), false),
            Field::new("fd", DataType::Int32, true),
            Field::new("fd2", DataType::Int32, true),
            Field::new("dirfd", DataType::Int32, true),
            Field::new("dirfd2", DataType::Int32, true),
            Field::new("path", name(), true),
            Field::new("path2", name(), true),
            Field::new("offset", DataType::Int64, true),
            Field::new("offset2", DataType::Int64, true),
            Field::new("count", DataType::Int64, true),
            Field::new("result", DataType::Int64, true),
            Field::new("error", name(), true),
            Field::new("flags", name(), true),
            Field::new("size", DataType::Int64, true),
            Field::new("file_kind", name(), true),
        ]))
    };
    Arc::clone(SCHEMA.get_or_init(build))
}

#[cfg(test)]
mod tests;
