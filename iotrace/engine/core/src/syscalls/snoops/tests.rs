#![allow(clippy::unwrap_used)]

use super::{Reader, Remark};
use crate::syscalls::call::{Event, EventSink};

#[derive(Default)]
struct Seen(Vec<String>);

impl EventSink for Seen {
    fn event(&mut self, event: Event<'_>) {
        let Event::Returned(call) = event else { return };
        let text =
            |bytes: Option<&[u8]>| bytes.map_or("-".to_owned(), |bytes| bytes.escape_ascii().to_string());
        let number = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
        self.0.push(
            [
                call.thread.to_string(),
                number(call.time_ns),
                text(Some(call.name)),
                text(call.path),
                number(call.result),
                text(call.error),
                text(call.flags),
            ]
            .join(" "),
        );
    }
}

fn read(text: &str) -> (Vec<String>, Reader) {
    let (mut reader, mut seen) = (Reader::default(), Seen::default());
    reader.block(text.as_bytes(), &mut seen);
    (seen.0, reader)
}

#[test]
fn each_layout_of_opensnoop() {
    let (calls, reader) = read(
        "Attaching 6 probes...
Tracing open syscalls... Hit Ctrl-C to end.
PID    COMM               FD ERR PATH
1234   a 5 0 /b            3   0 /etc/a b
1234567 cat               -1   2 /none
",
    );
    assert_eq!(calls, ["1234 - openat /etc/a b 3 - -", "1234567 - openat /none -1 ENOENT -"]);
    assert_eq!((reader.tally().remarks(Remark::Preamble), reader.times().0), (2, "none"));
    let (calls, reader) = read(
        "TIME(s)       UID   PID    COMM               FD ERR FLAGS    PATH
0.000102000   1000  12     cat                 3   0 02000000 /etc/passwd
0.000202000   1000  12     cat                 4   0 00001101 x
",
    );
    let expected = [
        "12 102000 openat /etc/passwd 3 - O_RDONLY|O_CLOEXEC",
        "12 202000 openat x 4 - O_WRONLY|O_CREAT|O_TRUNC",
    ];
    assert_eq!(calls, expected);
    assert_eq!(reader.times(), ("relative", Some(1)));
    let (calls, reader) = read(
        "TIME     PID    COMM             FD ERR PATH
23:59:59 12     cat               3   0 /a
00:00:01 12     cat               4   0 /b
",
    );
    assert_eq!(calls, ["12 86399000000000 openat /a 3 - -", "12 86401000000000 openat /b 4 - -"]);
    assert_eq!(reader.times().0, "time_of_day");
}

#[test]
fn a_table_of_syncs() {
    // statsnoop does not show which call it was
    let (calls, reader) = read("PID    COMM             ERR PATH\n12     ls                 2 /none\n");
    assert_eq!((calls.len(), reader.tally().remarks(Remark::Preamble)), (0, 2));
    let (calls, _) = read(
        "TIME      PID    COMM             EVENT
12:00:01  12     sync             tracepoint:syscalls:sys_enter_fsync
",
    );
    assert_eq!(calls, ["12 43201000000000 fsync - - - -"]);
}

#[test]
fn lines_that_are_no_rows_are_counted() {
    let (calls, reader) = read(
        "PID COMM FD ERR PATH
12 cat 3 0 /a
12 cat x 0 /a
Possibly lost 12 samples
12 cat 3
PID COMM FD ERR PATH

",
    );
    assert_eq!(calls, ["12 - openat /a 3 - -", "0 - records_lost - 12 - -"]);
    let tally = reader.tally();
    assert_eq!((tally.lines, tally.parsed, tally.skipped_lines(), reader.lost_records()), (7, 1, 2, 12));
    assert_eq!((tally.remarks(Remark::Header), tally.remarks(Remark::Blank)), (2, 1));
}
