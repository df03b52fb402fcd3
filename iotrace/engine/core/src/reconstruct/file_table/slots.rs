//! The open-file entries of the current thread's descriptors.

use super::descriptors::{Mode, OpenId, Pointer, Slot};
use super::files::{FileId, Kind};
use super::FileTable;

impl FileTable {
    /// The open-file entry of a descriptor; one from before the trace is created at its first mention.
    pub(super) fn open_of(&mut self, fd: i32) -> Option<OpenId> {
        if fd < 0 {
            return None;
        }
        let table = self.tasks.table()?;
        let lineage = table.lineage;
        match table.get(fd) {
            Slot::Open { open, .. } => {
                self.note_losses(open);
                Some(open)
            }
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
                let known = self.known.descriptor(lineage, fd);
                if let Some(position) = known.position {
                    self.opens[open].pointer = Pointer::At(position);
                }
                self.opens[open].mode.append = known.append;
                // the lineage itself keeps the entry alive
                self.opens[open].descriptors += 1;
                self.inherited.insert((lineage, fd), open);
                open
            }
        };
        self.install(fd, open, false);
        open
    }

    /// A descriptor used after its close: its open is not in the trace.
    pub(super) fn stray(&mut self, fd: i32) -> OpenId {
        let thread = self.tasks.current();
        let open = self.unknown_open(thread, fd);
        self.install(fd, open, false);
        open
    }

    fn unknown_open(&mut self, process: i32, fd: i32) -> OpenId {
        self.counts.inherited_descriptors += 1;
        let label = format!("fd:{process}:{fd}").into_bytes();
        let file = match self.annotations.take(fd) {
            Some(named) => self.file_of_annotation(&named),
            None => self.labelled_file(label, Kind::Unknown),
        };
        self.files[file].add_open();
        let usage = self.new_usage(None);
        let pointer = Pointer::Relative(self.spaces.add(), 0);
        let open = self.opens.add(Some(file), pointer, Mode::default(), Some(usage));
        self.opens[open].inherited = true;
        open
    }

    /// A file without a place, with this label.
    pub(super) fn labelled_file(&mut self, label: Vec<u8>, kind: Kind) -> FileId {
        let file = self.files.add(kind);
        self.files[file].label = label.into_boxed_slice();
        file
    }

    /// Make a descriptor of the current table refer to an entry, which already counts it.
    pub(super) fn install(&mut self, fd: i32, open: OpenId, close_on_exec: bool) {
        let Some(table) = self.tasks.table() else {
            return;
        };
        if let Slot::Open { open: old, .. } = table.set(fd, Slot::Open { open, close_on_exec }) {
            self.drop_descriptor_of(old);
        }
    }

    /// Change whether exec closes a descriptor.
    pub(super) fn set_close_on_exec(&mut self, fd: i32, close_on_exec: bool) {
        if let Some(table) = self.tasks.table() {
            if let Slot::Open { open, .. } = table.get(fd) {
                table.set(fd, Slot::Open { open, close_on_exec });
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
}
