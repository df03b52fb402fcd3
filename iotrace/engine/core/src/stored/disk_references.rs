//! Requests to disks as references: rows of table disk_io as columns of table reference.

use crate::columns::{batch, column, dictionary_type, optional_column, whole_column};
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    new_null_array, Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use std::sync::Arc;

/// The bytes of a block of `lbn` and `blocks`, as a shift.
const BLOCK_SHIFT: u32 = 9;
pub(super) const READ: &str = "read";
pub(super) const WRITE: &str = "write";
const SYNC: &str = "sync";
/// The flags of a write that a process waits for.
const WAITED_FOR: [&str; 2] = ["forced", "synchronous"];

/// The columns of table reference that can be made of the columns there: `file` of `device`, `operation` of
/// `operation`, `flags` of `flags`, `offset` of `operation` and `lbn`, `length` of `operation` and `blocks`.
///
/// `file_of_device` has the file of each device; None where their numbers are the same. The operation of a request that
/// is not a reference is null.
///
/// # Errors
/// If a column is of another type, a device has no file, or a request ends beyond 63 bits.
pub fn references_of_disks(
    requests: &RecordBatch,
    file_of_device: Option<&Int32Array>,
) -> Result<RecordBatch, Error> {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if requests.column_by_name("device").is_some() {
        columns.push(("file", files(whole_column(requests, "device")?, file_of_device)?));
    }
    if let Some(flags) = optional_column::<DictionaryArray<Int32Type>>(requests, "flags")? {
        columns.push(("flags", waits(flags)?));
    }
    if requests.column_by_name("operation").is_some() {
        let operation = operations(column(requests, "operation")?)?;
        let moves = moving(&operation);
        if let Some(lbn) = optional_column::<Int64Array>(requests, "lbn")? {
            columns.push(("offset", bytes(lbn, moves.as_ref(), Some(0))?));
        }
        if let Some(blocks) = optional_column::<Int64Array>(requests, "blocks")? {
            columns.push(("length", bytes(blocks, moves.as_ref(), None)?));
        }
        columns.push(("operation", Arc::new(operation)));
    }
    batch(columns)
}

fn files(devices: &Int32Array, file_of_device: Option<&Int32Array>) -> Result<ArrayRef, Error> {
    let Some(file_of_device) = file_of_device else {
        return Ok(Arc::new(devices.clone()));
    };
    let file = |&device: &i32| {
        let known = usize::try_from(device).ok().and_then(|device| file_of_device.values().get(device));
        known.copied().ok_or_else(|| Error::of(format!("device {device} has no row in table file")))
    };
    let files: Vec<i32> = devices.values().iter().map(file).collect::<Result<_, _>>()?;
    Ok(Arc::new(Int32Array::from(files)))
}

/// The names of a dictionary column.
pub(super) fn names(column: &DictionaryArray<Int32Type>) -> Result<&StringArray, Error> {
    column.values().as_string_opt().ok_or_else(|| Error::of("a column of names has other values"))
}

fn dictionary(keys: Int32Array, names: Vec<&str>) -> Result<DictionaryArray<Int32Type>, Error> {
    Ok(DictionaryArray::try_new(keys, Arc::new(StringArray::from(names)))?)
}

/// The operation of a reference by that of its request, which reads if that is not known. Others (discards) are not
/// references.
pub(super) fn operation_of(request: Option<&str>) -> Option<&'static str> {
    match request {
        None | Some("read") => Some(READ),
        Some("write") => Some(WRITE),
        Some("flush") => Some(SYNC),
        Some(_) => None,
    }
}

/// Each request's operation as a reference has it. Names that no request has are left out: readers ask what there is.
fn operations(column: &DictionaryArray<Int32Type>) -> Result<DictionaryArray<Int32Type>, Error> {
    let keys = column.keys();
    let is_there = present(keys, names(column)?.len());
    let mut of_references: Vec<&str> = Vec::new();
    let mut place = |name: Option<&str>| {
        let operation = operation_of(name)?;
        let known = of_references.iter().position(|&other| other == operation);
        Some(known.unwrap_or_else(|| {
            of_references.push(operation);
            of_references.len() - 1
        }) as i32)
    };
    let named = names(column)?.iter().zip(&is_there);
    let places: Vec<Option<i32>> =
        named.map(|(name, &is_there)| if is_there { place(name) } else { None }).collect();
    let stays = |(key, place): (usize, &Option<i32>)| !is_there[key] || *place == Some(key as i32);
    if keys.null_count() == 0 && places.iter().enumerate().all(stays) {
        return dictionary(keys.clone(), of_references);
    }
    let of_unknown = if keys.null_count() > 0 { place(None) } else { None };
    let keys =
        keys.iter().map(|key| key.map_or(of_unknown, |key| places.get(key as usize).copied().flatten()));
    dictionary(keys.collect(), of_references)
}

