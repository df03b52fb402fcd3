//! From calls to the reference stream: file pointers, and uses of files (`iotrace.ingest.parallel`).

use super::call::{Operation, Whence, UNKNOWN};
use super::columns_of_calls::CallColumns;
use super::reference_table::{References, Source, Uses};
use super::table::optional;
use crate::columns::batch;
use crate::error::Error;
use arrow_array::{BooleanArray, RecordBatch};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::sync::Arc;

/// A file pointer of which nothing is known; what moves it on leaves it below 0.
const NOWHERE: i64 = -(1 << 62);
/// No call moves a file pointer farther.
const LARGEST_STEP: i64 = 1 << 44;

/// What was seen besides references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub empty_requests: u64,
    pub unknown_offsets: u64,
    pub appends_of_unknown_offset: u64,
    /// Reads and writes of higher layers, which lower ones show too.
    pub higher: u64,
}

/// Where a process stands in a file that it has open.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    position: i64,
    in_use: i64,
    is_closed: bool,
    appends: bool,
}

/// Makes references of calls, batch after batch.
#[derive(Debug)]
pub struct CallReferences {
    /// Files of which no lowest layer was traced, so that the higher ones count.
    higher_files: FxHashSet<i32>,
    /// By process and channel: a descriptor, or below 0 a file.
    pointers: FxHashMap<(i64, i64), Pointer>,
    uses: Uses,
    rows: i64,
    pub seen: Seen,
}

impl CallReferences {
    pub fn new(higher_files: impl IntoIterator<Item = i32>) -> Self {
        CallReferences {
            higher_files: higher_files.into_iter().collect(),
            pointers: FxHashMap::default(),
            uses: Uses::default(),
            rows: 0,
            seen: Seen::default(),
        }
    }

    /// The references that these rows of table parallel_io, which follow those before, are.
    ///
    /// # Errors
    /// If a column is missing or of another type.
    pub fn references(&mut self, calls: &RecordBatch) -> Result<RecordBatch, Error> {
        let calls = CallColumns::of(calls)?;
        let mut made = References::new(self.rows);
        for row in 0..calls.rows() {
            let Some((file, operation)) = self.taken(&calls, row)? else {
                continue;
            };
            let (before, pointer) = self.follow(&calls, row, file, operation);
            if let Some(pointer) = pointer {
                self.uses.count(pointer.in_use, &calls, row, operation);
            }
            self.refer(&mut made, &calls, row, operation, before, pointer);
        }
        self.rows += made.rows();
        made.table(&calls)
    }

    /// Which of these rows of table parallel_io, which follow those before, count, and the offset of each of these, which of
    /// reads and writes may be where the file pointer stands: columns is_taken and offset.
    ///
    /// # Errors
    /// If a column is missing or of another type.
    pub fn offsets(&mut self, calls: &RecordBatch) -> Result<RecordBatch, Error> {
        let calls = CallColumns::of(calls)?;
        let mut is_taken = vec![false; calls.rows()];
        let mut offsets = vec![UNKNOWN; calls.rows()];
        for row in 0..calls.rows() {
            let Some((file, operation)) = self.taken(&calls, row)? else {
                continue;
            };
            let (before, _) = self.follow(&calls, row, file, operation);
            let tracked = before.filter(|&before| operation.moves() && before >= 0);
            is_taken[row] = true;
            offsets[row] = calls.offset(row).or(tracked).unwrap_or(UNKNOWN);
        }
        batch(vec![("is_taken", Arc::new(BooleanArray::from(is_taken))), ("offset", optional(offsets))])
    }

    /// The file and operation of a call, if it is on the bytes of a file and of a layer that counts.
    #[inline]
    fn taken(&mut self, calls: &CallColumns<'_>, row: usize) -> Result<Option<(i32, Operation)>, Error> {
        let Some(file) = calls.file(row) else {
            return Ok(None);
        };
        let operation = calls.operation(row)?;
        if operation.is_of_names() {
            return Ok(None);
        }
        if calls.is_lowest(row) || self.higher_files.contains(&file) {
            return Ok(Some((file, operation)));
        }
        self.seen.higher += u64::from(operation.moves());
        Ok(None)
    }

