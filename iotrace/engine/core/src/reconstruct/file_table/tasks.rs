//! Threads: the descriptor tables, working directories and roots that they share, and their parents.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::descriptors::{DescriptorTable, OpenId, Slot};
use super::files::FileId;
use super::FileTable;
use crate::reconstruct::process_table::{child_of, has_flag};
use crate::syscalls::call::{Call, End, Ended};

/// Working directory and root, shared under CLONE_FS.
#[derive(Debug, Clone, Copy)]
pub struct SharedDirectories {
    sharers: u32,
    /// The first process of the lineage, from which an unknown working directory was inherited.
    pub lineage: i32,
    /// The working directory from before the trace in which the lineage started.
    pub start: u64,
    pub working_directory: Option<FileId>,
    pub root: Option<FileId>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sharing {
    descriptors: bool,
    directories: bool,
    group: bool,
}

#[derive(Debug, Clone, Copy)]
struct Thread {
    table: usize,
    directories: usize,
    /// The thread group's number.
    pid: i32,
    /// A close that was issued and has taken effect.
    closing: Option<i32>,
    /// The order number of a fork that was issued and has no child yet.
    forking: Option<(u64, Sharing)>,
    /// Seen before the fork that made it returned, if that ever does.
    unconfirmed: bool,
    /// The child of a fork that has not returned yet.
    adopted: Option<i32>,
}

/// All threads.
#[derive(Debug, Default)]
pub struct Tasks {
    threads: FxHashMap<i32, Thread>,
    tables: Vec<DescriptorTable>,
    free_tables: Vec<usize>,
    shared_directories: Vec<SharedDirectories>,
    free_directories: Vec<usize>,
    current: i32,
    now: Option<Thread>,
    forks: u64,
    /// What the threads share that existed before the trace, by process, if that is known (`KnownFiles::group`).
    groups: FxHashMap<i32, (usize, usize)>,
    /// Threads that existed before the trace, or whose parent is unknown.
    strangers: u64,
    /// Threads with a fork in progress, in the order of issue.
    forking: BTreeMap<u64, i32>,
}

impl Tasks {
    /// The current thread's number.
    pub fn current(&self) -> i32 {
        self.current
    }

    /// The current thread's group.
    pub fn pid(&self) -> i32 {
        self.now.map_or(self.current, |thread| thread.pid)
    }

    fn add_table(&mut self, table: DescriptorTable) -> usize {
        if let Some(at) = self.free_tables.pop() {
            self.tables[at] = table;
            return at;
        }
        self.tables.push(table);
        self.tables.len() - 1
    }

    fn add_directories(&mut self, directories: SharedDirectories) -> usize {
        if let Some(at) = self.free_directories.pop() {
            self.shared_directories[at] = directories;
            return at;
        }
        self.shared_directories.push(directories);
        self.shared_directories.len() - 1
    }

    /// The current thread's descriptors.
    pub fn table(&mut self) -> Option<&mut DescriptorTable> {
        let at = self.now?.table;
        self.tables.get_mut(at)
    }

    /// The open-file entry of another process's descriptor, if the trace has shown it.
    pub fn open_of_process(&self, process: i32, fd: i32) -> Option<OpenId> {
        match self.tables.get(self.threads.get(&process)?.table)?.get(fd) {
            Slot::Open { open, .. } => Some(open),
            Slot::Untouched | Slot::Closed => None,
        }
    }

    /// The current thread's working directory and root.
    pub fn directories(&mut self) -> Option<&mut SharedDirectories> {
        let at = self.now?.directories;
        self.shared_directories.get_mut(at)
    }

    fn edit(&mut self, change: impl FnOnce(&mut Thread)) {
        if let Some(thread) = self.threads.get_mut(&self.current) {
            change(thread);
            self.now = Some(*thread);
        }
    }

    /// The thread's fork, if one is in progress, has its child, or will have none.
    fn stop_forking(&mut self, thread: i32) -> Option<Sharing> {
        let (order, sharing) = self.threads.get_mut(&thread)?.forking.take()?;
        self.forking.remove(&order);
        Some(sharing)
    }

    /// Record a close that took effect when it was issued.
    pub fn note_closing(&mut self, fd: Option<i32>) {
        self.edit(|thread| thread.closing = fd);
    }

