//! For any bytes: no panic, every line counted once, every issued call returned, all names UTF-8.

use super::{accounted, Kept};
use crate::syscalls::call::{Call, Event, EventSink};
use crate::syscalls::strace::Scanner;
use proptest::prelude::*;
use std::collections::HashSet;

/// Real lines, one of each form.
const LINES: &[&str] = &[
    r#"3502  1795225281.437888 openat(AT_FDCWD</home/x>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache> <0.000013>"#,
    r#"3542  1795225282.754925828 read(3</tmp/we\"ird\n\74name\76>(deleted), "\177ELF\2"..., 832) = 832 <0.000012549>"#,
    r#"3511  01:41:21.710995 newfstatat(3, "", {st_mode=S_IFREG|0644, st_size=911904, ...}, AT_EMPTY_PATH) = 0 <0.000005>"#,
    r#"24513 1795226745.278434 writev(4</x>, [{iov_base="{\n  \"a\"..."..., iov_len=8169}, {iov_base="b", iov_len=1}], 2) = 8170"#,
    r#"3568  1795225283.065972 mmap(NULL, 8192, 0x3, 0x22, -1, 0) = 0x7efe37b66000 <0.000008>"#,
    r#"19815 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7fb110ec6000}, 88 <unfinished ...>"#,
    r#"19815 <... clone3 resumed> => {parent_tid=[7]}, 88) = 19816 <0.1>"#,
    r#"12714 wait4(-1,  <unfinished ...>"#,
    r#"12714 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 12715 <0.002385>"#,
    r#"[pid  3535] 1795225282.524102 rseq(0x7f46df3d7fe0, 0x20, 0, 0x53053053 <unfinished ...>"#,
    r#"1795225282.524027 clone3({flags=CLONE_VM}strace: Process 3535 attached"#,
    r#" => {parent_tid=[3535]}, 88) = 3535 <0.000049>"#,
    r#"write(1, "{\n", 2{"#,
    r#")                      = 2"#,
    r#"11408 writev(14<TCP:[127.0.0.1:50492->127.0.0.1:58167]>, [{iov_base="\0", iov_len=16}], 1) = 16"#,
    r#"7 fcntl(1</dev/null<char 1:3>>, F_SETFL, O_WRONLY|O_APPEND) = 0"#,
    r#"7 sendfile(12, 9, [0] => [1000], 1000) = 1000"#,
    r#"7 pipe2([3<pipe:[1]>, 4<pipe:[1]>], 0) = 0"#,
    r#"12714 1795226028.701750 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---"#,
    r#"12714 1795226028.703312 +++ exited with 3 +++"#,
    r#"7 +++ superseded by execve in pid 8 +++"#,
    r#"8 execve("/usr/bin/cat", ["cat", "a) = 7 <unfinished ...>"], 0x56459a82eaa8 /* 35 vars */ <unfinished ...>"#,
    r#"3527       0.000225 read(3,  <detached ...>"#,
];

/// The tokens of the grammar.
const MARKS: &[&str] = &[
    "\"",
    "\\",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "=",
    " ",
    "\n",
    "7 ",
    "read(",
    "0x",
    "-1",
    " = ",
    "<unfinished ...>",
    "<... read resumed>",
    "<detached ...>",
    "/*",
    "*/",
    "+++ ",
    "--- ",
    "[pid 7] ",
    "1795225281.5 ",
    "% time ",
    "strace: Process 7 attached",
    " > ",
    "vfork(",
    "AT_FDCWD",
    "</a",
    "01:02:03 ",
    "iov_len=",
    "writev(3, [",
    "exited with ",
    "superseded by execve in pid ",
    " +++",
];

/// Checks each event without keeping it.
#[derive(Default)]
struct Checked {
    issued: HashSet<i64>,
    calls: u64,
}

impl EventSink for Checked {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Issued(call) => {
                check(call);
                assert_eq!((call.result, call.error, call.duration_ns), (None, None, None));
                assert!(self.issued.insert(call.seq));
            }
            Event::Returned(call) => {
                check(call);
                self.calls += 1;
                assert_eq!(self.issued.remove(&call.seq), call.seq != call.seq_return);
            }
            Event::Ended(_) => {}
        }
    }
}

