//! One program traced with many sets of flags: the calls are the same. Needs the sample logs of the folder that the
//! environment variable IOTRACE_TRACES names.

#![allow(clippy::unwrap_used)]

use iotrace_core::syscalls::call::{Call, CallKind, Event, EventSink};
use iotrace_core::syscalls::strace::{Log, Order, TimeBase};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The parts of a call that do not depend on flags.
#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    descriptors: [Option<i32>; 4],
    paths: [Option<String>; 2],
    numbers: [Option<i64>; 2],
    result: Option<i64>,
    error: Option<String>,
    flags: Option<String>,
    size: Option<i64>,
}

#[derive(Default)]
struct Rows {
    /// The calls of each thread; threads in the order of their first call.
    threads: Vec<i32>,
    calls: BTreeMap<usize, Vec<Row>>,
    with_duration: usize,
    with_time: usize,
    with_descriptor_path: usize,
}

fn owned(text: Option<&[u8]>) -> Option<String> {
    text.map(|text| String::from_utf8(text.to_vec()).unwrap())
}

/// A path without parts that differ between runs.
fn path(text: Option<&[u8]>) -> Option<String> {
    let text = owned(text)?.replace("/tmp/research/data2/strace-local", "/home/research/data2/strace-loc");
    if text.len() == "/tmp/ieszzzd3".len() && text.starts_with("/tmp/") {
        return Some("/tmp/random".to_string());
    }
    let Some(start) = text.find("/iotrace demo,") else {
        return Some(text);
    };
    let start = start + "/iotrace demo,".len();
    let end = text[start..].find('/').map_or(text.len(), |end| start + end);
    Some(format!("{}{}", &text[..start], &text[end..]))
}

impl EventSink for Rows {
    fn event(&mut self, event: Event<'_>) {
        let Event::Returned(call) = &event else {
            return;
        };
        // Threads and memory differ from run to run; standard error is the log itself in one of them.
        let of_files = ![call.fd, call.dirfd].contains(&Some(2))
            && !matches!(
                call.kind,
                CallKind::Other
                    | CallKind::Munmap
                    | CallKind::Clone
                    | CallKind::Clone3
                    | CallKind::Vfork
                    | CallKind::Getcwd
            );
        let thread = match self.threads.iter().position(|&thread| thread == call.thread) {
            Some(thread) => thread,
            None => {
                self.threads.push(call.thread);
                self.threads.len() - 1
            }
        };
        self.with_duration += usize::from(call.duration_ns.is_some());
        self.with_time += usize::from(call.time_ns.is_some());
        self.with_descriptor_path += usize::from(call.fd_path.is_some());
        if of_files {
            self.calls.entry(thread).or_default().push(row(call));
        }
    }
}

fn row(call: &Call<'_>) -> Row {
    // Addresses, and the contents of the folder of the runs' logs.
    let differs = matches!(call.kind, CallKind::Mmap | CallKind::Getdents64);
    Row {
        name: String::from_utf8(call.name.to_vec()).unwrap(),
        descriptors: [call.fd, call.fd2, call.dirfd, call.dirfd2],
        paths: [path(call.path), path(call.path2)],
        numbers: [call.offset.filter(|_| call.kind != CallKind::Msync), call.count],
        result: call.result.filter(|_| !differs),
        error: owned(call.error),
        flags: owned(call.flags),
        size: call.size,
    }
}

fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os("IOTRACE_TRACES").map(PathBuf::from);
    let folder = folder.map(|folder| folder.join("strace/samples/options"));
    if !folder.as_ref().is_some_and(|folder| folder.is_dir()) {
        eprintln!("skipped: IOTRACE_TRACES does not name the folder of traces");
        return None;
    }
    folder
}

fn read(path: PathBuf, order: Order) -> (Rows, Log) {
    let mut rows = Rows::default();
    let mut log = Log::open(std::slice::from_ref(&path), order).unwrap();
    while log.advance(&mut rows).unwrap() {}
    assert_eq!(log.scanner().tally().skipped_lines(), 0, "{}", path.display());
    (rows, log)
}

#[test]
fn flag_sets_agree() {
    let Some(folder) = samples() else { return };
    let (baseline, log) = read(folder.join("ttt_T_yy.log"), Order::Time);
    assert_eq!(log.scanner().time_base(), TimeBase::Epoch);
    assert!(baseline.with_descriptor_path > 300 && baseline.with_duration > 1000);
    for (name, base, resolution) in [
        ("ns.log", TimeBase::Epoch, Some(1)),
        ("tt_T_y.log", TimeBase::OfDay, Some(1_000)),
        ("r.log", TimeBase::Relative, Some(1_000)),
        ("stderr_pid.log", TimeBase::Epoch, Some(1_000)),
        ("xx_Xraw.log", TimeBase::Epoch, Some(1_000)),
        ("ff", TimeBase::None, None),
    ] {
        let order = if name == "ff" { Order::Concatenate } else { Order::Time };
        let (rows, log) = read(folder.join(name), order);
        assert_eq!(
            (log.scanner().time_base(), log.scanner().time_resolution_ns()),
            (base, resolution),
            "{name}"
        );
        // -s 0 shows neither results nor arrays.
        let hidden: &[&str] =
            if name == "ff" { &["readlink", "pwritev2", "socketpair", "pipe2"] } else { &[] };
        agree(name, &baseline, &rows, hidden);
    }
}

/// The threads' calls are the same, one by one.
fn agree(name: &str, baseline: &Rows, rows: &Rows, hidden: &[&str]) {
    assert_eq!(baseline.threads.len(), rows.threads.len(), "{name}");
    for (thread, expected) in &baseline.calls {
        let found = &rows.calls[thread];
        let different: Vec<_> = expected
            .iter()
            .zip(found)
            .filter(|(expected, found)| expected != found && !hidden.contains(&found.name.as_str()))
            .collect();
        assert!(
            different.is_empty() && expected.len() == found.len(),
            "{name}, thread {thread}: {} and {} calls, {} differ, as {:?}",
            expected.len(),
            found.len(),
            different.len(),
            different.first()
        );
    }
}