/// Which of a dictionary's names some row has; all, where there are many.
fn present(keys: &Int32Array, names: usize) -> Vec<bool> {
    let with = |bits: u64, key: i32| bits | 1 << (key as u32 % u64::BITS);
    let bits = match keys.null_count() {
        _ if names > u64::BITS as usize => return vec![true; names],
        0 => keys.values().iter().fold(0, |bits, &key| with(bits, key)),
        _ => keys.iter().flatten().fold(0, with),
    };
    (0..names).map(|key| bits >> key & 1 == 1).collect()
}

/// Which references move data, as the validity of their offsets; None where all do.
fn moving(operation: &DictionaryArray<Int32Type>) -> Option<NullBuffer> {
    let sync = operation.values().as_string::<i32>().iter().position(|name| name == Some(SYNC))? as i32;
    let keys = operation.keys();
    let moves = |row| keys.is_null(row) || keys.value(row) != sync;
    let moves = NullBuffer::new(BooleanBuffer::collect_bool(keys.len(), moves));
    (moves.null_count() > 0).then_some(moves)
}

/// Whether a process waits for each request, as the flag of a reference.
fn waits(flags: &DictionaryArray<Int32Type>) -> Result<ArrayRef, Error> {
    let is_waited_for = |name: &str| name.split('|').any(|flag| WAITED_FOR.contains(&flag));
    let waits: Vec<bool> = names(flags)?.iter().map(|name| name.is_some_and(is_waited_for)).collect();
    if flags.null_count() == flags.len() || !waits.contains(&true) {
        return Ok(new_null_array(&dictionary_type(), flags.len()));
    }
    let is_set = |key: i32| waits.get(key as usize).copied().unwrap_or(false);
    let keys: Int32Array = flags.keys().iter().map(|key| key.filter(|&key| is_set(key)).map(|_| 0)).collect();
    Ok(Arc::new(dictionary(keys, vec!["synchronous"])?))
}

