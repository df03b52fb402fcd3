//! Mappings of files into memory: libraries, and memory-mapped I/O, which is not traced.

use super::descriptors::OpenId;
use super::files::FileId;
use super::model::{Exec, Libraries, Mmap};
use super::stream::{OffsetSource, Operation, Reference, Type};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::Call;

impl FileTable {
    /// mmap of a file. A mapping for execution is a library's (or, under `--exec demand`, a program's pages); the
    /// loader's other mappings of it, marked MAP_DENYWRITE, belong to the same library.
    pub(super) fn mmap(&mut self, call: &Call<'_>) {
        let Some(fd) = call.fd.filter(|&fd| fd >= 0 && call.error.is_none()) else {
            return;
        };
        if has_flag(call.flags, "MAP_ANONYMOUS") || call.result.is_none() {
            return;
        }
        let Some(open) = self.open_of(fd) else { return };
        let Some(file) = self.opens[open].file.filter(|&file| self.files[file].on_disk()) else {
            return;
        };
        if has_flag(call.flags, "PROT_EXEC") {
            self.map_library(open, file, call);
        } else if !has_flag(call.flags, "MAP_DENYWRITE") {
            self.map_data(file, call);
        }
    }

    fn map_library(&mut self, open: OpenId, file: FileId, call: &Call<'_>) {
        if self.model.libraries == Libraries::None {
            return;
        }
        self.opens[open].executable = true;
        for seq in std::mem::take(&mut self.opens[open].header_reads) {
            self.stream.retype(seq, Type::Executable);
        }
        let usage = self.opens[open].usage.map(|usage| usage.number);
        if self.model.exec == Exec::Demand {
            let length = self.read_range(file, call, usage, Type::Executable);
            self.count_library_read(open, length);
        } else if self.mapped.entry(self.tasks.pid()).or_default().insert(file) {
            self.read_whole(file, usage);
            self.count_library_read(open, Some(self.files.size(file).unwrap_or(0)));
            if !std::mem::replace(&mut self.opens[open].access_noted, true) {
                self.note_access(file);
            }
        }
    }

    fn count_library_read(&mut self, open: OpenId, bytes: Option<i64>) {
        if let (Some(usage), Some(bytes)) = (&mut self.opens[open].usage, bytes) {
            usage.references += 1;
            usage.bytes_read = usage.bytes_read.saturating_add(bytes);
        }
    }

    fn map_data(&mut self, file: FileId, call: &Call<'_>) {
        let length = call.count.unwrap_or(0).max(0);
        if let (true, Some(address)) = (has_flag(call.flags, "MAP_SHARED"), call.result) {
            let pid = self.tasks.pid();
            let offset = call.offset.filter(|&offset| offset >= 0);
            self.shared.map(pid, address, length, file, offset);
        }
        match self.model.mmap {
            Mmap::Range => drop(self.read_range(file, call, None, Type::Datafile)),
            Mmap::Listed => {
                self.counts.unseen_mappings += 1;
                self.counts.unseen_mapping_bytes = self.counts.unseen_mapping_bytes.saturating_add(length);
                let offset = call.offset.filter(|&offset| offset >= 0);
                self.mappings.push(&self.origin, file, offset, length, call.flags);
            }
        }
    }

    /// A read of the mapped range, up to the end of the file; returns its length unless that is 0.
    fn read_range(&mut self, file: FileId, call: &Call<'_>, usage: Option<i32>, kind: Type) -> Option<i64> {
        let offset = call.offset.unwrap_or(0).max(0);
        let asked = call.count.unwrap_or(0).max(0);
        let left = self.files.size(file).map_or(asked, |size| size.saturating_sub(offset));
        let length = asked.min(left).max(0);
        if length == 0 {
            return None;
        }
        let row = self.holder_of_data(file, None, false);
        let reference = Reference {
            file: Some(row),
            kind: Some(kind),
            operation: Operation::Read,
            direct: false,
            synchronous: false,
            mapped: true,
            offset: Some(offset),
            source: Some(OffsetSource::Explicit),
            length: Some(length),
            requested: Some(asked),
            file_size: self.files.size(file),
            usage,
        };
        self.refer_own(&reference);
        Some(length)
    }

    /// munmap
    pub(super) fn munmap(&mut self, call: &Call<'_>) {
        if let (Some(0), Some(address), Some(length)) = (call.result, call.offset, call.count) {
            let pid = self.tasks.pid();
            self.shared.unmap(pid, address, length);
        }
    }

    /// msync is a sync of each range of a file that is mapped shared at its addresses. Without MS_SYNC the kernel
    /// writes nothing.
    pub(super) fn msync(&mut self, call: &Call<'_>) {
        let (Some(0), Some(address), Some(length)) = (call.result, call.offset, call.count) else {
            return;
        };
        if length <= 0 || !has_flag(call.flags, "MS_SYNC") {
            return;
        }
        for mapped in self.shared.mapped(self.tasks.pid(), address, length) {
            let range = mapped.offset.map(|offset| (offset, Some(mapped.length)));
            self.sync_range(mapped.file, range);
        }
    }
}
