//! The keys of a cache's trace: dense numbers in the order of first sight, what each key was, and how large its object.
//!
//! Keys are compared whole: two keys with one hash are two keys.

mod names;
mod records;
mod sizes;

use crate::cache::stack_distance::Interner;
use crate::error::Error;
use crate::lists::make_room;
use arrow_array::{Int64Array, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use names::Names;
pub use records::{KeyRows, RecordKind, Summary};
use sizes::Sizes;
use std::sync::Arc;

/// Numbers are those of table `file`.
const MOST_KEYS: &str = "more than 2147483647 distinct keys";
/// Text of one batch of rows, whose places are 32-bit numbers.
const MOST_TEXT: usize = 1 << 28;
/// How many requests ahead the sizes of an object are prefetched.
const AHEAD: usize = 32;

/// Keys of one kind.
#[derive(Debug, Default)]
enum Known {
    #[default]
    None,
    Integers {
        interner: Interner,
        keys: Vec<u64>,
    },
    Names(Box<Names>),
}

/// Gives each key a number.
#[derive(Debug, Default)]
pub struct Keys {
    known: Known,
    sizes: Sizes,
    returned: usize,
}

impl Keys {
    /// The number of distinct keys.
    pub fn len(&self) -> usize {
        match &self.known {
            Known::None => 0,
            Known::Integers { keys, .. } => keys.len(),
            Known::Names(names) => names.len(),
        }
    }

    /// Whether there was no key yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of each key.
    ///
    /// # Errors
    /// Beyond 2³¹ − 1 distinct keys, and where other keys were names.
    pub fn of_integers(&mut self, keys: &[u64]) -> Result<Vec<i64>, Error> {
        if matches!(self.known, Known::None) {
            self.known = Known::Integers { interner: Interner::default(), keys: Vec::new() };
        }
        let Known::Integers { interner, keys: known } = &mut self.known else {
            return Err(Error::of("keys are numbers or names, not both"));
        };
        let mut numbers = vec![0; keys.len()];
        interner.numbers(keys, &mut numbers).ok_or_else(|| Error::of(MOST_KEYS))?;
        make_room(known, interner.len());
        for (&key, &number) in keys.iter().zip(&numbers) {
            if number as usize == known.len() {
                known.push(key);
            }
        }
        Ok(numbers.into_iter().map(i64::from).collect())
    }

    /// The number of each key; a null one counts as empty.
    ///
    /// # Errors
    /// Beyond 2³¹ − 1 distinct keys, and where other keys were integers.
    pub fn of_names(&mut self, keys: &LargeStringArray) -> Result<Vec<i64>, Error> {
        if matches!(self.known, Known::None) {
            self.known = Known::Names(Box::default());
        }
        let Known::Names(names) = &mut self.known else {
            return Err(Error::of("keys are numbers or names, not both"));
        };
        names.numbers(keys.value_offsets(), keys.value_data()).ok_or_else(|| Error::of(MOST_KEYS))
    }

    /// Take the sizes of objects in requests by these numbers of keys, None where one is not known.
    pub fn see_sizes(&mut self, numbers: &[i64], sizes: impl Iterator<Item = Option<i64>>) {
        self.sizes.grow(self.len());
        for (place, (&number, size)) in numbers.iter().zip(sizes).enumerate() {
            if let Some(&ahead) = numbers.get(place + AHEAD) {
                self.sizes.prefetch(ahead);
            }
            if let Some(size) = size {
                self.sizes.see(number, size);
            }
        }
    }

    /// The next rows, at most as many, of what each key is, once there are no more keys; None at the end.
    ///
    /// Keys are integers if each of them is one that fits 64 bits, written without a sign or leading zeros.
    ///
    /// # Errors
    /// Where memory or the columns do not suffice for a key.
    pub fn next_rows(&mut self, most: usize) -> Result<Option<RecordBatch>, Error> {
        let first = self.returned;
        let mut rows = most.min(self.len() - first);
        if rows == 0 {
            return Ok(None);
        }
        let (mut numbers, mut texts) = (Int64Array::new_null(rows), StringArray::new_null(rows));
        match &mut self.known {
            Known::Names(names) if !names.are_integers() => {
                texts = names.next(rows, MOST_TEXT);
                rows = arrow_array::Array::len(&texts);
                numbers = Int64Array::new_null(rows);
            }
            Known::Names(names) => numbers = names.next_integers(rows).into_iter().map(Some).collect(),
            Known::Integers { keys, .. } => {
                numbers = keys[first..first + rows].iter().map(|&key| Some(key as i64)).collect();
            }
            Known::None => {}
        }
        self.returned += rows;
        self.sizes.grow(self.len());
        let [of_first, of_last, of_largest] = self.sizes.columns(first, rows);
        let keys = Int64Array::from_iter_values(first as i64..(first + rows) as i64);
        let numbered = |name: &str| Field::new(name, DataType::Int64, true);
        let fields = vec![
            numbered("key"),
            numbered("number"),
            Field::new("name", DataType::Utf8, true),
            numbered("size_first_bytes"),
            numbered("size_last_bytes"),
            numbered("size_largest_bytes"),
        ];
        let columns: Vec<arrow_array::ArrayRef> = vec![
            Arc::new(keys),
            Arc::new(numbers),
            Arc::new(texts),
            Arc::new(of_first),
            Arc::new(of_last),
            Arc::new(of_largest),
        ];
        Ok(Some(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Keys;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array, LargeStringArray};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn dense<'a, T: std::hash::Hash + Eq + 'a>(keys: impl Iterator<Item = &'a T>) -> Vec<i64> {
        let mut known = HashMap::new();
        keys.map(|key| {
            let next = known.len() as i64;
            *known.entry(key).or_insert(next)
        })
        .collect()
    }

    proptest! {
        #[test]
        fn numbers_of_names_follow_the_first_uses(
            keys in prop::collection::vec(prop_oneof!["[0-9]{0,3}", "[ab]{0,3}", ".{0,40}"], 0..900),
            batch in 1..300_usize,
            rows in 1..50_usize,
        ) {
            let mut made = Keys::default();
            let mut numbers = Vec::new();
            for chunk in keys.chunks(batch) {
                numbers.extend(made.of_names(&LargeStringArray::from_iter_values(chunk)).unwrap());
            }
            prop_assert_eq!(&numbers, &dense(keys.iter()));
            let mut names = Vec::new();
            while let Some(batch) = made.next_rows(rows).unwrap() {
                for row in 0..batch.num_rows() {
                    prop_assert_eq!(batch["key"].as_primitive::<Int64Type>().value(row), names.len() as i64);
                    let name = batch["name"].as_string::<i32>();
                    names.push(if name.is_null(row) {
                        (batch["number"].as_primitive::<Int64Type>().value(row) as u64).to_string()
                    } else {
                        name.value(row).to_owned()
                    });
                }
            }
            for (key, number) in keys.iter().zip(numbers) {
                prop_assert_eq!(&names[number as usize], key);
            }
        }

        #[test]
        fn numbers_of_integers_follow_the_first_uses(
            keys in prop::collection::vec(prop_oneof![0..9_u64, any::<u64>(), (0..9_u64).prop_map(|key| key << 32)], 0..900),
            batch in 1..300_usize,
        ) {
            let mut made = Keys::default();
            let mut numbers = Vec::new();
            for chunk in keys.chunks(batch) {
                numbers.extend(made.of_integers(chunk).unwrap());
            }
            prop_assert_eq!(&numbers, &dense(keys.iter()));
            let rows = made.next_rows(usize::MAX).unwrap();
            let known: Vec<u64> = rows.map_or(vec![], |rows| {
                rows["number"].as_primitive::<Int64Type>().values().iter().map(|&key| key as u64).collect()
            });
            for (key, number) in keys.iter().zip(numbers) {
                prop_assert_eq!(known[number as usize], *key);
            }
        }
    }

    #[test]
    fn only_plain_numbers_of_64_bits_are_integers() {
        let are = |keys: &[&str]| {
            let mut made = Keys::default();
            made.of_names(&LargeStringArray::from_iter_values(keys)).unwrap();
            let rows = made.next_rows(9).unwrap().unwrap();
            rows["number"].null_count() == 0 && rows["name"].null_count() == rows.num_rows()
        };
        assert!(are(&["0", "18446744073709551615", "7"]));
        for other in ["18446744073709551616", "00", "07", "-1", "+1", "1.0", "", "a", " 1"] {
            assert!(!are(&["1", other]), "{other}");
        }
    }

    proptest! {
        #[test]
        fn sizes_are_those_of_lists(
            requests in prop::collection::vec(
                (0..9_u64, prop::option::of(prop_oneof![
                    8 => 0..9_i64, 1 => Just(i64::from(u32::MAX)), 1 => (1_i64 << 32)..i64::MAX,
                ])),
                0..60,
            ),
            batch in 1..30_usize,
        ) {
            let mut made = Keys::default();
            let mut seen: Vec<(u64, Vec<i64>)> = Vec::new();
            for chunk in requests.chunks(batch) {
                let keys: Vec<u64> = chunk.iter().map(|&(key, _)| key).collect();
                let numbers = made.of_integers(&keys).unwrap();
                made.see_sizes(&numbers, chunk.iter().map(|&(_, size)| size));
                for &(key, size) in chunk {
                    if !seen.iter().any(|(known, _)| *known == key) {
                        seen.push((key, Vec::new()));
                    }
                    seen.iter_mut().filter(|(known, _)| *known == key).for_each(|(_, sizes)| sizes.extend(size));
                }
            }
            let rows = made.next_rows(usize::MAX).unwrap();
            for (row, (_, sizes)) in seen.iter().enumerate() {
                let rows = rows.as_ref().unwrap();
                let expected = [sizes.first(), sizes.last(), sizes.iter().max()];
                for (name, expected) in ["first", "last", "largest"].into_iter().zip(expected) {
                    let column = rows[&format!("size_{name}_bytes")[..]].as_primitive::<Int64Type>();
                    prop_assert_eq!(column.iter().nth(row).unwrap(), expected.copied());
                }
            }
        }
    }

    #[test]
    fn sizes_are_the_first_the_last_and_the_largest() {
        let mut made = Keys::default();
        let numbers = made.of_integers(&[5, 5, 6, 5, 7]).unwrap();
        made.see_sizes(&numbers, [Some(3), Some(9), None, Some(4), Some(0)].into_iter());
        let rows = made.next_rows(9).unwrap().unwrap();
        let column = |name: &str| rows[name].as_primitive::<Int64Type>().iter().collect::<Vec<_>>();
        assert_eq!(column("size_first_bytes"), [Some(3), None, Some(0)]);
        assert_eq!(column("size_last_bytes"), [Some(4), None, Some(0)]);
        assert_eq!(column("size_largest_bytes"), [Some(9), None, Some(0)]);
    }
}
