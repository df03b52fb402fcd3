//! Events that are kept, with all that they borrow from their reader, until another thread takes them.

use super::call::{Call, CallKind, DescriptorPath, Ended, Event, EventSink, FileKind};
use super::under_calls::{Inode, StackFrame, UnderCalls};

/// Events in the order in which they came.
#[derive(Debug, Default)]
pub struct KeptEvents {
    kept: Vec<Kept>,
    under_calls: Vec<UnderCalls>,
    /// The texts of all events, one after the other.
    text: Vec<u8>,
}

#[derive(Debug)]
enum Kept {
    Issued(KeptCall),
    Returned(KeptCall),
    Ended(Ended<'static>, Length),
    /// The next of these.
    UnderCalls,
    Opened(i64, Inode),
    Stack(i64, i32, Vec<StackFrame>),
}

/// A call, of whose texts the lengths are here.
#[derive(Debug)]
struct KeptCall {
    seq: i64,
    seq_return: i64,
    thread: i32,
    time_ns: Option<i64>,
    duration_ns: Option<i64>,
    kind: CallKind,
    fd: Option<i32>,
    fd2: Option<i32>,
    dirfd: Option<i32>,
    dirfd2: Option<i32>,
    offset: Option<i64>,
    offset2: Option<i64>,
    count: Option<i64>,
    result: Option<i64>,
    size: Option<i64>,
    file_kind: Option<FileKind>,
    name: Length,
    path: Length,
    path2: Length,
    error: Length,
    flags: Length,
    arguments: Length,
    /// Of descriptors and directories, with whether the file was deleted.
    descriptors: [(Length, bool); 4],
}

/// The length of a text, which follows the one before; none for a text that is not there.
#[derive(Debug, Clone, Copy)]
struct Length(u32);

impl Length {
    const NONE: Length = Length(u32::MAX);
}

/// The texts that are still to be given.
struct Texts<'a>(&'a [u8]);

impl<'a> Texts<'a> {
    fn next(&mut self, length: Length) -> Option<&'a [u8]> {
        if length.0 == Length::NONE.0 {
            return None;
        }
        let (text, rest) = self.0.split_at(length.0 as usize);
        self.0 = rest;
        Some(text)
    }
}

impl KeptEvents {
    /// Give the events away; what they took stays reserved.
    pub fn give(&mut self, sink: &mut dyn EventSink) {
        let mut under_calls = self.under_calls.drain(..);
        let mut texts = Texts(&self.text);
        for kept in &self.kept {
            match kept {
                Kept::Issued(call) => sink.event(Event::Issued(call.with(&mut texts))),
                Kept::Returned(call) => sink.event(Event::Returned(call.with(&mut texts))),
                Kept::Ended(ended, signal) => {
                    sink.event(Event::Ended(Ended { signal: texts.next(*signal), ..ended.clone() }));
                }
                Kept::UnderCalls => {
                    under_calls.next().into_iter().for_each(|happened| sink.under_calls(happened))
                }
                Kept::Opened(seq, file) => sink.opened(*seq, *file),
                Kept::Stack(seq, stack, frames) => sink.stack(*seq, *stack, frames),
            }
        }
        drop(under_calls);
        self.kept.clear();
        self.text.clear();
    }

    /// Keep a text; lines, and so their parts, are shorter than 4 GB.
    fn keep(&mut self, text: Option<&[u8]>) -> Length {
        text.map_or(Length::NONE, |text| {
            self.text.extend_from_slice(text);
            Length(text.len() as u32)
        })
    }

    fn call(&mut self, call: &Call<'_>) -> KeptCall {
        let descriptors = [call.fd_path, call.fd2_path, call.dirfd_path, call.dirfd2_path];
        KeptCall {
            seq: call.seq,
            seq_return: call.seq_return,
            thread: call.thread,
            time_ns: call.time_ns,
            duration_ns: call.duration_ns,
            kind: call.kind,
            fd: call.fd,
            fd2: call.fd2,
            dirfd: call.dirfd,
            dirfd2: call.dirfd2,
            offset: call.offset,
            offset2: call.offset2,
            count: call.count,
            result: call.result,
            size: call.size,
            file_kind: call.file_kind,
            name: self.keep(Some(call.name)),
            path: self.keep(call.path),
            path2: self.keep(call.path2),
            error: self.keep(call.error),
            flags: self.keep(call.flags),
            arguments: self.keep(call.arguments),
            descriptors: descriptors.map(|shown| {
                (self.keep(shown.map(|shown| shown.path)), shown.is_some_and(|shown| shown.deleted))
            }),
        }
    }
}

impl EventSink for KeptEvents {
    fn event(&mut self, event: Event<'_>) {
        let kept = match event {
            Event::Issued(call) => Kept::Issued(self.call(&call)),
            Event::Returned(call) => Kept::Returned(self.call(&call)),
            Event::Ended(Ended { seq, time_ns, thread, how, status, signal }) => {
                Kept::Ended(Ended { seq, time_ns, thread, how, status, signal: None }, self.keep(signal))
            }
        };
        self.kept.push(kept);
    }

