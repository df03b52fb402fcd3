#![allow(clippy::unwrap_used)]

use super::*;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::Array;
use arrow_schema::DataType;

/// Name, type and nullability of each column in the TOML file that documents the table.
fn documented() -> Vec<(String, String, bool)> {
    let toml = include_str!("../../../../../../schemas/syscall.toml");
    let columns = toml.split("'''").nth(1).unwrap();
    columns
        .trim()
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            let (name, kind) = (words.next().unwrap(), words.next().unwrap());
            let plain = kind.trim_end_matches('?');
            (name.to_string(), plain.to_string(), plain != kind)
        })
        .collect()
}

#[test]
fn the_schema_is_the_documented_one() {
    let built: Vec<_> = schema()
        .fields()
        .iter()
        .map(|field| {
            let name = match field.data_type() {
                DataType::Int64 => "int64",
                DataType::Int32 => "int32",
                _ => "dictionary",
            };
            (field.name().clone(), name.to_string(), field.is_nullable())
        })
        .collect();
    assert_eq!(built, documented());
}

fn names(batch: &RecordBatch, column: &str) -> Vec<Option<String>> {
    let dictionary = batch.column_by_name(column).unwrap().as_dictionary::<Int32Type>();
    let strings = dictionary.values().as_string::<i32>();
    let keys = dictionary.keys();
    keys.iter().map(|key| key.map(|key| strings.value(key as usize).to_string())).collect()
}

#[test]
fn rows_are_what_was_pushed() {
    let mut table = SyscallTable::new();
    table.set_origin(1_000);
    let call = Call {
        seq: 3,
        seq_return: 5,
        thread: 7,
        time_ns: Some(1_500),
        kind: CallKind::Openat,
        name: b"openat",
        path: Some("é".as_bytes()),
        error: Some(b"ENOENT"),
        result: Some(-1),
        ..Call::default()
    };
    table.push(&call, 2);
    table.push(
        &Call { kind: CallKind::Other, name: b"brk", time_ns: None, path: Some(b""), ..call.clone() },
        2,
    );
    table.push_end(
        &Ended { seq: 6, time_ns: None, thread: 7, how: End::Killed, status: None, signal: Some(b"SIGKILL") },
        4,
    );
    table.push(&call, 2);
    let batch = table.take_batch().unwrap();
    assert_eq!(batch.num_rows(), 4);
    let some = |name: &str| Some(name.to_string());
    assert_eq!(names(&batch, "call"), [some("openat"), some("brk"), some("process_killed"), some("openat")]);
    assert_eq!(names(&batch, "path"), [some("é"), some(""), None, some("é")]);
    assert_eq!(names(&batch, "flags"), [None, None, some("SIGKILL"), None]);
    let times = batch.column_by_name("time_ns").unwrap().as_primitive::<Int64Type>();
    assert_eq!(times.iter().collect::<Vec<_>>(), [Some(500), None, None, Some(500)]);
    assert_eq!(batch.column_by_name("seq").unwrap().null_count(), 0);
}

#[test]
fn batches_do_not_share_dictionaries() {
    let mut table = SyscallTable::new();
    for path in [b"/a", b"/b"] {
        table.push(&Call { kind: CallKind::Stat, name: b"stat", path: Some(path), ..Call::default() }, 0);
        let batch = table.take_batch().unwrap();
        let dictionary = batch.column_by_name("path").unwrap().as_dictionary::<Int32Type>();
        assert_eq!(dictionary.values().len(), 1);
        assert_eq!(names(&batch, "path"), [Some(String::from_utf8(path.to_vec()).unwrap())]);
        assert_eq!(table.rows(), 0);
    }
    assert_eq!(table.take_batch().unwrap().num_rows(), 0);
}
