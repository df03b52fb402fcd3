//! Totals of records that are made here.

use super::*;
use crate::record::Inode;

const PROCESS: u32 = 4_000_000_000; // no process of this machine
const READ_BYTES: i64 = 100;

/// A call of the process, from a time on, which took 10 ns.
fn call(number: i64, start_ns: u64, arguments: &[i64], result: i64) -> Record<'static> {
    let mut all = [0; 6];
    all.iter_mut().zip(arguments).for_each(|(place, &argument)| *place = argument as u64);
    Record {
        number: number as u16,
        process: PROCESS,
        thread: PROCESS,
        start_ns,
        has_start: true,
        duration_ns: 10,
        result,
        arguments: all,
        ..Record::default()
    }
}

fn open(path: &'static str, start_ns: u64, flags: i32, descriptor: i64) -> Record<'static> {
    let arguments = [i64::from(libc::AT_FDCWD), 0, i64::from(flags)];
    let inode = Inode { device: 1, inode: path.len() as u64, mode: 0o100_644, size_bytes: 0 };
    let opened = call(libc::SYS_openat, start_ns, &arguments, descriptor);
    Record { name: path.as_bytes(), inode: Some(inode), ..opened }
}

fn read(descriptor: i64, start_ns: u64) -> Record<'static> {
    call(libc::SYS_read, start_ns, &[descriptor, 0, READ_BYTES], READ_BYTES)
}

fn close(descriptor: i64, start_ns: u64) -> Record<'static> {
    call(libc::SYS_close, start_ns, &[descriptor], 0)
}