    fn under_calls(&mut self, happened: UnderCalls) {
        self.kept.push(Kept::UnderCalls);
        self.under_calls.push(happened);
    }

    fn opened(&mut self, seq: i64, file: Inode) {
        self.kept.push(Kept::Opened(seq, file));
    }

    fn stack(&mut self, seq: i64, stack: i32, frames: &[StackFrame]) {
        self.kept.push(Kept::Stack(seq, stack, frames.to_vec()));
    }
}

impl KeptCall {
    /// The call with its texts, which come next.
    fn with<'a>(&self, texts: &mut Texts<'a>) -> Call<'a> {
        Call {
            seq: self.seq,
            seq_return: self.seq_return,
            thread: self.thread,
            time_ns: self.time_ns,
            duration_ns: self.duration_ns,
            kind: self.kind,
            fd: self.fd,
            fd2: self.fd2,
            dirfd: self.dirfd,
            dirfd2: self.dirfd2,
            offset: self.offset,
            offset2: self.offset2,
            count: self.count,
            result: self.result,
            size: self.size,
            file_kind: self.file_kind,
            name: texts.next(self.name).unwrap_or_default(),
            path: texts.next(self.path),
            path2: texts.next(self.path2),
            error: texts.next(self.error),
            flags: texts.next(self.flags),
            arguments: texts.next(self.arguments),
            fd_path: self.descriptor(0, texts),
            fd2_path: self.descriptor(1, texts),
            dirfd_path: self.descriptor(2, texts),
            dirfd2_path: self.descriptor(3, texts),
        }
    }

    fn descriptor<'a>(&self, number: usize, texts: &mut Texts<'a>) -> Option<DescriptorPath<'a>> {
        let (length, deleted) = self.descriptors[number];
        texts.next(length).map(|path| DescriptorPath { path, deleted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syscalls::call::End;
    use crate::syscalls::under_calls::{Memory, MemoryScope, What};

    /// What a sink is given, as text.
    #[derive(Default)]
    struct Given(Vec<String>);

    impl EventSink for Given {
        fn event(&mut self, event: Event<'_>) {
            self.0.push(format!("{event:?}"));
        }

        fn under_calls(&mut self, happened: UnderCalls) {
            self.0.push(format!("{happened:?}"));
        }

        fn opened(&mut self, seq: i64, file: Inode) {
            self.0.push(format!("{seq} {file:?}"));
        }

        fn stack(&mut self, seq: i64, stack: i32, frames: &[StackFrame]) {
            self.0.push(format!("{seq} {stack} {frames:?}"));
        }
    }

    fn memory(time_ns: i64) -> UnderCalls {
        let scope = MemoryScope::Machine;
        let memory = Memory {
            scope,
            page_cache_bytes: time_ns,
            anonymous_bytes: 2,
            slab_bytes: None,
            limit_bytes: Some(3),
            processors: None,
        };
        UnderCalls { time_ns, thread: 4, what: What::Memory(memory) }
    }

    /// An event of each kind, with texts that are there, empty and missing.
    fn all(sink: &mut dyn EventSink) {
        let shown = |path, deleted| Some(DescriptorPath { path, deleted });
        let call = Call {
            seq: 1,
            seq_return: 2,
            thread: 3,
            time_ns: Some(4),
            duration_ns: Some(5),
            kind: CallKind::Renameat2,
            name: b"renameat2",
            fd: Some(6),
            fd2: Some(7),
            dirfd: Some(8),
            dirfd2: Some(9),
            path: Some(b"old"),
            path2: Some(b""),
            offset: Some(10),
            offset2: Some(11),
            count: Some(12),
            result: Some(13),
            error: Some(b"ENOENT"),
            flags: Some(b"RENAME_EXCHANGE"),
            size: Some(14),
            file_kind: Some(FileKind::Pipe),
            arguments: Some(b"[\"a\"]"),
            fd_path: shown(b"/one", false),
            fd2_path: shown(b"/two", true),
            dirfd_path: None,
            dirfd2_path: shown(b"", true),
        };
        let frame = StackFrame { stack: 5, depth: 0, function: None, module: None };
        sink.event(Event::Issued(Call { name: b"read", seq: 15, ..Call::default() }));
        sink.under_calls(memory(1));
        sink.event(Event::Returned(call));
        sink.opened(1, Inode { device: 16, inode: 17 });
        sink.stack(1, 5, &[frame]);
        let ended = Ended { seq: 18, time_ns: None, thread: 3, how: End::Killed, status: None, signal: None };
        sink.event(Event::Ended(Ended { signal: Some(b"SIGHUP"), ..ended.clone() }));
        sink.under_calls(memory(2));
        sink.event(Event::Ended(ended));
    }

    #[test]
    fn events_are_given_as_they_came_each_once() {
        let (mut kept, mut given, mut expected) = (KeptEvents::default(), Given::default(), Given::default());
        for _ in 0..2 {
            all(&mut kept);
            kept.give(&mut given);
            kept.give(&mut given);
            all(&mut expected);
        }
        assert_eq!(given.0, expected.0);
    }
}
