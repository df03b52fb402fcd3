//! Real strace logs, written as ULTRIX call traces and read back: the events are the same except for their positions,
//! and for calls whose halves no other event separates.

#![allow(clippy::unwrap_used)]

use iotrace_core::input;
use iotrace_core::syscalls::call::{Call, Ended, Event, EventSink};
use iotrace_core::syscalls::strace::Scanner;
use iotrace_core::syscalls::ultrix;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// Hashes events as text; an issued call only if another event separates it from its return.
#[derive(Default)]
struct Digest {
    hasher: FxHasher,
    events: u64,
    held: Option<(i32, String)>,
}

impl Digest {
    fn release(&mut self) {
        if let Some((_, shown)) = self.held.take() {
            shown.hash(&mut self.hasher);
            self.events += 1;
        }
    }
}

fn show(call: &Call<'_>) -> String {
    let call = Call {
        seq: 0,
        seq_return: 0,
        fd_path: None,
        fd2_path: None,
        dirfd_path: None,
        dirfd2_path: None,
        ..call.clone()
    };
    format!("{call:?}")
}

impl EventSink for Digest {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Issued(call) => {
                self.release();
                self.held = Some((call.thread, show(call)));
            }
            Event::Returned(call) => {
                self.held.take_if(|(thread, _)| *thread == call.thread);
                self.release();
                show(call).hash(&mut self.hasher);
                self.events += 1;
            }
            Event::Ended(ended) => {
                self.release();
                format!("{:?}", Ended { seq: 0, ..ended.clone() }).hash(&mut self.hasher);
                self.events += 1;
            }
        }
    }
}

/// Passes each event to a digest and to a writer.
struct Both<'d>(&'d mut Digest, ultrix::Writer<Vec<u8>>);

impl EventSink for Both<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.0.event(event.clone());
        self.1.event(event);
    }
}

fn digests(log: &Path) -> (Digest, Digest) {
    let (mut of_log, mut of_text) = (Digest::default(), Digest::default());
    let mut scanner = Scanner::new();
    let mut both = Both(&mut of_log, ultrix::Writer::new(Vec::new()).unwrap());
    let mut blocks = input::open(log).unwrap();
    while let Some(block) = blocks.next_block().unwrap() {
        scanner.block(block, &mut both);
    }
    scanner.finish(&mut both);
    let text = both.1.finish().unwrap();
    let mut reader = ultrix::Reader::new();
    reader.block(&text, &mut of_text);
    reader.finish(&mut of_text);
    assert_eq!(reader.tally().skipped_lines(), 0, "{}", log.display());
    assert_eq!(reader.tally().calls, scanner.tally().calls, "{}", log.display());
    (of_log, of_text)
}

#[test]
fn real_logs_survive() {
    let Some(traces) = std::env::var_os("IOTRACE_TRACES") else {
        eprintln!("skipped: IOTRACE_TRACES does not name the folder of traces");
        return;
    };
    let options = PathBuf::from(traces).join("strace/samples/options");
    let mut checked = 0;
    for entry in std::fs::read_dir(&options).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let (of_log, of_text) = digests(&path);
            assert_eq!(of_log.events, of_text.events, "{}", path.display());
            assert_eq!(of_log.hasher.finish(), of_text.hasher.finish(), "{}", path.display());
            checked += of_log.events;
        }
    }
    assert!(checked > 1000, "{checked} events in {}", options.display());
}
