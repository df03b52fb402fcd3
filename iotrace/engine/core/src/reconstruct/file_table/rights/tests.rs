#![allow(clippy::unwrap_used)]

use crate::reconstruct::file_table::descriptors::{OpenId, Pointer};
use crate::reconstruct::file_table::{FileTable, KnownFiles, Model};
use crate::syscalls::call::{Event, EventSink};
use crate::syscalls::strace::Scanner;

/// Process 7 has the pair 3 and 4, and files of 10 bytes read at 5, 20 at 6, 30 at 7.
const BEGIN: &str = concat!(
    "7 socketpair(AF_UNIX, SOCK_STREAM, 0, [3, 4]) = 0\n",
    "7 openat(AT_FDCWD, \"/a\", O_RDONLY) = 5\n",
    "7 read(5, \"x\", 10) = 10\n",
    "7 openat(AT_FDCWD, \"/b\", O_RDONLY) = 6\n",
    "7 read(6, \"x\", 20) = 20\n",
    "7 openat(AT_FDCWD, \"/c\", O_RDONLY) = 7\n",
    "7 read(7, \"x\", 30) = 30\n",
);

#[derive(Default)]
struct Sink(FileTable);

impl EventSink for Sink {
    fn event(&mut self, event: Event<'_>) {
        self.0.event(&event, 0);
    }
}

fn after(lines: &[String]) -> FileTable {
    let mut sink = Sink(FileTable::new(Model::LINUX, KnownFiles::default()));
    let mut scanner = Scanner::new();
    scanner.block(format!("{BEGIN}{}\n", lines.join("\n")).as_bytes(), &mut sink);
    assert_eq!(scanner.tally().skipped_lines(), 0);
    sink.0
}

fn control(fds: &str) -> String {
    format!("msg_control=[{{cmsg_len=24, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[{fds}]}}]")
}

fn send(fds: &str) -> String {
    format!("7 sendmsg(3, {{msg_name=NULL, {}, msg_flags=0}}, 0) = 1", control(fds))
}

fn receive(fds: &str) -> String {
    receive_with(fds, "0")
}

fn receive_with(fds: &str, flags: &str) -> String {
    format!("7 recvmsg(4, {{msg_name=NULL, {}, msg_flags=0}}, {flags}) = 1", control(fds))
}

fn open(table: &FileTable, fd: i32) -> OpenId {
    table.tasks.open_of_process(7, fd).unwrap()
}

/// Whether the received descriptor is the one that was sent; an unknown one is of no known file and position.
fn is_passed(table: &FileTable, sent: i32, received: i32) -> bool {
    let (sent, received) = (open(table, sent), open(table, received));
    if sent != received {
        assert!(table.opens[received].inherited);
        assert!(matches!(table.opens[received].pointer, Pointer::Relative(..)));
    }
    sent == received
}

fn of(lines: &[&str]) -> FileTable {
    after(&lines.iter().map(|line| (*line).to_string()).collect::<Vec<_>>())
}

#[test]
fn a_descriptor_shares_the_entry_of_the_one_sent() {
    let table = after(&[send("5"), receive("8"), "7 read(8, \"x\", 10) = 10".to_string()]);
    assert!(is_passed(&table, 5, 8));
    assert_eq!(table.opens[open(&table, 5)].pointer, Pointer::At(20));
    assert_eq!(table.opens[open(&table, 5)].descriptors, 2);
}

#[test]
fn all_that_is_under_way_keeps_its_order() {
    let table = after(&[send("5, 6"), send("7"), receive("8, 9, 10")]);
    assert!(is_passed(&table, 5, 8) && is_passed(&table, 6, 9) && is_passed(&table, 7, 10));
    let table = after(&[send("5"), receive("8"), send("6"), receive("9")]);
    assert!(is_passed(&table, 5, 8) && is_passed(&table, 6, 9));
}

#[test]
fn of_several_under_way_a_receiver_may_have_dropped_any() {
    let table = after(&[send("5"), send("6"), receive("8"), receive("9"), send("7"), receive("10")]);
    assert!(!is_passed(&table, 5, 8) && !is_passed(&table, 6, 9) && !is_passed(&table, 7, 10));
    // nothing is kept open for a message that is given up
    assert_eq!(table.opens[open(&table, 5)].descriptors, 1);
}

