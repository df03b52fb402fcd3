//! What the writer writes of syncs.

use super::{Notes, Writer};
use crate::cache::replay::{Step, Tape};
use crate::cache::stack_distance::{file_key, Columns, Options};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch};
use std::sync::Arc;

/// operation, offset and length in blocks
type ReferenceRow = (&'static str, Option<i64>, Option<i64>);

const BLOCK: i64 = 4096;

fn tape(rows: &[ReferenceRow]) -> Tape {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.0).collect();
    let bytes = |blocks: Option<i64>| blocks.map(|blocks| blocks * BLOCK);
    let offset: Int64Array = rows.iter().map(|row| bytes(row.1)).collect();
    let length: Int64Array = rows.iter().map(|row| bytes(row.2)).collect();
    let batch = RecordBatch::try_from_iter([
        ("operation", Arc::new(operation) as ArrayRef),
        ("file", Arc::new(Int32Array::from(vec![7; rows.len()]))),
        ("offset", Arc::new(offset)),
        ("length", Arc::new(length)),
    ])
    .unwrap();
    let notes = Notes { syncs: true, ..Notes::default() };
    let mut writer = Writer::new(Options::default(), notes).unwrap();
    let mut tape = Tape::default();
    let columns = Columns::new(&batch, 0).unwrap();
    let written = writer.write(&columns, 0, &mut tape, usize::MAX).unwrap();
    assert_eq!(written, rows.len());
    tape
}

/// The blocks of each sync of a range, in their order in the file.
fn synced(tape: &Tape) -> Vec<Vec<u32>> {
    let mut rest = tape.touches.as_slice();
    let mut synced = Vec::new();
    for step in &tape.steps {
        let (blocks, after) = rest.split_at(step.blocks() as usize);
        rest = after;
        if let Step::SyncBlocks(_) = step {
            synced.push(blocks.to_vec());
            synced.last_mut().unwrap().sort_unstable();
        }
    }
    synced
}

#[test]
fn the_sync_of_a_range_lists_what_was_written_since_it_was_synced() {
    let rows = [
        ("write", Some(0), Some(8)),
        ("read", Some(8), Some(8)),
        ("sync", Some(2), Some(4)),
        ("sync", Some(1), None),
        ("write", Some(3), Some(1)),
        ("sync", Some(1), Some(100)),
        ("sync", Some(1), Some(100)),
        ("write", Some(9), Some(1)),
        ("delete", None, None),
        ("write", Some(9), Some(1)),
        ("sync", Some(9), Some(1)),
        ("sync", Some(9), Some(1)),
    ];
    let expected: [&[u32]; 4] = [&[2, 3, 4, 5], &[1, 6, 7], &[3], &[9]];
    assert_eq!(synced(&tape(&rows)), expected);
}

#[test]
fn syncs_of_whole_files_list_no_blocks_and_leave_none() {
    for whole in [("sync", None, None), ("sync", Some(0), None), ("sync", Some(0), Some(0))] {
        let rows = [("write", Some(0), Some(8)), whole, ("sync", Some(1), Some(4))];
        let tape = tape(&rows);
        assert_eq!(tape.touches.len(), 8);
        assert_eq!(tape.steps.last(), Some(&Step::Sync(Some(file_key(7)))));
    }
}
