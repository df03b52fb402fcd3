//! Calls that move data or the file pointer.

use super::descriptors::{OpenId, Pointer};
use super::files::FileId;
use super::relative::TransferOffset;
use super::stream::{OffsetSource, Operation, Reference, Type};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::{Call, CallKind};

/// The most reads of a loader before it maps a file; with more reads the file is a datafile.
const MOST_HEADER_READS: usize = 16;
/// The most bytes that Linux moves per call (MAX_RW_COUNT).
const MOST_BYTES: i64 = 0x7fff_f000;

impl FileTable {
    /// read, readv, pread64, preadv, preadv2
    pub(super) fn read(&mut self, call: &Call<'_>) {
        let (Some(fd), Some(moved)) = (call.fd, moved(call)) else {
            return;
        };
        let Some(open) = self.open_of(fd) else { return };
        self.judge(open, call);
        let (explicit, asked) = (explicit_offset(call), asked(call));
        if asked.is_some_and(|asked| moved < asked.min(MOST_BYTES)) && !has_flag(call.flags, "RWF_NOWAIT") {
            self.fall_short(open, explicit, moved);
        }
        self.read_from(open, explicit, moved, asked);
    }

    /// A short read ends at the end of the file; one that moves nothing starts there or beyond.
    fn fall_short(&mut self, open: OpenId, explicit: Option<i64>, moved: i64) {
        let Some(file) = self.opens[open].file.filter(|&file| self.files[file].on_disk()) else {
            return;
        };
        let place = self.place_of(open, explicit, moved);
        let Some(offset) = place.offset.filter(|_| place.space.is_none()) else {
            return;
        };
        let record = &mut self.files[file];
        let reached = record.size.or(record.size_largest).unwrap_or(0);
        if self.opens[open].mode.access.is_some() && (moved > 0 || offset <= reached) {
            record.learn_size(offset.saturating_add(moved));
        }
    }

    /// write, writev, pwrite64, pwritev, pwritev2
    pub(super) fn write(&mut self, call: &Call<'_>) {
        let (Some(fd), Some(moved)) = (call.fd, moved(call)) else {
            return;
        };
        let Some(open) = self.open_of(fd) else { return };
        self.judge(open, call);
        let synchronous = has_flag(call.flags, "RWF_SYNC") || has_flag(call.flags, "RWF_DSYNC");
        self.write_to(open, explicit_offset(call), moved, asked(call), synchronous);
    }

    /// sendfile, copy_file_range, splice: data move from `fd2` to `fd`; if an offset is an argument, the file pointer
    /// of that descriptor does not move.
    pub(super) fn copy(&mut self, call: &Call<'_>) {
        let Some(moved) = moved(call) else { return };
        let source = call.fd2.and_then(|fd| self.open_of(fd));
        let target = call.fd.and_then(|fd| self.open_of(fd));
        if let Some(open) = source {
            let offset = call.offset.filter(|&offset| offset >= 0);
            self.read_from(open, offset, moved, asked(call));
        }
        if let Some(open) = target {
            let offset = call.offset2.filter(|&offset| offset >= 0);
            self.write_to(open, offset, moved, asked(call), false);
        }
    }

    fn read_from(&mut self, open: OpenId, explicit: Option<i64>, moved: i64, asked: Option<i64>) {
        let Some(file) = self.data_file(open, moved) else {
            return;
        };
        let place = self.place_of(open, explicit, moved);
        if let Some(end) = place.offset.map(|offset| offset.saturating_add(moved)) {
            if moved > 0 {
                self.files[file].reach(end);
            }
            if explicit.is_none() {
                self.opens[open].pointer = pointer_at(place, end);
            }
        }
        if moved == 0 && !self.count_empty() {
            return;
        }
        let seq = self.transfer(open, file, Operation::Read, place, moved, asked, false);
        let entry = &mut self.opens[open];
        if !entry.executable && entry.header_reads.len() < MOST_HEADER_READS {
            entry.header_reads.push(seq);
        }
        if let Some(usage) = &mut entry.usage {
            usage.bytes_read = usage.bytes_read.saturating_add(moved);
        }
        if !std::mem::replace(&mut entry.access_noted, true) {
            self.note_access(file);
        }
    }

