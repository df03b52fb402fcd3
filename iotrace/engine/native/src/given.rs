//! Settings from Python with their enum values and errors, and counts to Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::{
    value::Error, Deserialize, DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor,
};
use serde::{forward_to_deserialize_any, Serialize};
use std::fmt::Display;

/// A Python exception for an error.
pub fn refused(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Settings from JSON, by serde's names; the error names the invalid value, and the valid ones.
pub fn settings<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    // parsed to a value first, so that errors do not name positions in the JSON, which users do not see
    let value: serde_json::Value = serde_json::from_str(json).map_err(refused)?;
    serde_path_to_error::deserialize(value)
        .map_err(|error| PyValueError::new_err(format!("{}: {}", error.path(), error.inner())))
}

/// The enum value with this serde name; the error lists the valid names.
pub fn word<T: for<'de> Deserialize<'de>>(what: &str, name: &str) -> PyResult<T> {
    let found: Result<T, Error> = T::deserialize(name.into_deserializer());
    found.map_err(|_| {
        let words = words::<T>();
        let (last, others) = words.split_last().unwrap_or((&"", &[]));
        PyValueError::new_err(format!("{what} must be {} or {last}, not {name:?}", others.join(", ")))
    })
}

/// The serde names of an enum's values, in order; empty for other types.
pub fn words<T: for<'de> Deserialize<'de>>() -> Vec<&'static str> {
    let mut words = Words::default();
    // it never returns a value, only the names
    let _ = T::deserialize(&mut words);
    words.0
}

#[derive(Default)]
struct Words(Vec<&'static str>);

impl<'de> Deserializer<'de> for &mut Words {
    type Error = Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.0 = variants.to_vec();
        Err(Error::custom("no value"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("not an enum"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Counts and the like for Python: dictionaries by serde's names.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(refused)?;
    py.import("json")?.call_method1("loads", (json,))
}
