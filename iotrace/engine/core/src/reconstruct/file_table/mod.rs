//! The file table: what the kernel's descriptors, directories and file pointers were, rebuilt from system calls, so
//! that every reference can be classified as inode, directory, executable or datafile (Richardson 1994, 2.3;
//! docs/design.md 3).
//!
//! It takes events in the order of the trace. Its memory depends on the number of files, names and processes, not of
//! calls.

mod agreement;
mod annotated_start;
mod annotations;
mod call_objects;
mod deferred;
mod descriptors;
mod exec;
mod failed_paths;
mod file_rows;
mod files;
mod hard_links;
mod held_back;
mod look_up;
mod losses;
mod mapping;
mod model;
mod name_space;
mod names;
mod open;
mod paths;
mod relative;
mod reveal;
mod rights;
mod shared_mappings;
mod sizes;
mod slots;
mod stream;
mod tables;
mod tasks;
mod transfer;
mod working_directory;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use agreement::Agreement;
pub use agreement::{Disagreement, Disagreements, Verdict};
pub use annotations::InheritedDescriptor;
use descriptors::{OpenId, Opens};
use files::{FileId, Files};
pub use model::Model;
use names::Names;
pub use relative::Rebase;
pub use sizes::{KnownDescriptor, KnownFile, KnownFiles};
use stream::{Operation, Origin, Reference, ReferenceStream, Type};
use tables::{MappingRows, UseRows};
use tasks::Tasks;

use crate::reconstruct::process_table::forks;
use crate::syscalls::call::{Call, CallKind, Event};

/// PATH_MAX is 4096 bytes, each of which may be escaped as four characters.
const MOST_PATH_BYTES: usize = 4 * 4096;

/// Whether a call's paths are short enough for the kernel.
fn is_possible(call: &Call<'_>) -> bool {
    let fits = |path: Option<&[u8]>| path.is_none_or(|path| path.len() < MOST_PATH_BYTES);
    let shown = [call.fd_path, call.fd2_path, call.dirfd_path, call.dirfd2_path];
    fits(call.path) && fits(call.path2) && shown.iter().all(|shown| fits(shown.map(|one| one.path)))
}

/// Counts of the reconstruction.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Calls that requested data and moved none.
    pub empty_requests: i64,
    /// Descriptors from before the trace that were used.
    pub inherited_descriptors: i64,
    /// io_uring and native asynchronous calls, whose I/O is not traced.
    pub unseen_asynchronous_calls: i64,
    /// Mappings of files whose I/O is not traced.
    pub unseen_mappings: i64,
    /// Their bytes.
    pub unseen_mapping_bytes: i64,
    /// Execs of files whose size the trace had not shown, so that the length of their read is null.
    pub execs_of_unknown_size: i64,
    /// Execs whose interpreter is unknown.
    pub execs_without_interpreter: i64,
    /// Appends at an unknown offset.
    pub appends_of_unknown_offset: i64,
    /// Reads and writes at offsets counted from an unknown place.
    pub relative_references: i64,
    /// Their bytes.
    pub relative_bytes: i64,
    /// Look-ups abandoned after 40 symbolic links.
    pub symbolic_link_loops: i64,
    /// Threads whose parent was unknown when they began.
    pub threads_of_unknown_parent: i64,
    /// Calls with impossible results: a directory moved below itself, a path longer than PATH_MAX.
    pub impossible_calls: i64,
    /// Data moved over descriptors that are not files: pipes, sockets, terminals.
    pub transfers_not_on_disk: i64,
}

