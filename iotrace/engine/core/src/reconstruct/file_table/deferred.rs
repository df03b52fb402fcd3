//! Events of threads whose parent is not known yet, kept until it is.
//!
//! strace may show a child's first calls before the fork has returned in its parent. While several forks are in
//! progress, its parent (and so its descriptors and working directory) is known only when they return.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use crate::syscalls::call::{Call, DescriptorPath, Ended, Event};

/// The most events kept. Beyond this, the thread that has waited longest is taken to be the child of the parent that
/// forked first.
const MOST_EVENTS: usize = 65_536;
/// The most bytes of text of the events kept.
const MOST_BYTES: usize = 16 << 20;

type Bytes = Box<[u8]>;

/// An event that owns its text, except an exec's arguments.
#[derive(Debug)]
pub struct OwnedEvent {
    form: Form,
    call: Call<'static>,
    ended: Option<Ended<'static>>,
    texts: [Option<Bytes>; 9],
    deleted: [bool; 4],
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
                texts: [ended.signal.map(Box::from), None, None, None, None, None, None, None, None],
                deleted: [false; 4],
                ended: Some(Ended { signal: None, ..*ended }),
                process,
            },
        }
    }

    fn of_call(form: Form, call: &Call<'_>, process: i32) -> OwnedEvent {
        let path_of = |descriptor: Option<DescriptorPath<'_>>| descriptor.map(|one| Box::from(one.path));
        let deleted = |descriptor: Option<DescriptorPath<'_>>| descriptor.is_some_and(|one| one.deleted);
        OwnedEvent {
            form,
            texts: [
                Some(Box::from(call.name)),
                call.path.map(Box::from),
                call.path2.map(Box::from),
                call.error.map(Box::from),
                call.flags.map(Box::from),
                path_of(call.fd_path),
                path_of(call.fd2_path),
                path_of(call.dirfd_path),
                path_of(call.dirfd2_path),
            ],
            deleted: [
                deleted(call.fd_path),
                deleted(call.fd2_path),
                deleted(call.dirfd_path),
                deleted(call.dirfd2_path),
            ],
            call: Call {
                name: b"",
                path: None,
                path2: None,
                error: None,
                flags: None,
                arguments: None,
                fd_path: None,
                fd2_path: None,
                dirfd_path: None,
                dirfd2_path: None,
                ..*call
            },
            ended: None,
            process,
        }
    }

    /// The event.
    pub fn event(&self) -> Event<'_> {
        let text = |at: usize| self.texts[at].as_deref();
        let descriptor =
            |at: usize, deleted: bool| self.texts[at].as_deref().map(|path| DescriptorPath { path, deleted });
        if let (Form::Ended, Some(ended)) = (self.form, &self.ended) {
            return Event::Ended(Ended { signal: text(0), ..*ended });
        }
        let call = Call {
            name: text(0).unwrap_or_default(),
            path: text(1),
            path2: text(2),
            error: text(3),
            flags: text(4),
            fd_path: descriptor(5, self.deleted[0]),
            fd2_path: descriptor(6, self.deleted[1]),
            dirfd_path: descriptor(7, self.deleted[2]),
            dirfd2_path: descriptor(8, self.deleted[3]),
            ..self.call
        };
        match self.form {
            Form::Issued => Event::Issued(call),
            _ => Event::Returned(call),
        }
    }
}

#[derive(Debug)]
struct Waiting {
    /// The newest of the forks in progress when the thread was first seen; its parent's fork is not newer.
    newest_fork: u64,
    /// Events in order, by their index among all kept events.
    events: Vec<(u64, OwnedEvent)>,
    bytes: usize,
}

/// The threads that wait for their parent, and the events of those that no longer wait.
#[derive(Debug, Default)]
pub struct Deferred {
    threads: FxHashMap<i32, Waiting>,
    /// Threads with their newest fork in the order in which they were first seen; some may no longer wait.
    order: VecDeque<(i32, u64)>,
    released: BTreeMap<u64, OwnedEvent>,
    arrivals: u64,
    events: usize,
    bytes: usize,
}

impl Deferred {
    /// Whether no thread waits and no event is left.
    pub fn is_idle(&self) -> bool {
        self.threads.is_empty() && self.released.is_empty()
    }

    /// Whether this thread waits.
    pub fn holds(&self, thread: i32) -> bool {
        !self.threads.is_empty() && self.threads.contains_key(&thread)
    }

    /// Make a thread wait until all but one of the forks up to this one have been matched to another child.
    pub fn wait(&mut self, thread: i32, newest_fork: u64) {
        let waiting = Waiting { newest_fork, events: Vec::new(), bytes: 0 };
        self.threads.insert(thread, waiting);
        self.order.push_back((thread, newest_fork));
    }

    /// Keep an event of a waiting thread.
    pub fn keep(&mut self, thread: i32, event: &Event<'_>, process: i32) {
        let Some(waiting) = self.threads.get_mut(&thread) else {
            return;
        };
        let event = OwnedEvent::new(event, process);
        let bytes = event.texts.iter().flatten().map(|text| text.len()).sum::<usize>();
        self.arrivals += 1;
        self.events += 1;
        self.bytes += bytes;
        waiting.bytes += bytes;
        waiting.events.push((self.arrivals, event));
    }

    /// Whether the limits are exceeded.
    pub fn is_full(&self) -> bool {
        self.events >= MOST_EVENTS || self.bytes >= MOST_BYTES || self.threads.len() >= MOST_EVENTS
    }

    /// The thread that has waited longest, with its newest fork. It has the fewest candidate parents.
    pub fn first(&mut self) -> Option<(i32, u64)> {
        while let Some(&(thread, newest_fork)) = self.order.front() {
            if self.threads.get(&thread).is_some_and(|waiting| waiting.newest_fork == newest_fork) {
                return Some((thread, newest_fork));
            }
            self.order.pop_front();
        }
        None
    }

    /// End the wait of a thread.
    pub fn release(&mut self, thread: i32) {
        if let Some(waiting) = self.threads.remove(&thread) {
            self.events -= waiting.events.len();
            self.bytes -= waiting.bytes;
            self.released.extend(waiting.events);
        }
    }

    /// The first event of any thread that no longer waits.
    pub fn next_released(&mut self) -> Option<OwnedEvent> {
        self.released.pop_first().map(|(_, event)| event)
    }
}
