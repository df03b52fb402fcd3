//! Requests of a key trace that is records of one width, as columns.

use super::Keys;
use crate::block_trace::ObjectRequest;
use crate::columns::{batch, optional_codes};
use crate::error::Error;
use crate::fields::{self, Times};
use arrow_array::{new_null_array, ArrayRef, Int64Array, RecordBatch, UInt16Array, UInt64Array};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// libCacheSim's oracleGeneral, 24 bytes.
    OracleGeneral,
    /// With operations and namespaces, 27 bytes.
    OracleGeneralOps,
}

/// What requests show of their clock, and how many there are of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    pub times: Times,
    pub zero_sizes: u64,
}

/// Requests, column by column.
#[derive(Debug, Default)]
pub struct KeyRows {
    time_ns: Vec<i64>,
    keys: Vec<u64>,
    sizes: Vec<i64>,
    /// Empty where records have none, as tenants are.
    operations: Vec<u16>,
    tenants: Vec<u16>,
    summary: Summary,
    /// Whether the last record is cut short, and left out.
    pub is_cut: bool,
}

impl KeyRows {
    /// Read the records of a block; the last may be cut short.
    pub fn read(block: &[u8], kind: RecordKind) -> Self {
        match kind {
            RecordKind::OracleGeneral => read(block, ObjectRequest::plain),
            RecordKind::OracleGeneralOps => read(block, ObjectRequest::with_operation),
        }
    }

    #[inline]
    fn push(&mut self, request: ObjectRequest) {
        self.time_ns.push(request.time_ns);
        self.keys.push(request.object);
        self.sizes.push(request.bytes);
        self.operations.extend(request.operation.map(u16::from));
        self.tenants.extend(request.namespace);
        self.summary.times.see(request.time_ns, 0);
        self.summary.zero_sizes += u64::from(request.bytes == 0);
    }

    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// How many requests came before an earlier one in time, of which the latest before these was at `reached_ns`.
    pub fn unsorted(&self, reached_ns: i64) -> u64 {
        fields::unsorted(&self.time_ns, reached_ns)
    }

    /// The numbers of operations, 0 for none, in the order of first sight.
    pub fn operations(&self) -> Vec<u16> {
        distinct(&self.operations)
    }

    /// The numbers of tenants likewise.
    pub fn tenants(&self) -> Vec<u16> {
        distinct(&self.tenants)
    }

    /// The requests as the records have them: columns record, counted from `first` at the block's start on, time_ns,
    /// number and size; and operation and tenant, as numbers, where records have them.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn requests(&self, first: i64) -> Result<RecordBatch, Error> {
        let records = first..first + self.keys.len() as i64;
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("record", Arc::new(Int64Array::from_iter_values(records))),
            ("time_ns", Arc::new(Int64Array::from(self.time_ns.clone()))),
            ("number", Arc::new(UInt64Array::from(self.keys.clone()))),
            ("size", Arc::new(Int64Array::from(self.sizes.clone()))),
        ];
        for (name, codes) in [("operation", &self.operations), ("tenant", &self.tenants)] {
            if !codes.is_empty() {
                columns.push((name, Arc::new(UInt16Array::from(codes.clone()))));
            }
        }
        batch(columns)
    }

    /// The requests as rows of table key_io, in which they are numbered from `first_seq` on, and their times count from
    /// `zero_ns`. Operations and tenants are the numbers given for them, null where there is none. The requests are taken
    /// away.
    ///
    /// # Errors
    /// As `Keys::of_integers`.
    pub fn table(
        &mut self,
        keys: &mut Keys,
        first_seq: i64,
        zero_ns: i64,
        operations: &BTreeMap<u16, i32>,
        tenants: &BTreeMap<u16, i32>,
    ) -> Result<RecordBatch, Error> {
        let taken = std::mem::take(self);
        let rows = taken.keys.len();
        let numbers = keys.of_integers(&taken.keys)?;
        keys.see_sizes(&numbers, taken.sizes.iter().copied().map(Some));
        let mut time_ns = taken.time_ns;
        time_ns.iter_mut().for_each(|time_ns| *time_ns -= zero_ns);
        let nulls = new_null_array(&DataType::Int64, rows);
        batch(vec![
            ("seq", Arc::new(Int64Array::from_iter_values(first_seq..first_seq + rows as i64))),
            ("time_ns", Arc::new(Int64Array::from(time_ns))),
            ("operation", numbered(&taken.operations, operations, rows)),
            ("key", Arc::new(Int64Array::from(numbers))),
            ("size", Arc::new(Int64Array::from(taken.sizes))),
            ("ttl_ns", nulls.clone()),
            ("tenant", numbered(&taken.tenants, tenants, rows)),
            ("hit", new_null_array(&DataType::Boolean, rows)),
            ("duration_ns", nulls.clone()),
            ("request", nulls.clone()),
            ("tokens", nulls),
        ])
    }
}

fn read<const WIDTH: usize>(block: &[u8], request: impl Fn(&[u8; WIDTH]) -> ObjectRequest) -> KeyRows {
    let records = block.chunks_exact(WIDTH);
    let mut rows = KeyRows { is_cut: !records.remainder().is_empty(), ..KeyRows::default() };
    let count = records.len();
    rows.time_ns.reserve(count);
    rows.keys.reserve(count);
    rows.sizes.reserve(count);
    for record in records.filter_map(|record| record.first_chunk()) {
        rows.push(request(record));
    }
    rows
}

/// The codes that there are, in the order of first sight.
fn distinct(codes: &[u16]) -> Vec<u16> {
    let mut is_seen = vec![false; if codes.is_empty() { 0 } else { 1 << 16 }];
    let is_new = |code: &u16| !std::mem::replace(&mut is_seen[usize::from(*code)], true);
    codes.iter().copied().filter(is_new).collect()
}

/// Codes as the numbers given for them, null for those without one, and in all rows where there are no codes.
fn numbered(codes: &[u16], numbers: &BTreeMap<u16, i32>, rows: usize) -> ArrayRef {
    if codes.is_empty() {
        return new_null_array(&DataType::Int32, rows);
    }
    let mut number_of = vec![-1; 1 << 16];
    for (&code, &number) in numbers {
        number_of[usize::from(code)] = number;
    }
    optional_codes(codes.iter().map(|&code| number_of[usize::from(code)]).collect())
}
