//! A column of strings under construction.

use super::{dictionary_type, Column, Numbers};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// Strings, each stored once; values may be null.
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
        let Dictionary { numbers, text, ends, .. } = self;
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
}

impl Column for Dictionary {
    fn data_type() -> DataType {
        dictionary_type()
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        debug_assert_eq!(rows, self.keys.rows());
        let keys: Int32Array = self.keys.take_all();
        let mut offsets = Vec::with_capacity(self.ends.len() + 1);
        offsets.push(0);
        offsets.append(&mut self.ends);
        let text = Buffer::from_vec(std::mem::take(&mut self.text));
        self.numbers.clear();
        let strings = StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), text, None)?;
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(strings))?))
    }
}

fn slice<'t>(text: &'t [u8], ends: &[i32], key: i32) -> &'t [u8] {
    let key = key as usize;
    let start = if key == 0 { 0 } else { ends[key - 1] as usize };
    &text[start..ends[key] as usize]
}
