//! Calls whose line said `<unfinished ...>`, until their thread's line says `resumed`.

use super::assemble::Head;
use super::roles::makes_child;
use crate::syscalls::call::CallKind;
use rustc_hash::FxHashMap;

/// A call that has not returned yet.
#[derive(Debug)]
pub(super) struct Pending {
    /// `name(arguments so far`.
    pub text: Vec<u8>,
    /// The length of `name`.
    pub name_length: usize,
    pub kind: CallKind,
    pub seq: i64,
    pub time_ns: Option<i64>,
}

impl Pending {
    /// What is known about the call in addition to its text, before it returns.
    pub fn head(&self, thread: i32) -> Head<'_> {
        Head {
            seq: self.seq,
            seq_return: self.seq,
            thread,
            time_ns: self.time_ns,
            waited_ns: None,
            kind: self.kind,
            name: self.name(),
        }
    }

    pub fn name(&self) -> &[u8] {
        &self.text[..self.name_length]
    }
}

/// The pending call of each thread. Buffers are reused.
#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    by_thread: FxHashMap<i32, Pending>,
    spare: Vec<Vec<u8>>,
}

impl PendingCalls {
    pub fn get(&self, thread: i32) -> Option<&Pending> {
        self.by_thread.get(&thread)
    }

    pub fn is_pending(&self, thread: i32) -> bool {
        !self.by_thread.is_empty() && self.by_thread.contains_key(&thread)
    }

    /// Keep a call whose line, `text`, is unfinished.
    pub fn keep(
        &mut self,
        thread: i32,
        text: &[u8],
        name_length: usize,
        kind: CallKind,
        seq: i64,
        time_ns: Option<i64>,
    ) {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.extend_from_slice(text);
        self.by_thread.insert(thread, Pending { text: kept, name_length, kind, seq, time_ns });
    }

    pub fn insert(&mut self, thread: i32, pending: Pending) {
        self.by_thread.insert(thread, pending);
    }

    pub fn take(&mut self, thread: i32) -> Option<Pending> {
        self.by_thread.remove(&thread)
    }

    /// The thread's pending call, if it has this name.
    pub fn take_named(&mut self, thread: i32, name: &[u8]) -> Option<Pending> {
        let pending = self.by_thread.get(&thread)?;
        if pending.name() != name {
            return None;
        }
        self.by_thread.remove(&thread)
    }

    /// The only other thread that is in this exec; exec goes on under the number of the group's first thread.
    pub fn exec_of_another(&self, name: &[u8]) -> Option<i32> {
        if !matches!(name, b"execve" | b"execveat") {
            return None;
        }
        let mut threads = self.by_thread.iter().filter(|(_, pending)| pending.name() == name);
        match (threads.next(), threads.next()) {
            (Some((&thread, _)), None) => Some(thread),
            _ => None,
        }
    }

    /// Whether another thread began a fork after this one its call, and is in it.
    pub fn has_later_fork(&self, thread: i32) -> bool {
        let Some(own) = self.by_thread.get(&thread) else { return false };
        self.by_thread.values().any(|pending| makes_child(pending.kind) && pending.seq > own.seq)
    }

    /// Return a taken call's buffer.
    pub fn recycle(&mut self, mut pending: Pending) {
        // A few buffers are enough for any log; a huge line's buffer is freed.
        if self.spare.len() < 64 && pending.text.capacity() <= 1 << 16 {
            pending.text.clear();
            self.spare.push(pending.text);
        }
    }

    /// All threads with a pending call, in the order in which the calls were issued.
    pub fn threads(&self) -> Vec<i32> {
        let mut threads: Vec<_> =
            self.by_thread.iter().map(|(&thread, pending)| (pending.seq, thread)).collect();
        threads.sort_unstable();
        threads.into_iter().map(|(_, thread)| thread).collect()
    }
}
