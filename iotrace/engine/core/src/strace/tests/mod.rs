//! The facts about strace's output, each as lines and what they must become.

#![allow(clippy::unwrap_used)]

mod arguments;
mod captures;
mod facts;
mod numbers;
mod random;
mod sets;

use super::{Remark, Scanner, Skip};
use crate::call::{Call, DescriptorPath, Ended, Event, EventSink};

/// Events that outlive their log. Tests may leak.
#[derive(Default)]
pub struct Kept(pub Vec<Event<'static>>);

fn leak(text: &[u8]) -> &'static [u8] {
    Box::leak(text.to_vec().into_boxed_slice())
}

fn leak_path(name: Option<DescriptorPath<'_>>) -> Option<DescriptorPath<'static>> {
    name.map(|DescriptorPath { path, deleted }| DescriptorPath {
        path: leak(path),
        deleted,
    })
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
            Event::Ended(ended) => Event::Ended(Ended {
                signal: ended.signal.map(leak),
                ..ended.clone()
            }),
        });
    }
}

/// Read a whole log.
pub fn read(log: impl AsRef<[u8]>) -> (Vec<Event<'static>>, Scanner) {
    let mut kept = Kept::default();
    let mut scanner = Scanner::new();
    scanner.block(log.as_ref(), &mut kept);
    scanner.finish(&mut kept);
    accounted(&scanner);
    (kept.0, scanner)
}

/// Every line is counted exactly once.
pub fn accounted(scanner: &Scanner) {
    let tally = scanner.tally();
    let remarks: u64 = Remark::ALL.iter().map(|&kind| tally.remarks(kind)).sum();
    assert_eq!(tally.lines, tally.parsed + tally.skipped_lines() + remarks);
}

/// All events of a log in which every line is understood.
pub fn events(log: impl AsRef<[u8]>) -> Vec<Event<'static>> {
    let (events, scanner) = read(log);
    assert_eq!(scanner.tally().skipped_lines(), 0, "{:?}", scanner.tally());
    events
}

/// The only call of a line.
pub fn call(line: impl AsRef<[u8]>) -> Call<'static> {
    match events(line).as_slice() {
        [Event::Returned(call)] => call.clone(),
        other => panic!("not one returned call: {other:?}"),
    }
}

/// Why a line is skipped.
pub fn skipped(line: impl AsRef<[u8]>) -> Skip {
    let (events, scanner) = read(line);
    assert_eq!(events, []);
    let mut reasons = Skip::ALL
        .into_iter()
        .filter(|&reason| scanner.tally().skipped(reason).lines > 0);
    reasons.next().unwrap()
}

/// A descriptor's path that is still there.
pub fn at(path: &'static str) -> Option<DescriptorPath<'static>> {
    Some(DescriptorPath {
        path: path.as_bytes(),
        deleted: false,
    })
}

/// A text as calls have it.
pub fn text(text: &'static str) -> Option<&'static [u8]> {
    Some(text.as_bytes())
}
