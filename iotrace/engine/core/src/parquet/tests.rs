//! Twins of the encodings, bit by bit; files are read back by pyarrow, DuckDB and polars in Python's tests.

use super::bits::pack;
use super::encodings::{put_differences, put_levels, put_places, Integer};
use super::thrift::{Struct, Value};
use super::{Codec, Encoder, Encoding, Form, Layout};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;
use std::sync::Arc;

/// Takes numbers of some bits from bytes, the least bits first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, width: usize) -> u64 {
        let mut value = 0;
        for bit in 0..width {
            value |= u64::from(self.bytes[self.at / 8] >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        value
    }

    fn varint(&mut self) -> u64 {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.take(8);
            value |= (byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    fn zigzag(&mut self) -> i64 {
        let value = self.varint();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }
}

fn from_differences(bytes: &[u8]) -> Vec<i64> {
    let mut bits = Bits { bytes, at: 0 };
    assert_eq!((bits.varint(), bits.varint()), (128, 4));
    let count = bits.varint() as usize;
    let mut values = vec![bits.zigzag()];
    while values.len() < count {
        let least = bits.zigzag();
        let widths: Vec<u64> = (0..4).map(|_| bits.take(8)).collect();
        for width in widths {
            if values.len() >= count {
                break;
            }
            for _ in 0..32 {
                let step = least.wrapping_add(bits.take(width as usize) as i64);
                values.push(values[values.len() - 1].wrapping_add(step));
            }
        }
    }
    assert_eq!(bits.at, bytes.len() * 8);
    values.truncate(count);
    values
}

fn differences<T: Integer>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_differences(values, &mut bytes);
    bytes
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::I32),
        any::<i64>().prop_map(Value::I64),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::Binary),
    ];
    leaf.prop_recursive(3, 30, 20, |inner| {
        prop_oneof![
            proptest::collection::vec(any::<i32>().prop_map(Value::I32), 0..20).prop_map(Value::List),
            proptest::collection::btree_map(1i16..200, inner, 0..8)
                .prop_map(|fields| Value::Struct(Struct(fields.into_iter().collect()))),
        ]
    })
}

fn encoder() -> (Arc<Schema>, Encoder) {
    let fields = vec![Field::new("seq", DataType::Int64, false), Field::new("name", DataType::Utf8, true)];
    let schema = Arc::new(Schema::new(fields));
    let forms = [
        Form { codec: Codec::Lz4, encoding: Encoding::Differences, has_statistics: true },
        Form { codec: Codec::Zstd, encoding: Encoding::Dictionary, has_statistics: false },
    ];
    let encoder = Encoder::new(&schema, &forms, vec![(b"a".to_vec(), b"b".to_vec())]);
    (schema, encoder.unwrap_or_else(|error| panic!("{error}")))
}

fn batch(schema: &Arc<Schema>, names: &[Option<String>]) -> RecordBatch {
    let numbers: Vec<i64> = (0..names.len() as i64).collect();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(numbers)), Arc::new(StringArray::from(names.to_vec()))];
    RecordBatch::try_new(schema.clone(), columns).unwrap_or_else(|error| panic!("{error}"))
}

