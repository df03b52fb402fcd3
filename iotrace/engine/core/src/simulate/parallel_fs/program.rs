//! The records of a parallel program's processes.

use crate::columns::column;
use crate::error::{At, Error};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use std::ops::Range;

/// The operation of a record on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    /// A write, synchronous or not: there is only one cache.
    Write,
    Compute,
}

/// One row: an access and the computation after it.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub offset: u64,
    pub length: u64,
    pub compute_ns: i64,
    pub file: u32,
    pub operation: Operation,
}

/// The records of all processes and applications.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) records: Vec<Record>,
    /// Each process's separate records.
    pub(super) own: Vec<Range<usize>>,
    /// Each application's shared ones.
    pub(super) shared: Vec<Range<usize>>,
    pub(super) application_of: Vec<u32>,
    /// The largest known end of each file.
    pub(super) file_bytes: Vec<u64>,
    /// The lower bound of the computation time for any division of work: the most of one process, or the mean of an
    /// application.
    pub(super) ideal_compute_ns: i64,
}

/// The most files and processes, because their numbers are dense.
pub const MOST_FILES: usize = 1 << 24;
pub const MOST_PROCESSES: u32 = 1 << 20;
/// The most bytes of one access, because its blocks are simulated individually.
const MOST_BYTES: u64 = 1 << 36;

/// Takes rows and sorts them into lists.
#[derive(Debug)]
pub struct ProgramBuilder {
    application_of: Vec<u32>,
    applications: usize,
    /// Rows in order of arrival, with the number of each one's list: a process, or after the processes an application.
    rows: Vec<(u32, Record)>,
    file_bytes: Vec<u64>,
    compute_ns: i64,
}

impl ProgramBuilder {
    /// For the processes whose applications are given, one per process.
    pub fn new(application_of: Vec<u32>) -> Result<Self, Error> {
        let Some(&last) = application_of.iter().max() else {
            return Err(Error::of("a program must have at least one process"));
        };
        if application_of.len() > MOST_PROCESSES as usize || last >= MOST_PROCESSES {
            let processes = application_of.len();
            return Err(Error::of(format!(
                "{processes} processes of {} applications: at most {MOST_PROCESSES} of each can be",
                u64::from(last) + 1
            )));
        }
        Ok(ProgramBuilder {
            application_of,
            applications: last as usize + 1,
            rows: Vec::new(),
            file_bytes: Vec::new(),
            compute_ns: 0,
        })
    }

    /// Take the next rows of a table program.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::of(batch)?;
        let first = self.rows.len();
        self.rows.reserve(batch.num_rows());
        for row in 0..batch.num_rows() {
            let (application, process, record) =
                columns.row(row).map_err(|reason| Error::at(At::Record((first + row) as u64), reason))?;
            self.add(application, process, record)?;
        }
        Ok(())
    }

    /// Take one row; without a process it is for any free process of the application.
    pub fn add(&mut self, application: u32, process: Option<u32>, record: Record) -> Result<(), Error> {
        let list = self.checked(application, process, &record);
        let list = list.map_err(|reason| Error::at(At::Record(self.rows.len() as u64), reason))?;
        self.rows.push((list, record));
        Ok(())
    }

    fn checked(&mut self, application: u32, process: Option<u32>, record: &Record) -> Result<u32, String> {
        if application as usize >= self.applications {
            return Err(format!("application {application} is not below {}", self.applications));
        }
        if let Some(process) = process {
            match self.application_of.get(process as usize) {
                None => {
                    let processes = self.application_of.len();
                    return Err(format!("process {process} is not below {processes}"));
                }
                Some(&of) if of != application => {
                    return Err(format!("process {process} belongs to application {of}"));
                }
                Some(_) => {}
            }
        }
        if record.compute_ns < 0 {
            return Err("its computation is negative".into());
        }
        let total = self.compute_ns.checked_add(record.compute_ns).filter(|&total| total < LONGEST_NS);
        self.compute_ns = total.ok_or("all computation up to it is longer than seventy years")?;
        if record.operation != Operation::Compute {
            let end = record.offset.checked_add(record.length);
            let end = end.filter(|&end| end <= i64::MAX as u64);
            let end = end.ok_or("it ends beyond the largest offset, 2^63 - 1")?;
            if record.length > MOST_BYTES {
                return Err(format!("more than {MOST_BYTES} bytes in one access"));
            }
            let file = record.file as usize;
            if file >= MOST_FILES {
                return Err(format!("file {file} is not below {MOST_FILES}"));
            }
            if file >= self.file_bytes.len() {
                self.file_bytes.resize(file + 1, 0);
            }
            self.file_bytes[file] = self.file_bytes[file].max(end);
        }
        Ok(process.unwrap_or(self.application_of.len() as u32 + application))
    }

    /// The program, each list in the order of its rows.
    pub fn finish(self) -> Program {
        let processes = self.application_of.len();
        let mut starts = vec![0usize; processes + self.applications + 1];
        for (list, _) in &self.rows {
            starts[*list as usize + 1] += 1;
        }
        for list in 1..starts.len() {
            starts[list] += starts[list - 1];
        }
        let lists: Vec<Range<usize>> = starts.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let mut compute_ns = vec![0i64; lists.len()];
        let none = Record { offset: 0, length: 0, compute_ns: 0, file: 0, operation: Operation::Compute };
        let mut records = vec![none; self.rows.len()];
        for (list, record) in &self.rows {
            let list = *list as usize;
            records[starts[list]] = *record;
            starts[list] += 1;
            compute_ns[list] += record.compute_ns;
        }
        let mut ideal_compute_ns = compute_ns[..processes].iter().copied().max().unwrap_or(0);
        let mut of_application = vec![(0i128, 0i128); self.applications];
        for (process, &application) in self.application_of.iter().enumerate() {
            let (members, sum_ns) = &mut of_application[application as usize];
            (*members, *sum_ns) = (*members + 1, *sum_ns + i128::from(compute_ns[process]));
        }
        for ((members, own_ns), shared_ns) in of_application.iter().zip(&compute_ns[processes..]) {
            let mean_ns = (own_ns + i128::from(*shared_ns)) / (*members).max(1);
            ideal_compute_ns = ideal_compute_ns.max(i64::try_from(mean_ns).unwrap_or(i64::MAX));
        }
        Program {
            records,
            own: lists[..processes].to_vec(),
            shared: lists[processes..].to_vec(),
            application_of: self.application_of,
            file_bytes: self.file_bytes,
            ideal_compute_ns,
        }
    }
}

