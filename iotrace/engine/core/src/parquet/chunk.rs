//! Column chunks: the pages of one column of a row group, and what the footer says of them.

use super::encodings::{put_levels, Encoding};
use super::known::Known;
use super::pages::{Codec, Pages, Size};
use super::thrift::{Struct, Value};
use crate::error::Error;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

/// A page has at most as many rows; texts, which may be long, fewer.
const PAGE_ROWS: usize = 1 << 17;
const TEXT_PAGE_ROWS: usize = 1 << 14;
const RLE: i32 = 3;

/// How a column is stored.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub codec: Codec,
    pub encoding: Encoding,
    /// Whether row groups say how many nulls it has, and the least and the largest of its integers.
    pub has_statistics: bool,
}

/// A column of a file.
pub struct Column {
    pub name: String,
    /// Parquet's number of the type.
    pub physical: i32,
    pub is_text: bool,
    pub is_nullable: bool,
    data_type: DataType,
    form: Form,
}

impl Column {
    pub fn new(field: &Field, form: Form) -> Result<Self, Error> {
        let (physical, is_text) = match field.data_type() {
            DataType::Boolean => (0, false),
            DataType::Int32 => (1, false),
            DataType::Int64 => (2, false),
            DataType::Float64 => (5, false),
            DataType::Utf8 => (6, true),
            DataType::Dictionary(key, word) if (&**key, &**word) == (&DataType::Int32, &DataType::Utf8) => {
                (6, true)
            }
            other => return Err(Error::of(format!("column {}: tables have no {other}", field.name()))),
        };
        Ok(Column {
            name: field.name().clone(),
            physical,
            is_text,
            is_nullable: field.is_nullable(),
            data_type: field.data_type().clone(),
            form,
        })
    }
}

/// Where a chunk is, and how it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    pub name: String,
    pub physical: i32,
    pub encodings: Vec<i32>,
    pub codec: i32,
    pub values: u64,
    pub stored_bytes: u64,
    pub plain_bytes: u64,
    /// The place of its first page of values, and that of its dictionary before it.
    pub data_at: u64,
    pub dictionary_at: Option<u64>,
    pub statistics: Option<Statistics>,
}

/// What a row group says of a column's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    pub nulls: u64,
    /// The least and the largest value, if there is one.
    pub ends: Option<(Vec<u8>, Vec<u8>)>,
}

impl Chunk {
    pub fn start(&self) -> u64 {
        self.dictionary_at.unwrap_or(self.data_at)
    }

    fn add(&mut self, size: Size) {
        self.stored_bytes += size.stored_bytes;
        self.plain_bytes += size.plain_bytes;
    }

    /// Its structure in a footer.
    pub fn stored(&self) -> Value {
        let encodings = self.encodings.iter().map(|number| Value::I32(*number)).collect();
        let mut pages = Struct::default()
            .i32(1, self.physical)
            .with(2, Value::List(encodings))
            .with(3, Value::List(vec![Value::Binary(self.name.clone().into_bytes())]))
            .i32(4, self.codec)
            .i64(5, self.values)
            .i64(6, self.plain_bytes)
            .i64(7, self.stored_bytes)
            .i64(9, self.data_at);
        if let Some(place) = self.dictionary_at {
            pages = pages.i64(11, place);
        }
        if let Some(statistics) = &self.statistics {
            pages = pages.with(12, Value::Struct(statistics.stored()));
        }
        Value::Struct(Struct::default().i64(2, 0).with(3, Value::Struct(pages)))
    }

    /// Read a chunk from a footer; None if its column is nested, or if a field is missing.
    pub fn read(stored: &Value) -> Option<Self> {
        let pages = stored.fields()?.part(3)?;
        let number = |field| pages.number(field).and_then(|number| u64::try_from(number).ok());
        let small = |field| pages.number(field).and_then(|number| i32::try_from(number).ok());
        let [Value::Binary(name)] = pages.list(3)? else { return None };
        let encodings = pages.list(2)?.iter().map(|encoding| match encoding {
            Value::I32(number) => Some(*number),
            _ => None,
        });
        Some(Chunk {
            name: String::from_utf8(name.clone()).ok()?,
            physical: small(1)?,
            encodings: encodings.collect::<Option<_>>()?,
            codec: small(4)?,
            values: number(5)?,
            plain_bytes: number(6)?,
            stored_bytes: number(7)?,
            data_at: number(9)?,
            dictionary_at: number(11),
            statistics: pages.part(12).and_then(Statistics::read),
        })
    }
}

