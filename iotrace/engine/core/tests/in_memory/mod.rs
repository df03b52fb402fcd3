//! A trace read from memory, its tables as plain rows, and the invariants of the tables of any trace.

#![allow(dead_code)]

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::RecordBatch;
use iotrace_core::columns::Named;
use iotrace_core::reconstruct::file_table::{KnownFiles, Model};
use iotrace_core::reconstruct::intake::{EventSource, Intake, IntakeError, Report, SourceReport, Times};
use iotrace_core::syscalls::call::{Event, EventSink};
use iotrace_core::syscalls::strace::Scanner;
use iotrace_core::syscalls::ultrix;

/// Bytes passed to a reader at a time; batches are returned in between, as for a long trace.
const BLOCK: usize = 65_536;

enum Reader {
    Strace(Box<Scanner>),
    Ultrix(Box<ultrix::Reader>),
}

/// A trace in memory.
struct Memory {
    reader: Reader,
    text: Vec<u8>,
    at: usize,
    finished: bool,
}

impl EventSource for Memory {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        if self.finished {
            return Ok(false);
        }
        let end = match memchr::memrchr(b'\n', &self.text[self.at..self.text.len().min(self.at + BLOCK)]) {
            Some(newline) => self.at + newline + 1,
            None => memchr::memchr(b'\n', &self.text[self.at..])
                .map_or(self.text.len(), |newline| self.at + newline + 1),
        };
        let block = &self.text[self.at..end];
        self.at = end;
        self.finished = end == self.text.len();
        match &mut self.reader {
            Reader::Strace(scanner) => {
                scanner.block(block, sink);
                if self.finished {
                    scanner.finish(sink);
                }
            }
            Reader::Ultrix(reader) => {
                reader.block(block, sink);
                if self.finished {
                    reader.finish(sink);
                }
            }
        }
        Ok(true)
    }

    fn lines(&self) -> u64 {
        match &self.reader {
            Reader::Strace(scanner) => scanner.tally().lines,
            Reader::Ultrix(reader) => reader.tally().lines,
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.at as u64, Some(self.text.len() as u64))
    }

    fn report(&self) -> SourceReport {
        let (lines, parsed, skipped, remarks) = match &self.reader {
            Reader::Strace(scanner) => {
                let tally = scanner.tally();
                let remarks: u64 =
                    iotrace_core::syscalls::strace::Remark::ALL.iter().map(|&kind| tally.remarks(kind)).sum();
                (tally.lines, tally.parsed, tally.skipped_lines(), remarks)
            }
            Reader::Ultrix(reader) => {
                let tally = reader.tally();
                let remarks: u64 =
                    <ultrix::Remark as Named>::ALL.iter().map(|&kind| tally.remarks(kind)).sum();
                (tally.lines, tally.parsed, tally.skipped_lines(), remarks)
            }
        };
        assert_eq!(lines, parsed + skipped + remarks, "each line is counted once");
        SourceReport { lines, parsed, times: Times::default(), ..SourceReport::default() }
    }
}

/// A row of table `reference`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Reference {
    pub time_ns: Option<i64>,
    pub process: i32,
    pub usage: Option<i32>,
    pub file: Option<i32>,
    pub kind: Option<String>,
    pub operation: String,
    pub offset: Option<i64>,
    pub source: Option<String>,
    pub length: Option<i64>,
    pub requested: Option<i64>,
    pub file_size: Option<i64>,
}

/// A row of table `use`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Use {
    pub usage: i32,
    pub file: i32,
    pub process: i32,
    pub open_ns: Option<i64>,
    pub close_ns: Option<i64>,
    pub references: i64,
    pub bytes_read: i64,
    pub bytes_written: i64,
}

/// A row of table `file`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct File {
    pub path: Option<String>,
    pub path_last: Option<String>,
    pub kind: String,
    pub of_file: Option<i32>,
    pub sizes: [Option<i64>; 3],
    pub created: bool,
    pub deleted: bool,
}

/// A row of table `process`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Process {
    pub thread: i32,
    pub pid: i32,
    pub parent: Option<i32>,
    pub program: Option<String>,
}

/// All tables.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Tables {
    pub references: Vec<Reference>,
    pub uses: Vec<Use>,
    pub files: Vec<File>,
    pub processes: Vec<Process>,
    pub report: Option<Report>,
}

fn int64(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().iter().collect()
}

fn int32(batch: &RecordBatch, name: &str) -> Vec<Option<i32>> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Int32Type>().iter().collect()
}

