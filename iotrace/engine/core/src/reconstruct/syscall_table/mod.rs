//! Calls as the native table `syscall` (schemas/syscall.toml), in record batches.

use crate::columns::{columns, Dictionary, Named, Numbers};
use crate::syscalls::call::{Call, CallKind, End, Ended};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

/// Rows in a full batch.
const BATCH_ROWS: usize = 65_536;

/// A batch is also full when its strings take this much.
const BATCH_TEXT_BYTES: usize = 64 << 20;

columns! {
    struct Columns {
        seq: Numbers<i64>,
        seq_return: Numbers<i64>,
        time_ns: Numbers<i64> or null,
        duration_ns: Numbers<i64> or null,
        thread: Numbers<i32>,
        process: Numbers<i32>,
        call: Dictionary,
        fd: Numbers<i32> or null,
        fd2: Numbers<i32> or null,
        dirfd: Numbers<i32> or null,
        dirfd2: Numbers<i32> or null,
        path: Dictionary or null,
        path2: Dictionary or null,
        offset: Numbers<i64> or null,
        offset2: Numbers<i64> or null,
        count: Numbers<i64> or null,
        result: Numbers<i64> or null,
        error: Dictionary or null,
        flags: Dictionary or null,
        size: Numbers<i64> or null,
        file_kind: Dictionary or null,
    }
}

/// Builds table `syscall`, a row per returned call or ended thread, in the order of the pushes.
///
/// Each batch has separate dictionaries. Memory: one batch.
#[derive(Debug, Default)]
pub struct SyscallTable {
    origin_ns: i64,
    columns: Columns,
    /// The keys of the known calls' names in this batch, to save looking them up.
    call_keys: Vec<Option<i32>>,
}

impl SyscallTable {
    /// An empty table.
    pub fn new() -> SyscallTable {
        SyscallTable::default()
    }

    /// Show times relative to `origin_ns`, the log's first time. To be set before the first push.
    pub fn set_origin(&mut self, origin_ns: i64) {
        self.origin_ns = origin_ns;
    }

    /// Add a call that returned. `process` is its thread's row in table `process` at that moment.
    pub fn push(&mut self, call: &Call<'_>, process: i32) {
        self.push_name(call.kind, call.name);
        let time_ns = self.since_origin(call.time_ns);
        let columns = &mut self.columns;
        columns.seq.push(call.seq);
        columns.seq_return.push(call.seq_return);
        columns.time_ns.push_option(time_ns);
        columns.duration_ns.push_option(call.duration_ns);
        columns.thread.push(call.thread);
        columns.process.push(process);
        columns.fd.push_option(call.fd);
        columns.fd2.push_option(call.fd2);
        columns.dirfd.push_option(call.dirfd);
        columns.dirfd2.push_option(call.dirfd2);
        columns.path.push_option(call.path);
        columns.path2.push_option(call.path2);
        columns.offset.push_option(call.offset);
        columns.offset2.push_option(call.offset2);
        columns.count.push_option(call.count);
        columns.result.push_option(call.result);
        columns.error.push_option(call.error);
        columns.flags.push_option(call.flags);
        columns.size.push_option(call.size);
        columns.file_kind.push_option(call.file_kind.map(|kind| kind.name().as_bytes()));
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
        self.columns.seq.rows()
    }

    /// Whether a batch is full; to be called after each push.
    pub fn is_full(&self) -> bool {
        let c = &self.columns;
        let text = [&c.call, &c.path, &c.path2, &c.error, &c.flags];
        self.rows() >= BATCH_ROWS
            || text.iter().map(|names| names.text_bytes()).sum::<usize>() >= BATCH_TEXT_BYTES
    }

    /// All rows since the last batch, as a batch.
    pub fn take_batch(&mut self) -> Result<RecordBatch, ArrowError> {
        self.call_keys.clear();
        self.columns.take(self.rows())
    }

    fn push_name(&mut self, kind: CallKind, name: &[u8]) {
        if kind == CallKind::Other {
            self.columns.call.push(name);
            return;
        }
        if self.call_keys.is_empty() {
            self.call_keys.resize(CallKind::ALL.len() + 1, None);
        }
        match self.call_keys[kind as usize] {
            Some(key) => self.columns.call.push_key(key),
            None => self.call_keys[kind as usize] = Some(self.columns.call.push(name)),
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

/// The schema of table `syscall`, without the units and descriptions of schemas/syscall.toml.
pub fn schema() -> SchemaRef {
    Columns::schema()
}

#[cfg(test)]
mod tests;
