//! Events as lines of text.

use iotrace_core::columns::Named;
use iotrace_core::reconstruct::syscall_table::end_name;
use iotrace_core::syscalls::call::{Call, CallKind, DescriptorPath, Ended, Event};
use std::fmt::Write;

/// A line under construction; absent values are left out.
struct Row(String);

impl Row {
    fn number(&mut self, name: &str, value: impl Into<Option<i64>>) {
        if let Some(value) = value.into() {
            write!(self.0, " {name}={value}").unwrap();
        }
    }

    fn text(&mut self, name: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            write!(self.0, " {name}={:?}", utf8(value)).unwrap();
        }
    }

    fn path(&mut self, name: &str, value: Option<DescriptorPath<'_>>) {
        let Some(DescriptorPath { path, deleted }) = value else {
            return;
        };
        self.text(name, Some(path));
        self.0 += if deleted { " (deleted)" } else { "" };
    }
}

/// Names and texts are UTF-8 for any bytes of the log.
fn utf8(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap()
}

/// An event with all its fields. A call without a mark has returned. `seq` and `thread` are left out if 0,
/// `seq_return` if equal to `seq`.
pub fn shown(event: &Event<'_>) -> String {
    match event {
        Event::Issued(call) => call_row("issued ", call),
        Event::Returned(call) => call_row("", call),
        Event::Ended(ended) => end_row(ended),
    }
}

fn call_row(mark: &str, call: &Call<'_>) -> String {
    let Call {
        seq,
        seq_return,
        thread,
        time_ns,
        duration_ns,
        kind,
        name,
        fd,
        fd2,
        dirfd,
        dirfd2,
        path,
        path2,
        offset,
        offset2,
        count,
        result,
        error,
        flags,
        size,
        file_kind,
        arguments,
        fd_path,
        fd2_path,
        dirfd_path,
        dirfd2_path,
    } = *call;
    assert_eq!(kind, CallKind::from_name(name), "{}", utf8(name));
    let mut row = Row(format!("{mark}{}", utf8(name)));
    row.number("seq", Some(seq).filter(|&seq| seq != 0));
    row.number("seq_return", Some(seq_return).filter(|&last| last != seq));
    row.number("thread", Some(thread).filter(|&thread| thread != 0).map(i64::from));
    row.number("time_ns", time_ns);
    row.number("duration_ns", duration_ns);
    row.number("fd", fd.map(i64::from));
    row.path("fd_path", fd_path);
    row.number("fd2", fd2.map(i64::from));
    row.path("fd2_path", fd2_path);
    row.number("dirfd", dirfd.map(i64::from));
    row.path("dirfd_path", dirfd_path);
    row.number("dirfd2", dirfd2.map(i64::from));
    row.path("dirfd2_path", dirfd2_path);
    row.text("path", path);
    row.text("path2", path2);
    row.number("offset", offset);
    row.number("offset2", offset2);
    row.number("count", count);
    row.text("flags", flags);
    row.text("arguments", arguments);
    row.number("result", result);
    row.text("error", error);
    row.number("size", size);
    row.text("file_kind", file_kind.map(|kind| kind.name().as_bytes()));
    row.0
}

fn end_row(ended: &Ended<'_>) -> String {
    let mut row = Row(end_name(ended.how).to_string());
    row.number("seq", Some(ended.seq).filter(|&seq| seq != 0));
    row.number("thread", Some(ended.thread).filter(|&thread| thread != 0).map(i64::from));
    row.number("time_ns", ended.time_ns);
    row.number("status", ended.status);
    row.text("signal", ended.signal);
    row.0
}