/// The longest run: 73 years.
pub(super) const LONGEST_NS: i64 = i64::MAX / 4;

impl Program {
    pub fn processes(&self) -> u32 {
        self.own.len() as u32
    }

    pub fn records(&self) -> usize {
        self.records.len()
    }
}

/// The columns of a table program.
struct Columns<'a> {
    application: &'a Int32Array,
    process: &'a Int32Array,
    operation: Operations<'a>,
    file: &'a Int32Array,
    offset: &'a Int64Array,
    length: &'a Int64Array,
    compute_ns: &'a Int64Array,
}

/// Operations by name, or by their numbers in a dictionary.
enum Operations<'a> {
    Names(&'a StringArray),
    Numbers(&'a Int32Array, Vec<Option<Operation>>),
}

fn operation(name: &str) -> Option<Operation> {
    match name {
        "read" => Some(Operation::Read),
        "write" | "sync_write" => Some(Operation::Write),
        "compute" => Some(Operation::Compute),
        _ => None,
    }
}

impl<'a> Operations<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        if let Some(names) = column.as_string_opt::<i32>() {
            return Some(Operations::Names(names));
        }
        let dictionary = column.as_dictionary_opt::<Int32Type>()?;
        let names = dictionary.values().as_string_opt::<i32>()?;
        let known = names.iter().map(|name| name.and_then(operation)).collect();
        Some(Operations::Numbers(dictionary.keys(), known))
    }

    fn value(&self, row: usize) -> Option<Operation> {
        match self {
            Operations::Names(names) if names.is_valid(row) => operation(names.value(row)),
            Operations::Numbers(keys, known) if keys.is_valid(row) => {
                known.get(keys.value(row) as usize).copied().flatten()
            }
            _ => None,
        }
    }
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self, Error> {
        let operations = batch.column_by_name("operation");
        let operations = operations.and_then(|column| Operations::of(column));
        let no_names = || Error::of("the program's column operation has no names");
        Ok(Columns {
            application: column(batch, "application")?,
            process: column(batch, "process")?,
            operation: operations.ok_or_else(no_names)?,
            file: column(batch, "file")?,
            offset: column(batch, "offset")?,
            length: column(batch, "length")?,
            compute_ns: column(batch, "compute_ns")?,
        })
    }

    fn row(&self, row: usize) -> Result<(u32, Option<u32>, Record), String> {
        let number = |name: &str, column: &Int32Array| match column.is_valid(row) {
            true => u32::try_from(column.value(row))
                .map(Some)
                .map_err(|_| format!("{name} {} is below 0", column.value(row))),
            false => Ok(None),
        };
        let size = |name: &str, column: &Int64Array| match column.is_valid(row) {
            true => u64::try_from(column.value(row))
                .map(Some)
                .map_err(|_| format!("{name} {} is below 0", column.value(row))),
            false => Ok(None),
        };
        let operation = self.operation.value(row);
        let operation = operation.ok_or("operation must be read, write, sync_write or compute")?;
        let application = number("application", self.application)?.ok_or("it has no application")?;
        let process = number("process", self.process)?;
        if self.compute_ns.is_null(row) {
            return Err("it has no compute_ns".to_string());
        }
        let (file, offset, length) = match operation {
            Operation::Compute => (0, 0, 0),
            Operation::Read | Operation::Write => (
                number("file", self.file)?.ok_or("it has no file")?,
                size("offset", self.offset)?.ok_or("it has no offset")?,
                size("length", self.length)?.ok_or("it has no length")?,
            ),
        };
        let record = Record { offset, length, compute_ns: self.compute_ns.value(row), file, operation };
        Ok((application, process, record))
    }
}
