//! A source that a thread reads ahead, while what it emitted before is worked on.
//!
//! The thread begins once a call was found: until then a log may still be rejected, with its counts.

use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::error::IntakeError;
use super::source::{EventSource, SourceReport};
use crate::syscalls::call::EventSink;
use crate::syscalls::event_batch::EventBatch;

/// Parts of about a megabyte of text that are read ahead.
const PARTS_AHEAD: usize = 4;

/// A source, in this thread or in one of its own.
pub struct Ahead {
    state: State,
    lines: u64,
    progress: (u64, Option<u64>),
}

enum State {
    Here(Box<dyn EventSource>),
    InThread(Reader),
    /// A panic of the source's thread was passed on.
    Lost,
}

struct Reader {
    parts: Receiver<Part>,
    emptied: Sender<EventBatch>,
    thread: JoinHandle<Box<dyn EventSource>>,
}

/// What one `advance` of the source emitted and returned, and how far it was then.
struct Part {
    events: EventBatch,
    outcome: Result<bool, IntakeError>,
    lines: u64,
    progress: (u64, Option<u64>),
}

impl Ahead {
    /// Read a source ahead.
    pub fn new(source: Box<dyn EventSource>) -> Ahead {
        Ahead { lines: source.lines(), progress: source.progress(), state: State::Here(source) }
    }

    fn begin(source: Box<dyn EventSource>) -> Reader {
        let (full, parts) = sync_channel(PARTS_AHEAD);
        let (emptied, to_fill) = channel::<EventBatch>();
        let mut source = source;
        let thread = thread::spawn(move || loop {
            let mut events = to_fill.try_recv().unwrap_or_default();
            events.clear();
            let part = part_of(source.as_mut(), events);
            let is_last = matches!(part.outcome, Ok(false));
            if full.send(part).is_err() || is_last {
                return source;
            }
        });
        Reader { parts, emptied, thread }
    }
}

fn part_of(source: &mut dyn EventSource, mut events: EventBatch) -> Part {
    let outcome = source.advance(&mut events);
    Part { events, outcome, lines: source.lines(), progress: source.progress() }
}

/// Wait for the source to return from its thread.
fn joined(thread: JoinHandle<Box<dyn EventSource>>) -> Box<dyn EventSource> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl EventSource for Ahead {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        let (part, state) = match std::mem::replace(&mut self.state, State::Lost) {
            State::Here(mut source) => {
                let part = part_of(source.as_mut(), EventBatch::default());
                let begins = matches!(part.outcome, Ok(true)) && part.events.has_calls();
                (part, if begins { State::InThread(Self::begin(source)) } else { State::Here(source) })
            }
            State::InThread(reader) => match reader.parts.recv() {
                Ok(part) if matches!(part.outcome, Ok(false)) => (part, State::Here(joined(reader.thread))),
                Ok(part) => (part, State::InThread(reader)),
                Err(_) => {
                    self.state = State::Here(joined(reader.thread));
                    return Ok(false);
                }
            },
            State::Lost => return Ok(false),
        };
        self.state = state;
        (self.lines, self.progress) = (part.lines, part.progress);
        part.events.emit(sink);
        if let State::InThread(reader) = &self.state {
            // nobody takes it once the thread has ended
            let _ = reader.emptied.send(part.events);
        }
        part.outcome
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.progress
    }

    /// The source's report once all is read; before, without counts but lines.
    fn report(&self) -> SourceReport {
        match &self.state {
            State::Here(source) => source.report(),
            State::InThread(_) | State::Lost => SourceReport { lines: self.lines, ..SourceReport::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::input::{Compression, InputError};
    use crate::syscalls::call::{Call, Event};
    use proptest::prelude::*;

    /// Emits as many calls as each part says; None is damage.
    struct Parts {
        parts: Vec<Option<usize>>,
        next: usize,
        calls: i64,
    }

    impl EventSource for Parts {
        fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
            let Some(part) = self.parts.get(self.next) else {
                return Ok(false);
            };
            self.next += 1;
            for _ in 0..part.unwrap_or(1) {
                let name = format!("call{}", self.calls);
                sink.event(Event::Returned(Call {
                    seq: self.calls,
                    name: name.as_bytes(),
                    ..Call::default()
                }));
                self.calls += 1;
            }
            part.map(|_| true).ok_or_else(|| {
                let cause = std::io::ErrorKind::InvalidData.into();
                let (path, after_bytes, compression) = ("log".into(), 0, Compression::None);
                InputError::Damaged { path, after_bytes, compression, cause }.into()
            })
        }

        fn lines(&self) -> u64 {
            self.next as u64
        }

        fn progress(&self) -> (u64, Option<u64>) {
            (self.next as u64, Some(self.parts.len() as u64))
        }

        fn report(&self) -> SourceReport {
            SourceReport { lines: self.lines(), ..SourceReport::default() }
        }
    }

    struct Names(Vec<(i64, String)>);

    impl EventSink for Names {
        fn event(&mut self, event: Event<'_>) {
            if let Event::Returned(call) = event {
                self.0.push((call.seq, String::from_utf8(call.name.to_vec()).unwrap()));
            }
        }
    }

    /// Everything that a source lets others see, part by part, and a call after its end.
    fn seen(source: &mut dyn EventSource) -> Vec<String> {
        let mut steps = Vec::new();
        loop {
            let mut names = Names(Vec::new());
            let outcome = source.advance(&mut names).map_err(|error| error.to_string());
            let step = (&outcome, &names.0, source.lines(), source.progress());
            steps.push(format!("{step:?}"));
            if outcome == Ok(false) {
                steps.push(format!("{:?} {:?}", source.advance(&mut names).unwrap(), source.report()));
                return steps;
            }
        }
    }

    proptest! {
        #[test]
        fn a_source_read_ahead_is_the_source(
            parts in prop::collection::vec(prop::option::weighted(0.8, 0_usize..4), 0..20)
        ) {
            let source = || Parts { parts: parts.clone(), next: 0, calls: 0 };
            let ahead = seen(&mut Ahead::new(Box::new(source())));
            prop_assert_eq!(ahead, seen(&mut source()));
        }
    }

    #[test]
    fn a_source_that_nobody_reads_to_its_end_ends() {
        let parts = vec![Some(3); 100];
        let mut ahead = Ahead::new(Box::new(Parts { parts, next: 0, calls: 0 }));
        ahead.advance(&mut Names(Vec::new())).unwrap();
        let State::InThread(Reader { parts, thread, .. }) = ahead.state else { panic!("no thread") };
        drop(parts);
        assert!(thread.join().unwrap().lines() < 100);
    }
}