fn of(process: u32, record: Record<'static>) -> Record<'static> {
    Record { process, ..record }
}

fn seen(records: &[Record<'_>]) -> Live {
    let mut live = Live::new(0);
    records.iter().for_each(|record| live.see(record));
    live
}

/// The bytes read from a file, since the last interval.
fn read_from(live: &mut Live, path: &str) -> u64 {
    live.files.named(path.as_bytes()).totals.borrow().read_bytes
}

#[test]
fn descriptors_are_followed() {
    let mut live = seen(&[
        open("/a", 0, 0, 3),
        call(libc::SYS_dup, 20, &[3], 4),
        call(libc::SYS_fcntl, 40, &[3, i64::from(libc::F_DUPFD)], 5),
        call(libc::SYS_dup3, 60, &[3, 9, 0], 9),
        close(3, 80),
        open("/bb", 100, 0, 3),
        read(3, 120),
        read(4, 140),
        read(5, 160),
        read(9, 180),
        call(libc::SYS_close_range, 200, &[4, 8, 0], 0),
        read(4, 220),
    ]);
    assert_eq!(read_from(&mut live, "/a"), 300);
    assert_eq!(read_from(&mut live, "/bb"), 100);
    assert_eq!(read_from(&mut live, "(unknown)"), 100);
}

#[test]
fn paths_start_in_the_working_directory() {
    let folder = Record { name: b"/home", ..call(libc::SYS_chdir, 0, &[], 0) };
    let (inner, in_inner) = (open("inner", 20, libc::O_DIRECTORY, 3), open("file", 40, 0, 4));
    let mut arguments = in_inner.arguments;
    arguments[0] = 3;
    let mut live = seen(&[folder, inner, Record { arguments, ..in_inner }, read(4, 60)]);
    assert_eq!(read_from(&mut live, "/home/inner/file"), 100);
}

#[test]
fn a_child_has_the_descriptors_and_exec_closes_some() {
    let child = PROCESS + 1;
    let fork = Record {
        number: FORK,
        process: PROCESS,
        arguments: [u64::from(child), u64::from(child), 0, 0, 0, 0],
        ..Record::default()
    };
    let exec = Record { number: EXEC, process: child, name: b"/bin/sh", ..Record::default() };
    let mut live = seen(&[
        open("/stays", 0, 0, 3),
        open("/closes", 20, libc::O_CLOEXEC, 4),
        fork,
        close(3, 40),
        of(child, read(4, 60)),
        exec,
        of(child, read(3, 80)),
        of(child, read(4, 100)),
    ]);
    assert_eq!(read_from(&mut live, "/stays"), 100);
    assert_eq!(read_from(&mut live, "/closes"), 100);
    assert_eq!(read_from(&mut live, "(unknown)"), 100);
    assert_eq!(&*live.processes[&child].name, "sh");
}

#[test]
fn a_close_that_returns_late_spares_who_took_the_number() {
    let mut live = seen(&[open("/a", 0, 0, 3), open("/bb", 25, 0, 3), close(3, 20), read(3, 50)]);
    assert_eq!(read_from(&mut live, "/bb"), 100);
    let mut calls = |path: &str| live.files.named(path.as_bytes()).totals.borrow().calls;
    assert_eq!((calls("/a"), calls("/bb")), (2, 2));
}

#[test]
fn a_call_from_before_the_descriptor_changed_is_of_an_unknown_file() {
    let mut live = seen(&[open("/a", 0, 0, 3), close(3, 20), open("/bb", 40, 0, 3), read(3, 45)]);
    assert_eq!(read_from(&mut live, "/bb"), 0);
    assert_eq!(read_from(&mut live, "(unknown)"), 100);
}

#[test]
fn pages_are_of_the_file_that_has_the_inode_now() {
    let pages = |start_ns| Record {
        number: PAGES_ADDED,
        process: PROCESS,
        start_ns,
        arguments: [1, 2, 0, 4, 0, 0],
        ..Record::default()
    };
    let mut live = seen(&[open("/a", 0, 0, 3), pages(20), open("/b", 40, 0, 4), pages(60), pages(80)]);
    let mut missed = |path: &str| live.files.named(path.as_bytes()).totals.borrow().missed_pages;
    assert_eq!((missed("/a"), missed("/b")), (4, 8));
    assert_eq!(live.processes[&PROCESS].totals.missed_pages, 12);
}

#[test]
fn processes_from_before_have_their_descriptors() {
    let mut text = Vec::new();
    let lines: [(&str, &[u8]); 4] = [
        ("process", b"4000000000"),
        ("descriptor", b"4000000000 3 ? 100000 100644 2049 7 /there (deleted)"),
        ("descriptor", b"4000000000 4 0 2 10600 14 8 pipe:[8]"),
        ("descriptor", b"a damaged line"),
    ];
    lines.iter().for_each(|(key, value)| text::write(&mut text, key, value));
    let mut live = Live::new(0);
    live.know(&text);
    [read(3, 0), read(4, 20)].iter().for_each(|record| live.see(record));
    assert_eq!(read_from(&mut live, "/there"), 100);
    let line = live.line(50, [0, 0], 10);
    assert!(line.contains("[\"read\", \"waiting\", 1, 1, 10, 0, 0, 0, 10, 0]"), "{line}");
    assert!(line.contains("[\"read\", \"storage\", 1, 1, 10, 100, 0, 0, 10, 0]"), "{line}");
}

#[test]
fn intervals_begin_anew_and_have_the_first_rows_of_each_order() {
    let mut live = seen(&[open("/a", 0, 0, 3), open("/bb", 20, 0, 4)]);
    for start_ns in [100, 200, 300] {
        live.see(&read(3, start_ns));
    }
    live.see(&Record { duration_ns: 900, ..read(4, 400) });
    let line = live.line(1000, [5, 0], 1);
    assert!(
        line.starts_with("{\"duration_ns\": 1000, \"lost_calls\": 5, \"narrow_calls\": 0, \"file_count\": 2")
    );
    // one by calls and bytes, the other by time and latency
    assert!(line.contains("[\"/a\", \"\", 4, 4, 40, 300, 0, 0, 10, 0]"), "{line}");
    assert!(line.contains("[\"/bb\", \"\", 2, 2, 910, 100, 0, 0, "), "{line}");
    let line = live.line(1500, [7, 0], 1);
    assert!(
        line.starts_with("{\"duration_ns\": 500, \"lost_calls\": 2, \"narrow_calls\": 0, \"file_count\": 0")
    );
}
