//! Tables `use` and `mapping` as Arrow batches.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, Int64Builder};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use rustc_hash::FxHashMap;

use super::descriptors::{Access, Usage};
use super::files::FileId;
use super::stream::{dictionary, dictionary_type, Origin, Type};

const BATCH_ROWS: usize = 16_384;
const USE_TYPES: [&str; 3] = ["directory", "executable", "datafile"];
const MODES: [&str; 5] = ["read", "write", "read_write", "execute", "unknown"];

#[derive(Debug)]
struct UseRow {
    usage: Usage,
    file: FileId,
    kind: Type,
    close_ns: Option<i64>,
    access: Option<Access>,
}

/// Rows of table `use`, in the order in which uses ended.
#[derive(Debug, Default)]
pub struct UseRows {
    rows: Vec<UseRow>,
    count: i64,
}

impl UseRows {
    /// Add a use that has ended.
    pub fn push(
        &mut self,
        usage: Usage,
        file: FileId,
        kind: Type,
        close_ns: Option<i64>,
        access: Option<Access>,
    ) {
        self.count += 1;
        self.rows.push(UseRow {
            usage,
            file,
            kind,
            close_ns,
            access,
        });
    }

    /// A batch, once one is full; with `last`, whatever is left.
    pub fn batch(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows.is_empty() || (!last && self.rows.len() < BATCH_ROWS) {
            return Ok(None);
        }
        let rows = std::mem::take(&mut self.rows);
        let kind = |kind: Type| match kind {
            Type::Directory => 0,
            Type::Executable => 1,
            Type::Inode | Type::Datafile => 2,
        };
        let mode = |access: Option<Access>| match access {
            Some(Access::Read) => 0,
            Some(Access::Write) => 1,
            Some(Access::ReadWrite) => 2,
            Some(Access::Execute) => 3,
            None => 4,
        };
        let schema = Schema::new(vec![
            Field::new("use", DataType::Int32, false),
            Field::new("file", DataType::Int32, false),
            Field::new("process", DataType::Int32, false),
            Field::new("type", dictionary_type(), false),
            Field::new("open_ns", DataType::Int64, true),
            Field::new("close_ns", DataType::Int64, true),
            Field::new("mode", dictionary_type(), false),
            Field::new("references", DataType::Int64, false),
            Field::new("bytes_read", DataType::Int64, false),
            Field::new("bytes_written", DataType::Int64, false),
        ]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.usage.number))
                    .collect::<Int32Array>(),
            ),
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.file.0 as i32))
                    .collect::<Int32Array>(),
            ),
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.usage.process))
                    .collect::<Int32Array>(),
            ),
            dictionary(rows.iter().map(|row| kind(row.kind)).collect(), &USE_TYPES)?,
            Arc::new(
                rows.iter()
                    .map(|row| row.usage.open_ns)
                    .collect::<Int64Array>(),
            ),
            Arc::new(rows.iter().map(|row| row.close_ns).collect::<Int64Array>()),
            dictionary(rows.iter().map(|row| mode(row.access)).collect(), &MODES)?,
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.usage.references))
                    .collect::<Int64Array>(),
            ),
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.usage.bytes_read))
                    .collect::<Int64Array>(),
            ),
            Arc::new(
                rows.iter()
                    .map(|row| Some(row.usage.bytes_written))
                    .collect::<Int64Array>(),
            ),
        ];
        RecordBatch::try_new(Arc::new(schema), columns).map(Some)
    }
}

/// Rows of table `mapping`.
#[derive(Debug, Default)]
pub struct MappingRows {
    time_ns: Int64Builder,
    process: Int32Builder,
    file: Int32Builder,
    offset: Int64Builder,
    length: Int64Builder,
    protection: Vec<i32>,
    protections: FxHashMap<Box<[u8]>, i32>,
    names: Vec<String>,
}

impl MappingRows {
    /// Add a mapping.
    pub fn push(
        &mut self,
        origin: &Origin,
        file: FileId,
        offset: Option<i64>,
        length: i64,
        flags: Option<&[u8]>,
    ) {
        self.time_ns.append_option(origin.time_ns);
        self.process.append_value(origin.process);
        self.file.append_value(file.0 as i32);
        self.offset.append_option(offset);
        self.length.append_value(length);
        let code = match flags {
            None => i32::MIN,
            Some(flags) => self.code(flags),
        };
        self.protection.push(code);
    }

    fn code(&mut self, flags: &[u8]) -> i32 {
        if let Some(&code) = self.protections.get(flags) {
            return code;
        }
        let code = self.names.len() as i32;
        self.names.push(String::from_utf8_lossy(flags).into_owned());
        self.protections.insert(Box::from(flags), code);
        code
    }

    /// A batch, once one is full; with `last`, whatever is left.
    pub fn batch(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        if self.protection.is_empty() || (!last && self.protection.len() < BATCH_ROWS) {
            return Ok(None);
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let protection = dictionary(std::mem::take(&mut self.protection), &names)?;
        let schema = Schema::new(vec![
            Field::new("time_ns", DataType::Int64, true),
            Field::new("process", DataType::Int32, false),
            Field::new("file", DataType::Int32, false),
            Field::new("offset", DataType::Int64, true),
            Field::new("length", DataType::Int64, false),
            Field::new("protection", dictionary_type(), true),
        ]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.time_ns.finish()),
            Arc::new(self.process.finish()),
            Arc::new(self.file.finish()),
            Arc::new(self.offset.finish()),
            Arc::new(self.length.finish()),
            protection,
        ];
        self.names.clear();
        self.protections.clear();
        RecordBatch::try_new(Arc::new(schema), columns).map(Some)
    }
}
