//! A system call, the common form between the log formats and the file table and native table.
//!
//! All text is borrowed from the reader; nothing here allocates.

use super::under_calls::{Inode, StackFrame, UnderCalls};
use crate::columns::{named, Named};

/// An event of a thread at one position of a trace.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A call was issued and has not returned yet (its line says `<unfinished ...>`, or an ULTRIX call entry is not
    /// followed by its return). Only what the call's entry shows is filled in; `result` and `error` are not. The same
    /// call follows as `Returned`.
    Issued(Call<'a>),
    /// A call returned; if call and return share a line, this is the call's only event.
    Returned(Call<'a>),
    /// The thread ended, or its tracing did.
    Ended(Ended<'a>),
}

/// The end of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended<'a> {
    /// The event's position among all entries of the trace.
    pub seq: i64,
    /// Absolute or relative time in nanoseconds, as in the log.
    pub time_ns: Option<i64>,
    /// The thread's number in the kernel.
    pub thread: i32,
    /// The kind of end.
    pub how: End,
    /// Exit status of `Exited`; the surviving thread of `Superseded`.
    pub status: Option<i64>,
    /// The signal's name for `Killed`.
    pub signal: Option<&'a [u8]>,
}

/// How a thread ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// `+++ exited with N +++`
    Exited,
    /// `+++ killed by SIG +++`
    Killed,
    /// `+++ superseded by execve in pid N +++`: another thread of the group called exec and continues with this
    /// number.
    Superseded,
    /// Tracing stopped, the thread continued.
    Detached,
}

/// One system call. The format's call table maps arguments to fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call<'a> {
    /// The position of the call's entry among all entries of the trace.
    pub seq: i64,
    /// The position of its return; equal to `seq` if both share a line.
    pub seq_return: i64,
    /// The thread's number in the kernel; 0 in a log of one process without numbers.
    pub thread: i32,
    /// When the call was issued, in nanoseconds from the log's origin of time.
    pub time_ns: Option<i64>,
    /// The duration of the call, in nanoseconds.
    pub duration_ns: Option<i64>,
    /// The kind of call.
    pub kind: CallKind,
    /// The call's name as the log writes it.
    pub name: &'a [u8],
    /// The descriptor used; the first of two returned through memory.
    pub fd: Option<i32>,
    /// The second descriptor: dup2's new one, the source of copies, a pipe's write end, the last of close_range
    /// (clamped to `i32::MAX`).
    pub fd2: Option<i32>,
    /// The directory in which a relative `path` starts; None for the working directory.
    pub dirfd: Option<i32>,
    /// The directory in which a relative `path2` starts.
    pub dirfd2: Option<i32>,
    /// The first path, decoded (see `text::decode_name`). An empty path is `Some(b"")`.
    pub path: Option<&'a [u8]>,
    /// The second path; symlink's target; the result of readlink or getcwd (None if the log truncates it).
    pub path2: Option<&'a [u8]>,
    /// Offset argument; the new length of (f)truncate; the source's offset of copies; lseek's offset; the address of
    /// munmap and msync.
    pub offset: Option<i64>,
    /// The target's offset of copy_file_range and splice.
    pub offset2: Option<i64>,
    /// The number of bytes requested (the sum of an iovec's lengths for readv and writev).
    pub count: Option<i64>,
    /// The return value: a descriptor, a byte count, a child's pid, an address.
    pub result: Option<i64>,
    /// The error's name, as `ENOENT`; including `ERESTARTSYS` and the like.
    pub error: Option<&'a [u8]>,
    /// Symbolic flags joined by `|` in the log's order (raw numbers are translated): of open, of clone, mmap's
    /// `PROT_READ|PROT_EXEC|MAP_PRIVATE|MAP_DENYWRITE`, lseek's `SEEK_SET`, fcntl's `F_DUPFD_CLOEXEC`
    /// (with `F_SETFL` and `F_SETFD` followed by their flags: `F_SETFL|O_APPEND`), `AT_EMPTY_PATH`,
    /// `RENAME_EXCHANGE`, close_range's `CLOSE_RANGE_CLOEXEC`, mode of mknod (`S_IFREG`), descriptors passed in messages
    /// (`SCM_RIGHTS|5|6`, with `MSG_CMSG_CLOEXEC` and `MSG_PEEK` first if they are received so, and `...` for those
    /// that the log leaves out).
    pub flags: Option<&'a [u8]>,
    /// The file's size that the call revealed.
    pub size: Option<i64>,
    /// The kind of file that the call revealed.
    pub file_kind: Option<FileKind>,
    /// exec's argument list as the log shows it, for table `process`.
    pub arguments: Option<&'a [u8]>,
    /// The kernel's own path of `fd`, if the log has it (strace -y). Used for reconstruction only if nothing else
    /// names the descriptor, otherwise for comparison.
    pub fd_path: Option<DescriptorPath<'a>>,
    /// The same for `fd2`.
    pub fd2_path: Option<DescriptorPath<'a>>,
    /// The same for `dirfd`, or for the working directory if `dirfd` is None.
    pub dirfd_path: Option<DescriptorPath<'a>>,
    /// The same for `dirfd2`, or for the working directory if `dirfd2` is None.
    pub dirfd2_path: Option<DescriptorPath<'a>>,
}