fn ok<T>(result: Result<T, crate::error::Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn footer(file: &[u8]) -> &[u8] {
    let end = file.len() - 8;
    let length = u32::from_le_bytes([file[end], file[end + 1], file[end + 2], file[end + 3]]) as usize;
    &file[end - length..end]
}

proptest! {
    #[test]
    fn packed_numbers_are_their_bits(numbers in proptest::collection::vec(any::<u64>(), 32), width in 0usize..=64) {
        let mut values = [0; 32];
        for (value, number) in values.iter_mut().zip(&numbers) {
            *value = number & u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
        }
        let mut bytes = Vec::new();
        pack(&values, width, &mut bytes);
        prop_assert_eq!(bytes.len(), 4 * width);
        let mut bits = Bits { bytes: &bytes, at: 0 };
        prop_assert!(values.iter().all(|value| bits.take(width) == *value));
    }

    #[test]
    fn differences_give_the_numbers(numbers in proptest::collection::vec(any::<i64>(), 1..400), shift in 0u32..63) {
        let numbers: Vec<i64> = numbers.iter().map(|number| number >> shift).collect();
        prop_assert_eq!(from_differences(&differences(&numbers)), numbers);
    }

    #[test]
    fn differences_of_32_bits_need_no_more(numbers in proptest::collection::vec(any::<i32>(), 1..400)) {
        let values = from_differences(&differences(&numbers));
        let narrow: Vec<i32> = values.iter().map(|value| *value as i32).collect();
        prop_assert_eq!(narrow, numbers);
    }

    #[test]
    fn places_are_a_run_or_bits(places in proptest::collection::vec(0i32..70_000, 0..100), is_same: bool) {
        let places: Vec<i32> =
            if is_same { vec![places.first().copied().unwrap_or(0); places.len()] } else { places };
        let mut bytes = Vec::new();
        put_places(&places, 70_000, &mut bytes);
        let mut bits = Bits { bytes: &bytes, at: 0 };
        prop_assert_eq!(bits.take(8), 17);
        if !places.is_empty() {
            let head = bits.varint();
            if head & 1 == 0 {
                prop_assert_eq!((head >> 1) as usize, places.len());
                prop_assert_eq!(bits.take(24), places[0] as u64);
            } else {
                prop_assert_eq!((head >> 1) as usize, places.len().div_ceil(8));
                prop_assert!(places.iter().all(|place| bits.take(17) == *place as u64));
                bits.at += (head as usize / 2 * 8 - places.len()) * 17;
            }
        }
        prop_assert_eq!(bits.at, bytes.len() * 8);
    }

    #[test]
    fn levels_say_which_rows_are_there(rows in proptest::collection::vec(any::<bool>(), 1..100), cut in 0usize..8) {
        let nulls = NullBuffer::from(rows.clone());
        let cut = cut.min(rows.len() - 1);
        let (rows, nulls) = (&rows[cut..], nulls.slice(cut, rows.len() - cut));
        let mut bytes = Vec::new();
        put_levels(rows.len(), Some(&nulls), &mut bytes);
        let mut bits = Bits { bytes: &bytes, at: 0 };
        prop_assert_eq!(bits.take(32) as usize, bytes.len() - 4);
        let head = bits.varint();
        if head & 1 == 0 {
            let level = bits.take(8) == 1;
            prop_assert!(rows.iter().all(|row| *row == level));
        } else {
            prop_assert!(rows.iter().all(|row| (bits.take(1) == 1) == *row));
        }
    }

    #[test]
    fn structures_are_read_as_they_were_put(value in value()) {
        let whole = Struct::default().with(1, value);
        let mut bytes = Vec::new();
        whole.put(&mut bytes);
        prop_assert_eq!(Struct::read(&bytes), Some(whole));
    }

    #[test]
    fn damaged_footers_are_refused_or_read(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..100),
        place: prop::sample::Index,
        byte: u8,
        is_random: bool,
    ) {
        if !is_random {
            let (schema, mut encoder) = encoder();
            ok(encoder.row_group(&batch(&schema, &[None, Some("x".to_owned())])));
            bytes = footer(&encoder.end()).to_vec();
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(layout) = Layout::read(&bytes) {
            let (_, mut encoder) = encoder();
            for (number, (_, size, _)) in layout.groups().into_iter().enumerate() {
                let _ = encoder.amended_group(&layout, number, &vec![0; size.min(1000) as usize], None);
            }
        }
    }

    #[test]
    fn groups_that_are_copied_make_the_same_file(
        groups in proptest::collection::vec(proptest::collection::vec(any::<Option<String>>(), 1..40), 0..4),
    ) {
        let (schema, mut first) = encoder();
        let mut file = Vec::new();
        for names in &groups {
            file.extend(ok(first.row_group(&batch(&schema, names))));
        }
        file.extend(first.end());
        let layout = ok(Layout::read(footer(&file)));
        let (_, mut second) = encoder();
        let mut copy = Vec::new();
        for (number, (start, size, rows)) in layout.groups().into_iter().enumerate() {
            prop_assert_eq!(rows, groups[number].len());
            let stored = &file[start as usize..(start + size) as usize];
            let newer = batch(&schema, &groups[number]);
            copy.extend(ok(second.amended_group(&layout, number, stored, (number % 2 == 1).then_some(&newer))));
        }
        copy.extend(second.end());
        prop_assert_eq!(copy, file);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (schema, mut first) = encoder();
    let names = [None, Some("x".to_owned())];
    let file = ok(first.row_group(&batch(&schema, &names))).to_vec();
    let end = first.end();
    let layout = ok(Layout::read(footer(&end)));
    let (_, mut second) = encoder();
    let stored = &file[4..];
    let other = batch(&schema, &names[..1]);
    for (number, stored, newer) in [(1, stored, None), (0, &stored[1..], None), (0, stored, Some(&other))] {
        assert!(second.amended_group(&layout, number, stored, newer).is_err());
    }
    assert_eq!(ok(second.amended_group(&layout, 0, stored, None)), file);
}