fn check(call: &Call<'_>) {
    let names = [call.path, call.path2, call.error, call.flags, call.arguments, Some(call.name)];
    let descriptors = [call.fd_path, call.fd2_path, call.dirfd_path, call.dirfd2_path]
        .map(|name| name.map(|name| name.path));
    for name in names.into_iter().chain(descriptors).flatten() {
        assert!(std::str::from_utf8(name).is_ok(), "{name:?}");
    }
}

fn scan(log: &[u8]) {
    let mut checked = Checked::default();
    let mut scanner = Scanner::new();
    scanner.block(log, &mut checked);
    scanner.finish(&mut checked);
    accounted(&scanner);
    assert!(checked.issued.is_empty());
    assert_eq!(checked.calls, scanner.tally().calls);
}

/// A change of a log: some bytes overwritten, deleted, duplicated, or a newline inserted.
#[derive(Debug, Clone)]
enum Change {
    Overwrite(prop::sample::Index, u8),
    Cut(prop::sample::Index, usize),
    Double(prop::sample::Index, usize),
    Newline(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"\"\\<>()[]{},= \n0-9/*".to_vec())];
    prop_oneof![
        (any::<prop::sample::Index>(), byte).prop_map(|(at, byte)| Change::Overwrite(at, byte)),
        (any::<prop::sample::Index>(), 1usize..40).prop_map(|(at, length)| Change::Cut(at, length)),
        (any::<prop::sample::Index>(), 1usize..40).prop_map(|(at, length)| Change::Double(at, length)),
        any::<prop::sample::Index>().prop_map(Change::Newline),
    ]
}

fn apply(log: &mut Vec<u8>, change: &Change) {
    if log.is_empty() {
        return;
    }
    let length = log.len();
    let span = |at: &prop::sample::Index, wanted: usize| {
        let start = at.index(length);
        start..(start + wanted).min(length)
    };
    match change {
        Change::Overwrite(at, byte) => log[at.index(length)] = *byte,
        Change::Cut(at, wanted) => drop(log.drain(span(at, *wanted))),
        Change::Double(at, wanted) => {
            let piece = log[span(at, *wanted)].to_vec();
            log.extend(piece);
        }
        Change::Newline(at) => log.insert(at.index(length), b'\n'),
    }
}

proptest! {
    #[test]
    fn any_bytes(log in prop::collection::vec(any::<u8>(), 0..400)) {
        scan(&log);
    }

    #[test]
    fn any_mixture_of_marks(marks in prop::collection::vec(prop::sample::select(
        MARKS
    ), 0..60)) {
        scan(marks.concat().as_bytes());
    }

    #[test]
    fn damaged_lines(
        picks in prop::collection::vec(prop::sample::select(LINES), 1..12),
        changes in prop::collection::vec(change(), 0..8),
    ) {
        let mut log = picks.join("\n").into_bytes();
        for change in &changes {
            apply(&mut log, change);
        }
        scan(&log);
    }
}

#[test]
fn real_lines_are_all_understood_in_their_places() {
    let mut scanner = Scanner::new();
    for line in LINES.iter().filter(|line| !line.starts_with(")") && !line.starts_with("write")) {
        scanner.line(line.as_bytes(), &mut Kept::default());
    }
    scanner.finish(&mut Kept::default());
    assert_eq!(scanner.tally().skipped_lines(), 0, "{:?}", scanner.tally());
}

#[test]
fn long_lines_take_linear_time() {
    for piece in ["a<[", "a</", "/*", "\"", "\\\"", "(", "<unfinished ...> ", "1 ", "[x] ", "a<b>"] {
        let log = [b"read(3, ".as_slice(), &piece.as_bytes().repeat(1_000_000)].concat();
        scan(&log);
        scan(&piece.as_bytes().repeat(1_000_000));
    }
}
