//! The University of Maryland's traces as text (`iotrace.formats.umd_ascii`).

use super::call::{Call, Name, Operation};
use super::calls::{self, Calls, Reason, LARGEST_PROCESS};
use super::numbers::{is_space, nanoseconds, whole};
use super::stated::Stated;
use crate::fields::{is_blank, Cursor, NS_PER_S};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// Operations by their numbers.
const BY_NUMBER: [Operation; 6] = [
    Operation::Open,
    Operation::Close,
    Operation::Read,
    Operation::Write,
    Operation::Seek,
    Operation::ListIo,
];

/// Operations by the words of the readable text.
const BY_WORD: [(&[u8], Operation); 7] = [
    (b"read", Operation::Read),
    (b"write", Operation::Write),
    (b"open", Operation::Open),
    (b"close", Operation::Close),
    (b"seek", Operation::Seek),
    (b"listio_header", Operation::ListIo),
    (b"list_io", Operation::ListIo),
];

/// The most digits of a count in a header.
const MOST_DIGITS: usize = 10;

/// A trace that is being read: what its header says, and what its records show of it.
#[derive(Debug, Default)]
pub struct Umd {
    file: File,
    names: Vec<String>,
    /// How many records there are of each file without a name.
    unnamed: BTreeMap<i64, u64>,
    lists: Lists,
}

/// What a file's header announces, and what its records show.
#[derive(Debug, Default, Serialize)]
pub struct File {
    /// The processes, files and records of the header.
    pub announced: Option<[u64; 3]>,
    /// The names of files.
    pub names: u64,
    pub records: u64,
    /// The numbers of processes.
    pub processes: FxHashSet<i64>,
    /// The numbers of files without names, -1 for one that is too large, and how many records each has.
    pub unnamed: Vec<(i64, u64)>,
    /// List-I/O calls of fewer records than announced.
    pub cut_lists: u64,
}

/// Follows list-I/O calls from record to record.
#[derive(Debug, Default)]
struct Lists {
    calls: i64,
    /// How many records are still to come of the last call, and of which process.
    left: i64,
    process: i64,
    cut: u64,
}

/// The fields of a record.
struct Record<'t> {
    operation: Option<Operation>,
    /// How many of the records that follow are parts of this one.
    parts: i64,
    process: Option<i128>,
    file: &'t [u8],
    file_number: Option<i128>,
    time_ns: Option<i128>,
    offset: Option<i128>,
    length: Option<i128>,
}

impl Umd {
    /// Read further complete lines.
    pub fn read(&mut self, block: &[u8]) -> Calls {
        let mut calls = calls::read(block, |calls, line| self.take_line(calls, line));
        calls.rename_files(|number| {
            let name = whole(number).and_then(|number| self.names.get(usize::try_from(number).ok()?));
            name.map_or_else(|| format!("file {}", String::from_utf8_lossy(number)), String::clone)
        });
        calls
    }

    /// The file has ended: return what is known of it, and expect another. List-I/O calls are numbered on.
    pub fn end(&mut self) -> File {
        self.lists.cut();
        let (names, cut_lists) = (self.names.len() as u64, std::mem::take(&mut self.lists.cut));
        self.names.clear();
        let unnamed = std::mem::take(&mut self.unnamed).into_iter().collect();
        File { names, cut_lists, unnamed, ..std::mem::take(&mut self.file) }
    }

    #[inline]
    fn take_line(&mut self, calls: &mut Calls, line: &[u8]) {
        match usual(line) {
            Some(record) => self.take(calls, &record),
            None => self.take_odd(calls, &String::from_utf8_lossy(line)),
        }
    }

    /// Take a line in any form; names end with the first record, regardless of the header's count.
    fn take_odd(&mut self, calls: &mut Calls, line: &str) {
        let words: Vec<&str> = line.split(is_space).filter(|word| !word.is_empty()).collect();
        if self.file.announced.is_none() {
            self.file.announced = counts(&words);
            if self.file.announced.is_some() {
                return;
            }
        }
        if words.is_empty() || line.starts_with('#') {
            return;
        }
        let record = record(&words);
        if record.is_none() && self.file.records == 0 {
            let text = line.trim_matches(is_space);
            let name = name(text);
            let announced = self.file.announced.map_or(0, |[_, files, _]| files);
            if (self.names.len() as u64) < announced || name != text {
                self.names.push(name.to_owned());
                return;
            }
        }
        match record {
            Some(record) => self.take(calls, &record),
            None => {
                self.file.records += 1;
                calls.skip(Reason::NoRecord);
            }
        }
    }