    fn write_to(
        &mut self,
        open: OpenId,
        explicit: Option<i64>,
        moved: i64,
        asked: Option<i64>,
        synchronous: bool,
    ) {
        let Some(file) = self.data_file(open, moved) else {
            return;
        };
        if moved == 0 && !self.count_empty() {
            return;
        }
        let place = if self.opens[open].mode.append {
            self.place_of_append(file, moved)
        } else {
            self.spaces.forget_end(file);
            self.place_of(open, explicit, moved)
        };
        let end = place.offset.map(|offset| offset.saturating_add(moved));
        if moved > 0 && (end.is_none() || place.space.is_some()) {
            self.files[file].size = None;
        }
        if let (Some(end), true) = (end, moved > 0) {
            self.files[file].reach(end);
        }
        if explicit.is_none() {
            self.opens[open].pointer = end.map_or(Pointer::Unknown, |end| pointer_at(place, end));
        }
        self.files[file].changed_since_update = true;
        self.opens[open].modified = true;
        self.transfer(open, file, Operation::Write, place, moved, asked, synchronous);
        if let Some(usage) = &mut self.opens[open].usage {
            usage.bytes_written = usage.bytes_written.saturating_add(moved);
        }
    }

    /// The file whose data an entry moves; None if it is not on a disk, which is counted.
    fn data_file(&mut self, open: OpenId, moved: i64) -> Option<FileId> {
        let file = self.opens[open].file.filter(|&file| self.files[file].on_disk());
        if file.is_none() && moved > 0 {
            self.counts.transfers_not_on_disk += 1;
        }
        file
    }

    /// Count a request that moved nothing; returns whether it still is a reference.
    fn count_empty(&mut self) -> bool {
        self.counts.empty_requests += 1;
        self.model.empty_requests
    }