    /// The uses of all calls, as columns of table use.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn uses(&self) -> Result<RecordBatch, Error> {
        self.uses.table()
    }

    /// Move a file pointer as a call does; return where it stood, and the pointer afterwards. A delete has none.
    #[inline]
    fn follow(
        &mut self,
        calls: &CallColumns<'_>,
        row: usize,
        file: i32,
        operation: Operation,
    ) -> (Option<i64>, Option<Pointer>) {
        if operation == Operation::Delete {
            return (None, None);
        }
        let channel = calls.descriptor(row).unwrap_or(-1 - i64::from(file));
        let place = (calls.process(row), channel);
        let last = self.pointers.get(&place).copied();
        let before = last.map(|pointer| pointer.position);
        let is_open = operation == Operation::Open;
        let in_use = match last {
            Some(pointer) if !is_open && !pointer.is_closed => pointer.in_use,
            _ => self.uses.begin(file, calls.process_number(row)),
        };
        let appends = match operation {
            Operation::Open => calls.appends(row),
            Operation::Seek => false,
            _ => last.is_some_and(|pointer| pointer.appends),
        };
        let position = position(calls, row, operation, appends, before.unwrap_or(NOWHERE));
        let pointer = Pointer { position, in_use, is_closed: operation == Operation::Close, appends };
        self.pointers.insert(place, pointer);
        (before, Some(pointer))
    }

    #[inline]
    fn refer(
        &mut self,
        made: &mut References,
        calls: &CallColumns<'_>,
        row: usize,
        operation: Operation,
        before: Option<i64>,
        pointer: Option<Pointer>,
    ) {
        let moves = operation.moves();
        let is_referenced =
            moves || matches!(operation, Operation::Sync | Operation::Truncate | Operation::Delete);
        if moves && calls.length(row) == Some(0) {
            self.seen.empty_requests += 1;
            return;
        }
        if !is_referenced {
            return;
        }
        let given = calls.offset(row);
        let tracked = before.filter(|&before| before >= 0);
        let (offset, source) = match (moves, given, tracked) {
            (false, ..) => (given.filter(|_| operation == Operation::Truncate), None),
            (true, Some(offset), _) => (Some(offset), Some(Source::Explicit)),
            (true, None, Some(offset)) => (Some(offset), Some(Source::Tracked)),
            (true, None, None) => (None, Some(Source::Unknown)),
        };
        if source == Some(Source::Unknown) {
            let appends = pointer.is_some_and(|pointer| pointer.appends);
            self.seen.appends_of_unknown_offset += u64::from(appends);
            self.seen.unknown_offsets += u64::from(!appends);
        }
        made.push(row, operation, pointer.map(|pointer| pointer.in_use), offset, source);
    }
}

/// Where a file pointer stands after a call.
#[inline]
fn position(calls: &CallColumns<'_>, row: usize, operation: Operation, appends: bool, before: i64) -> i64 {
    let offset = calls.offset(row);
    let step = match (operation, calls.whence(row)) {
        (Operation::Open, _) => return if appends { NOWHERE } else { 0 },
        (Operation::Seek, Some(Whence::Start)) => return offset.unwrap_or(NOWHERE),
        (Operation::Seek, Some(Whence::End)) => return NOWHERE,
        (_, Some(Whence::Current)) => offset,
        (Operation::Read | Operation::Write, _) if offset.is_none() => calls.length(row),
        _ => return before,
    };
    match step {
        Some(step) if (-LARGEST_STEP..=LARGEST_STEP).contains(&step) => (before + step).max(NOWHERE),
        _ => NOWHERE,
    }
}
