//! The list of calls, with the arguments of each call's entry in order.

use super::field::Field;
use crate::syscalls::call::{CallKind, End};
use CallKind as K;

/// One argument of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Required, `-` if unknown.
    Must(Field),
    /// Optional.
    May(Field),
    /// Optional and ignored: a mode's permissions or an exit's status, which no table holds.
    Ignored(&'static str),
}

const FD: Slot = Slot::Must(Field::Fd);
const FD2: Slot = Slot::Must(Field::Fd2);
const DIRFD: Slot = Slot::Must(Field::Dirfd);
const DIRFD2: Slot = Slot::Must(Field::Dirfd2);
const PATH: Slot = Slot::Must(Field::Path);
const PATH2: Slot = Slot::Must(Field::Path2);
const OFFSET: Slot = Slot::Must(Field::Offset);
const OFFSET2: Slot = Slot::May(Field::Offset2);
const COUNT: Slot = Slot::Must(Field::Count);
const FLAGS: Slot = Slot::Must(Field::Flags);
const ARGUMENTS: Slot = Slot::May(Field::Arguments);
const MODE: Slot = Slot::Ignored("mode");
const STATUS: Slot = Slot::Ignored("status");

/// The arguments of a call.
pub fn arguments(kind: CallKind) -> &'static [Slot] {
    match kind {
        K::Open => &[PATH, FLAGS, MODE],
        K::Openat | K::Openat2 => &[DIRFD, PATH, FLAGS, MODE],
        K::Creat | K::Mkdir | K::Access | K::Chmod => &[PATH, MODE],
        K::Mkdirat | K::Fchmodat | K::Faccessat => &[DIRFD, PATH, MODE],
        K::Fchmod => &[FD, MODE],
        K::Exit | K::ExitGroup => &[STATUS],
        K::Execve => &[PATH, ARGUMENTS],
        K::Execveat => &[DIRFD, PATH, FLAGS, ARGUMENTS],
        K::Dup2 => &[FD, FD2],
        K::Dup3 | K::CloseRange => &[FD, FD2, FLAGS],
        K::Lseek | K::Llseek => &[FD, OFFSET, FLAGS],
        K::Read | K::Write | K::Readv | K::Writev | K::Getdents | K::Getdents64 => &[FD, COUNT],
        K::Pread64 | K::Pwrite64 | K::Preadv | K::Pwritev => &[FD, COUNT, OFFSET],
        K::Preadv2 | K::Pwritev2 => &[FD, COUNT, OFFSET, FLAGS],
        K::Sendfile | K::Sendfile64 | K::Tee => &[FD, FD2, OFFSET, COUNT],
        K::CopyFileRange | K::Splice => &[FD, FD2, OFFSET, COUNT, OFFSET2],
        K::Vmsplice => &[FD, COUNT, FLAGS],
        K::Readahead => &[FD, OFFSET, COUNT],
        // Without flags it is one that writes; see `Entry::fill`.
        K::SyncFileRange => &[FD, OFFSET, COUNT, Slot::May(Field::Flags)],
        K::Fadvise64 | K::Fallocate | K::Mmap | K::Mmap2 => &[FD, OFFSET, COUNT, FLAGS],
        K::Munmap => &[OFFSET, COUNT],
        K::Msync => &[OFFSET, COUNT, FLAGS],
        K::Truncate | K::Truncate64 => &[PATH, OFFSET],
        K::Ftruncate | K::Ftruncate64 => &[FD, OFFSET],
        K::Rename | K::Link => &[PATH, PATH2],
        K::Symlink => &[PATH2, PATH],
        K::Symlinkat => &[PATH2, DIRFD, PATH],
        K::Renameat => &[DIRFD, PATH, DIRFD2, PATH2],
        K::Renameat2 | K::Linkat => &[DIRFD, PATH, DIRFD2, PATH2, FLAGS],
        K::Mknod => &[PATH, FLAGS],
        K::Unlinkat | K::Mknodat | K::Newfstatat | K::Fstatat64 | K::Statx | K::Faccessat2 => {
            &[DIRFD, PATH, FLAGS]
        }
        K::Fchmodat2 | K::Fchownat | K::Utimensat | K::OpenTree | K::NameToHandleAt => &[DIRFD, PATH, FLAGS],
        K::Readlinkat | K::Futimesat => &[DIRFD, PATH],
        K::Chdir | K::Chroot | K::Stat | K::Stat64 | K::Lstat | K::Lstat64 | K::Statfs | K::Readlink => {
            &[PATH]
        }
        K::Unlink | K::Rmdir | K::Chown | K::Lchown | K::Utime | K::Utimes => &[PATH],
        K::Getxattr | K::Lgetxattr | K::Setxattr | K::Lsetxattr | K::Listxattr | K::Llistxattr => &[PATH],
        K::Removexattr | K::Lremovexattr => &[PATH],
        K::Close | K::Dup | K::Fchdir | K::Fstat | K::Fstat64 | K::Fstatfs | K::Fchown => &[FD],
        K::Fgetxattr | K::Fsetxattr | K::Flistxattr | K::Fremovexattr => &[FD],
        K::Fsync | K::Fdatasync | K::Syncfs | K::Accept | K::Signalfd => &[FD],
        K::IoUringEnter | K::IoUringRegister => &[FD],
        K::Fcntl | K::Fcntl64 | K::Accept4 | K::Signalfd4 | K::PidfdGetfd | K::OpenByHandleAt => &[FD, FLAGS],
        K::MemfdCreate => &[PATH, FLAGS],
        K::Clone | K::Clone3 | K::Unshare | K::Pipe2 | K::Socket | K::Socketpair | K::Eventfd2 => &[FLAGS],
        K::EpollCreate1 | K::TimerfdCreate | K::InotifyInit1 | K::FanotifyInit | K::PidfdOpen => &[FLAGS],
        K::Sendmsg | K::Sendmmsg | K::Recvmsg | K::Recvmmsg => {
            &[Slot::May(Field::Fd), Slot::May(Field::Flags)]
        }
        K::PerfEventOpen | K::Userfaultfd | K::Fsopen => &[FLAGS],
        K::Fork | K::Vfork | K::Getcwd | K::Sync | K::Pipe | K::Eventfd | K::EpollCreate | K::InotifyInit => {
            &[]
        }
        K::Bpf | K::IoUringSetup | K::IoSetup | K::IoSubmit | K::Other => &[],
    }
}