/// Rebuilds the kernel's file table; see the module.
#[derive(Debug, Default)]
pub struct FileTable {
    model: Model,
    files: Files,
    names: Names,
    opens: Opens,
    tasks: Tasks,
    stream: ReferenceStream,
    uses: UseRows,
    mappings: MappingRows,
    known: KnownFiles,
    agreement: Agreement,
    root: Option<FileId>,
    proc: Option<FileId>,
    moves: paths::Moves,
    hard_links: hard_links::HardLinks,
    /// Mounts so far, each of which may change the contents of any directory.
    mounts: u64,
    /// Working directories from before the trace, by `Place::start`.
    starts: FxHashMap<u64, FileId>,
    /// Directories found to be identical to another one.
    forwards: FxHashMap<FileId, FileId>,
    /// Descriptors from before the trace, by lineage and number.
    inherited: FxHashMap<(i32, i32), OpenId>,
    /// Libraries that each process has mapped for execution.
    mapped: FxHashMap<i32, FxHashSet<FileId>>,
    deferred: deferred::Deferred,
    shared: shared_mappings::SharedMappings,
    rights: rights::Rights,
    next_use: i32,
    files_handed_out: usize,
    origin: Origin,
    /// The reference that the current call was made for.
    own_reference: Option<i64>,
    /// By thread: the reference of a call that was issued and has not returned.
    issued_references: FxHashMap<i32, i64>,
    call_files: call_objects::CallFileRows,
    /// The file in which the first look-up of the current call ended.
    looked_up: Option<FileId>,
    /// The directory in which that look-up started.
    looked_from: Option<FileId>,
    failed_paths: failed_paths::FailedPathRows,
    /// By thread: what a close that has not returned freed.
    closed_objects: FxHashMap<i32, call_objects::CallObject>,
    /// Durations of references that had already left in a batch when their calls returned.
    late_durations: Vec<(i64, i64)>,
    spaces: relative::Spaces,
    annotations: annotations::Annotations,
    counts: Counts,
    steps: Vec<look_up::Step>,
    /// Where a look-up keeps the name that it has come to.
    name: Vec<u8>,
}

impl FileTable {
    /// An empty file table. `known` holds sizes and interpreters that were recorded along with the trace.
    pub fn new(model: Model, known: KnownFiles) -> FileTable {
        FileTable { model, known, ..FileTable::default() }
    }

    /// Take one event of the trace, made by this row of table `process`.
    pub fn event(&mut self, event: &Event<'_>, process: i32) {
        if matches!(event, Event::Returned(call) if call.is_loss()) {
            self.take_settled(true);
            self.lose_records();
            return;
        }
        self.take(event, process);
        if !self.deferred.is_idle() {
            self.take_settled(false);
        }
    }

    fn take(&mut self, event: &Event<'_>, process: i32) {
        let (call_seq, thread, time_ns, duration_ns) = match event {
            Event::Issued(call) => (call.seq, call.thread, call.time_ns, None),
            Event::Returned(call) => (call.seq, call.thread, call.time_ns, call.duration_ns),
            Event::Ended(ended) => (ended.seq, ended.thread, ended.time_ns, None),
        };
        if !self.enter_thread(thread) {
            self.deferred.keep(thread, event, process);
            return;
        }
        self.origin = Origin { call_seq, time_ns, duration_ns, process };
        let first = self.stream.len();
        self.own_reference = None;
        self.looked_up = None;
        self.looked_from = None;
        match event {
            Event::Issued(call) => self.issued(call),
            Event::Returned(call) if is_possible(call) => {
                if call.seq == call.seq_return {
                    self.note_closed_object(call);
                }
                self.returned(call);
                self.note_call_object(call);
                self.note_failed_path(call);
            }
            Event::Returned(_) => self.counts.impossible_calls += 1,
            Event::Ended(ended) => self.end_thread(ended),
        }
        let last = (self.stream.len() > first).then(|| self.stream.len() - 1);
        self.note_duration(event, thread, self.own_reference.or(last));
    }

    /// Set the duration of a call on its main reference, or on the last one of its look-up. A call that made its
    /// references when it was issued has a duration only when it returns.
    fn note_duration(&mut self, event: &Event<'_>, thread: i32, reference: Option<i64>) {
        match (event, reference) {
            (Event::Issued(_), Some(seq)) => drop(self.issued_references.insert(thread, seq)),
            (Event::Returned(call), _) => {
                let early = self.issued_references.remove(&thread);
                if let Some((seq, duration_ns)) = reference.or(early).zip(call.duration_ns) {
                    if !self.stream.set_duration(seq, duration_ns) {
                        self.late_durations.push((seq, duration_ns));
                    }
                }
            }
            (Event::Ended(_), _) => drop(self.issued_references.remove(&thread)),
            (Event::Issued(_), None) => {}
        }
    }

    /// Add a call's main reference, rather than one of its look-up; returns its `seq`.
    fn refer_own(&mut self, reference: &Reference) -> i64 {
        let origin = self.origin;
        let seq = self.stream.push(&origin, reference);
        self.own_reference.get_or_insert(seq);
        seq
    }