#[test]
fn what_is_dropped_before_is_not_taken_for_what_comes_later() {
    let truncated = "7 recvmsg(4, {msg_name=NULL, msg_controllen=0, msg_flags=MSG_CTRUNC}, 0) = 1";
    for drops in
        ["7 read(4, \"x\", 1) = 1", "7 recvfrom(4, \"x\", 1, 0, NULL, NULL) = 1", truncated, "7 getpid() = 7"]
    {
        let table = of(&[&send("5"), drops, &send("6"), &receive("8")]);
        assert!(!is_passed(&table, 5, 8) && !is_passed(&table, 6, 8), "{drops}");
    }
}

#[test]
fn a_message_without_descriptors_drops_none() {
    let plain = "7 recvmsg(4, {msg_name=NULL, msg_controllen=0, msg_flags=0}, 0) = 1";
    for plain in [plain, "7 read(4, \"x\", 1) = 1"] {
        let table = of(&[&send("5"), plain, &receive("8")]);
        assert!(is_passed(&table, 5, 8));
    }
}

#[test]
fn what_has_no_room_is_not_told_apart() {
    let table = after(&[send("5, 6"), receive("8")]);
    assert!(!is_passed(&table, 5, 8) && !is_passed(&table, 6, 8));
}

#[test]
fn what_is_only_looked_at_stays_under_way() {
    let table = after(&[send("5"), receive_with("8", "MSG_PEEK|MSG_DONTWAIT"), send("6"), receive("9")]);
    assert!(!is_passed(&table, 5, 8) && !is_passed(&table, 5, 9) && !is_passed(&table, 6, 9));
}

#[test]
fn senders_that_the_log_does_not_show_make_it_unknown() {
    let half = "7 <... sendmsg resumed>) = 1";
    let foreign = send("5").replacen("7 sendmsg(3", "9 sendmsg(3", 1);
    let asynchronous = "7 io_uring_enter(9, 1, 0, 0, NULL, 8) = 1";
    for hidden in [half, foreign.as_str(), asynchronous] {
        let table = of(&[hidden, &send("5"), &receive("8")]);
        assert!(!is_passed(&table, 5, 8), "{hidden}");
    }
    let table = after(&[send("5, 6, ..."), receive("8, 9, ...")]);
    assert!(!is_passed(&table, 5, 8) && !is_passed(&table, 6, 9));
}

#[test]
fn a_message_that_failed_passes_nothing() {
    let sent = send("5");
    let issued = sent.replacen(", 0) = 1", ", 0 <unfinished ...>", 1);
    let failed = "7 <... sendmsg resumed>) = -1 EAGAIN (Resource temporarily unavailable)";
    let table = of(&[&issued, "9 getpid() = 9", failed, &send("6"), &receive("8")]);
    assert!(is_passed(&table, 6, 8));
    assert_eq!(table.opens[open(&table, 5)].descriptors, 1);
}

#[test]
fn nobody_receives_what_is_sent_to_a_closed_socket() {
    let table = of(&[&send("5"), &send("3"), "7 close(3) = 0", "7 close(4) = 0"]);
    assert_eq!(table.opens[open(&table, 5)].descriptors, 1);
}

#[test]
fn a_long_chain_of_sockets_closes() {
    let pair = |at: usize| {
        format!("7 socketpair(AF_UNIX, SOCK_STREAM, 0, [{}, {}]) = 0", 100 + 2 * at, 101 + 2 * at)
    };
    let pass = |at: usize| {
        format!("7 sendmsg({}, {{{}}}, 0) = 1", 102 + 2 * at, control(&format!("{}", 101 + 2 * at)))
    };
    let mut lines: Vec<String> = (0..50_000).map(pair).collect();
    lines.extend((0..49_999).map(pass));
    lines.push("7 close_range(100, 4294967295, 0) = 0".to_string());
    let table = after(&lines);
    assert!(table.rights.under_way.is_empty());
}