/// Numbers of blocks as numbers of bytes, null where nothing moves. Unknown numbers are null, or what `unknown` says.
fn bytes(blocks: &Int64Array, moves: Option<&NullBuffer>, unknown: Option<i64>) -> Result<ArrayRef, Error> {
    let numbers = match (blocks.null_count(), unknown) {
        (0, _) => blocks.values().clone(),
        (_, unknown) => blocks.iter().map(|number| number.or(unknown).unwrap_or(0)).collect(),
    };
    if numbers.iter().fold(0, |bits, number| bits | number) >> (i64::BITS - 1 - BLOCK_SHIFT) != 0 {
        return Err(Error::of(format!("lbn or blocks is beyond {}", i64::MAX >> BLOCK_SHIFT)));
    }
    let nulls = if unknown.is_none() { NullBuffer::union(blocks.nulls(), moves) } else { moves.cloned() };
    let bytes: Vec<i64> = numbers.iter().map(|number| number << BLOCK_SHIFT).collect();
    Ok(Arc::new(Int64Array::new(bytes.into(), nulls)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEVICES: [i32; 3] = [4, 0, 7];
    const NAMES: [&str; 4] = ["flush", "write", "read", "discard"];
    const FLAGS: [&str; 4] = ["read_ahead", "forced", "metadata|synchronous", "forced_not"];

    /// Device, operation, first block, blocks and flags of a request.
    type Request = (i32, Option<usize>, Option<i64>, Option<i64>, Option<usize>);
    /// File, operation, offset, length and flag of a reference.
    type Row = (i32, Option<&'static str>, Option<i64>, Option<i64>, Option<&'static str>);

    fn named(keys: impl Iterator<Item = Option<usize>>, names: &[&str]) -> ArrayRef {
        let keys: Int32Array = keys.map(|key| key.map(|key| key as i32)).collect();
        Arc::new(dictionary(keys, names.to_vec()).unwrap())
    }

    fn table(requests: &[Request], names: &[&str]) -> RecordBatch {
        let rows = || requests.iter();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("device", Arc::new(rows().map(|row| Some(row.0)).collect::<Int32Array>())),
            ("operation", named(rows().map(|row| row.1), names)),
            ("lbn", Arc::new(rows().map(|row| row.2).collect::<Int64Array>())),
            ("blocks", Arc::new(rows().map(|row| row.3).collect::<Int64Array>())),
            ("flags", named(rows().map(|row| row.4), &FLAGS)),
        ];
        batch(columns).unwrap()
    }

    /// One request, by the words of the documentation.
    fn reference(&(device, operation, lbn, blocks, flags): &Request, names: &[&str]) -> Row {
        let operation = match operation.map(|key| names[key]) {
            None | Some("read") => Some("read"),
            Some("write") => Some("write"),
            Some("flush") => Some("sync"),
            Some(_) => None,
        };
        let moves = operation != Some("sync");
        let waits = flags.is_some_and(|key| key == 1 || key == 2);
        (
            DEVICES[device as usize],
            operation,
            moves.then_some(lbn.unwrap_or(0) * 512),
            blocks.filter(|_| moves).map(|blocks| blocks * 512),
            waits.then_some("synchronous"),
        )
    }

    proptest! {
        #[test]
        fn each_request_is_the_reference_of_the_documentation(
            requests in prop::collection::vec(
                (0..3_i32, prop::option::of(0..4_usize), prop::option::of(0..1_i64 << 54), prop::option::of(0..9_i64),
                 prop::option::of(0..4_usize)), 0..20),
            known in prop::sample::select(vec![1, 2, 3, 4]), rotated in 0..4_usize, is_known in any::<bool>(),
        ) {
            let mut names = NAMES;
            names.rotate_left(rotated);
            let names = &names[..known];
            let of_known = |(device, operation, lbn, blocks, flags): Request| {
                let operation = operation.map(|key| key % known);
                match is_known {
                    true => (device, operation.or(Some(0)), lbn.or(Some(1)), blocks.or(Some(1)), flags),
                    false => (device, operation, lbn, blocks, flags),
                }
            };
            let requests: Vec<Request> = requests.into_iter().map(of_known).collect();
            let made = references_of_disks(&table(&requests, names), Some(&Int32Array::from(DEVICES.to_vec()))).unwrap();
            let word = |name: &str, row: usize| {
                let column = made.column_by_name(name).unwrap().as_dictionary::<Int32Type>();
                column.is_valid(row).then(|| column.values().as_string::<i32>().value(column.keys().value(row) as usize))
            };
            let number = |name: &str, row: usize| {
                let column: &Int64Array = column(&made, name).unwrap();
                column.is_valid(row).then(|| column.value(row))
            };
            let files: &Int32Array = column(&made, "file").unwrap();
            for (row, request) in requests.iter().enumerate() {
                let (file, operation, offset, length, flag) = reference(request, names);
                prop_assert_eq!(files.value(row), file);
                prop_assert_eq!(word("operation", row), operation);
                prop_assert_eq!(number("offset", row), offset);
                prop_assert_eq!(number("length", row), length);
                prop_assert_eq!(word("flags", row), flag);
            }
        }
    }

    #[test]
    fn a_device_without_a_file_and_a_request_beyond_63_bits_are_refused() {
        let request = (2, Some(1), Some(1), Some(1), None);
        let refused =
            |request, files| references_of_disks(&table(&[request], &NAMES), files).unwrap_err().reason;
        let files = Int32Array::from(vec![0, 1]);
        assert_eq!(refused(request, Some(&files)), "device 2 has no row in table file");
        let far = (0, Some(1), Some(1 << 54), Some(1), None);
        assert_eq!(refused(far, None), "lbn or blocks is beyond 18014398509481983");
        let long = (0, Some(1), None, Some(1 << 54), None);
        assert_eq!(refused(long, None), "lbn or blocks is beyond 18014398509481983");
    }
}