/// The name of the row of table `syscall` that stands where the recorder lost records; its result is their number.
pub const RECORDS_LOST: &str = "records_lost";

impl Call<'_> {
    /// Whether this row marks a place where the recorder lost records. Such a row is not a system call.
    pub fn is_loss(&self) -> bool {
        self.kind == CallKind::Other && self.name == RECORDS_LOST.as_bytes()
    }
}

/// The kernel's name of what a descriptor refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorPath<'a> {
    /// The path, decoded like any name, without the mark of deletion. Descriptors that are not files have the kernel's
    /// form: `socket:[123]`, `pipe:[45]`, `anon_inode:[eventfd]`, `TCP:[...]`.
    pub path: &'a [u8],
    /// Whether the file had been deleted.
    pub deleted: bool,
}

named! {
    /// The kind of a file.
    pub enum FileKind {
        Regular = "regular",
        Directory = "directory",
        Symlink = "symlink",
        CharacterDevice = "character_device",
        BlockDevice = "block_device",
        Pipe = "pipe",
        Socket = "socket",
        Anonymous = "anonymous",
    }
}

impl FileKind {
    /// The kind with this name.
    pub fn from_name(name: &[u8]) -> Option<FileKind> {
        Self::ALL.iter().copied().find(|kind| kind.name().as_bytes() == name)
    }
}

macro_rules! call_kinds {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// The calls that iotrace knows; every other call is `Other`, with its name in table `syscall`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[allow(missing_docs)]
        #[repr(u8)]
        pub enum CallKind {
            #[default]
            Other,
            $($variant),*
        }

        impl CallKind {
            /// Every known call.
            pub const ALL: &'static [CallKind] = &[$(CallKind::$variant),*];

            /// The call's name in the kernel; empty for `Other`.
            pub fn name(self) -> &'static str {
                match self {
                    CallKind::Other => "",
                    $(CallKind::$variant => $name),*
                }
            }

            /// The kind of the call with this name, `Other` if unknown.
            pub fn from_name(name: &[u8]) -> CallKind {
                match name {
                    $(n if n == $name.as_bytes() => CallKind::$variant,)*
                    _ => CallKind::Other,
                }
            }
        }
    };
}