    /// Take the close that took effect when it was issued.
    pub fn take_closing(&mut self) -> Option<i32> {
        let closing = self.now?.closing;
        if closing.is_some() {
            self.note_closing(None);
        }
        closing
    }
}

impl FileTable {
    /// Make this thread the current one. A new thread is the child of the fork in progress, or existed before the
    /// trace; false if several forks are in progress, so that its events have to wait.
    pub(super) fn enter_thread(&mut self, thread: i32) -> bool {
        if self.tasks.current == thread && self.tasks.now.is_some() {
            return true;
        }
        if let Some(&known) = self.tasks.threads.get(&thread) {
            self.tasks.current = thread;
            self.tasks.now = Some(known);
            return true;
        }
        if self.deferred.holds(thread) {
            return false;
        }
        let was_there = self.known.group(thread).is_some();
        let mut forking = self.tasks.forking.iter();
        match (forking.next(), forking.next_back()) {
            _ if was_there => self.add_stranger(thread),
            (None, _) => self.add_stranger(thread),
            (Some((_, &parent)), None) => self.adopt_early(parent, thread),
            (_, Some((&newest, _))) => {
                self.deferred.wait(thread, newest);
                return false;
            }
        }
        self.tasks.current = thread;
        self.tasks.now = self.tasks.threads.get(&thread).copied();
        true
    }

    /// Take the events of threads whose parent is now known; with `last`, of all threads.
    pub(super) fn take_settled(&mut self, last: bool) {
        loop {
            // they may show the parent of another waiting thread
            while let Some(kept) = self.deferred.next_released() {
                self.take(&kept.event(), kept.process);
            }
            let Some((thread, newest_fork)) = self.deferred.first() else {
                return;
            };
            let mut candidates = self.tasks.forking.range(..=newest_fork);
            let parent = candidates.next().map(|(_, &parent)| parent);
            if candidates.next().is_some() && !last && !self.deferred.is_full() {
                return;
            }
            self.release(thread, parent);
        }
    }

    fn release(&mut self, thread: i32, parent: Option<i32>) {
        if !self.tasks.threads.contains_key(&thread) {
            match parent {
                Some(parent) => self.adopt_early(parent, thread),
                None => self.add_stranger(thread),
            }
        }
        self.deferred.release(thread);
    }

    fn add_stranger(&mut self, thread: i32) {
        let group = self.known.group(thread);
        if group.is_none() && !self.tasks.threads.is_empty() {
            self.counts.threads_of_unknown_parent += 1;
        }
        let (table, directories) = match group.and_then(|process| self.tasks.groups.get(&process).copied()) {
            Some((table, directories)) => {
                self.tasks.tables[table].sharers += 1;
                self.tasks.shared_directories[directories].sharers += 1;
                (table, directories)
            }
            None => self.add_process(group.unwrap_or(thread)),
        };
        if let Some(process) = group {
            self.tasks.groups.insert(process, (table, directories));
        }
        let new = Thread {
            table,
            directories,
            pid: thread,
            closing: None,
            forking: None,
            unconfirmed: true,
            adopted: None,
        };
        self.tasks.threads.insert(thread, new);
    }

    /// A descriptor table and a working directory from before the trace.
    fn add_process(&mut self, process: i32) -> (usize, usize) {
        let table = self.tasks.add_table(DescriptorTable::new(process));
        self.tasks.strangers += 1;
        let directories = self.tasks.add_directories(SharedDirectories {
            sharers: 1,
            lineage: process,
            start: self.tasks.strangers,
            working_directory: None,
            root: None,
        });
        (table, directories)
    }

    /// A thread is the child of a fork that has not returned yet.
    fn adopt_early(&mut self, parent: i32, child: i32) {
        let sharing = self.tasks.stop_forking(parent).unwrap_or_default();
        self.fork(parent, child, sharing);
        if let Some(thread) = self.tasks.threads.get_mut(&child) {
            thread.unconfirmed = true;
        }
        if let Some(thread) = self.tasks.threads.get_mut(&parent) {
            thread.adopted = Some(child);
        }
    }

    /// Fork, vfork or clone was issued.
    pub(super) fn fork_issued(&mut self, call: &Call<'_>) {
        let current = self.tasks.current;
        self.tasks.stop_forking(current);
        self.tasks.forks += 1;
        let fork = (self.tasks.forks, sharing(call));
        self.tasks.edit(|thread| (thread.forking, thread.adopted) = (Some(fork), None));
        self.tasks.forking.insert(fork.0, current);
    }

    /// Fork, vfork or clone returned in the parent.
    pub(super) fn fork_returned(&mut self, call: &Call<'_>) {
        let parent = self.tasks.current;
        self.tasks.stop_forking(parent);
        let adopted = self.tasks.threads.get(&parent).and_then(|thread| thread.adopted);
        self.tasks.edit(|thread| (thread.forking, thread.adopted) = (None, None));
        let Some(child) = child_of(call) else {
            return;
        };
        match self.tasks.threads.get_mut(&child) {
            Some(thread) if thread.unconfirmed => thread.unconfirmed = false,
            // it has started and ended already
            None if adopted == Some(child) => {}
            known => {
                if known.is_some() {
                    // the number is reused, so its previous thread has ended outside the trace
                    self.drop_thread(child);
                }
                self.fork(parent, child, sharing(call));
                self.deferred.release(child);
            }
        }
    }

