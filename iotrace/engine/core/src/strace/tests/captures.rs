//! Logs on standard error: threads without numbers, and lines that others broke.

use super::{events, read};
use crate::call::{Call, Event};
use crate::input::LONG_LINE;
use crate::strace::{Remark, Skip};

/// Thread, name, count and result of all returned calls.
fn calls(log: &str) -> Vec<(i32, String, Option<i64>, Option<i64>)> {
    let calls = events(log).into_iter().filter_map(|event| match event {
        Event::Returned(Call {
            thread,
            name,
            count,
            result,
            ..
        }) => Some((
            thread,
            String::from_utf8_lossy(name).into_owned(),
            count,
            result,
        )),
        _ => None,
    });
    calls.collect()
}

fn row(
    thread: i32,
    name: &str,
    count: Option<i64>,
    result: i64,
) -> (i32, String, Option<i64>, Option<i64>) {
    (thread, name.to_string(), count, Some(result))
}

#[test]
fn a_notice_within_a_line() {
    let log = "clone3({flags=CLONE_VM, exit_signal=0}strace: Process 35 attached\n => {parent_tid=[35]}, 88) = 35\n\
               [pid    35] close(3 <unfinished ...>\n[pid    34] close(4) = 0\n[pid    35] <... close resumed>) = 0\n";
    assert_eq!(
        calls(log),
        [
            row(0, "clone3", None, 35),
            row(0, "close", None, 0),
            row(35, "close", None, 0)
        ]
    );
    let (_, scanner) = read(log);
    assert_eq!(scanner.first_thread_number(), Some(34));
}

#[test]
fn a_notice_before_the_rest_is_unfinished() {
    let log = "vfork(/usr/bin/strace: Process 37 attached\n <unfinished ...>\n[pid    37] close(14) = 0\n\
               [pid    34] <... vfork resumed>) = 37\n[pid    37] +++ exited with 0 +++\nclose(5) = 0\n";
    assert_eq!(
        calls(log),
        [
            row(37, "close", None, 0),
            row(0, "vfork", None, 37),
            row(0, "close", None, 0)
        ]
    );
}

#[test]
fn without_notices_the_return_tells_who_is_first() {
    let log = "vfork( <unfinished ...>\n[pid    37] close(14) = 0\n[pid    34] <... vfork resumed>) = 37\n[pid    34] close(1) = 0\n";
    assert_eq!(
        calls(log),
        [
            row(37, "close", None, 0),
            row(0, "vfork", None, 37),
            row(0, "close", None, 0)
        ]
    );
}

#[test]
fn the_last_thread_has_no_number_again() {
    let log = "fork() = 8\n[pid     7] exit_group(0) = ?\n[pid     7] +++ exited with 0 +++\nclose(3) = 0\n";
    let threads: Vec<_> = calls(log).into_iter().map(|(thread, ..)| thread).collect();
    assert_eq!(
        threads,
        [0, 0, 0],
        "nobody but the first thread has been seen"
    );
    let log =
        "fork() = 8\n[pid     8] close(1) = 0\n[pid     7] +++ exited with 0 +++\nclose(3) = 0\n";
    let threads: Vec<_> = calls(log).into_iter().map(|(thread, ..)| thread).collect();
    assert_eq!(threads, [0, 8, 8]);
}

#[test]
fn output_of_the_program_within_a_line() {
    let output = |count, result| [row(0, "write", count, result)];
    assert_eq!(
        calls("write(1, \"hi\\n\", 3hi\n)                     = 3\n"),
        output(None, 3)
    );
    assert_eq!(
        calls("write(1, \"{\\n\", 2{\n)                     = 2\n"),
        output(None, 2)
    );
    assert_eq!(
        calls("write(1, \"{\", 1{)                        = 1\n"),
        output(None, 1)
    );
    assert_eq!(
        calls("write(1, \"61\\n\\n\", 461\n\n)                 = 4\n"),
        output(None, 4)
    );
}

#[test]
fn half_a_line_before_another_is_skipped() {
    for half in [
        "fstat(3</a>, {st_mo",
        "write(4</b>, \"It w",
        "clone(child_stack=NULL, flags=CLONE_CH",
        "close(3</home/ann",
    ] {
        let log = format!(
            "7  1700000000.000001 {half}7  1700000000.000002 openat(AT_FDCWD, \"b\", O_RDONLY) = 4\n"
        );
        let (events, scanner) = read(&log);
        assert_eq!(events, [], "{half}");
        assert_eq!(scanner.tally().skipped(Skip::CutShort).lines, 1, "{half}");
    }
}

#[test]
fn output_of_the_program_between_lines_is_skipped() {
    let (events, scanner) =
        read("write(1, \"a\\nb\\nc\\n\", 6a\nb\nc\n)       = 6\nclose(1) = 0\n");
    assert_eq!(events.len(), 2);
    assert_eq!(scanner.tally().skipped(Skip::NotACall).lines, 2);
    assert_eq!(scanner.tally().parsed, 3);
}

#[test]
fn a_line_that_nothing_goes_on_with_is_cut_short() {
    let (events, scanner) = read("close(1) = 0\nread(3, \"abc\nclose(2) = 0\n");
    assert_eq!(events.len(), 2);
    let cut = scanner.tally().skipped(Skip::CutShort);
    assert_eq!(
        (cut.lines, cut.first_line, cut.excerpt.as_str()),
        (1, 2, "read(3, \"abc")
    );
}

#[test]
fn a_fragment_does_not_wait_for_ever() {
    let mut log = "read(3, \"abc\n".to_string();
    log.push_str(&"noise\n".repeat(1000));
    let (events, scanner) = read(log);
    assert_eq!(events, []);
    assert_eq!(scanner.tally().skipped(Skip::CutShort).lines, 1);
    assert_eq!(scanner.tally().skipped(Skip::NotACall).lines, 1000);
}

#[test]
fn detached_by_control_c() {
    let log = "strace: Process 7 attached\nread(0, ^Cstrace: Process 7 detached\n <detached ...>\n";
    let (events, scanner) = read(log);
    assert!(
        matches!(
            events.as_slice(),
            [Event::Returned(Call { fd: Some(0), .. }), Event::Ended(_)]
        ),
        "{events:?}"
    );
    assert_eq!(
        (
            scanner.tally().skipped_lines(),
            scanner.tally().remarks(Remark::Notice)
        ),
        (0, 1)
    );
}

#[test]
fn exec_of_a_thread_that_is_not_the_first() {
    let log = "clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD) = 8\n[pid     7] futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>\n\
               [pid     8] execve(\"/bin/true\", [\"true\"], 0x7ffd /* 3 vars */ <unfinished ...>\n\
               [pid     7] <... futex resumed>) = ?\n+++ superseded by execve in pid 8 +++\n<... execve resumed>) = 0\nclose(3) = 0\n";
    let last: Vec<_> = calls(log).into_iter().skip(2).collect();
    assert_eq!(last, [row(0, "execve", None, 0), row(0, "close", None, 0)]);
}

#[test]
fn a_line_that_was_left_out_for_its_length_is_a_damaged_record() {
    let call = b"read(3, \"x\"..., 10) = 10\n".as_slice();
    let log = [call, call, call, b"hello\n", LONG_LINE, call].concat();
    let (_, scanner) = read(log);
    let (damaged, foreign) = scanner.damaged_and_foreign();
    assert_eq!((damaged.lines, damaged.first_line), (1, 5));
    assert_eq!((foreign.lines, foreign.first_line), (1, 4));
    assert_eq!(foreign.excerpt, "hello");
}
