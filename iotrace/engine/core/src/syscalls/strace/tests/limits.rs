//! Limits of logs; the events of lines are tested in tests/cases/strace.

use super::{read, Kept};
use crate::input::LONG_LINE;
use crate::syscalls::call::{Call, Event};
use crate::syscalls::strace::{Scanner, Skip};

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

#[test]
fn a_last_line_without_an_end_is_left_out_wherever_it_is_cut() {
    let begins = [
        "1700000009.000000 ",
        "7 1700000009.000000 ",
        "[pid     7] 1700000009.000000 ",
        "7 11:22:33.000009 ",
        "7 ",
    ];
    let calls = [
        ("", "read(3</d/a>, \"x\"..., 4096) = 4096 <0.000010>"),
        ("", "access(\"/d/a\", R_OK) = -1 ENOENT (No such file or directory) <0.000010>"),
        ("read(3</d/a>,  <unfinished ...>", "<... read resumed>\"x\"..., 4096) = 4096 <0.000010>"),
    ];
    for (begin, (before, call)) in begins.iter().flat_map(|begin| calls.map(|call| (begin, call))) {
        let head = format!("{begin}close(4) = 0 <0.000010>\n{begin}{before}\n");
        let line = format!("{begin}{call}");
        for end in 1..=line.len() {
            let mut scanner = Scanner::new();
            scanner.block(head.as_bytes(), &mut Kept::default());
            let is_lost = scanner.open_line(&line.as_bytes()[..end], &mut Kept::default());
            assert_eq!(is_lost, end < line.len(), "{:?}", &line[..end]);
        }
    }
}