    /// The start of a transfer; unknown if its end exceeds 64 bits.
    fn place_of(&self, open: OpenId, explicit: Option<i64>, moved: i64) -> TransferOffset {
        let unknown = TransferOffset { space: None, offset: None, source: OffsetSource::Unknown };
        let (space, offset, source) = match (explicit, self.opens[open].pointer) {
            (Some(offset), _) => (None, offset, OffsetSource::Explicit),
            (None, Pointer::At(offset)) => (None, offset, OffsetSource::Tracked),
            (None, Pointer::Relative(space, offset)) => match self.spaces.start(space) {
                Some(start) => (None, start.saturating_add(offset), OffsetSource::Tracked),
                None => (Some(space), offset, OffsetSource::Relative),
            },
            (None, Pointer::Unknown) => return unknown,
        };
        match offset.checked_add(moved) {
            Some(_) => TransferOffset { space, offset: Some(offset), source },
            None => unknown,
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn transfer(
        &mut self,
        open: OpenId,
        file: FileId,
        operation: Operation,
        place: TransferOffset,
        moved: i64,
        asked: Option<i64>,
        synchronous: bool,
    ) -> i64 {
        let row = match (place.space, place.offset) {
            (None, None) => file,
            (space, _) => self.holder_of_data(file, space, operation == Operation::Write),
        };
        if let (Some(space), Some(offset)) = (place.space, place.offset) {
            let end = offset.saturating_add(moved);
            self.note_relative(space, moved, end);
            self.files[row].reach(end);
        }
        let entry = &mut self.opens[open];
        if let Some(usage) = &mut entry.usage {
            usage.references += 1;
        }
        let kind =
            if entry.executable && operation == Operation::Read { Type::Executable } else { Type::Datafile };
        let reference = Reference {
            file: Some(row),
            kind: Some(kind),
            operation,
            direct: entry.mode.direct,
            synchronous: synchronous || (entry.mode.synchronous && operation == Operation::Write),
            mapped: false,
            offset: place.offset,
            source: Some(place.source),
            length: Some(moved),
            requested: asked,
            file_size: self.files.size(file),
            usage: entry.usage.map(|usage| usage.number),
        };
        self.refer_own(&reference)
    }

    /// lseek and _llseek: the file pointer, and the file's size for seeks to the end.
    pub(super) fn seek(&mut self, call: &Call<'_>) {
        let Some(open) = self.open_of_call(call) else {
            return;
        };
        if call.error == Some(b"ESPIPE") {
            if let Some(file) = self.opens[open].file {
                self.files[file].learn_kind(crate::syscalls::call::FileKind::Pipe);
            }
            return;
        }
        let Some(result) = call.result.filter(|&result| result >= 0 && call.error.is_none()) else {
            return;
        };
        let before = std::mem::replace(&mut self.opens[open].pointer, Pointer::At(result));
        let Some(file) = self.opens[open].file else {
            return;
        };
        if let (Pointer::Relative(space, offset), true, Some(by)) =
            (before, has_flag(call.flags, "SEEK_CUR"), call.offset)
        {
            let start = result.checked_sub(by).and_then(|at| at.checked_sub(offset));
            if let Some(start) = start {
                self.reveal(file, space, start, OffsetSource::Tracked);
            }
        }
        if has_flag(call.flags, "SEEK_END") && self.files[file].on_disk() && !self.files[file].is_directory()
        {
            if let Some(size) =
                call.offset.and_then(|offset| result.checked_sub(offset)).filter(|&size| size >= 0)
            {
                self.reveal_end(file, size);
                self.files[file].learn_size(size);
            }
        }
    }

    /// getdents: the directory is read once per use.
    pub(super) fn list_directory(&mut self, call: &Call<'_>) {
        let Some(open) = self.open_of_call(call) else {
            return;
        };
        let Some(file) = self.opens[open].file.filter(|_| call.error.is_none()) else {
            return;
        };
        self.files[file].learn_kind(crate::syscalls::call::FileKind::Directory);
        let length = self.directory_bytes(file);
        let entry = &mut self.opens[open];
        if std::mem::replace(&mut entry.listed, true) {
            return;
        }
        let usage = entry.usage.as_mut().map(|usage| {
            usage.references += 1;
            usage.bytes_read = usage.bytes_read.saturating_add(length);
            usage.number
        });
        self.refer(file, Type::Directory, Operation::Read, Some(length), usage);
        self.note_access(file);
    }

    /// fsync, fdatasync
    pub(super) fn sync_file(&mut self, call: &Call<'_>) {
        self.sync_call(call, None);
    }

    /// sync_file_range writes a range, which extends to the file's end if its length is 0. Without
    /// SYNC_FILE_RANGE_WRITE it only waits for writes already in progress.
    pub(super) fn sync_file_range(&mut self, call: &Call<'_>) {
        if !has_flag(call.flags, "SYNC_FILE_RANGE_WRITE") {
            return;
        }
        let length = call.count.filter(|&length| length > 0);
        let offset = call.offset.filter(|&offset| offset >= 0);
        self.sync_call(call, offset.map(|offset| (offset, length)));
    }

    fn sync_call(&mut self, call: &Call<'_>, range: Option<(i64, Option<i64>)>) {
        let file = self.file_of_call(call, call.fd).filter(|&file| self.files[file].on_disk());
        if let Some(file) = file {
            self.sync_range(file, range);
        }
    }

    /// A sync of a file's range (offset, and length if not up to the file's end), or of all of it.
    pub(super) fn sync_range(&mut self, file: FileId, range: Option<(i64, Option<i64>)>) {
        let kind = if self.files[file].is_directory() { Type::Directory } else { Type::Datafile };
        if let Some((offset, length)) = range {
            let row = self.holder(file, None);
            self.mark(Some(row), Some(kind), Operation::Sync, Some(offset), length);
            return;
        }
        for row in self.spaces.rows_to_sync(file) {
            self.mark(Some(row), Some(kind), Operation::Sync, None, None);
        }
    }

    /// sync, syncfs
    pub(super) fn sync_everything(&mut self, call: &Call<'_>) {
        if call.error.is_none() {
            self.mark(None, None, Operation::Sync, None, None);
        }
    }
}

/// The file pointer after a transfer that ended there.
fn pointer_at(place: TransferOffset, end: i64) -> Pointer {
    match place.space {
        None => Pointer::At(end),
        Some(space) => Pointer::Relative(space, end),
    }
}

/// The bytes that a call requested.
fn asked(call: &Call<'_>) -> Option<i64> {
    call.count.filter(|&count| count >= 0)
}

/// The bytes that a call moved; None if it failed or did not return.
fn moved(call: &Call<'_>) -> Option<i64> {
    call.result.filter(|&moved| moved >= 0 && call.error.is_none())
}

/// The offset argument of the calls that have one; -1 means the file pointer in preadv2 and pwritev2.
fn explicit_offset(call: &Call<'_>) -> Option<i64> {
    use CallKind as K;
    match call.kind {
        K::Pread64 | K::Pwrite64 | K::Preadv | K::Pwritev => call.offset.filter(|&offset| offset >= 0),
        K::Preadv2 | K::Pwritev2 => call.offset.filter(|&offset| offset >= 0),
        _ => None,
    }
}