fn text(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap();
    if let Some(plain) = column.as_string_opt::<i32>() {
        return plain.iter().map(|one| one.map(String::from)).collect();
    }
    let dictionary = column.as_dictionary::<Int32Type>();
    let values = dictionary.values().as_string::<i32>();
    dictionary.keys().iter().map(|key| key.map(|key| values.value(key as usize).to_string())).collect()
}

fn truth(batch: &RecordBatch, name: &str) -> Vec<bool> {
    let column = batch.column_by_name(name).unwrap().as_boolean();
    column.iter().map(|one| one.unwrap()).collect()
}

impl Tables {
    fn take(&mut self, name: &str, batch: &RecordBatch) {
        match name {
            "reference" => self.take_references(batch),
            "use" => self.take_uses(batch),
            "file" => self.take_files(batch),
            "process" => self.take_processes(batch),
            _ => {}
        }
    }

    fn take_references(&mut self, batch: &RecordBatch) {
        let (seq, time_ns) = (int64(batch, "seq"), int64(batch, "time_ns"));
        let (process, usage, file) = (int32(batch, "process"), int32(batch, "use"), int32(batch, "file"));
        let (kind, operation) = (text(batch, "type"), text(batch, "operation"));
        let (offset, source) = (int64(batch, "offset"), text(batch, "offset_source"));
        let (length, requested) = (int64(batch, "length"), int64(batch, "requested"));
        let file_size = int64(batch, "file_size");
        for row in 0..batch.num_rows() {
            assert_eq!(seq[row], Some(self.references.len() as i64), "seq is dense");
            self.references.push(Reference {
                time_ns: time_ns[row],
                process: process[row].unwrap(),
                usage: usage[row],
                file: file[row],
                kind: kind[row].clone(),
                operation: operation[row].clone().unwrap(),
                offset: offset[row],
                source: source[row].clone(),
                length: length[row],
                requested: requested[row],
                file_size: file_size[row],
            });
        }
    }

    fn take_uses(&mut self, batch: &RecordBatch) {
        let (usage, file, process) = (int32(batch, "use"), int32(batch, "file"), int32(batch, "process"));
        let (open_ns, close_ns) = (int64(batch, "open_ns"), int64(batch, "close_ns"));
        let references = int64(batch, "references");
        let (read, written) = (int64(batch, "bytes_read"), int64(batch, "bytes_written"));
        for row in 0..batch.num_rows() {
            self.uses.push(Use {
                usage: usage[row].unwrap(),
                file: file[row].unwrap(),
                process: process[row].unwrap(),
                open_ns: open_ns[row],
                close_ns: close_ns[row],
                references: references[row].unwrap(),
                bytes_read: read[row].unwrap(),
                bytes_written: written[row].unwrap(),
            });
        }
    }

    fn take_files(&mut self, batch: &RecordBatch) {
        let (file, path, path_last) = (int32(batch, "file"), text(batch, "path"), text(batch, "path_last"));
        let (kind, of_file) = (text(batch, "kind"), int32(batch, "of_file"));
        let sizes =
            ["size_first_bytes", "size_last_bytes", "size_largest_bytes"].map(|name| int64(batch, name));
        let (created, deleted) = (truth(batch, "created"), truth(batch, "deleted"));
        for row in 0..batch.num_rows() {
            assert_eq!(file[row], Some(self.files.len() as i32), "files are dense");
            self.files.push(File {
                path: path[row].clone(),
                path_last: path_last[row].clone(),
                kind: kind[row].clone().unwrap(),
                of_file: of_file[row],
                sizes: [sizes[0][row], sizes[1][row], sizes[2][row]],
                created: created[row],
                deleted: deleted[row],
            });
        }
    }

    fn take_processes(&mut self, batch: &RecordBatch) {
        let (process, thread) = (int32(batch, "process"), int32(batch, "thread"));
        let (pid, parent) = (int32(batch, "pid"), int32(batch, "parent"));
        let program = text(batch, "program");
        for row in 0..batch.num_rows() {
            assert_eq!(process[row], Some(self.processes.len() as i32), "processes are dense");
            self.processes.push(Process {
                thread: thread[row].unwrap(),
                pid: pid[row].unwrap(),
                parent: parent[row],
                program: program[row].clone(),
            });
        }
    }
}