    #[inline]
    fn take(&mut self, calls: &mut Calls, record: &Record<'_>) {
        self.file.records += 1;
        let is_named =
            record.file_number.is_some_and(|number| (0..self.names.len() as i128).contains(&number));
        if !is_named {
            let number = record.file_number.and_then(|number| i64::try_from(number).ok()).unwrap_or(-1);
            *self.unnamed.entry(number).or_default() += 1;
        }
        let process = record.process.and_then(|process| i64::try_from(process).ok());
        if let Some(process) = process.filter(|_| calls.last_process() != process) {
            self.file.processes.insert(process);
        }
        let list = match (record.operation, process) {
            (Some(operation), Some(process)) if process.unsigned_abs() <= LARGEST_PROCESS as u64 => {
                self.lists.of(operation, record.parts, process)
            }
            _ => None,
        };
        let taken = call(record).and_then(|call| calls.take(&call));
        match taken {
            Ok(()) => calls.push_list(list),
            Err(reason) => calls.skip(reason),
        }
    }
}

impl Lists {
    /// The list-I/O call to which the next record belongs.
    #[inline]
    fn of(&mut self, operation: Operation, parts: i64, process: i64) -> Option<i64> {
        if self.left > 0 {
            if operation.moves() && process == self.process {
                self.left -= 1;
                return Some(self.calls - 1);
            }
            self.cut();
        }
        if operation != Operation::ListIo {
            return None;
        }
        (self.left, self.process) = (parts, process);
        self.calls += 1;
        Some(self.calls - 1)
    }

    /// The call whose records are still to come has no more.
    fn cut(&mut self) {
        self.cut += u64::from(self.left > 0);
        self.left = 0;
    }
}

/// The call that a record is.
#[inline]
fn call<'t>(record: &Record<'t>) -> Result<Call<'t>, Reason> {
    use Operation::{ListIo, Read, Seek, Write};
    let offset = record.offset.filter(|_| matches!(record.operation, Some(Read | Write | ListIo | Seek)));
    let length = record.length.filter(|_| matches!(record.operation, Some(Read | Write | ListIo)));
    let stated =
        Stated { time: record.time_ns, process: record.process, offset, length, ..Stated::default() };
    Ok(Call { file: Some(Name::plain(record.file)), ..stated.call(record.operation)? })
}

/// A record in the usual form.
#[inline]
fn usual(line: &[u8]) -> Option<Record<'_>> {
    let mut cursor = Cursor::new(line);
    cursor.run(is_blank);
    let operation = operation(cursor.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))?;
    let parts = cursor.field()?.whole()?;
    let process = cursor.field()?.whole()?;
    let file_start = cursor.field()?.at();
    let file_number = cursor.whole()?;
    let file = &line[file_start..cursor.at()];
    let time_ns = cursor.field()?.decimal(NS_PER_S)?;
    if cursor.field()?.run(|byte| byte.is_ascii_graphic()).is_empty() {
        return None;
    }
    let offset = cursor.field()?.whole()?;
    let length = cursor.field()?.whole()?;
    cursor.run(is_blank);
    let number = |number: i64| Some(i128::from(number));
    cursor.is_at_end().then_some(Record {
        operation: Some(operation),
        parts,
        process: number(process),
        file,
        file_number: number(file_number),
        time_ns: number(time_ns),
        offset: number(offset),
        length: number(length),
    })
}

/// A record of these words; None if they are none. Whole numbers of more than 20 digits are unknown.
fn record<'t>(words: &[&'t str]) -> Option<Record<'t>> {
    let &[operation_word, parts, process, file, time, _, offset, length] = words else { return None };
    let is_number = |word: &&str| {
        let digits = word.strip_prefix('-').unwrap_or(word);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_code = operation_word.len() <= 3 && operation_word.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = operation_word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let is_record = (is_code || is_word) && [parts, process, file, offset, length].iter().all(is_number);
    let whole = |word: &str| whole(word.as_bytes());
    is_record.then(|| Record {
        operation: operation(operation_word.as_bytes()),
        parts: whole(parts).map_or(0, |parts| i64::try_from(parts).unwrap_or(i64::MAX)),
        process: whole(process),
        file: file.as_bytes(),
        file_number: whole(file),
        time_ns: nanoseconds(time.as_bytes()),
        offset: whole(offset),
        length: whole(length),
    })
}

#[inline]
fn operation(word: &[u8]) -> Option<Operation> {
    match word {
        [b'0'..=b'9', ..] if word.len() <= 3 => BY_NUMBER.get(usize::try_from(whole(word)?).ok()?).copied(),
        _ => BY_WORD
            .iter()
            .find(|(known, _)| word.eq_ignore_ascii_case(known))
            .map(|(_, operation)| *operation),
    }
}

/// The processes, files and records in a header's words.
fn counts(words: &[&str]) -> Option<[u64; 3]> {
    let &[processes, files, records] = words else { return None };
    let count = |word: &str| {
        let is_count = word.len() <= MOST_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
        is_count.then(|| word.parse().ok()).flatten()
    };
    Some([count(processes)?, count(files)?, count(records)?])
}

/// A file's name, without the length before it.
fn name(text: &str) -> &str {
    let Some((length, name)) = text.split_once(' ').filter(|(_, name)| !name.is_empty()) else {
        return text;
    };
    if whole(length.as_bytes()) == Some(name.len() as i128) {
        name
    } else {
        text
    }
}
