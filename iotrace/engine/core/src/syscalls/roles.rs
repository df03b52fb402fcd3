//! The role of each argument of each call, in the order in which strace prints them.

use super::symbols::Family;
use crate::syscalls::call::CallKind;

/// The role of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Not used by iotrace.
    Other,
    /// The descriptor used.
    Fd,
    /// The second descriptor.
    Fd2,
    /// The directory in which `path` starts.
    Dir,
    /// The directory in which `path2` starts.
    Dir2,
    Path,
    Path2,
    /// A name that the call returns; may be truncated by `-s`, or by the caller's buffer.
    Answer,
    /// A number of bytes.
    Count,
    /// A plain offset or length.
    Offset,
    /// `[0] => [1000]`, or NULL.
    OffsetPointer,
    /// The same for the target of a copy.
    Offset2Pointer,
    /// `[0]`: the result of `_llseek`.
    SeekResult,
    Flags(Family),
    /// Flags that are appended to those before.
    MoreFlags(Family),
    /// fcntl's command, and its argument if that is flags.
    Command,
    CommandArgument,
    /// The part of a mode that is a kind of file.
    NodeKind,
    /// `{st_mode=S_IFREG|0644, st_size=2996, ...}`
    Stat,
    /// The same with `stx_`.
    Statx,
    /// `[{iov_base="..."..., iov_len=100}, ...]`
    Vector,
    /// A message, or several, whose control data may pass descriptors.
    Message,
    /// A receiver's flags, of which `MSG_CMSG_CLOEXEC` and `MSG_PEEK` matter.
    MessageFlags,
    /// `[3, 4]`: two descriptors that the call creates.
    Pair,
    /// Bounds of a range of descriptors; may be any unsigned number.
    First,
    Last,
    /// `["sh", "-c", "true"]`
    Arguments,
    /// `flags=CLONE_VM|...`, at any position of clone's arguments.
    NamedFlags(Family),
    /// `{flags=..., ...}`
    StructFlags(Family),
}

