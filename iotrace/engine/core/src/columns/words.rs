//! Dictionary columns whose words are known beforehand.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

/// A value that a table shows as one of a fixed list of words.
pub trait Word: Sized {
    /// The words, all of which are in the dictionary of every batch.
    const WORDS: &'static [&'static str];

    /// The index of this value's word.
    fn code(self) -> i32;

    /// The word.
    fn word(self) -> &'static str {
        Self::WORDS[self.code() as usize]
    }
}

/// The Arrow type of a dictionary column.
pub fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// A dictionary column of these codes.
pub fn word_array<W: Word>(codes: Int32Array) -> Result<ArrayRef, ArrowError> {
    let words = StringArray::from(W::WORDS.to_vec());
    let array = DictionaryArray::<Int32Type>::try_new(codes, Arc::new(words))?;
    Ok(Arc::new(array))
}

/// A value of a fixed list, each of which has a name; see `named!`.
pub trait Named: Copy + PartialEq + 'static {
    /// All of them, in their order.
    const ALL: &'static [Self];

    /// The name of this one.
    fn name(self) -> &'static str;
}

/// An enum each of whose values has a name: `Value = "name"`.
macro_rules! named {
    ($(#[$meta:meta])* $visible:vis enum $type:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visible enum $type {
            $($(#[$doc])* $value,)+
        }

        impl $crate::columns::Named for $type {
            const ALL: &'static [Self] = &[$($type::$value),+];

            fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)+
                }
            }
        }
    };
}

pub(crate) use named;
