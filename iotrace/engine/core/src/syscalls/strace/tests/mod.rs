//! Tests that need more than examples; the examples of strace's output are in tests/cases/strace.

#![allow(clippy::unwrap_used)]

mod limits;
mod numbers;
mod random;
mod sets;

use super::{Remark, Scanner};
use crate::columns::Named;
use crate::syscalls::call::{Call, DescriptorPath, Ended, Event, EventSink};

/// Events that outlive their log. Tests may leak.
#[derive(Default)]
pub struct Kept(pub Vec<Event<'static>>);

fn leak(text: &[u8]) -> &'static [u8] {
    Box::leak(text.to_vec().into_boxed_slice())
}

fn leak_path(name: Option<DescriptorPath<'_>>) -> Option<DescriptorPath<'static>> {
    name.map(|DescriptorPath { path, deleted }| DescriptorPath { path: leak(path), deleted })
}

fn leak_call(call: &Call<'_>) -> Call<'static> {
    Call {
        name: leak(call.name),
        path: call.path.map(leak),
        path2: call.path2.map(leak),
        error: call.error.map(leak),
        flags: call.flags.map(leak),
        arguments: call.arguments.map(leak),
        fd_path: leak_path(call.fd_path),
        fd2_path: leak_path(call.fd2_path),
        dirfd_path: leak_path(call.dirfd_path),
        dirfd2_path: leak_path(call.dirfd2_path),
        ..*call
    }
}

impl EventSink for Kept {
    fn event(&mut self, event: Event<'_>) {
        self.0.push(match &event {
            Event::Issued(call) => Event::Issued(leak_call(call)),
            Event::Returned(call) => Event::Returned(leak_call(call)),
            Event::Ended(ended) => Event::Ended(Ended { signal: ended.signal.map(leak), ..ended.clone() }),
        });
    }
}

/// Read a whole log.
pub fn read(log: impl AsRef<[u8]>) -> (Kept, Scanner) {
    let mut kept = Kept::default();
    let mut scanner = Scanner::new();
    scanner.block(log.as_ref(), &mut kept);
    scanner.finish(&mut kept);
    accounted(&scanner);
    (kept, scanner)
}

/// Every line is counted exactly once.
pub fn accounted(scanner: &Scanner) {
    let tally = scanner.tally();
    let remarks: u64 = Remark::ALL.iter().map(|&kind| tally.remarks(kind)).sum();
    assert_eq!(tally.lines, tally.parsed + tally.skipped_lines() + remarks);
}