/// The arguments of a return before its keys.
pub const RETURN: &[Slot] = &[Slot::Must(Field::Result), Slot::Must(Field::Error)];

/// The ends of a thread: the name in table `syscall`, and the arguments.
pub const ENDS: [(&str, End, &[Slot]); 4] = [
    ("process_exited", End::Exited, &[Slot::Must(Field::Result)]),
    ("process_killed", End::Killed, &[Slot::Must(Field::Flags)]),
    ("process_superseded", End::Superseded, &[Slot::Must(Field::Result)]),
    ("process_detached", End::Detached, &[]),
];

/// Whether the kernel sets the field at this call's return, instead of the caller.
pub fn is_answer(kind: CallKind, field: Field) -> bool {
    match field {
        Field::Result | Field::Error | Field::Size | Field::Type | Field::Duration => true,
        Field::Path2 => matches!(kind, K::Readlink | K::Readlinkat | K::Getcwd),
        Field::Fd | Field::Fd2 => matches!(kind, K::Pipe | K::Pipe2 | K::Socketpair),
        _ => false,
    }
}

/// Whether a call is in the classic list, all of which ULTRIX had.
pub fn is_classic(kind: CallKind) -> bool {
    matches!(
        kind,
        K::Open | K::Creat | K::Close | K::Read | K::Write | K::Lseek | K::Dup | K::Dup2 | K::Fork | K::Vfork
    ) || matches!(kind, K::Exit | K::Execve | K::Chdir | K::Stat | K::Lstat | K::Access | K::Link | K::Unlink)
        || matches!(
            kind,
            K::Rename | K::Mkdir | K::Rmdir | K::Truncate | K::Ftruncate | K::Chmod | K::Symlink
        )
}

/// A call of the format, for the documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCall {
    /// The call's name.
    pub name: &'static str,
    /// Its arguments in order, the optional ones in brackets.
    pub arguments: String,
    /// Whether it is in the classic list.
    pub classic: bool,
}

/// The list of calls.
pub fn list() -> Vec<ListedCall> {
    let listed = |kind: &CallKind| {
        let slots: Vec<String> = arguments(*kind).iter().map(|slot| slot_name(*slot)).collect();
        ListedCall { name: kind.name(), arguments: slots.join(" "), classic: is_classic(*kind) }
    };
    CallKind::ALL.iter().map(listed).collect()
}

fn slot_name(slot: Slot) -> String {
    match slot {
        Slot::Must(field) => field.key().to_owned(),
        Slot::May(field) => format!("[{}]", field.key()),
        Slot::Ignored(name) => format!("[{name}]"),
    }
}