call_kinds! {
    Open "open", Openat "openat", Openat2 "openat2", Creat "creat", Close "close", CloseRange "close_range",
    Dup "dup", Dup2 "dup2", Dup3 "dup3", Fcntl "fcntl", Fcntl64 "fcntl64",
    Fork "fork", Vfork "vfork", Clone "clone", Clone3 "clone3", Unshare "unshare",
    Execve "execve", Execveat "execveat", Exit "exit", ExitGroup "exit_group",
    Chdir "chdir", Fchdir "fchdir", Chroot "chroot", Getcwd "getcwd",
    Lseek "lseek", Llseek "_llseek",
    Read "read", Write "write", Readv "readv", Writev "writev",
    Pread64 "pread64", Pwrite64 "pwrite64", Preadv "preadv", Pwritev "pwritev",
    Preadv2 "preadv2", Pwritev2 "pwritev2",
    Sendfile "sendfile", Sendfile64 "sendfile64", CopyFileRange "copy_file_range", Splice "splice", Tee "tee",
    Vmsplice "vmsplice", Readahead "readahead", Fadvise64 "fadvise64",
    Truncate "truncate", Truncate64 "truncate64", Ftruncate "ftruncate", Ftruncate64 "ftruncate64",
    Fallocate "fallocate",
    Unlink "unlink", Unlinkat "unlinkat", Rename "rename", Renameat "renameat", Renameat2 "renameat2",
    Link "link", Linkat "linkat", Symlink "symlink", Symlinkat "symlinkat",
    Mkdir "mkdir", Mkdirat "mkdirat", Rmdir "rmdir", Mknod "mknod", Mknodat "mknodat",
    Stat "stat", Lstat "lstat", Fstat "fstat", Stat64 "stat64", Lstat64 "lstat64", Fstat64 "fstat64",
    Newfstatat "newfstatat", Fstatat64 "fstatat64", Statx "statx", Statfs "statfs", Fstatfs "fstatfs",
    Access "access", Faccessat "faccessat", Faccessat2 "faccessat2",
    Readlink "readlink", Readlinkat "readlinkat",
    Chmod "chmod", Fchmod "fchmod", Fchmodat "fchmodat", Fchmodat2 "fchmodat2",
    Chown "chown", Lchown "lchown", Fchown "fchown", Fchownat "fchownat",
    Utime "utime", Utimes "utimes", Futimesat "futimesat", Utimensat "utimensat",
    Getxattr "getxattr", Lgetxattr "lgetxattr", Fgetxattr "fgetxattr",
    Setxattr "setxattr", Lsetxattr "lsetxattr", Fsetxattr "fsetxattr",
    Listxattr "listxattr", Llistxattr "llistxattr", Flistxattr "flistxattr",
    Removexattr "removexattr", Lremovexattr "lremovexattr", Fremovexattr "fremovexattr",
    Getdents "getdents", Getdents64 "getdents64",
    Mmap "mmap", Mmap2 "mmap2", Munmap "munmap", Msync "msync",
    Fsync "fsync", Fdatasync "fdatasync", SyncFileRange "sync_file_range", Sync "sync", Syncfs "syncfs",
    Pipe "pipe", Pipe2 "pipe2", Socket "socket", Socketpair "socketpair", Accept "accept", Accept4 "accept4",
    Eventfd "eventfd", Eventfd2 "eventfd2", EpollCreate "epoll_create", EpollCreate1 "epoll_create1",
    Signalfd "signalfd", Signalfd4 "signalfd4", TimerfdCreate "timerfd_create", MemfdCreate "memfd_create",
    InotifyInit "inotify_init", InotifyInit1 "inotify_init1", FanotifyInit "fanotify_init",
    PidfdOpen "pidfd_open", PidfdGetfd "pidfd_getfd", PerfEventOpen "perf_event_open", Bpf "bpf",
    Userfaultfd "userfaultfd", Fsopen "fsopen", OpenTree "open_tree", NameToHandleAt "name_to_handle_at",
    OpenByHandleAt "open_by_handle_at",
    IoUringSetup "io_uring_setup", IoUringEnter "io_uring_enter", IoUringRegister "io_uring_register",
    IoSetup "io_setup", IoSubmit "io_submit",
    Sendmsg "sendmsg", Sendmmsg "sendmmsg", Recvmsg "recvmsg", Recvmmsg "recvmmsg",
}

/// Takes events in the order of the trace.
pub trait EventSink {
    /// Take one event.
    fn event(&mut self, event: Event<'_>);

    /// Take something that happened under the calls; those between two events come between them.
    fn under_calls(&mut self, _happened: UnderCalls) {}

    /// Take the file that a call opened, after its event.
    fn opened(&mut self, _seq: i64, _file: Inode) {}

    /// Take the number of the stack from which a call was made, and its frames when it is met first.
    fn stack(&mut self, _seq: i64, _stack: i32, _frames: &[StackFrame]) {}
}
