//! Tables `use` and `mapping` as Arrow batches.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::descriptors::{Access, Usage};
use super::files::FileId;
use super::stream::{Origin, Type};
use crate::columns::{columns, table, Dictionary, Numbers, Word};

const BATCH_ROWS: usize = 16_384;

/// The kind of file of a use.
struct UseType(Type);

impl Word for UseType {
    const WORDS: &'static [&'static str] = &["directory", "executable", "datafile"];

    fn code(self) -> i32 {
        match self.0 {
            Type::Directory => 0,
            Type::Executable => 1,
            Type::Inode | Type::Datafile => 2,
        }
    }
}

/// The access mode of a file, if known.
struct Mode(Option<Access>);

impl Word for Mode {
    const WORDS: &'static [&'static str] = &["read", "write", "read_write", "execute", "unknown"];

    fn code(self) -> i32 {
        match self.0 {
            Some(Access::Read) => 0,
            Some(Access::Write) => 1,
            Some(Access::ReadWrite) => 2,
            Some(Access::Execute) => 3,
            None => 4,
        }
    }
}

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
        self.rows.push(UseRow { usage, file, kind, close_ns, access });
    }

    /// A batch, once one is full; with `last`, all that is left.
    pub fn batch(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows.is_empty() || (!last && self.rows.len() < BATCH_ROWS) {
            return Ok(None);
        }
        let rows = std::mem::take(&mut self.rows);
        let table = table!(rows.iter(), |row| {
            use: i32 = row.usage.number,
            file: i32 = row.file.0 as i32,
            process: i32 = row.usage.process,
            type: UseType = UseType(row.kind),
            open_ns: Option<i64> = row.usage.open_ns,
            close_ns: Option<i64> = row.close_ns,
            mode: Mode = Mode(row.access),
            references: i64 = row.usage.references,
            bytes_read: i64 = row.usage.bytes_read,
            bytes_written: i64 = row.usage.bytes_written,
        });
        table.batch().map(Some)
    }
}

columns! {
    /// Rows of table `mapping`.
    pub struct MappingRows {
        time_ns: Numbers<i64> or null,
        process: Numbers<i32>,
        file: Numbers<i32>,
        offset: Numbers<i64> or null,
        length: Numbers<i64>,
        protection: Dictionary or null,
    }
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
        self.time_ns.push_option(origin.time_ns);
        self.process.push(origin.process);
        self.file.push(file.0 as i32);
        self.offset.push_option(offset);
        self.length.push(length);
        self.protection.push_option(flags);
    }

    /// A batch, once one is full; with `last`, all that is left.
    pub fn batch(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        let rows = self.length.rows();
        if rows == 0 || (!last && rows < BATCH_ROWS) {
            return Ok(None);
        }
        self.take(rows).map(Some)
    }
}
