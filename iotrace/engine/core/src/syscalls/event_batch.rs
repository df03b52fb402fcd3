//! Events that are kept for later, with copies of their text.

use super::call::{Call, DescriptorPath, Ended, Event, EventSink};

/// Events in the order in which they were taken.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// The events, with empty texts where they have some.
    events: Vec<Event<'static>>,
    /// The lengths of these texts, in the order of `texts_of`, and the texts themselves.
    lengths: Vec<usize>,
    text: Vec<u8>,
}

impl EventBatch {
    /// Forget the events, but not the memory that they took.
    pub fn clear(&mut self) {
        self.events.clear();
        self.lengths.clear();
        self.text.clear();
    }

    /// Whether a call is among them that has returned.
    pub fn has_calls(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Returned(_)))
    }

    /// Give the events to a sink.
    pub fn emit(&self, sink: &mut dyn EventSink) {
        let (mut lengths, mut rest) = (self.lengths.iter(), self.text.as_slice());
        let mut next = || {
            let (text, after) = rest.split_at(lengths.next().map_or(0, |&length| length));
            rest = after;
            text
        };
        for event in &self.events {
            let mut event: Event<'_> = event.clone();
            match &mut event {
                Event::Issued(call) | Event::Returned(call) => {
                    texts_of(call).for_each(|text| *text = next());
                }
                Event::Ended(ended) => ended.signal.iter_mut().for_each(|text| *text = next()),
            }
            sink.event(event);
        }
    }

    fn keep(&mut self, text: &[u8]) {
        self.lengths.push(text.len());
        self.text.extend_from_slice(text);
    }

    fn keep_call(&mut self, mut call: Call<'_>) -> Call<'static> {
        texts_of(&mut call).for_each(|text| self.keep(text));
        without_texts(&call)
    }
}

impl EventSink for EventBatch {
    fn event(&mut self, event: Event<'_>) {
        let kept = match event {
            Event::Issued(call) => Event::Issued(self.keep_call(call)),
            Event::Returned(call) => Event::Returned(self.keep_call(call)),
            Event::Ended(ended) => {
                if let Some(signal) = ended.signal {
                    self.keep(signal);
                }
                Event::Ended(Ended { signal: ended.signal.map(empty), ..ended })
            }
        };
        self.events.push(kept);
    }
}

/// The texts that a call has, always in the same order.
fn texts_of<'c, 'a>(call: &'c mut Call<'a>) -> impl Iterator<Item = &'c mut &'a [u8]> {
    let Call {
        name, path, path2, error, flags, arguments, fd_path, fd2_path, dirfd_path, dirfd2_path, ..
    } = call;
    let texts = [path, path2, error, flags, arguments].into_iter().filter_map(Option::as_mut);
    let paths = [fd_path, fd2_path, dirfd_path, dirfd2_path].into_iter().filter_map(Option::as_mut);
    std::iter::once(name).chain(texts).chain(paths.map(|path| &mut path.path))
}

fn empty(_: &[u8]) -> &'static [u8] {
    b""
}

fn without_texts(call: &Call<'_>) -> Call<'static> {
    let unnamed = |path: DescriptorPath<'_>| DescriptorPath { path: b"", deleted: path.deleted };
    Call {
        name: b"",
        path: call.path.map(empty),
        path2: call.path2.map(empty),
        error: call.error.map(empty),
        flags: call.flags.map(empty),
        arguments: call.arguments.map(empty),
        fd_path: call.fd_path.map(unnamed),
        fd2_path: call.fd2_path.map(unnamed),
        dirfd_path: call.dirfd_path.map(unnamed),
        dirfd2_path: call.dirfd2_path.map(unnamed),
        ..*call
    }
}
