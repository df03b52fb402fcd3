//! Events of threads whose parent is not known yet, kept until it is.
//!
//! strace may show a child's first calls before the fork has returned in its parent. While several forks are under
//! way, whose child it is (and so which descriptors and working directory it has) shows only when they return.

use rustc_hash::FxHashMap;

use crate::call::{Call, DescriptorPath, Ended, Event};

/// After so many events a thread's parent is taken to be the one that forked first.
const MOST_EVENTS: usize = 65_536;

type Bytes = Box<[u8]>;

/// An event that owns its text.
#[derive(Debug)]
pub struct OwnedEvent {
    form: Form,
    call: Call<'static>,
    ended: Option<Ended<'static>>,
    texts: [Option<Bytes>; 9],
    deleted: [bool; 2],
    /// The event's row of table `process`.
    pub process: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Issued,
    Returned,
    Ended,
}

impl OwnedEvent {
    fn new(event: &Event<'_>, process: i32) -> OwnedEvent {
        match event {
            Event::Issued(call) => Self::of_call(Form::Issued, call, process),
            Event::Returned(call) => Self::of_call(Form::Returned, call, process),
            Event::Ended(ended) => OwnedEvent {
                form: Form::Ended,
                call: Call::default(),
                texts: [
                    ended.signal.map(Box::from),
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                ],
                deleted: [false; 2],
                ended: Some(Ended {
                    signal: None,
                    ..*ended
                }),
                process,
            },
        }
    }

    fn of_call(form: Form, call: &Call<'_>, process: i32) -> OwnedEvent {
        let path_of =
            |descriptor: Option<DescriptorPath<'_>>| descriptor.map(|one| Box::from(one.path));
        let deleted =
            |descriptor: Option<DescriptorPath<'_>>| descriptor.is_some_and(|one| one.deleted);
        OwnedEvent {
            form,
            texts: [
                Some(Box::from(call.name)),
                call.path.map(Box::from),
                call.path2.map(Box::from),
                call.error.map(Box::from),
                call.flags.map(Box::from),
                call.arguments.map(Box::from),
                path_of(call.fd_path),
                path_of(call.fd2_path),
                None,
            ],
            deleted: [deleted(call.fd_path), deleted(call.fd2_path)],
            call: Call {
                name: b"",
                path: None,
                path2: None,
                error: None,
                flags: None,
                arguments: None,
                fd_path: None,
                fd2_path: None,
                ..*call
            },
            ended: None,
            process,
        }
    }

    /// The event.
    pub fn event(&self) -> Event<'_> {
        let text = |at: usize| self.texts[at].as_deref();
        let descriptor = |at: usize, deleted: bool| {
            self.texts[at]
                .as_deref()
                .map(|path| DescriptorPath { path, deleted })
        };
        if let (Form::Ended, Some(ended)) = (self.form, &self.ended) {
            return Event::Ended(Ended {
                signal: text(0),
                ..*ended
            });
        }
        let call = Call {
            name: text(0).unwrap_or_default(),
            path: text(1),
            path2: text(2),
            error: text(3),
            flags: text(4),
            arguments: text(5),
            fd_path: descriptor(6, self.deleted[0]),
            fd2_path: descriptor(7, self.deleted[1]),
            ..self.call
        };
        match self.form {
            Form::Issued => Event::Issued(call),
            _ => Event::Returned(call),
        }
    }
}

#[derive(Debug, Default)]
struct Waiting {
    /// Threads that forked and may be the parent, the first to fork first.
    candidates: Vec<i32>,
    events: Vec<OwnedEvent>,
}

/// The threads that wait for their parent.
#[derive(Debug, Default)]
pub struct Deferred {
    threads: FxHashMap<i32, Waiting>,
    order: Vec<i32>,
}

impl Deferred {
    /// Whether no thread waits.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether this thread waits.
    pub fn holds(&self, thread: i32) -> bool {
        !self.order.is_empty() && self.threads.contains_key(&thread)
    }

    /// Let a thread wait for one of these to turn out to be its parent.
    pub fn wait(&mut self, thread: i32, candidates: Vec<i32>) {
        self.threads.insert(
            thread,
            Waiting {
                candidates,
                events: Vec::new(),
            },
        );
        self.order.push(thread);
    }

    /// Keep an event of a waiting thread; true if it has waited too long.
    pub fn keep(&mut self, thread: i32, event: &Event<'_>, process: i32) -> bool {
        let Some(waiting) = self.threads.get_mut(&thread) else {
            return false;
        };
        waiting.events.push(OwnedEvent::new(event, process));
        waiting.events.len() >= MOST_EVENTS
    }

    /// This thread's fork has found its child, or failed: it is no other's parent.
    pub fn rule_out(&mut self, parent: i32) {
        for waiting in self.threads.values_mut() {
            waiting.candidates.retain(|&candidate| candidate != parent);
        }
    }

    /// The first waiting thread that has one candidate left, or none, with that candidate.
    pub fn settled(&self) -> Option<(i32, Option<i32>)> {
        self.order.iter().find_map(|thread| {
            let waiting = self.threads.get(thread)?;
            (waiting.candidates.len() < 2).then(|| (*thread, waiting.candidates.first().copied()))
        })
    }

    /// The oldest candidate of the thread that has waited longest.
    pub fn oldest(&self) -> Option<(i32, Option<i32>)> {
        let thread = *self.order.first()?;
        Some((
            thread,
            self.threads.get(&thread)?.candidates.first().copied(),
        ))
    }

    /// The oldest candidate of a thread.
    pub fn candidate(&self, thread: i32) -> Option<i32> {
        self.threads.get(&thread)?.candidates.first().copied()
    }

    /// Let a thread wait no longer; returns its events.
    pub fn release(&mut self, thread: i32) -> Vec<OwnedEvent> {
        self.order.retain(|&other| other != thread);
        self.threads
            .remove(&thread)
            .map(|waiting| waiting.events)
            .unwrap_or_default()
    }
}