    fn issued(&mut self, call: &Call<'_>) {
        if is_possible(call) {
            self.note_working_directory(call);
        }
        self.note_closed_object(call);
        match call.kind {
            // the kernel frees the descriptor before it does anything slow
            CallKind::Close => self.close_early(call),
            CallKind::Fork | CallKind::Vfork | CallKind::Clone | CallKind::Clone3 => self.fork_issued(call),
            CallKind::Sendmsg | CallKind::Sendmmsg => self.send_rights(call),
            _ => {}
        }
    }

    fn returned(&mut self, call: &Call<'_>) {
        use CallKind as K;
        if call.seq == call.seq_return {
            self.note_working_directory(call);
        }
        if call.result.is_none() && call.error.is_none() && call.kind != K::Close && !forks(call) {
            // the log does not show its return, so its effect is unknown
            self.lose_effects(call);
            return;
        }
        self.note_annotations(call);
        if call.fd.is_none() && call.error.is_none() {
            self.lose_effects(call);
        }
        match call.kind {
            K::Read | K::Readv | K::Pread64 | K::Preadv | K::Preadv2 => self.read(call),
            K::Write | K::Writev | K::Pwrite64 | K::Pwritev | K::Pwritev2 => self.write(call),
            K::Sendfile | K::Sendfile64 | K::CopyFileRange | K::Splice => self.copy(call),
            K::Open | K::Openat | K::Openat2 | K::Creat => self.open(call),
            K::Close => self.close(call),
            K::CloseRange => self.close_range(call),
            K::Dup | K::Dup2 | K::Dup3 => self.dup(call),
            K::Fcntl | K::Fcntl64 => self.fcntl(call),
            K::Lseek | K::Llseek => self.seek(call),
            K::Stat | K::Stat64 | K::Lstat | K::Lstat64 | K::Newfstatat | K::Fstatat64 | K::Statx => {
                self.stat(call)
            }
            K::Fstat | K::Fstat64 => self.fstat(call),
            K::Access | K::Faccessat | K::Faccessat2 | K::Statfs | K::NameToHandleAt => {
                self.look_up_only(call, true)
            }
            K::Getxattr | K::Listxattr => self.look_up_only(call, true),
            K::Lgetxattr | K::Llistxattr => self.look_up_only(call, false),
            K::Readlink | K::Readlinkat => self.readlink(call),
            K::Getcwd => self.getcwd(call),
            K::Chdir => self.chdir(call),
            K::Fchdir => self.fchdir(call),
            K::Chroot => self.chroot(call),
            K::Getdents | K::Getdents64 => self.list_directory(call),
            K::Mmap | K::Mmap2 => self.mmap(call),
            K::Fsync | K::Fdatasync => self.sync_file(call),
            K::SyncFileRange => self.sync_file_range(call),
            K::Sync | K::Syncfs => self.sync_everything(call),
            K::Msync => self.msync(call),
            K::Munmap => self.munmap(call),
            K::Unlink | K::Unlinkat | K::Rmdir => self.unlink(call),
            K::Rename | K::Renameat | K::Renameat2 => self.rename(call),
            K::Link | K::Linkat => self.link(call),
            K::Symlink | K::Symlinkat => self.symlink(call),
            K::Mkdir | K::Mkdirat | K::Mknod | K::Mknodat => self.make(call),
            K::Truncate | K::Truncate64 => self.truncate(call),
            K::Ftruncate | K::Ftruncate64 | K::Fallocate => self.resize(call),
            K::Chmod | K::Fchmodat | K::Fchmodat2 => self.change_inode(call, true),
            K::Chown | K::Fchownat | K::Utime | K::Utimes | K::Futimesat | K::Utimensat => {
                self.change_inode(call, false);
            }
            K::Lchown | K::Setxattr | K::Lsetxattr | K::Removexattr | K::Lremovexattr => {
                self.change_inode(call, false);
            }
            K::Fchmod => self.change_open_inode(call, true),
            K::Fchown | K::Fsetxattr | K::Fremovexattr => self.change_open_inode(call, false),
            K::Fork | K::Vfork | K::Clone | K::Clone3 => self.fork_returned(call),
            K::Unshare => self.unshare(call),
            K::Execve | K::Execveat => self.exec(call),
            K::Pipe | K::Pipe2 | K::Socketpair => self.not_a_file_pair(call),
            K::Socket
            | K::Accept
            | K::Accept4
            | K::Eventfd
            | K::Eventfd2
            | K::EpollCreate
            | K::EpollCreate1 => {
                self.not_a_file(call);
            }
            K::Signalfd
            | K::Signalfd4
            | K::TimerfdCreate
            | K::MemfdCreate
            | K::InotifyInit
            | K::InotifyInit1 => {
                self.not_a_file(call);
            }
            K::FanotifyInit | K::PidfdOpen | K::PerfEventOpen | K::Bpf | K::Userfaultfd | K::Fsopen => {
                self.not_a_file(call);
            }
            K::Sendmsg | K::Sendmmsg if call.fd.is_none() => self.lose_rights(),
            K::Sendmsg | K::Sendmmsg if call.error.is_some() && call.seq != call.seq_return => {
                self.take_back_rights(call);
            }
            K::Sendmsg | K::Sendmmsg if call.error.is_none() && call.seq == call.seq_return => {
                self.send_rights(call);
            }
            K::Recvmsg | K::Recvmmsg => self.receive_rights(call),
            K::PidfdGetfd => self.take_descriptor(call),
            K::IoUringSetup => {
                self.not_a_file(call);
                self.counts.unseen_asynchronous_calls += 1;
            }
            K::IoUringEnter | K::IoSubmit => self.counts.unseen_asynchronous_calls += 1,
            _ if call.error.is_none() && matches!(call.name, b"mount" | b"move_mount" | b"pivot_root") => {
                self.mounts += 1;
            }
            _ => {}
        }
    }