/// Read a trace.
pub fn take_in(format: &'static str, text: &[u8], model: Model) -> Result<Tables, IntakeError> {
    let reader = match format {
        "ultrix" => Reader::Ultrix(Box::default()),
        _ => Reader::Strace(Box::new(Scanner::new())),
    };
    let source = Memory { reader, text: text.to_vec(), at: 0, finished: false };
    let mut intake = Intake::new(format, Box::new(source), model, KnownFiles::default(), true);
    let mut tables = Tables::default();
    while let Some(batches) = intake.next_batches()? {
        for (name, batch) in batches {
            tables.take(name, &batch);
        }
    }
    tables.report = Some(intake.report());
    Ok(tables)
}

/// Read a strace log in which every line is parsed.
pub fn tables(log: &str) -> Tables {
    let tables = take_in("strace", log.as_bytes(), Model::LINUX).unwrap();
    check(&tables);
    tables
}

/// Write the events of a strace log as an ULTRIX call trace.
pub fn as_ultrix(log: &[u8]) -> Vec<u8> {
    struct Sink(ultrix::Writer<Vec<u8>>);
    impl EventSink for Sink {
        fn event(&mut self, event: Event<'_>) {
            self.0.event(event);
        }
    }
    let mut sink = Sink(ultrix::Writer::new(Vec::new()).unwrap());
    let mut scanner = Scanner::new();
    scanner.block(log, &mut sink);
    scanner.finish(&mut sink);
    sink.0.finish().unwrap()
}

fn not_negative(what: &str, value: Option<i64>) {
    assert!(value.is_none_or(|value| value >= 0), "{what} is {value:?}");
}

/// The invariants of the tables of every trace.
pub fn check(tables: &Tables) {
    let (files, processes) = (tables.files.len() as i32, tables.processes.len() as i32);
    let mut by_use: HashMap<i32, (i64, i64, i64)> = HashMap::new();
    for reference in &tables.references {
        not_negative("length", reference.length);
        not_negative("requested", reference.requested);
        not_negative("offset", reference.offset);
        not_negative("file_size", reference.file_size);
        assert!((0..processes).contains(&reference.process), "{reference:?}");
        let file = reference.file;
        assert!(file.is_none_or(|file| (0..files).contains(&file)), "{reference:?}");
        assert!(file.is_some() || reference.operation == "sync", "{reference:?}");
        let on_inode = file.is_some_and(|file| tables.files[file as usize].kind == "inode");
        assert_eq!(on_inode, reference.kind.as_deref() == Some("inode"), "{reference:?}");
        if let Some(usage) = reference.usage {
            let sums = by_use.entry(usage).or_default();
            sums.0 += 1;
            let length = reference.length.unwrap_or(0);
            match reference.operation.as_str() {
                "read" => sums.1 = sums.1.saturating_add(length),
                "write" => sums.2 = sums.2.saturating_add(length),
                other => panic!("{other} belongs to a use"),
            }
        }
    }
    check_uses(tables, &by_use);
    for (at, file) in tables.files.iter().enumerate() {
        file.sizes.iter().for_each(|&size| not_negative("size", size));
        assert_eq!(file.kind == "inode", file.of_file.is_some(), "{file:?}");
        if let Some(of) = file.of_file {
            assert!((0..at as i32).contains(&of), "{file:?}");
            assert_ne!(tables.files[of as usize].kind, "inode");
        }
    }
    for (at, process) in tables.processes.iter().enumerate() {
        let mut above = process.parent;
        let mut steps = 0;
        while let Some(parent) = above {
            assert!((0..processes).contains(&parent), "{process:?}");
            steps += 1;
            assert!(steps <= processes, "process {at} is its own forebear");
            above = tables.processes[parent as usize].parent;
            if processes > 2000 {
                break;
            }
        }
    }
}

fn check_uses(tables: &Tables, by_use: &HashMap<i32, (i64, i64, i64)>) {
    let mut seen = vec![false; tables.uses.len()];
    for usage in &tables.uses {
        let at = usage.usage as usize;
        assert!(at < seen.len() && !std::mem::replace(&mut seen[at], true), "uses are dense: {usage:?}");
        assert!((0..tables.files.len() as i32).contains(&usage.file), "{usage:?}");
        assert!((0..tables.processes.len() as i32).contains(&usage.process), "{usage:?}");
        let sums = by_use.get(&usage.usage).copied().unwrap_or_default();
        assert_eq!(sums, (usage.references, usage.bytes_read, usage.bytes_written), "{usage:?}");
    }
    for usage in by_use.keys() {
        assert!((0..seen.len() as i32).contains(usage), "use {usage} has no row");
    }
}