impl Statistics {
    fn stored(&self) -> Struct {
        let stored = Struct::default().i64(3, self.nulls);
        match &self.ends {
            Some((least, most)) => {
                let exact = Value::Bool(true);
                stored.bytes(5, most).bytes(6, least).with(7, exact.clone()).with(8, exact)
            }
            None => stored,
        }
    }

    fn read(stored: &Struct) -> Option<Self> {
        let ends = stored.binary(6).zip(stored.binary(5));
        Some(Statistics {
            nulls: u64::try_from(stored.number(3)?).ok()?,
            ends: ends.map(|(least, most)| (least.to_vec(), most.to_vec())),
        })
    }
}

/// Encodes chunks one after the other.
pub struct Chunks {
    pages: Pages,
    page: Vec<u8>,
}

impl Chunks {
    pub fn new() -> Result<Self, Error> {
        Ok(Chunks { pages: Pages::new()?, page: Vec::new() })
    }

    /// The bytes since they were cleared.
    pub fn bytes(&self) -> &[u8] {
        &self.pages.out
    }

    pub fn clear(&mut self) {
        self.pages.out.clear();
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.pages.out.extend_from_slice(bytes);
    }

    /// Append a column's values; `before` are the bytes of the file before these.
    pub fn encode(&mut self, column: &Column, array: &ArrayRef, before: u64) -> Result<Chunk, Error> {
        if array.data_type() != &column.data_type {
            let reason = format!("column {}: {}, not {}", column.name, array.data_type(), column.data_type);
            return Err(Error::of(reason));
        }
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let null_count = nulls.as_ref().map_or(0, |nulls| nulls.null_count());
        if null_count > 0 && !column.is_nullable {
            return Err(Error::of(format!("column {}: null, where each row needs a value", column.name)));
        }
        let Form { codec, encoding, has_statistics } = column.form;
        let no_type = || Error::of(format!("column {}: tables have no {}", column.name, column.data_type));
        let (known, words) = Known::of(array, encoding).ok_or_else(no_type)?;
        let encoding = known.encoding(encoding);
        let at = before + self.pages.out.len() as u64;
        let mut chunk = Chunk {
            name: column.name.clone(),
            physical: column.physical,
            encodings: vec![RLE, encoding.number()],
            codec: codec.number(),
            values: array.len() as u64,
            stored_bytes: 0,
            plain_bytes: 0,
            data_at: at,
            dictionary_at: None,
            statistics: None,
        };
        if let Some(words) = words {
            chunk.encodings.push(Encoding::Plain.number());
            chunk.dictionary_at = Some(at);
            chunk.add(self.pages.put_dictionary(&words.page, words.count, codec)?);
            chunk.data_at = at + chunk.stored_bytes;
        }
        if has_statistics {
            chunk.statistics = Some(Statistics { nulls: null_count as u64, ends: known.ends() });
        }
        let page_rows = if matches!(known, Known::Texts(_)) { TEXT_PAGE_ROWS } else { PAGE_ROWS };
        let mut first = 0;
        for start in (0..array.len()).step_by(page_rows) {
            let rows = page_rows.min(array.len() - start);
            let nulls = nulls.as_ref().map(|nulls| nulls.slice(start, rows));
            let end = first + rows - nulls.as_ref().map_or(0, |nulls| nulls.null_count());
            self.page.clear();
            if column.is_nullable {
                put_levels(rows, nulls.as_ref(), &mut self.page);
            }
            known.put(first..end, encoding, &mut self.page);
            chunk.add(self.pages.put_data(&self.page, rows, encoding.number(), codec)?);
            first = end;
        }
        Ok(chunk)
    }

    /// Append a chunk of another file as it is stored.
    pub fn copy(
        &mut self,
        column: &Column,
        chunk: &Chunk,
        stored: &[u8],
        before: u64,
    ) -> Result<Chunk, Error> {
        if (&chunk.name, chunk.physical) != (&column.name, column.physical) {
            return Err(Error::of(format!("column {}: another one is stored", column.name)));
        }
        let at = before + self.pages.out.len() as u64;
        self.pages.out.extend_from_slice(stored);
        Ok(Chunk {
            data_at: at + (chunk.data_at - chunk.start()),
            dictionary_at: chunk.dictionary_at.map(|_| at),
            ..chunk.clone()
        })
    }
}
