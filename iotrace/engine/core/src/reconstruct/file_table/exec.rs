//! Programs: an exec is a look-up, one whole read, and a use, for the file and for its interpreter
//! (Richardson 2.3.1).

use super::files::FileId;
use super::look_up::Purpose;
use super::model::Exec;
use super::stream::{OffsetSource, Operation, Reference, Type};
use super::FileTable;
use crate::syscalls::call::Call;

impl FileTable {
    /// execve, execveat
    pub(super) fn exec(&mut self, call: &Call<'_>) {
        if call.error.is_some() || call.result != Some(0) {
            self.look_up_call(call, true);
            return;
        }
        let file = if call.path.is_none_or(|path| path.is_empty()) {
            self.file_of_call(call, call.dirfd.or(call.fd))
        } else {
            self.look_up_call(call, true).and_then(|found| found.file)
        };
        if let Some(file) = file {
            self.run(file);
            self.run_interpreter(file);
        }
        self.exec_descriptors();
    }

    fn run_interpreter(&mut self, file: FileId) {
        let path = if self.known.is_empty() { None } else { self.path(file) };
        let known = path.and_then(|path| self.known.get(&path));
        let interpreter = known.and_then(|known| known.interpreter.clone());
        let Some(interpreter) = interpreter else {
            self.counts.execs_without_interpreter += 1;
            return;
        };
        if let Some(file) = self.look_up(&interpreter, None, true, Purpose::Find).file {
            self.run(file);
        }
    }

    /// A whole read of a program, as a separate use that ends with the read.
    fn run(&mut self, file: FileId) {
        if self.known.is_sample() {
            return;
        }
        let usage = self.new_usage(self.origin.time_ns);
        let mut usage = usage;
        if self.model.exec == Exec::Whole {
            usage.references = 1;
            usage.bytes_read = self.files.size(file).unwrap_or(0);
            self.read_whole(file, Some(usage.number));
        }
        self.note_access(file);
        let end_ns =
            self.origin.time_ns.map(|time| time.saturating_add(self.origin.duration_ns.unwrap_or(0)));
        self.uses.push(usage, file, Type::Executable, end_ns, Some(super::descriptors::Access::Execute));
    }

    /// One request for all of an executable; its length is null if the trace has not shown the size.
    pub(super) fn read_whole(&mut self, file: FileId, usage: Option<i32>) {
        let size = self.files.size(file);
        self.counts.execs_of_unknown_size += i64::from(size.is_none());
        let row = self.holder_of_data(file, None, false);
        let reference = Reference {
            file: Some(row),
            kind: Some(Type::Executable),
            operation: Operation::Read,
            direct: false,
            synchronous: false,
            mapped: false,
            offset: Some(0),
            source: Some(OffsetSource::Explicit),
            length: size,
            requested: size,
            file_size: size,
            usage,
        };
        self.refer_own(&reference);
    }
}
