//! A source whose events another thread reads before their turn.

use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender, SyncSender};
use std::thread::{Builder, JoinHandle};

use super::error::IntakeError;
use super::source::{EventSource, SourceReport};
use crate::input::InputError;
use crate::syscalls::call::{Event, EventSink};
use crate::syscalls::kept_events::KeptEvents;
use crate::syscalls::tally::Skipped;
use crate::syscalls::under_calls::{Inode, StackFrame, UnderCalls};

/// How many parts may wait.
const PARTS: usize = 2;

type Source = Box<dyn EventSource>;

/// A source that another thread may read from its first call on: until then it may prove to be no trace. Its events,
/// errors and progress are those of the source alone.
pub struct Ahead {
    is_wanted: bool,
    /// Unless the thread has it.
    source: Option<Source>,
    thread: Option<Thread>,
}

struct Thread {
    handle: JoinHandle<Source>,
    parts: Receiver<Part>,
    /// Takes back what kept the events of a part.
    used: Sender<KeptEvents>,
    lines: u64,
    progress: (u64, Option<u64>),
}

/// What one step of a source gave.
struct Part {
    events: KeptEvents,
    result: Result<bool, IntakeError>,
    is_last: bool,
    lines: u64,
    progress: (u64, Option<u64>),
}

impl Ahead {
    pub fn new(source: Source) -> Ahead {
        Ahead { is_wanted: false, source: Some(source), thread: None }
    }

    pub fn read_ahead(&mut self) {
        self.is_wanted = true;
    }

    fn start(&mut self) -> Result<(), IntakeError> {
        let Some(source) = self.source.take() else { return Ok(()) };
        let (lines, progress) = (source.lines(), source.progress());
        let (parts_to, parts) = sync_channel(PARTS);
        let (used, used_from) = channel();
        let read = move || read(source, &parts_to, &used_from);
        let handle = Builder::new().spawn(read).map_err(|error| IntakeError::Usage(error.to_string()))?;
        self.thread = Some(Thread { handle, parts, used, lines, progress });
        Ok(())
    }

    /// Wait for the thread's end, and take its source back; a panic goes on here.
    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.source = Some(thread.handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
    }
}

/// Read a source to its end, or until nobody takes its parts.
fn read(mut source: Source, parts: &SyncSender<Part>, used: &Receiver<KeptEvents>) -> Source {
    loop {
        let mut events = used.try_recv().unwrap_or_default();
        let result = source.advance(&mut events);
        let is_last = match &result {
            Ok(has_more) => !has_more,
            Err(error) => !matches!(error, IntakeError::Input(InputError::Damaged { .. })),
        };
        let part = Part { events, result, is_last, lines: source.lines(), progress: source.progress() };
        if parts.send(part).is_err() || is_last {
            return source;
        }
    }
}

impl EventSource for Ahead {
    fn advance(&mut self, sink: &mut dyn EventSink) -> Result<bool, IntakeError> {
        if let Some(source) = &mut self.source {
            let mut watched = Watched { sink, has_call: false };
            let has_more = source.advance(&mut watched)?;
            if has_more && watched.has_call && self.is_wanted {
                self.start()?;
            }
            return Ok(has_more);
        }
        let part = self.thread.as_mut().and_then(|thread| {
            let mut part = thread.parts.recv().ok()?;
            part.events.give(sink);
            (thread.lines, thread.progress) = (part.lines, part.progress);
            // the thread may have ended, and needs none then
            let _ = thread.used.send(std::mem::take(&mut part.events));
            Some(part)
        });
        if part.as_ref().is_none_or(|part| part.is_last) {
            self.join();
        }
        part.map_or(Ok(false), |part| part.result)
    }

    fn lines(&self) -> u64 {
        let here = self.source.as_ref().map(|source| source.lines());
        here.or(self.thread.as_ref().map(|thread| thread.lines)).unwrap_or_default()
    }

    fn holds_calls(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.holds_calls())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let here = self.source.as_ref().map(|source| source.progress());
        here.or(self.thread.as_ref().map(|thread| thread.progress)).unwrap_or_default()
    }

    fn report(&self) -> SourceReport {
        self.source.as_ref().map(|source| source.report()).unwrap_or_default()
    }

    fn unreadable(&self) -> Option<(&str, &Skipped)> {
        self.source.as_ref()?.unreadable()
    }
}

/// A sink, and whether it was given a call.
struct Watched<'a> {
    sink: &'a mut dyn EventSink,
    has_call: bool,
}

impl EventSink for Watched<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.has_call |= matches!(&event, Event::Returned(call) if !call.is_loss());
        self.sink.event(event);
    }

    fn under_calls(&mut self, happened: UnderCalls) {
        self.sink.under_calls(happened);
    }

    fn opened(&mut self, seq: i64, file: Inode) {
        self.sink.opened(seq, file);
    }

    fn stack(&mut self, seq: i64, stack: i32, frames: &[StackFrame]) {
        self.sink.stack(seq, stack, frames);
    }
}
