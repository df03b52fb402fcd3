//! Table `call_file`: what the descriptor or the path of each call referred to at that moment.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::descriptors::{OpenId, Slot};
use super::files::{FileId, Kind};
use super::FileTable;
use crate::columns::{table, Word};
use crate::syscalls::call::{Call, CallKind, FileKind};

/// Rows in a full batch.
const BATCH_ROWS: usize = 65_536;

/// What a call worked on.
#[derive(Debug, Clone, Copy)]
pub struct CallObject {
    /// The file; None if it is none.
    file: Option<FileId>,
    /// Its kind, if known.
    kind: Option<FileKind>,
}

/// The kind of an object as the table shows it.
struct Object(Option<FileKind>);

impl Word for Object {
    const WORDS: &'static [&'static str] = &[
        "regular",
        "directory",
        "symlink",
        "character_device",
        "block_device",
        "pipe",
        "socket",
        "anonymous",
        "unknown",
    ];

    fn code(self) -> i32 {
        match self.0 {
            Some(FileKind::Regular) => 0,
            Some(FileKind::Directory) => 1,
            Some(FileKind::Symlink) => 2,
            Some(FileKind::CharacterDevice) => 3,
            Some(FileKind::BlockDevice) => 4,
            Some(FileKind::Pipe) => 5,
            Some(FileKind::Socket) => 6,
            Some(FileKind::Anonymous) => 7,
            None => 8,
        }
    }
}

/// Rows of table `call_file`.
#[derive(Debug, Default)]
pub struct CallFileRows {
    rows: Vec<(i64, CallObject)>,
}

impl CallFileRows {
    fn push(&mut self, call_seq: i64, object: CallObject) {
        self.rows.push((call_seq, object));
    }

    /// A batch, once one is full; with `last`, all that is left.
    pub fn batch(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows.is_empty() || (!last && self.rows.len() < BATCH_ROWS) {
            return Ok(None);
        }
        let batch = {
            let table = table!(self.rows.iter(), |(call_seq, object)| {
                call_seq: i64 = *call_seq,
                file: Option<i32> = object.file.map(|file| file.0 as i32),
                object: Object = Object(object.kind),
            });
            table.batch()?
        };
        self.rows.clear();
        Ok(Some(batch))
    }
}

impl FileTable {
    /// A batch of table `call_file`, once one is full; with `last`, all that is left.
    pub fn call_files(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        self.call_files.batch(last)
    }

    /// Record the object of a close before the descriptor is freed.
    pub(super) fn note_closed_object(&mut self, call: &Call<'_>) {
        if let (CallKind::Close, Some(object)) = (call.kind, self.object_of_descriptor(call.fd)) {
            self.closed_objects.insert(call.thread, object);
        }
    }

    /// Add the row of a call that returned and whose effects have been taken.
    pub(super) fn note_call_object(&mut self, call: &Call<'_>) {
        let object = match call.kind {
            CallKind::Close => self.closed_objects.remove(&call.thread),
            _ => self.object_of_call(call),
        };
        if let Some(object) = object {
            self.call_files.push(call.seq, object);
        }
    }

    fn object_of_call(&mut self, call: &Call<'_>) -> Option<CallObject> {
        if makes_descriptor(call.kind) && call.error.is_none() {
            let made = call.result.and_then(|fd| i32::try_from(fd).ok());
            return self.object_of_descriptor(made);
        }
        if call.path.is_some_and(|path| !path.is_empty()) {
            return self.looked_up.map(|file| self.object_of_file(file));
        }
        let is_bad = call.error == Some(b"EBADF");
        let fd = call.fd.or(call.dirfd).filter(|_| !is_bad);
        self.object_of_descriptor(fd)
    }

    /// What a descriptor of the current thread refers to; None if the trace has not shown it, or it is closed.
    fn object_of_descriptor(&mut self, fd: Option<i32>) -> Option<CallObject> {
        let open = self.known_open(fd?)?;
        let entry = &self.opens[open];
        Some(match entry.file {
            Some(file) => self.object_of_file(file),
            None => CallObject { file: None, kind: entry.kind },
        })
    }

    /// The entry of a descriptor, if there is one; unlike `open_of` this changes nothing.
    fn known_open(&mut self, fd: i32) -> Option<OpenId> {
        match self.tasks.table()?.get(fd) {
            Slot::Open { open, .. } => Some(open),
            Slot::Untouched | Slot::Closed => None,
        }
    }

    fn object_of_file(&self, file: FileId) -> CallObject {
        let file = self.forward(file);
        let kind = match self.files[file].kind {
            Kind::Of(kind) => Some(kind),
            Kind::Unknown | Kind::Inode => None,
        };
        CallObject { file: Some(file), kind }
    }
}

/// Whether a call works on the descriptor that it returns.
fn makes_descriptor(kind: CallKind) -> bool {
    use CallKind as K;
    match kind {
        K::Open | K::Openat | K::Openat2 | K::Creat => true,
        _ => kind_of_new(kind).is_some() && !matches!(kind, K::Pipe | K::Pipe2 | K::Socketpair),
    }
}

/// The kind of object that a call makes which is not a file of the name space.
pub(super) fn kind_of_new(kind: CallKind) -> Option<FileKind> {
    use CallKind as K;
    match kind {
        K::Pipe | K::Pipe2 => Some(FileKind::Pipe),
        K::Socket | K::Socketpair | K::Accept | K::Accept4 => Some(FileKind::Socket),
        // it is a file in memory, as those of tmpfs
        K::MemfdCreate => Some(FileKind::Regular),
        K::Eventfd | K::Eventfd2 | K::EpollCreate | K::EpollCreate1 | K::TimerfdCreate => {
            Some(FileKind::Anonymous)
        }
        K::Signalfd | K::Signalfd4 | K::InotifyInit | K::InotifyInit1 | K::FanotifyInit => {
            Some(FileKind::Anonymous)
        }
        K::PidfdOpen | K::PerfEventOpen | K::Bpf | K::Userfaultfd | K::Fsopen | K::IoUringSetup => {
            Some(FileKind::Anonymous)
        }
        _ => None,
    }
}
