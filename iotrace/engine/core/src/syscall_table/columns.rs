//! Columns under construction.

use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, PrimitiveArray, StringArray};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::ArrowError;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// A number that a column can hold.
pub trait Cell: ArrowNativeType {
    /// Its Arrow type.
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

impl Cell for i32 {
    type Arrow = Int32Type;
}

impl Cell for i64 {
    type Arrow = Int64Type;
}

/// Numbers, some of which may be null.
#[derive(Debug)]
pub struct Numbers<T> {
    values: Vec<T>,
    /// A bit for each value, 64 to a word; the last word is `word`.
    valid: Vec<u64>,
    word: u64,
    nulls: usize,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers {
            values: Vec::new(),
            valid: Vec::new(),
            word: 0,
            nulls: 0,
        }
    }
}

impl<T: Cell> Numbers<T> {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn push(&mut self, value: T) {
        self.push_option(Some(value));
    }

    #[inline]
    pub fn push_option(&mut self, value: Option<T>) {
        self.word |= u64::from(value.is_some()) << (self.values.len() % 64);
        self.values.push(value.unwrap_or_default());
        self.nulls += usize::from(value.is_none());
        if self.values.len() % 64 == 0 {
            self.valid.push(std::mem::take(&mut self.word));
        }
    }

    fn take(&mut self) -> PrimitiveArray<T::Arrow> {
        let rows = self.values.len();
        let values = ScalarBuffer::from(std::mem::replace(
            &mut self.values,
            Vec::with_capacity(rows),
        ));
        let mut words = std::mem::replace(&mut self.valid, Vec::with_capacity(rows / 64 + 1));
        words.push(std::mem::take(&mut self.word));
        let nulls = (std::mem::take(&mut self.nulls) > 0)
            .then(|| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(words), 0, rows)));
        PrimitiveArray::new(values, nulls)
    }

    pub fn finish(&mut self) -> ArrayRef {
        Arc::new(self.take())
    }
}

/// Strings, each kept once, some of which may be null.
#[derive(Debug, Default)]
pub struct Dictionary {
    keys: Numbers<i32>,
    /// The number of each string, by its text.
    numbers: HashTable<i32>,
    text: Vec<u8>,
    /// Where each string ends in `text`.
    ends: Vec<i32>,
}

impl Dictionary {
    /// Bytes of text so far.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }

    pub fn push_option(&mut self, string: Option<&[u8]>) {
        match string {
            Some(string) => {
                self.push(string);
            }
            None => self.keys.push_option(None),
        }
    }

    /// Add a string; its key can be pushed again until the column is finished.
    pub fn push(&mut self, string: &[u8]) -> i32 {
        let key = self.key(string);
        self.keys.push(key);
        key
    }

    pub fn push_key(&mut self, key: i32) {
        self.keys.push(key);
    }

    fn key(&mut self, string: &[u8]) -> i32 {
        let Dictionary {
            numbers,
            text,
            ends,
            ..
        } = self;
        let hash_of = |string: &[u8]| {
            let mut hasher = FxHasher::default();
            hasher.write(string);
            hasher.finish()
        };
        let hash = hash_of(string);
        if let Some(&key) = numbers.find(hash, |&key| slice(text, ends, key) == string) {
            return key;
        }
        let key = ends.len() as i32;
        text.extend_from_slice(string);
        // A batch is taken long before its text or its rows exceed 31 bits.
        ends.push(text.len() as i32);
        numbers.insert_unique(hash, key, |&key| hash_of(slice(text, ends, key)));
        key
    }

    pub fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let keys: Int32Array = self.keys.take();
        let mut offsets = Vec::with_capacity(self.ends.len() + 1);
        offsets.push(0);
        offsets.append(&mut self.ends);
        let text = Buffer::from_vec(std::mem::take(&mut self.text));
        self.numbers.clear();
        let strings =
            StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), text, None)?;
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(
            keys,
            Arc::new(strings),
        )?))
    }
}

fn slice<'t>(text: &'t [u8], ends: &[i32], key: i32) -> &'t [u8] {
    let key = key as usize;
    let start = if key == 0 { 0 } else { ends[key - 1] as usize };
    &text[start..ends[key] as usize]
}
