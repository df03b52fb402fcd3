//! Threads, and what they share: descriptor tables, working directories, roots.

use rustc_hash::FxHashMap;

use super::descriptors::{DescriptorTable, Mode, OpenId, Pointer, Slot};
use super::files::{FileId, Kind};
use super::look_up::Purpose;
use super::names::Entry;
use super::FileTable;
use crate::call::{Call, End, Ended, Event};
use crate::process_table::has_flag;

/// Working directory and root, shared under CLONE_FS.
#[derive(Debug, Clone, Copy)]
struct Place {
    sharers: u32,
    working_directory: Option<FileId>,
    root: Option<FileId>,
}

#[derive(Debug, Clone, Copy)]
struct Sharing {
    descriptors: bool,
    place: bool,
    group: bool,
}

#[derive(Debug, Clone, Copy)]
struct Thread {
    table: usize,
    place: usize,
    /// The thread group's number.
    pid: i32,
    /// A close that was issued and has taken effect.
    closing: Option<i32>,
    /// A fork that was issued, in the order of issue, and has no child yet.
    forking: Option<(u64, Sharing)>,
}

/// All threads.
#[derive(Debug, Default)]
pub struct Tasks {
    threads: FxHashMap<i32, Thread>,
    tables: Vec<DescriptorTable>,
    free_tables: Vec<usize>,
    places: Vec<Place>,
    free_places: Vec<usize>,
    current: i32,
    now: Option<Thread>,
    forks: u64,
    forking: Vec<i32>,
}

impl Tasks {
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

    fn add_place(&mut self, place: Place) -> usize {
        if let Some(at) = self.free_places.pop() {
            self.places[at] = place;
            return at;
        }
        self.places.push(place);
        self.places.len() - 1
    }

    fn table(&mut self) -> Option<&mut DescriptorTable> {
        let at = self.now?.table;
        self.tables.get_mut(at)
    }

    fn place(&mut self) -> Option<&mut Place> {
        let at = self.now?.place;
        self.places.get_mut(at)
    }

    fn edit(&mut self, change: impl FnOnce(&mut Thread)) {
        if let Some(thread) = self.threads.get_mut(&self.current) {
            change(thread);
            self.now = Some(*thread);
        }
    }

    fn stop_forking(&mut self, thread: i32) {
        if self.forking.is_empty() {
            return;
        }
        self.forking.retain(|&other| other != thread);
    }
}