    /// The end of the trace: uses that are still open get their rows, without a time of closing.
    pub fn finish(&mut self) {
        self.take_settled(true);
        for open in self.opens.live() {
            self.use_row(open, None);
        }
    }

    /// A batch of table `reference`, once one is full; with `last`, all that is left.
    pub fn references(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        if last {
            self.stream.last_batch()
        } else {
            self.stream.full_batch()
        }
    }

    /// A batch of table `use`, once one is full; with `last`, all that is left.
    pub fn uses(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        self.uses.batch(last)
    }

    /// A batch of table `mapping`, once one is full; with `last`, all that is left.
    pub fn mappings(&mut self, last: bool) -> Result<Option<RecordBatch>, ArrowError> {
        self.mappings.batch(last)
    }

    /// References so far.
    pub fn reference_count(&self) -> i64 {
        self.stream.len()
    }

    /// Durations, by `seq`, of references that had been passed on when their calls returned; at the end of the trace.
    pub fn late_durations(&self) -> &[(i64, i64)] {
        &self.late_durations
    }

    /// In how many places the recorder lost records.
    pub fn losses(&self) -> i64 {
        i64::from(self.files.losses)
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn refer(
        &mut self,
        file: FileId,
        kind: Type,
        operation: Operation,
        length: Option<i64>,
        usage: Option<i32>,
    ) {
        if self.known.is_sample() {
            return;
        }
        let reference = Reference {
            file: Some(file),
            kind: Some(kind),
            operation,
            direct: false,
            synchronous: false,
            mapped: false,
            offset: Some(0),
            source: Some(stream::OffsetSource::Explicit),
            length,
            requested: length,
            file_size: length,
            usage,
        };
        let origin = self.origin;
        self.stream.push(&origin, &reference);
    }

    /// A truncate, delete or sync, which moves nothing; a sync's offset and length are the range that it writes.
    fn mark(
        &mut self,
        file: Option<FileId>,
        kind: Option<Type>,
        operation: Operation,
        offset: Option<i64>,
        length: Option<i64>,
    ) {
        let is_known = file.is_some_and(|file| self.files[file].was_opened);
        if self.known.is_sample() && !is_known {
            return;
        }
        let reference = Reference {
            file,
            kind,
            operation,
            direct: false,
            synchronous: false,
            mapped: false,
            offset,
            source: None,
            length,
            requested: None,
            file_size: file.and_then(|file| self.files.size(file)),
            usage: None,
        };
        self.refer_own(&reference);
    }
}
