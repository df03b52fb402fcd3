//! Footers: what says where the columns of a file are.
//!
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>

use super::chunk::{Chunk, Column};
use super::thrift::{Struct, Value};
use crate::error::Error;

const VERSION: i32 = 2;
const CREATED_BY: &str = concat!("iotrace version ", env!("CARGO_PKG_VERSION"));
const UTF8: i32 = 0;

/// A row group: a chunk for each column, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub chunks: Vec<Chunk>,
    pub rows: usize,
}

impl Group {
    fn start(&self) -> u64 {
        self.chunks.first().map_or(0, Chunk::start)
    }

    pub fn stored_bytes(&self) -> u64 {
        self.chunks.iter().fold(0, |bytes, chunk| bytes.saturating_add(chunk.stored_bytes))
    }

    fn stored(&self) -> Value {
        let plain_bytes =
            self.chunks.iter().fold(0u64, |bytes, chunk| bytes.saturating_add(chunk.plain_bytes));
        Value::Struct(
            Struct::default()
                .with(1, Value::List(self.chunks.iter().map(Chunk::stored).collect()))
                .i64(2, plain_bytes)
                .i64(3, self.rows as u64)
                .i64(5, self.start())
                .i64(6, self.stored_bytes()),
        )
    }

    /// A row group from its structure; None where its chunks do not follow one another.
    fn read(stored: &Value) -> Option<Self> {
        let fields = stored.fields()?;
        let chunks: Vec<Chunk> = fields.list(1)?.iter().map(Chunk::read).collect::<Option<_>>()?;
        let rows = usize::try_from(fields.number(3)?).ok()?;
        let mut end = chunks.first()?.start();
        for chunk in &chunks {
            let is_within = chunk.data_at - chunk.start().min(chunk.data_at) <= chunk.stored_bytes;
            if chunk.start() != end || chunk.data_at < end || !is_within || chunk.values != rows as u64 {
                return None;
            }
            end = end.checked_add(chunk.stored_bytes)?;
        }
        Some(Group { chunks, rows })
    }
}

/// Where the row groups of a file are that an encoder of this module wrote.
pub struct Layout {
    pub(super) groups: Vec<Group>,
}

impl Layout {
    /// The layout that a footer describes.
    ///
    /// # Errors
    /// For a footer that is damaged, or of a file with columns that lie otherwise.
    pub fn read(footer: &[u8]) -> Result<Self, Error> {
        let groups =
            Struct::read(footer).and_then(|footer| footer.list(4)?.iter().map(Group::read).collect());
        let groups = groups.ok_or_else(|| Error::of("the footer is not one of a table of a store"))?;
        Ok(Layout { groups })
    }

    /// The place of each row group, its bytes and its rows.
    pub fn groups(&self) -> Vec<(u64, u64, usize)> {
        self.groups.iter().map(|group| (group.start(), group.stored_bytes(), group.rows)).collect()
    }
}

/// A file's footer, without its length.
pub fn bytes(columns: &[Column], groups: &[Group], metadata: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let root = Struct::default().bytes(4, b"schema").i32(5, columns.len() as i32);
    let root = std::iter::once(root).chain(columns.iter().map(element)).map(Value::Struct).collect();
    let pairs =
        metadata.iter().map(|(key, value)| Value::Struct(Struct::default().bytes(1, key).bytes(2, value)));
    let type_order = Value::Struct(Struct::default().with(1, Value::Struct(Struct::default())));
    let mut out = Vec::new();
    Struct::default()
        .i32(1, VERSION)
        .with(2, Value::List(root))
        .i64(3, groups.iter().map(|group| group.rows as u64).sum())
        .with(4, Value::List(groups.iter().map(Group::stored).collect()))
        .with(5, Value::List(pairs.collect()))
        .bytes(6, CREATED_BY.as_bytes())
        .with(7, Value::List(vec![type_order; columns.len()]))
        .put(&mut out);
    out
}

/// A column of the schema.
fn element(column: &Column) -> Struct {
    let element = Struct::default()
        .i32(1, column.physical)
        .i32(3, i32::from(column.is_nullable))
        .bytes(4, column.name.as_bytes());
    if !column.is_text {
        return element;
    }
    let string = Struct::default().with(1, Value::Struct(Struct::default()));
    element.i32(6, UTF8).with(10, Value::Struct(string))
}