impl FileTable {
    /// Make this thread the current one. One never seen before is the child of the fork under way, or was there before
    /// the trace; false where several forks are under way, so that its events have to wait.
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
        match self.tasks.forking.as_slice() {
            [] => self.add_stranger(thread),
            &[parent] => self.adopt_early(parent, thread),
            several => {
                let candidates = several.to_vec();
                self.deferred.wait(thread, candidates);
                return false;
            }
        }
        self.tasks.current = thread;
        self.tasks.now = self.tasks.threads.get(&thread).copied();
        true
    }

    /// Keep an event of a thread whose parent is not known yet.
    pub(super) fn defer(&mut self, thread: i32, event: &Event<'_>, process: i32) {
        if self.deferred.keep(thread, event, process) {
            let parent = self.deferred.candidate(thread);
            self.replay(thread, parent);
            self.replay_settled();
        }
    }

    /// Threads whose parent is known by now do what was kept of them.
    pub(super) fn replay_settled(&mut self) {
        while let Some((thread, parent)) = self.deferred.settled() {
            self.replay(thread, parent);
        }
    }

    /// At the end of the trace nothing more can tell whose child a thread was.
    pub(super) fn replay_everything(&mut self) {
        while let Some((thread, parent)) = self.deferred.oldest() {
            self.replay(thread, parent);
            self.replay_settled();
        }
    }

    fn replay(&mut self, thread: i32, parent: Option<i32>) {
        let events = self.deferred.release(thread);
        if !self.tasks.threads.contains_key(&thread) {
            match parent {
                Some(parent) => self.adopt_early(parent, thread),
                None => self.add_stranger(thread),
            }
        }
        for event in events {
            let process = event.process;
            self.event(&event.event(), process);
        }
    }

    fn add_stranger(&mut self, thread: i32) {
        if !self.tasks.threads.is_empty() {
            self.counts.threads_of_unknown_parent += 1;
        }
        let table = self.tasks.add_table(DescriptorTable::new(thread));
        let place = self.tasks.add_place(Place {
            sharers: 1,
            working_directory: None,
            root: None,
        });
        let new = Thread {
            table,
            place,
            pid: thread,
            closing: None,
            forking: None,
        };
        self.tasks.threads.insert(thread, new);
    }

    fn adopt_early(&mut self, parent: i32, child: i32) {
        self.tasks.stop_forking(parent);
        self.deferred.rule_out(parent);
        let sharing = match self
            .tasks
            .threads
            .get_mut(&parent)
            .and_then(|thread| thread.forking.take())
        {
            Some((_, sharing)) => sharing,
            None => Sharing {
                descriptors: false,
                place: false,
                group: false,
            },
        };
        self.fork(parent, child, sharing);
    }

    /// Fork, vfork or clone was issued.
    pub(super) fn fork_issued(&mut self, call: &Call<'_>) {
        self.tasks.forks += 1;
        let order = self.tasks.forks;
        let sharing = sharing(call);
        self.tasks
            .edit(|thread| thread.forking = Some((order, sharing)));
        let current = self.tasks.current;
        self.tasks.stop_forking(current);
        self.tasks.forking.push(current);
    }

    /// Fork, vfork or clone returned in the parent.
    pub(super) fn fork_returned(&mut self, call: &Call<'_>) {
        let parent = self.tasks.current;
        self.tasks.stop_forking(parent);
        self.tasks.edit(|thread| thread.forking = None);
        let child = call
            .result
            .filter(|_| call.error.is_none())
            .and_then(|child| i32::try_from(child).ok());
        let child = child.filter(|&child| child > 0 && child != parent);
        if let Some(child) = child.filter(|child| !self.tasks.threads.contains_key(child)) {
            self.fork(parent, child, sharing(call));
            if self.deferred.holds(child) {
                self.replay(child, None);
            }
        }
        if !self.deferred.is_empty() {
            self.deferred.rule_out(parent);
            self.replay_settled();
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
        let place = if sharing.place {
            self.tasks.places[from.place].sharers += 1;
            from.place
        } else {
            let copy = Place {
                sharers: 1,
                ..self.tasks.places[from.place]
            };
            self.tasks.add_place(copy)
        };
        let pid = if sharing.group { from.pid } else { child };
        self.shared.fork(from.pid, pid);
        let new = Thread {
            table,
            place,
            pid,
            closing: None,
            forking: None,
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
            self.own_place();
        }
    }

    fn own_table(&mut self) {
        let Some(thread) = self.tasks.now else { return };
        if self.tasks.tables[thread.table].sharers > 1 {
            let copy = self.copy_table(thread.table);
            self.tasks.tables[thread.table].sharers -= 1;
            self.tasks.edit(|thread| thread.table = copy);
        }
    }

    fn own_place(&mut self) {
        let Some(thread) = self.tasks.now else { return };
        if self.tasks.places[thread.place].sharers > 1 {
            self.tasks.places[thread.place].sharers -= 1;
            let copy = Place {
                sharers: 1,
                ..self.tasks.places[thread.place]
            };
            let place = self.tasks.add_place(copy);
            self.tasks.edit(|thread| thread.place = place);
        }
    }

    /// What exec does to descriptors: the table is no longer shared, and close-on-exec takes effect.
    pub(super) fn exec_descriptors(&mut self) {
        self.own_table();
        let slots = self
            .tasks
            .table()
            .map(|table| table.open_slots())
            .unwrap_or_default();
        for (fd, _, close_on_exec) in slots {
            if close_on_exec {
                self.close_descriptor(fd);
            }
        }
        let pid = self.tasks.current;
        self.shared.clear(pid);
        self.tasks.edit(|thread| thread.pid = pid);
    }

    /// The current thread ends; the last sharer of a descriptor table closes everything.
    pub(super) fn end_thread(&mut self, ended: &Ended<'_>) {
        let current = self.tasks.current;
        if ended.how != End::Detached {
            self.drop_thread(current);
        }
        if let (End::Superseded, Some(survivor)) = (ended.how, ended.status) {
            if let Some(thread) = i32::try_from(survivor)
                .ok()
                .and_then(|id| self.tasks.threads.remove(&id))
            {
                self.tasks.stop_forking(survivor as i32);
                self.tasks.threads.insert(
                    current,
                    Thread {
                        forking: None,
                        ..thread
                    },
                );
            }
        }
        self.tasks.now = None;
        self.replay_settled();
    }

    fn drop_thread(&mut self, id: i32) {
        self.tasks.stop_forking(id);
        self.deferred.rule_out(id);
        let Some(thread) = self.tasks.threads.remove(&id) else {
            return;
        };
        if thread.pid == id {
            self.shared.clear(id);
        }
        self.tasks.places[thread.place].sharers -= 1;
        if self.tasks.places[thread.place].sharers == 0 {
            self.tasks.free_places.push(thread.place);
        }
        let table = &mut self.tasks.tables[thread.table];
        table.sharers -= 1;
        if table.sharers == 0 {
            let slots = table.open_slots();
            *table = DescriptorTable::new(0);
            self.tasks.free_tables.push(thread.table);
            for (_, open, _) in slots {
                self.drop_descriptor_of(open);
            }
        }
    }

    /// The root directory of the current thread.
    pub(super) fn process_root(&mut self) -> FileId {
        match self.tasks.place().and_then(|place| place.root) {
            Some(root) => root,
            None => self.root(),
        }
    }

    /// The working directory of the current thread; one of unknown path where the trace has not told.
    pub(super) fn working_directory(&mut self) -> FileId {
        if let Some(directory) = self.tasks.place().and_then(|place| place.working_directory) {
            return self.forward(directory);
        }
        let directory = self.start_directory().unwrap_or_else(|| {
            let lineage = self.tasks.table().map_or(0, |table| table.lineage);
            self.unknown_directory(format!("cwd:{lineage}").as_bytes())
        });
        self.set_working_directory(directory);
        directory
    }

    /// The directory in which the trace starts, where that was noted beside it.
    fn start_directory(&mut self) -> Option<FileId> {
        let path = self.known.start_directory()?.to_vec();
        let root = self.process_root();
        let (found, _) = self.walk(root, &path, true, Purpose::Create);
        self.steps.clear();
        let directory = match found.file {
            Some(file) => file,
            None => self.new_file(found.directory, &found.name, false),
        };
        Some(directory)
    }

    fn set_working_directory(&mut self, directory: FileId) {
        if let Some(place) = self.tasks.place() {
            place.working_directory = Some(directory);
        }
    }

    /// chdir: a look-up, and the working directory on success.
    pub(super) fn chdir(&mut self, call: &Call<'_>) {
        let found = self.look_up_call(call, true);
        if let (None, Some(file)) = (call.error, found.and_then(|found| found.file)) {
            self.files[file].learn_kind(crate::call::FileKind::Directory);
            self.set_working_directory(file);
        }
    }

    /// fchdir
    pub(super) fn fchdir(&mut self, call: &Call<'_>) {
        if call.error.is_some() {
            return;
        }
        if let Some(file) = call.fd.and_then(|fd| self.file_of_descriptor(fd)) {
            self.files[file].learn_kind(crate::call::FileKind::Directory);
            self.set_working_directory(file);
        }
    }

    /// chroot: a look-up, and the root on success.
    pub(super) fn chroot(&mut self, call: &Call<'_>) {
        let found = self.look_up_call(call, true);
        if let (None, Some(file)) = (call.error, found.and_then(|found| found.file)) {
            if let Some(place) = self.tasks.place() {
                place.root = Some(file);
            }
        }
    }

    /// getcwd tells the working directory's path.
    pub(super) fn getcwd(&mut self, call: &Call<'_>) {
        if call.error.is_none() {
            if let Some(path) = call.path2 {
                self.reveal_working_directory(path);
            }
        }
    }

    /// The working directory has this path; so the unknown directory in which its own known path starts has the rest.
    pub(super) fn reveal_working_directory(&mut self, path: &[u8]) {
        let mut directory = self.working_directory();
        let mut path = path;
        if path.first() != Some(&b'/') {
            return;
        }
        while self.files[directory].origin != Some(directory) {
            let Some((above, name)) = self.files[directory].place else {
                return;
            };
            let Some(slash) = memchr::memrchr(b'/', path) else {
                return;
            };
            if &path[slash + 1..] != self.names.name(name) {
                return;
            }
            path = &path[..slash];
            directory = self.forward(above);
        }
        self.identify(directory, path);
    }

    /// A directory of unknown path turns out to have this one.
    fn identify(&mut self, directory: FileId, path: &[u8]) {
        let root = self.process_root();
        let (found, _) = self.walk(root, path, true, Purpose::Create);
        self.steps.clear();
        match found.file {
            Some(known) => self.merge(directory, known),
            None => {
                let above = self.files[directory].place.map(|(above, _)| above);
                self.place(directory, found.directory, &found.name);
                self.settle(directory);
                if let Some(above) = above {
                    self.merge(above, found.directory);
                }
            }
        }
    }

    fn settle(&mut self, directory: FileId) {
        let path = self.path(self.forward(directory));
        let record = &mut self.files[directory];
        record.origin = None;
        record.first_path = path.into_boxed_slice();
    }

    /// Directories turn out to be other ones: their names go there, and so do later look-ups.
    fn merge(&mut self, from: FileId, into: FileId) {
        let mut pairs = vec![(from, into)];
        while let Some((from, into)) = pairs.pop() {
            let (from, into) = (self.forward(from), self.forward(into));
            if from == into {
                continue;
            }
            let above = self.files[from].place.map(|(above, _)| above);
            self.forwards.insert(from, into);
            if self.files[from].origin == Some(from) {
                self.settle(from);
            }
            for (name, file) in self.names.in_directory(from) {
                match self.names.get(into, &name) {
                    Entry::File(known)
                        if self.files[file].is_directory() && self.files[known].is_directory() =>
                    {
                        pairs.push((file, known));
                    }
                    Entry::File(_) => {}
                    _ => self.place(file, into, &name),
                }
            }
            if let (Some(above), Some((parent, _))) = (above, self.files[into].place) {
                if self.files[above].origin == Some(above) {
                    pairs.push((above, parent));
                }
            }
        }
    }

    /// The open-file entry of a descriptor; one from before the trace is made up at its first mention.
    pub(super) fn open_of(&mut self, fd: i32) -> Option<OpenId> {
        if fd < 0 {
            return None;
        }
        let table = self.tasks.table()?;
        let lineage = table.lineage;
        match table.get(fd) {
            Slot::Open { open, .. } => Some(open),
            Slot::Untouched => Some(self.inherited(lineage, fd)),
            Slot::Closed => Some(self.stray(fd)),
        }
    }

    fn inherited(&mut self, lineage: i32, fd: i32) -> OpenId {
        let open = match self.inherited.get(&(lineage, fd)) {
            Some(&open) => {
                self.opens[open].descriptors += 1;
                open
            }
            None => {
                let open = self.unknown_open(lineage, fd);
                // the lineage itself keeps the entry alive
                self.opens[open].descriptors += 1;
                self.inherited.insert((lineage, fd), open);
                open
            }
        };
        self.install(fd, open, false);
        open
    }

    /// A descriptor that was closed, yet is used: its open was not in the trace.
    fn stray(&mut self, fd: i32) -> OpenId {
        let thread = self.tasks.current;
        let open = self.unknown_open(thread, fd);
        self.install(fd, open, false);
        open
    }

    fn unknown_open(&mut self, process: i32, fd: i32) -> OpenId {
        self.counts.inherited_descriptors += 1;
        let file = self.files.add(Kind::Unknown);
        self.files[file].first_path = format!("fd:{process}:{fd}").into_bytes().into_boxed_slice();
        self.files[file].opens = 1;
        let usage = self.new_usage(None);
        self.opens
            .add(Some(file), Pointer::Unknown, Mode::default(), Some(usage))
    }

    /// Let a descriptor of the current table stand for an entry, which has been counted for it already.
    pub(super) fn install(&mut self, fd: i32, open: OpenId, close_on_exec: bool) {
        let Some(table) = self.tasks.table() else {
            return;
        };
        if let Slot::Open { open: old, .. } = table.set(
            fd,
            Slot::Open {
                open,
                close_on_exec,
            },
        ) {
            self.drop_descriptor_of(old);
        }
    }

    /// Change whether exec closes a descriptor.
    pub(super) fn set_close_on_exec(&mut self, fd: i32, close_on_exec: bool) {
        if let Some(table) = self.tasks.table() {
            if let Slot::Open { open, .. } = table.get(fd) {
                table.set(
                    fd,
                    Slot::Open {
                        open,
                        close_on_exec,
                    },
                );
            }
        }
    }

    /// Close one descriptor of the current table.
    pub(super) fn close_descriptor(&mut self, fd: i32) {
        let Some(table) = self.tasks.table() else {
            return;
        };
        if let Slot::Open { open, .. } = table.set(fd, Slot::Closed) {
            self.drop_descriptor_of(open);
        }
    }

    /// Note a close that took effect when it was issued.
    pub(super) fn note_closing(&mut self, fd: Option<i32>) {
        self.tasks.edit(|thread| thread.closing = fd);
    }

    /// The close that took effect when it was issued, once.
    pub(super) fn take_closing(&mut self) -> Option<i32> {
        let closing = self.tasks.now?.closing;
        if closing.is_some() {
            self.note_closing(None);
        }
        closing
    }

    /// The largest descriptor that the current table knows.
    pub(super) fn largest_descriptor(&mut self) -> i32 {
        self.tasks.table().map_or(-1, |table| table.largest())
    }
}

fn sharing(call: &Call<'_>) -> Sharing {
    Sharing {
        descriptors: has_flag(call.flags, "CLONE_FILES"),
        place: has_flag(call.flags, "CLONE_FS"),
        group: has_flag(call.flags, "CLONE_THREAD"),
    }
}
