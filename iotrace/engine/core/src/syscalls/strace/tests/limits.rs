//! Limits of logs; the events of lines are tested in tests/cases/strace.

use super::{read, Kept};
use crate::input::LONG_LINE;
use crate::syscalls::call::{Call, Event};
use crate::syscalls::strace::Skip;

#[test]
fn arguments_of_programs_are_cut() {
    let long = "x".repeat(10_000);
    let log = format!(r#"execve("/bin/echo", ["{long}"], 0x7ffd /* 1 var */) = 0"#);
    let (Kept(events), _) = read(log);
    let [Event::Returned(Call { arguments, .. })] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(arguments.map(<[u8]>::len), Some(4096));
}

#[test]
fn a_fragment_does_not_wait_for_ever() {
    let log = format!("read(3, \"abc\n{}", "noise\n".repeat(1000));
    let (Kept(events), scanner) = read(log);
    assert_eq!(events, []);
    assert_eq!(scanner.tally().skipped(Skip::CutShort).lines, 1);
    assert_eq!(scanner.tally().skipped(Skip::NotACall).lines, 1000);
}

#[test]
fn a_line_that_was_left_out_for_its_length_is_a_damaged_record() {
    let call = b"read(3, \"x\"..., 10) = 10\n".as_slice();
    let log = [call, call, call, b"hello\n", LONG_LINE, call].concat();
    let (damaged, foreign) = read(log).1.damaged_and_foreign();
    assert_eq!((damaged.lines, damaged.first_line), (1, 5));
    assert_eq!((foreign.lines, foreign.first_line), (1, 4));
    assert_eq!(foreign.excerpt, "hello");
}