/// The roles of the call's arguments, in order.
pub(super) fn roles(kind: CallKind) -> &'static [Role] {
    use CallKind as K;
    use Role::*;
    match kind {
        K::Open => &[Path, Flags(Family::Open)],
        K::Openat => &[Dir, Path, Flags(Family::Open)],
        K::Openat2 => &[Dir, Path, StructFlags(Family::Open)],
        K::Creat => &[Path],
        K::Close | K::Dup | K::Fchdir | K::Fsync | K::Fdatasync | K::Syncfs => &[Fd],
        K::CloseRange => &[First, Last, Flags(Family::CloseRange)],
        K::Dup2 => &[Fd, Fd2],
        K::Dup3 => &[Fd, Fd2, Flags(Family::Opened)],
        K::Fcntl | K::Fcntl64 => &[Fd, Command, CommandArgument],

        K::Clone => &[NamedFlags(Family::Clone), NamedFlags(Family::Clone), NamedFlags(Family::Clone)],
        K::Clone3 => &[StructFlags(Family::Clone)],
        K::Unshare => &[Flags(Family::Clone)],
        K::Execve => &[Path, Arguments],
        K::Execveat => &[Dir, Path, Arguments, Other, Flags(Family::At)],

        K::Chdir | K::Chroot | K::Rmdir | K::Unlink | K::Mkdir | K::Access | K::Statfs => &[Path],
        K::Chmod | K::Chown | K::Lchown | K::Utime | K::Utimes => &[Path],
        K::Getcwd => &[Answer, Count],

        K::Lseek => &[Fd, Offset, Flags(Family::Whence)],
        K::Llseek => &[Fd, Offset, SeekResult, Flags(Family::Whence)],
        K::Read | K::Write | K::Getdents | K::Getdents64 => &[Fd, Other, Count],
        K::Pread64 | K::Pwrite64 => &[Fd, Other, Count, Offset],
        K::Readv | K::Writev => &[Fd, Vector],
        K::Preadv | K::Pwritev => &[Fd, Vector, Other, Offset],
        K::Preadv2 | K::Pwritev2 => &[Fd, Vector, Other, Offset, Flags(Family::ReadWrite)],
        // Copies: from fd2, the source, to fd.
        K::Sendfile | K::Sendfile64 => &[Fd, Fd2, OffsetPointer, Count],
        K::CopyFileRange => &[Fd2, OffsetPointer, Fd, Offset2Pointer, Count],
        K::Splice => &[Fd2, OffsetPointer, Fd, Offset2Pointer, Count, Flags(Family::Splice)],
        K::Tee => &[Fd2, Fd, Count, Flags(Family::Splice)],
        K::Vmsplice => &[Fd, Vector, Other, Flags(Family::Splice)],
        K::Readahead => &[Fd, Offset, Count],
        K::Fadvise64 => &[Fd, Offset, Count, Flags(Family::Advice)],
        K::Truncate | K::Truncate64 => &[Path, Offset],
        K::Ftruncate | K::Ftruncate64 => &[Fd, Offset],
        K::Fallocate => &[Fd, Flags(Family::Fallocate), Offset, Count],

        K::Unlinkat => &[Dir, Path, Flags(Family::At)],
        K::Rename | K::Link => &[Path, Path2],
        K::Renameat => &[Dir, Path, Dir2, Path2],
        K::Renameat2 => &[Dir, Path, Dir2, Path2, Flags(Family::Rename)],
        K::Linkat => &[Dir, Path, Dir2, Path2, Flags(Family::At)],
        K::Symlink => &[Path2, Path],
        K::Symlinkat => &[Path2, Dir, Path],
        K::Mkdirat | K::Futimesat => &[Dir, Path],
        K::Mknod => &[Path, NodeKind],
        K::Mknodat => &[Dir, Path, NodeKind],

        K::Stat | K::Lstat | K::Stat64 | K::Lstat64 => &[Path, Stat],
        K::Fstat | K::Fstat64 => &[Fd, Stat],
        K::Newfstatat | K::Fstatat64 => &[Dir, Path, Stat, Flags(Family::At)],
        K::Statx => &[Dir, Path, Flags(Family::Statx), Other, Statx],
        K::Faccessat | K::Fchmodat => &[Dir, Path],
        K::Faccessat2 => &[Dir, Path, Other, Flags(Family::Access)],
        K::Fchmodat2 => &[Dir, Path, Other, Flags(Family::At)],
        K::Readlink => &[Path, Answer, Count],
        K::Readlinkat => &[Dir, Path, Answer, Count],
        K::Fchmod | K::Fchown | K::Fstatfs => &[Fd],
        K::Fchownat => &[Dir, Path, Other, Other, Flags(Family::At)],
        K::Utimensat => &[Dir, Path, Other, Flags(Family::At)],
        K::Getxattr | K::Lgetxattr | K::Setxattr | K::Lsetxattr => &[Path],
        K::Listxattr | K::Llistxattr | K::Removexattr | K::Lremovexattr => &[Path],
        K::Fgetxattr | K::Fsetxattr | K::Flistxattr | K::Fremovexattr => &[Fd],

        K::Mmap | K::Mmap2 => &[Other, Count, Flags(Family::Protection), MoreFlags(Family::Map), Fd, Offset],
        K::Munmap => &[Offset, Count],
        K::Msync => &[Offset, Count, Flags(Family::Msync)],
        K::SyncFileRange => &[Fd, Offset, Count, Flags(Family::SyncFileRange)],

        K::Pipe => &[Pair],
        K::Pipe2 => &[Pair, Flags(Family::Opened)],
        K::Socket => &[Other, Flags(Family::Socket)],
        K::Socketpair => &[Other, Flags(Family::Socket), Other, Pair],
        K::Accept => &[Fd],
        K::Accept4 => &[Fd, Other, Other, Flags(Family::Socket)],
        K::Eventfd2 => &[Other, Flags(Family::Eventfd)],
        K::EpollCreate1 => &[Flags(Family::Epoll)],
        K::Signalfd => &[Fd],
        K::Signalfd4 => &[Fd, Other, Other, Flags(Family::Signalfd)],
        K::TimerfdCreate => &[Other, Flags(Family::Timerfd)],
        K::MemfdCreate => &[Other, Flags(Family::Memfd)],
        K::InotifyInit1 => &[Flags(Family::Inotify)],
        K::FanotifyInit => &[Flags(Family::Fanotify)],
        K::PidfdOpen => &[Other, Flags(Family::Opened)],
        K::PidfdGetfd => &[Fd],
        K::PerfEventOpen => &[Other, Other, Other, Other, Flags(Family::Perf)],
        K::Bpf => &[Flags(Family::Unnamed)],
        K::Userfaultfd => &[Flags(Family::Opened)],
        K::Fsopen => &[Other, Flags(Family::Fsopen)],
        K::OpenTree => &[Dir, Path, Flags(Family::OpenTree)],
        K::NameToHandleAt => &[Dir, Path, Other, Other, Flags(Family::At)],
        K::OpenByHandleAt => &[Fd, Other, Flags(Family::Open)],
        K::IoUringEnter | K::IoUringRegister => &[Fd],
        K::Sendmsg | K::Sendmmsg => &[Fd, Message],
        K::Recvmsg => &[Fd, Message, MessageFlags],
        K::Recvmmsg => &[Fd, Message, Other, MessageFlags],

        K::Other | K::Fork | K::Vfork | K::Exit | K::ExitGroup | K::Sync => &[],
        K::Eventfd | K::EpollCreate | K::InotifyInit | K::IoUringSetup | K::IoSetup | K::IoSubmit => &[],
    }
}

/// Whether the call returns a descriptor.
pub(super) fn returns_descriptor(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(
        kind,
        K::Open
            | K::Openat
            | K::Openat2
            | K::Creat
            | K::Dup
            | K::Dup2
            | K::Dup3
            | K::Fcntl
            | K::Fcntl64
            | K::Socket
            | K::Accept
            | K::Accept4
            | K::Eventfd
            | K::Eventfd2
            | K::EpollCreate
            | K::EpollCreate1
            | K::Signalfd
            | K::Signalfd4
            | K::TimerfdCreate
            | K::MemfdCreate
            | K::InotifyInit
            | K::InotifyInit1
            | K::FanotifyInit
            | K::PidfdOpen
            | K::PidfdGetfd
            | K::PerfEventOpen
            | K::Bpf
            | K::Userfaultfd
            | K::Fsopen
            | K::OpenTree
            | K::OpenByHandleAt
            | K::IoUringSetup
    )
}

/// Whether the call creates a thread or a process.
pub(super) fn makes_child(kind: CallKind) -> bool {
    matches!(kind, CallKind::Fork | CallKind::Vfork | CallKind::Clone | CallKind::Clone3)
}

/// The most bytes that Linux moves in one call (MAX_RW_COUNT is this, rounded down to a page).
pub(super) const MOST_MOVED_BYTES: i64 = i32::MAX as i64;

/// Whether the call returns the number of bytes that it moved.
pub(super) fn moves_data(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(
        kind,
        K::Read
            | K::Readv
            | K::Pread64
            | K::Preadv
            | K::Preadv2
            | K::Write
            | K::Writev
            | K::Pwrite64
            | K::Pwritev
            | K::Pwritev2
            | K::Sendfile
            | K::Sendfile64
            | K::CopyFileRange
            | K::Splice
    )
}
