//! Any text: every line is counted once, and every call that is issued returns.

use super::{Reader, Remark};
use crate::columns::Named;
use crate::syscalls::call::{Event, EventSink};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The calls that were issued and have not returned, by number.
#[derive(Default)]
struct Pairs {
    issued: BTreeMap<i64, i32>,
    returned: u64,
}

impl EventSink for Pairs {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Issued(call) => {
                assert_eq!(self.issued.insert(call.seq, call.thread), None);
            }
            Event::Returned(call) => {
                self.issued.remove(&call.seq);
                self.returned += 1;
            }
            Event::Ended(_) => {}
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    let call = prop_oneof![
        Just("read(fd: 3</a>, buf: 0x7f, count: 10)"),
        Just("clone(clone_flags: VM|0x11)"),
        Just("execve(filename: \"/a, b\", argv: 0x7f)"),
        Just("accept(fd: 4<socket:[5]>)"),
        Just("... [continued]: accept())"),
        Just("... [continued]: read())"),
    ];
    let outcome = prop_oneof![
        Just("..."),
        Just("= 3"),
        Just("= 8"),
        Just("= -1 ENOENT (No such file or directory)"),
        Just("= 99999999999999999999"),
    ];
    let took = prop_oneof![Just("        "), Just("0.003 ms"), Just("18446744073709.541 ms")];
    let trace = (0..30u32, took, 7..10, call, outcome).prop_map(|(time, took, thread, call, outcome)| {
        format!("0.{time:03} ({took}): a b/{thread} {call} {outcome}")
    });
    let event = prop_oneof![
        Just("raw_syscalls:sys_enter: NR 0 (3, 7f, 10, 0, 0, 0)"),
        Just("raw_syscalls:sys_exit: NR 0 = 3"),
        Just("syscalls:sys_enter_execve: filename: 0x7f \"/a\", argv: 0x1"),
        Just("syscalls:sys_exit_execve: 0x0"),
        Just("raw_syscalls:sys_enter: NR 56 (0, 0, 0, 0, 0, 0)"),
        Just("raw_syscalls:sys_exit: NR 56 = 8"),
    ];
    let script = (0..30u32, 7..10, event)
        .prop_map(|(time, thread, event)| format!("a b {thread} [000] 1.{time:06}: {event}"));
    let plain =
        prop_oneof![3 => trace, 3 => script, 1 => Just("LOST 3 events!".to_owned()), 1 => "[ -~]{0,20}"];
    (plain, any::<prop::sample::Index>(), "[ -~]?", 0..8u8).prop_map(|(mut line, at, more, kind)| {
        if kind == 0 {
            line.insert_str(at.index(line.len() + 1), &more);
        }
        line
    })
}

proptest! {
    #[test]
    fn every_line_is_counted_and_every_call_returns(lines in prop::collection::vec(line(), 0..40)) {
        let (mut reader, mut pairs) = (Reader::default(), Pairs::default());
        reader.block(lines.join("\n").as_bytes(), &mut pairs);
        reader.finish(&mut pairs);
        let tally = reader.tally();
        let remarks: u64 = Remark::ALL.iter().map(|&kind| tally.remarks(kind)).sum();
        prop_assert_eq!(tally.lines, tally.parsed + tally.skipped_lines() + remarks);
        prop_assert!(pairs.issued.is_empty());
    }

    #[test]
    fn any_bytes_are_read(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut reader, mut pairs) = (Reader::default(), Pairs::default());
        reader.block(&text, &mut pairs);
        reader.finish(&mut pairs);
        prop_assert!(pairs.returned <= reader.tally().lines);
    }
}
