//! Examples as text: lines of a log, and the resulting events (`cases/*/*.txt`).
//!
//! A line `> ...` is a line of a log; `>\ ...` is one in which escapes of Rust's byte strings (`\r`, `\xff`, ...)
//! represent bytes. The lines below are the reader's results: a line for each event (`row`), one for each kind of
//! skipped line and of remark, and optionally one for the facts about the whole log. A blank line or another log ends
//! a case; lines with `#` describe a case. Every log is read with and without its last newline.
//!
//! To add a case, write its log and run the tests with `WRITE_CASES=1`: the expected results are rewritten in all
//! files, to be checked by `git diff`.

#![allow(clippy::unwrap_used)]

mod row;

use iotrace_core::columns::Named;
use iotrace_core::syscalls::call::{Event, EventSink};
use iotrace_core::syscalls::strace::Scanner;
use iotrace_core::syscalls::tally::Tally;
use iotrace_core::syscalls::ultrix::Reader;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// A log, its results, and the position of the case in its file.
struct Case<'t> {
    line: usize,
    /// Comments, blank lines, and the log as written in the file.
    head: Vec<&'t str>,
    log: Vec<u8>,
    expected: Vec<&'t str>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let input = line.strip_prefix('>');
        let heads = input.is_some() || line.is_empty() || line.starts_with('#');
        if heads && cases.last().is_none_or(|case| !case.expected.is_empty()) {
            cases.push(Case { line: number, head: Vec::new(), log: Vec::new(), expected: Vec::new() });
        }
        let case = cases.last_mut().unwrap();
        match input {
            Some(input) => case.log.extend(bytes(input)),
            None if !heads => case.expected.push(line),
            None => {}
        }
        if heads {
            case.head.push(line);
        }
    }
    cases.retain(|case| !case.log.is_empty());
    cases
}

/// A line of a log with its newline.
fn bytes(input: &str) -> Vec<u8> {
    let mut bytes = match input.strip_prefix("\\ ") {
        Some(escaped) => unescape(escaped),
        None => input.strip_prefix(' ').unwrap_or(input).into(),
    };
    bytes.push(b'\n');
    bytes
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escape = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escape {
            None => byte,
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            Some(other) => panic!("no escape: \\{}", char::from(other)),
        });
    }
    bytes
}

/// The events of a log, a line each.
#[derive(Default)]
struct Rows(Vec<String>);

impl EventSink for Rows {
    fn event(&mut self, event: Event<'_>) {
        self.0.push(row::shown(&event));
    }
}

/// The number of lines that were not parsed, by reason; each line is counted once.
fn counted<S: Named, R: Named>(tally: &Tally<S, R>) -> Vec<String> {
    let remarks = || R::ALL.iter().map(|&kind| (kind, tally.remarks(kind)));
    let noted: u64 = remarks().map(|(_, lines)| lines).sum();
    assert_eq!(tally.lines, tally.parsed + tally.skipped_lines() + noted);
    let skips = tally.skips().iter().filter(|(_, skipped)| skipped.lines > 0);
    let skips = skips.map(|(reason, skipped)| {
        let (lines, first, excerpt) = (skipped.lines, skipped.first_line, &skipped.excerpt);
        format!("skipped {lines}, {}; the first is line {first}: {excerpt}", reason.name())
    });
    let remarks = remarks().filter(|(_, lines)| *lines > 0);
    skips.chain(remarks.map(|(kind, lines)| format!("remarks {lines}, {}", kind.name()))).collect()
}

fn value(name: &str, value: Option<impl Debug>) -> String {
    value.map_or_else(String::new, |value| format!(" {name}={value:?}"))
}

fn of_strace(log: &[u8]) -> (Vec<String>, String) {
    let (mut scanner, mut rows) = (Scanner::new(), Rows::default());
    scanner.block(log, &mut rows);
    scanner.finish(&mut rows);
    rows.0.extend(counted(scanner.tally()));
    let whole = [
        format!("log times={:?}", scanner.time_base()),
        value("resolution_ns", scanner.time_resolution_ns()),
        value("first_ns", scanner.first_time_ns()),
        value("first_thread", scanner.first_thread_number()),
        value("flags", Some(scanner.flags()).filter(|flags| !flags.is_empty())),
    ];
    (rows.0, whole.concat())
}

fn of_ultrix(log: &[u8]) -> (Vec<String>, String) {
    let (mut reader, mut rows) = (Reader::new(), Rows::default());
    reader.block(log, &mut rows);
    reader.finish(&mut rows);
    rows.0.extend(counted(reader.tally()));
    (rows.0, format!("log calls={}", reader.tally().calls))
}

type Read = fn(&[u8]) -> (Vec<String>, String);

fn found(case: &Case<'_>, read: Read) -> Vec<String> {
    let (mut rows, whole) = read(&case.log);
    assert_eq!(read(&case.log[..case.log.len() - 1]), (rows.clone(), whole.clone()), "line {}", case.line);
    if case.expected.iter().any(|row| row.starts_with("log ")) {
        rows.push(whole);
    }
    rows
}

fn check(file: &Path, read: Read) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut written = String::new();
    let mut wrong = Vec::new();
    for case in cases(&text) {
        let found = found(&case, read);
        for line in case.head.iter().copied().chain(found.iter().map(String::as_str)) {
            written += line;
            written.push('\n');
        }
        if found != case.expected {
            let (line, expected) = (case.line, case.expected.join("\n"));
            wrong.push(format!("line {line}, expected:\n{expected}\nfound:\n{}\n", found.join("\n")));
        }
    }
    if std::env::var_os("WRITE_CASES").is_some() {
        return std::fs::write(file, written).unwrap();
    }
    assert!(wrong.is_empty(), "{}: {}", file.display(), wrong.join("\n"));
}

fn check_all(folder: &str, read: Read) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    for file in std::fs::read_dir(folder).unwrap() {
        check(&file.unwrap().path(), read);
    }
}

#[test]
fn strace() {
    check_all("strace", of_strace);
}

#[test]
fn ultrix() {
    check_all("ultrix", of_ultrix);
}
