//! The tables of a trace, built from its events.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::impossible::ImpossibleValues;
use super::last_tables;
use crate::reconstruct::file_table::{FileTable, KnownFiles, Model};
use crate::reconstruct::process_table::ProcessTable;
use crate::reconstruct::syscall_table::SyscallTable;
use crate::reconstruct::under_calls::UnderCallsTables;
use crate::syscalls::call::{Event, EventSink};
use crate::syscalls::under_calls::{Inode, StackFrame, UnderCalls};

/// A batch of the table of this name.
pub type NamedBatch = (&'static str, RecordBatch);

/// The tables under construction.
#[derive(Default)]
pub(super) struct Tables {
    pub processes: ProcessTable,
    pub syscalls: Option<SyscallTable>,
    pub files: FileTable,
    under_calls: UnderCallsTables,
    pub zero_ns: Option<i64>,
    pub last_ns: i64,
    pub calls: i64,
    pub uses: i64,
    pub impossible: ImpossibleValues,
    pub unlisted_disagreements: i64,
    pub ready: VecDeque<NamedBatch>,
    pub failure: Option<ArrowError>,
}

impl EventSink for Tables {
    fn event(&mut self, mut event: Event<'_>) {
        if let Event::Issued(call) | Event::Returned(call) = &mut event {
            self.impossible.remove_from(call);
        }
        self.count_from_zero(&mut event);
        let process = self.processes.row(&event);
        self.files.event(&event, process);
        if let Err(failure) = self.collect(&event, process) {
            self.failure.get_or_insert(failure);
        }
    }

    /// What happened before the first event has no place in the trace.
    fn under_calls(&mut self, mut happened: UnderCalls) {
        let Some(zero_ns) = self.zero_ns else { return };
        happened.time_ns = happened.time_ns.saturating_sub(zero_ns);
        let process = self.processes.current(happened.thread);
        self.under_calls.push(happened, process);
    }

    fn opened(&mut self, seq: i64, file: Inode) {
        self.under_calls.opened(seq, file);
    }

    fn stack(&mut self, seq: i64, stack: i32, frames: &[StackFrame]) {
        self.under_calls.stack(seq, stack, frames);
    }
}

impl Tables {
    /// Empty tables; with `native`, `syscall` among them.
    pub fn new(model: Model, known: KnownFiles, native: bool) -> Tables {
        Tables {
            syscalls: native.then(SyscallTable::new),
            processes: ProcessTable::new(known.threads()),
            files: FileTable::new(model, known),
            ..Tables::default()
        }
    }

    /// Make the event's time relative to the first event of the trace.
    fn count_from_zero(&mut self, event: &mut Event<'_>) {
        let (time_ns, duration_ns) = match event {
            Event::Issued(call) | Event::Returned(call) => (&mut call.time_ns, call.duration_ns),
            Event::Ended(ended) => (&mut ended.time_ns, None),
        };
        if let Some(time) = time_ns {
            let zero = *self.zero_ns.get_or_insert(*time);
            *time = time.saturating_sub(zero);
            self.last_ns = self.last_ns.max(time.saturating_add(duration_ns.unwrap_or(0)));
        }
    }

    fn collect(&mut self, event: &Event<'_>, process: i32) -> Result<(), ArrowError> {
        match event {
            Event::Issued(_) => return Ok(()),
            Event::Returned(call) => {
                self.calls += i64::from(!call.is_loss());
                if let Some(syscalls) = &mut self.syscalls {
                    syscalls.push(call, process);
                }
            }
            Event::Ended(ended) => {
                if let Some(syscalls) = &mut self.syscalls {
                    syscalls.push_end(ended, process);
                }
            }
        }
        if let Some(syscalls) = self.syscalls.as_mut().filter(|syscalls| syscalls.is_full()) {
            self.ready.push_back(("syscall", syscalls.take_batch()?));
        }
        self.derived(false)
    }

    fn derived(&mut self, last: bool) -> Result<(), ArrowError> {
        if let Some(batch) = self.files.references(last)? {
            self.ready.push_back(("reference", batch));
        }
        if let Some(batch) = self.files.uses(last)? {
            self.uses += batch.num_rows() as i64;
            self.ready.push_back(("use", batch));
        }
        if let Some(batch) = self.files.mappings(last)? {
            self.ready.push_back(("mapping", batch));
        }
        if let Some(batch) = self.files.call_files(last)? {
            self.ready.push_back(("call_file", batch));
        }
        if let Some(batch) = self.files.failed_paths(last)? {
            self.ready.push_back(("failed_path", batch));
        }
        self.ready.extend(self.under_calls.batches(last)?);
        Ok(())
    }

    pub fn finish(&mut self) -> Result<(), ArrowError> {
        self.files.finish();
        if let Some(syscalls) = self.syscalls.as_mut().filter(|syscalls| syscalls.rows() > 0) {
            self.ready.push_back(("syscall", syscalls.take_batch()?));
        }
        self.derived(true)?;
        if self.syscalls.is_some() {
            let disagreements = self.files.disagreements();
            self.unlisted_disagreements = disagreements.unlisted;
            let batch = last_tables::disagreements(&disagreements.listed)?;
            self.ready.push_back(("disagreement", batch));
            let mut left = self.files.inherited_descriptors();
            loop {
                let (batch, rest) = last_tables::inherited_descriptors(left)?;
                self.ready.push_back(("inherited_descriptor", batch));
                if rest.is_empty() {
                    break;
                }
                left = rest;
            }
        }
        Ok(())
    }

    /// The next batch of the tables that are complete only at the end.
    pub fn rest(&mut self) -> Result<Option<NamedBatch>, ArrowError> {
        if let Some(batch) = self.processes.next_batch()? {
            return Ok(Some(("process", batch)));
        }
        Ok(self.files.next_files()?.map(|batch| ("file", batch)))
    }
}
