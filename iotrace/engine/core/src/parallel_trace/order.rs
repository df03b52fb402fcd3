//! Whether the calls of each process come in the order of time.

use crate::columns::column;
use crate::error::Error;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrowPrimitiveType, DictionaryArray, PrimitiveArray, RecordBatch};
use rustc_hash::FxHashMap;

/// What distinguishes series of calls: process and thread, and where they count file, layer and operation.
type Series = [i64; 5];
/// Stands for null.
const NONE: i64 = i64::MIN;

/// Counts calls that come after one of the same series which began and ended later.
#[derive(Debug, Default)]
pub struct CallOrder {
    by_access: bool,
    broken: u64,
    /// The latest start and end of each series.
    reached: FxHashMap<Series, (i64, i64)>,
}

impl CallOrder {
    /// With `by_access` calls of different files, layers and operations are different series.
    pub fn new(by_access: bool) -> Self {
        CallOrder { by_access, ..CallOrder::default() }
    }

    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// Count further calls: rows of table parallel_io; those without a time are in no order.
    ///
    /// # Errors
    /// If a column is missing or of another type.
    pub fn see(&mut self, calls: &RecordBatch) -> Result<(), Error> {
        let start: &PrimitiveArray<Int64Type> = column(calls, "time_ns")?;
        let duration: &PrimitiveArray<Int64Type> = column(calls, "duration_ns")?;
        let process: &PrimitiveArray<Int32Type> = column(calls, "process")?;
        let thread: &PrimitiveArray<Int64Type> = column(calls, "thread")?;
        let file: &PrimitiveArray<Int32Type> = column(calls, "file")?;
        let layer: &DictionaryArray<Int32Type> = column(calls, "layer")?;
        let operation: &DictionaryArray<Int32Type> = column(calls, "operation")?;
        let mut last: Option<(Series, (i64, i64))> = None;
        for row in (0..calls.num_rows()).filter(|&row| start.is_valid(row)) {
            let series = match self.by_access {
                true => [
                    number(process, row),
                    number(thread, row),
                    number(file, row),
                    number(layer.keys(), row),
                    number(operation.keys(), row),
                ],
                false => [number(process, row), number(thread, row), 0, 0, 0],
            };
            let mut reached = match last {
                Some((of, reached)) if of == series => reached,
                _ => {
                    last.into_iter().for_each(|(of, reached)| _ = self.reached.insert(of, reached));
                    self.reached.get(&series).copied().unwrap_or((NONE, NONE))
                }
            };
            let start_ns = start.value(row);
            let end_ns = start_ns + if duration.is_valid(row) { duration.value(row) } else { 0 };
            self.broken += u64::from(start_ns < reached.0 && end_ns < reached.1);
            reached = (reached.0.max(start_ns), reached.1.max(end_ns));
            last = Some((series, reached));
        }
        last.into_iter().for_each(|(of, reached)| _ = self.reached.insert(of, reached));
        Ok(())
    }
}

fn number<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> i64
where
    i64: From<T::Native>,
{
    if column.is_valid(row) {
        i64::from(column.value(row))
    } else {
        NONE
    }
}
