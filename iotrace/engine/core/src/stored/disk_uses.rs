//! What requests did with each disk.

use super::disk_references::{names, operation_of, READ, WRITE};
use crate::columns::{column, whole_column};
use crate::error::Error;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, Int32Array, Int64Array, RecordBatch};

/// What a request does with its disk; it is a reference unless it is for no blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It moves data; reads are 0, writes 1.
    Moves(usize),
    Flushes,
    /// It is not a reference.
    Other,
}

impl Effect {
    /// The effect of a request's operation.
    fn of(request: Option<&str>) -> Self {
        match operation_of(request) {
            Some(READ) => Effect::Moves(0),
            Some(WRITE) => Effect::Moves(1),
            Some(_) => Effect::Flushes,
            None => Effect::Other,
        }
    }
}

/// Counts of requests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DiskUses {
    /// How many are references.
    pub references: u64,
    /// The requests that read, and those that write, of device 0, then those of device 1, and so on.
    pub moved: Vec<u64>,
    /// The blocks of these.
    pub blocks: Vec<u64>,
}

impl DiskUses {
    /// Count requests: columns device, operation and blocks of table disk_io.
    ///
    /// # Errors
    /// If a column is of another type, or a device has a number below 0.
    pub fn of(requests: &RecordBatch) -> Result<Self, Error> {
        let devices: &Int32Array = whole_column(requests, "device")?;
        let operations: &DictionaryArray<Int32Type> = column(requests, "operation")?;
        let blocks: &Int64Array = column(requests, "blocks")?;
        let effects: Vec<Effect> = names(operations)?.iter().map(Effect::of).collect();
        let mut found = DiskUses::default();
        for (row, &device) in devices.values().iter().enumerate() {
            let effect = operations.key(row).map_or(Effect::of(None), |key| effects[key]);
            let count = if blocks.is_null(row) { None } else { Some(blocks.value(row)) };
            match effect {
                Effect::Moves(way) if count != Some(0) => {
                    let device = usize::try_from(device)
                        .map_err(|_| Error::of(format!("device {device} is below 0")))?;
                    found.see(device, way, count.unwrap_or(0).max(0) as u64);
                }
                Effect::Flushes => found.references += 1,
                Effect::Moves(_) | Effect::Other => {}
            }
        }
        Ok(found)
    }

    #[inline]
    fn see(&mut self, device: usize, way: usize, blocks: u64) {
        if self.moved.len() <= 2 * device {
            self.moved.resize(2 * device + 2, 0);
            self.blocks.resize(2 * device + 2, 0);
        }
        self.references += 1;
        self.moved[2 * device + way] += 1;
        self.blocks[2 * device + way] += blocks;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::columns::batch;
    use std::sync::Arc;

    fn table(requests: &[(i32, Option<&str>, Option<i64>)]) -> RecordBatch {
        let operations: DictionaryArray<Int32Type> = requests.iter().map(|row| row.1).collect();
        batch(vec![
            ("device", Arc::new(requests.iter().map(|row| Some(row.0)).collect::<Int32Array>())),
            ("operation", Arc::new(operations)),
            ("blocks", Arc::new(requests.iter().map(|row| row.2).collect::<Int64Array>())),
        ])
        .unwrap()
    }

    #[test]
    fn requests_that_move_data_count_for_their_disk() {
        let uses = DiskUses::of(&table(&[
            (0, Some("read"), Some(3)),
            (2, Some("write"), Some(5)),
            (2, Some("write"), None),
            (2, None, Some(7)),
            (0, Some("read"), Some(0)),
            (1, Some("discard"), Some(9)),
            (3, Some("flush"), Some(0)),
        ]));
        let expected =
            DiskUses { references: 5, moved: vec![1, 0, 0, 0, 1, 2], blocks: vec![3, 0, 0, 0, 7, 5] };
        assert_eq!(uses.unwrap(), expected);
        assert_eq!(DiskUses::of(&table(&[])).unwrap(), DiskUses::default());
    }

    #[test]
    fn a_device_below_0_is_refused() {
        let refused = DiskUses::of(&table(&[(-1, None, None)])).unwrap_err();
        assert_eq!(refused.reason, "device -1 is below 0");
    }
}