    fn fork(&mut self, parent: i32, child: i32, sharing: Sharing) {
        let Some(&from) = self.tasks.threads.get(&parent) else {
            return;
        };
        let table = if sharing.descriptors {
            self.tasks.tables[from.table].sharers += 1;
            from.table
        } else {
            self.copy_table(from.table)
        };
        let directories = if sharing.directories {
            self.tasks.shared_directories[from.directories].sharers += 1;
            from.directories
        } else {
            let copy = SharedDirectories { sharers: 1, ..self.tasks.shared_directories[from.directories] };
            self.tasks.add_directories(copy)
        };
        let pid = if sharing.group { from.pid } else { child };
        self.shared.fork(from.pid, pid);
        let new = Thread {
            table,
            directories,
            pid,
            closing: None,
            forking: None,
            unconfirmed: false,
            adopted: None,
        };
        self.tasks.threads.insert(child, new);
    }

    fn copy_table(&mut self, table: usize) -> usize {
        let mut copy = self.tasks.tables[table].clone();
        copy.sharers = 1;
        for (_, open, _) in copy.open_slots() {
            self.opens[open].descriptors += 1;
        }
        self.tasks.add_table(copy)
    }

    /// unshare: the thread gets its own copies.
    pub(super) fn unshare(&mut self, call: &Call<'_>) {
        if call.result != Some(0) {
            return;
        }
        if has_flag(call.flags, "CLONE_FILES") {
            self.own_table();
        }
        if has_flag(call.flags, "CLONE_FS") || has_flag(call.flags, "CLONE_NEWNS") {
            self.unshare_directories();
        }
    }

    /// The current thread gets a separate descriptor table.
    pub(super) fn own_table(&mut self) {
        let Some(thread) = self.tasks.now else { return };
        if self.tasks.tables[thread.table].sharers > 1 {
            let copy = self.copy_table(thread.table);
            self.tasks.tables[thread.table].sharers -= 1;
            self.tasks.edit(|thread| thread.table = copy);
        }
    }

    fn unshare_directories(&mut self) {
        let Some(thread) = self.tasks.now else { return };
        if self.tasks.shared_directories[thread.directories].sharers > 1 {
            self.tasks.shared_directories[thread.directories].sharers -= 1;
            let copy = SharedDirectories { sharers: 1, ..self.tasks.shared_directories[thread.directories] };
            let directories = self.tasks.add_directories(copy);
            self.tasks.edit(|thread| thread.directories = directories);
        }
    }

    /// Effects of exec on descriptors: the table is no longer shared, and close-on-exec takes effect.
    pub(super) fn exec_descriptors(&mut self) {
        self.own_table();
        let slots = self.tasks.table().map(|table| table.open_slots()).unwrap_or_default();
        for (fd, _, close_on_exec) in slots {
            if close_on_exec {
                self.close_descriptor(fd);
            }
        }
        let pid = self.tasks.current;
        self.shared.clear(pid);
        self.mapped.remove(&pid);
        self.tasks.edit(|thread| thread.pid = pid);
    }

    /// The current thread ends; the last user of a descriptor table closes all descriptors.
    pub(super) fn end_thread(&mut self, ended: &Ended<'_>) {
        let current = self.tasks.current;
        if ended.how != End::Detached {
            self.drop_thread(current);
        }
        let survivor = ended.status.and_then(|survivor| i32::try_from(survivor).ok());
        if let (End::Superseded, Some(survivor)) = (ended.how, survivor) {
            self.tasks.stop_forking(survivor);
            if let Some(thread) = self.tasks.threads.remove(&survivor) {
                self.tasks.threads.insert(current, thread);
            }
        }
        self.tasks.now = None;
    }

    fn drop_thread(&mut self, id: i32) {
        self.tasks.stop_forking(id);
        let Some(thread) = self.tasks.threads.remove(&id) else {
            return;
        };
        if thread.pid == id {
            self.shared.clear(id);
            self.mapped.remove(&id);
        }
        self.tasks.shared_directories[thread.directories].sharers -= 1;
        if self.tasks.shared_directories[thread.directories].sharers == 0 {
            self.tasks.free_directories.push(thread.directories);
            self.tasks.groups.retain(|_, &mut (_, directories)| directories != thread.directories);
        }
        let table = &mut self.tasks.tables[thread.table];
        table.sharers -= 1;
        if table.sharers == 0 {
            self.tasks.groups.retain(|_, &mut (table, _)| table != thread.table);
            let slots = table.open_slots();
            *table = DescriptorTable::new(0);
            self.tasks.free_tables.push(thread.table);
            for (_, open, _) in slots {
                self.drop_descriptor_of(open);
            }
        }
    }
}

fn sharing(call: &Call<'_>) -> Sharing {
    Sharing {
        descriptors: has_flag(call.flags, "CLONE_FILES"),
        directories: has_flag(call.flags, "CLONE_FS"),
        group: has_flag(call.flags, "CLONE_THREAD"),
    }
}
