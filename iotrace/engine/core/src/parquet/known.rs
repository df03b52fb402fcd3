//! The values of a column that are there, without its nulls.

use super::encodings::{put_bits, put_differences, put_places, put_texts, Encoding};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, ToByteSlice};
use arrow_schema::DataType;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::hash::Hash;
use std::ops::Range;

/// A dictionary that is larger is only stored where it is smaller than the values themselves.
const SMALL_DICTIONARY_BYTES: usize = 1 << 20;

pub enum Known<'a> {
    I32(Cow<'a, [i32]>),
    I64(Cow<'a, [i64]>),
    F64(Cow<'a, [f64]>),
    Bits(Vec<bool>),
    Texts(Vec<&'a [u8]>),
    Places { words: usize, places: Cow<'a, [i32]> },
}

/// The words of a dictionary as Parquet stores them.
pub struct Words {
    pub count: usize,
    pub page: Vec<u8>,
}

impl<'a> Known<'a> {
    /// The values of a column and its dictionary, if it has one; None for a type that no table of a store has.
    pub fn of(array: &'a ArrayRef, encoding: Encoding) -> Option<(Self, Option<Words>)> {
        Some(match array.data_type() {
            DataType::Int32 => repeated(primitive::<Int32Type>(array), encoding, Known::I32),
            DataType::Int64 => repeated(primitive::<Int64Type>(array), encoding, Known::I64),
            DataType::Float64 => (Known::F64(primitive::<Float64Type>(array)), None),
            DataType::Boolean => (Known::Bits(array.as_boolean().iter().flatten().collect()), None),
            DataType::Utf8 => {
                let strings = array.as_string::<i32>();
                let rows = (0..strings.len()).filter(|row| strings.is_valid(*row));
                of_texts(rows.map(|row| text(strings, row)).collect(), encoding)
            }
            DataType::Dictionary(..) => of_words(array.as_dictionary_opt::<Int32Type>()?, encoding)?,
            _ => return None,
        })
    }

    /// In which encoding the values are stored, where another one is asked for.
    pub fn encoding(&self, asked: Encoding) -> Encoding {
        match self {
            Known::Places { .. } => Encoding::Dictionary,
            Known::I32(_) | Known::I64(_) if asked == Encoding::Differences => Encoding::Differences,
            _ => Encoding::Plain,
        }
    }

    /// Append some of the values as a page stores them in this encoding.
    pub fn put(&self, range: Range<usize>, encoding: Encoding, out: &mut Vec<u8>) {
        let as_differences = encoding == Encoding::Differences;
        match self {
            Known::I32(values) if as_differences => put_differences(&values[range], out),
            Known::I64(values) if as_differences => put_differences(&values[range], out),
            Known::I32(values) => out.extend_from_slice(values[range].to_byte_slice()),
            Known::I64(values) => out.extend_from_slice(values[range].to_byte_slice()),
            Known::F64(values) => out.extend_from_slice(values[range].to_byte_slice()),
            Known::Bits(values) => put_bits(&values[range], out),
            Known::Texts(values) => put_texts(values[range].iter().copied(), out),
            Known::Places { words, places } => put_places(&places[range], *words, out),
        }
    }

    /// The least and the largest number as Parquet stores them; None without numbers.
    pub fn ends(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        match self {
            Known::I32(values) => Some((
                values.iter().min()?.to_le_bytes().to_vec(),
                values.iter().max()?.to_le_bytes().to_vec(),
            )),
            Known::I64(values) => Some((
                values.iter().min()?.to_le_bytes().to_vec(),
                values.iter().max()?.to_le_bytes().to_vec(),
            )),
            _ => None,
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> Cow<'_, [T::Native]> {
    let array: &PrimitiveArray<T> = array.as_primitive();
    known(array.values(), array.nulls())
}

fn known<'a, T: ArrowNativeType>(values: &'a [T], nulls: Option<&NullBuffer>) -> Cow<'a, [T]> {
    match nulls {
        Some(nulls) if nulls.null_count() == values.len() => Cow::Borrowed(&[]),
        Some(nulls) if nulls.null_count() > 0 => {
            let mut kept = vec![T::default(); values.len()];
            let mut count = 0;
            for (value, is_known) in values.iter().zip(nulls) {
                kept[count] = *value;
                count += usize::from(is_known);
            }
            kept.truncate(count);
            Cow::Owned(kept)
        }
        _ => Cow::Borrowed(values),
    }
}

/// Numbers, by a dictionary if that is asked for and smaller.
fn repeated<'a, T: ArrowNativeType + Eq + Hash>(
    values: Cow<'a, [T]>,
    encoding: Encoding,
    plain: impl FnOnce(Cow<'a, [T]>) -> Known<'a>,
) -> (Known<'a>, Option<Words>) {
    let most = SMALL_DICTIONARY_BYTES / size_of::<T>();
    let indexed = (encoding == Encoding::Dictionary).then(|| indexed(&values, most)).flatten();
    match indexed {
        Some((words, places)) => by_places(words.len(), words.to_byte_slice().to_vec(), Cow::Owned(places)),
        None => (plain(values), None),
    }
}

fn of_texts(texts: Vec<&[u8]>, encoding: Encoding) -> (Known<'_>, Option<Words>) {
    let indexed = (encoding == Encoding::Dictionary).then(|| indexed(&texts, usize::MAX)).flatten();
    match indexed {
        Some((words, places)) if plain_bytes(words.iter().copied()) <= SMALL_DICTIONARY_BYTES => {
            let mut page = Vec::new();
            put_texts(words.iter().copied(), &mut page);
            by_places(words.len(), page, Cow::Owned(places))
        }
        _ => (Known::Texts(texts), None),
    }
}

/// Words of a dictionary column; None where they are no text.
fn of_words(
    array: &DictionaryArray<arrow_array::types::Int32Type>,
    encoding: Encoding,
) -> Option<(Known<'_>, Option<Words>)> {
    let words = array.values().as_string_opt::<i32>()?;
    let keys = array.keys();
    let all = (0..words.len()).map(|word| text(words, word));
    let by_row = || keys.iter().flatten().map(|key| key as usize).filter(|word| words.is_valid(*word));
    let dictionary_bytes = plain_bytes(all.clone());
    if words.null_count() > 0 {
        return Some(of_texts(by_row().map(|word| text(words, word)).collect(), encoding));
    }
    if dictionary_bytes > SMALL_DICTIONARY_BYTES
        && dictionary_bytes > plain_bytes(by_row().map(|word| text(words, word)))
    {
        return Some((Known::Texts(by_row().map(|word| text(words, word)).collect()), None));
    }
    let mut page = Vec::with_capacity(dictionary_bytes);
    put_texts(all, &mut page);
    Some(by_places(words.len(), page, known(keys.values(), keys.nulls())))
}

fn by_places(count: usize, page: Vec<u8>, places: Cow<'_, [i32]>) -> (Known<'_>, Option<Words>) {
    (Known::Places { words: count, places }, Some(Words { count, page }))
}

/// Distinct values in the order in which they come first, and the place of each value among them; None for more than
/// `most`, or where most values are distinct.
fn indexed<T: Copy + Eq + Hash>(values: &[T], most: usize) -> Option<(Vec<T>, Vec<i32>)> {
    let most = most.min(values.len() / 2 + 1);
    let mut place_of: FxHashMap<T, i32> = FxHashMap::default();
    let mut words = Vec::new();
    let mut places = Vec::with_capacity(values.len());
    for value in values {
        let place = *place_of.entry(*value).or_insert_with(|| {
            words.push(*value);
            (words.len() - 1) as i32
        });
        if words.len() > most {
            return None;
        }
        places.push(place);
    }
    Some((words, places))
}

fn plain_bytes<'a>(texts: impl Iterator<Item = &'a [u8]>) -> usize {
    texts.map(|text| 4 + text.len()).sum()
}

/// The bytes of a text, which a file may have made no UTF-8.
fn text(strings: &StringArray, row: usize) -> &[u8] {
    let ends = strings.value_offsets();
    &strings.value_data()[ends[row] as usize..ends[row + 1] as usize]
}
