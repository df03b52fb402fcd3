//! What is not known any more where the log lacks a half of a call, or the recorder lost records.

use super::descriptors::{OpenId, Pointer, Slot};
use super::FileTable;
use crate::syscalls::call::{Call, CallKind};

impl FileTable {
    /// A call of which the log has only one half: it moved the file pointer of its descriptor, and changed the size of
    /// the file, or did not; of any file, if the log does not show which.
    pub(super) fn lose_effects(&mut self, call: &Call<'_>) {
        let (moves, resizes) = (moves_pointer(call.kind), resizes(call.kind));
        if !moves && !resizes {
            return;
        }
        for fd in [call.fd, call.fd2].into_iter().flatten() {
            // the position of a descriptor from before the trace may be known (`KnownDescriptor`)
            if self.tasks.table().is_some_and(|table| table.get(fd) == Slot::Untouched) {
                self.open_of(fd);
            }
        }
        let slots = self.tasks.table().map(|table| table.open_slots()).unwrap_or_default();
        for (fd, open, _) in slots {
            if call.fd.is_some() && call.fd != Some(fd) && call.fd2 != Some(fd) {
                continue;
            }
            if moves {
                self.lose_position(open);
            }
            if let Some(file) = self.opens[open].file.filter(|_| resizes) {
                self.spaces.forget_end(file);
                self.files[file].size = None;
            }
        }
    }

    /// Any call may be among the lost records: no position and no size is known any more. Descriptors are taken to
    /// have the files that they had.
    pub(super) fn lose_records(&mut self) {
        self.opens.losses += 1;
        self.files.losses += 1;
        self.spaces.forget_ends();
        self.lose_rights();
    }

    /// The position of an entry that is used for the first time since records were lost is unknown.
    pub(super) fn note_losses(&mut self, open: OpenId) {
        let losses = self.opens.losses;
        if std::mem::replace(&mut self.opens[open].losses, losses) != losses {
            self.lose_position(open);
        }
    }

    fn lose_position(&mut self, open: OpenId) {
        if self.opens[open].file.is_some() {
            self.opens[open].pointer = Pointer::Relative(self.spaces.add(), 0);
        }
    }
}

/// Whether a call moves the file pointer of a descriptor.
fn moves_pointer(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(
        kind,
        K::Read
            | K::Readv
            | K::Preadv2
            | K::Write
            | K::Writev
            | K::Pwritev2
            | K::Lseek
            | K::Llseek
            | K::Sendfile
            | K::Sendfile64
            | K::CopyFileRange
            | K::Splice
    )
}

/// Whether a call can change the size of the file of a descriptor.
fn resizes(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(
        kind,
        K::Write
            | K::Writev
            | K::Pwrite64
            | K::Pwritev
            | K::Pwritev2
            | K::Sendfile
            | K::Sendfile64
            | K::CopyFileRange
            | K::Splice
            | K::Ftruncate
            | K::Ftruncate64
            | K::Fallocate
    )
}
