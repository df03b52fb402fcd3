//! The values of x86-64 Linux, named and ordered as strace does.

/// A family of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::syscalls) enum Family {
    /// A family without names; numbers stay numbers.
    #[default]
    Unnamed,
    Open,
    /// The flags of open, except the access mode.
    Opened,
    Clone,
    CloseRange,
    Protection,
    Map,
    Whence,
    Command,
    Descriptor,
    At,
    Access,
    Statx,
    Rename,
    ReadWrite,
    Splice,
    Advice,
    Fallocate,
    Msync,
    SyncFileRange,
    Socket,
    Eventfd,
    Epoll,
    Signalfd,
    Timerfd,
    Memfd,
    Inotify,
    Fanotify,
    Perf,
    Fsopen,
    OpenTree,
}

impl Family {
    /// What the names of its values begin with, which perf leaves out.
    pub(in crate::syscalls) fn prefix(self) -> &'static str {
        match self {
            Family::Unnamed | Family::OpenTree => "",
            Family::Open | Family::Opened => "O_",
            Family::Clone => "CLONE_",
            Family::CloseRange => "CLOSE_RANGE_",
            Family::Protection => "PROT_",
            Family::Map => "MAP_",
            Family::Whence => "SEEK_",
            Family::Command => "F_",
            Family::Descriptor => "FD_",
            Family::At | Family::Access | Family::Statx => "AT_",
            Family::Rename => "RENAME_",
            Family::ReadWrite => "RWF_",
            Family::Splice => "SPLICE_F_",
            Family::Advice => "POSIX_FADV_",
            Family::Fallocate => "FALLOC_FL_",
            Family::Msync => "MS_",
            Family::SyncFileRange => "SYNC_FILE_RANGE_",
            Family::Socket => "SOCK_",
            Family::Eventfd => "EFD_",
            Family::Epoll => "EPOLL_",
            Family::Signalfd => "SFD_",
            Family::Timerfd => "TFD_",
            Family::Memfd => "MFD_",
            Family::Inotify => "IN_",
            Family::Fanotify => "FAN_",
            Family::Perf => "PERF_FLAG_",
            Family::Fsopen => "FSOPEN_",
        }
    }
}

/// The structure of a family's values.
pub(super) enum Naming {
    /// One value of an enumeration in the bits of the mask (zero included), then single flags.
    Mixed(u64, &'static [(u64, &'static str)], &'static [(u64, &'static str)]),
    /// The same, with the enumeration's value named last.
    MixedLast(u64, &'static [(u64, &'static str)], &'static [(u64, &'static str)]),
    /// Single flags; zero has no name.
    Flags(&'static [(u64, &'static str)]),
}

use Naming::{Flags, Mixed, MixedLast};

const ALL: u64 = u64::MAX;

pub(super) fn naming(family: Family) -> Naming {
    match family {
        Family::Unnamed => Flags(&[]),
        Family::Open => Mixed(3, &[(0, "O_RDONLY"), (1, "O_WRONLY"), (2, "O_RDWR"), (3, "O_ACCMODE")], OPEN),
        Family::Opened => Flags(OPEN),
        // The lowest byte is the signal at the child's end; unusual signals stay numbers.
        Family::Clone => MixedLast(0xff, &[(17, "SIGCHLD")], CLONE),
        Family::CloseRange => Flags(&[(2, "CLOSE_RANGE_UNSHARE"), (4, "CLOSE_RANGE_CLOEXEC")]),
        Family::Protection => Mixed(
            7,
            &[(0, "PROT_NONE")],
            &[(1, "PROT_READ"), (2, "PROT_WRITE"), (4, "PROT_EXEC"), (0x100_0000, "PROT_GROWSDOWN")],
        ),
        Family::Map => Mixed(0xf, &[(1, "MAP_SHARED"), (2, "MAP_PRIVATE"), (3, "MAP_SHARED_VALIDATE")], MAP),
        Family::Whence => Mixed(
            ALL,
            &[(0, "SEEK_SET"), (1, "SEEK_CUR"), (2, "SEEK_END"), (3, "SEEK_DATA"), (4, "SEEK_HOLE")],
            &[],
        ),
        Family::Command => Mixed(ALL, COMMANDS, &[]),
        Family::Descriptor => Flags(&[(1, "FD_CLOEXEC")]),
        Family::At => Flags(AT),
        Family::Access => {
            Flags(&[(0x200, "AT_EACCESS"), (0x100, "AT_SYMLINK_NOFOLLOW"), (0x1000, "AT_EMPTY_PATH")])
        }
        Family::Statx => Mixed(
            0x6000,
            &[(0, "AT_STATX_SYNC_AS_STAT"), (0x2000, "AT_STATX_FORCE_SYNC"), (0x4000, "AT_STATX_DONT_SYNC")],
            AT,
        ),
        Family::Rename => Flags(&[(1, "RENAME_NOREPLACE"), (2, "RENAME_EXCHANGE"), (4, "RENAME_WHITEOUT")]),
        Family::ReadWrite => Flags(&[
            (1, "RWF_HIPRI"),
            (2, "RWF_DSYNC"),
            (4, "RWF_SYNC"),
            (8, "RWF_NOWAIT"),
            (0x10, "RWF_APPEND"),
        ]),
        Family::Splice => Flags(&[
            (1, "SPLICE_F_MOVE"),
            (2, "SPLICE_F_NONBLOCK"),
            (4, "SPLICE_F_MORE"),
            (8, "SPLICE_F_GIFT"),
        ]),
        Family::Advice => Mixed(
            ALL,
            &[
                (0, "POSIX_FADV_NORMAL"),
                (1, "POSIX_FADV_RANDOM"),
                (2, "POSIX_FADV_SEQUENTIAL"),
                (3, "POSIX_FADV_WILLNEED"),
                (4, "POSIX_FADV_DONTNEED"),
                (5, "POSIX_FADV_NOREUSE"),
            ],
            &[],
        ),
        Family::Fallocate => Flags(&[
            (1, "FALLOC_FL_KEEP_SIZE"),
            (2, "FALLOC_FL_PUNCH_HOLE"),
            (4, "FALLOC_FL_NO_HIDE_STALE"),
            (8, "FALLOC_FL_COLLAPSE_RANGE"),
            (0x10, "FALLOC_FL_ZERO_RANGE"),
            (0x20, "FALLOC_FL_INSERT_RANGE"),
            (0x40, "FALLOC_FL_UNSHARE_RANGE"),
        ]),
        Family::Msync => Flags(&[(1, "MS_ASYNC"), (2, "MS_INVALIDATE"), (4, "MS_SYNC")]),
        Family::SyncFileRange => Flags(&[
            (1, "SYNC_FILE_RANGE_WAIT_BEFORE"),
            (2, "SYNC_FILE_RANGE_WRITE"),
            (4, "SYNC_FILE_RANGE_WAIT_AFTER"),
        ]),
        Family::Socket => Mixed(
            0xf,
            &[
                (1, "SOCK_STREAM"),
                (2, "SOCK_DGRAM"),
                (3, "SOCK_RAW"),
                (4, "SOCK_RDM"),
                (5, "SOCK_SEQPACKET"),
                (6, "SOCK_DCCP"),
                (10, "SOCK_PACKET"),
            ],
            &[(0x80000, "SOCK_CLOEXEC"), (0x800, "SOCK_NONBLOCK")],
        ),
        Family::Eventfd => Flags(&[(1, "EFD_SEMAPHORE"), (0x80000, "EFD_CLOEXEC"), (0x800, "EFD_NONBLOCK")]),
        Family::Epoll => Flags(&[(0x80000, "EPOLL_CLOEXEC")]),
        Family::Signalfd => Flags(&[(0x80000, "SFD_CLOEXEC"), (0x800, "SFD_NONBLOCK")]),
        Family::Timerfd => Flags(&[(0x80000, "TFD_CLOEXEC"), (0x800, "TFD_NONBLOCK")]),
        Family::Memfd => Flags(&[(1, "MFD_CLOEXEC"), (2, "MFD_ALLOW_SEALING"), (4, "MFD_HUGETLB")]),
        Family::Inotify => Flags(&[(0x80000, "IN_CLOEXEC"), (0x800, "IN_NONBLOCK")]),
        Family::Fanotify => Flags(&[(1, "FAN_CLOEXEC"), (2, "FAN_NONBLOCK")]),
        Family::Perf => Flags(&[
            (1, "PERF_FLAG_FD_NO_GROUP"),
            (2, "PERF_FLAG_FD_OUTPUT"),
            (4, "PERF_FLAG_PID_CGROUP"),
            (8, "PERF_FLAG_FD_CLOEXEC"),
        ]),
        Family::Fsopen => Flags(&[(1, "FSOPEN_CLOEXEC")]),
        Family::OpenTree => Flags(&[
            (1, "OPEN_TREE_CLONE"),
            (0x80000, "OPEN_TREE_CLOEXEC"),
            (0x100, "AT_SYMLINK_NOFOLLOW"),
            (0x800, "AT_NO_AUTOMOUNT"),
            (0x1000, "AT_EMPTY_PATH"),
            (0x8000, "AT_RECURSIVE"),
        ]),
    }
}

const OPEN: &[(u64, &str)] = &[
    (0o100, "O_CREAT"),
    (0o200, "O_EXCL"),
    (0o400, "O_NOCTTY"),
    (0o1000, "O_TRUNC"),
    (0o2000, "O_APPEND"),
    (0o4000, "O_NONBLOCK"),
    (0o4010000, "O_SYNC"),
    (0o10000, "O_DSYNC"),
    (0o20000, "FASYNC"),
    (0o40000, "O_DIRECT"),
    (0o100000, "O_LARGEFILE"),
    (0o400000, "O_NOFOLLOW"),
    (0o1000000, "O_NOATIME"),
    (0o2000000, "O_CLOEXEC"),
    (0o10000000, "O_PATH"),
    (0o20200000, "O_TMPFILE"),
    (0o200000, "O_DIRECTORY"),
];

const CLONE: &[(u64, &str)] = &[
    (0x100, "CLONE_VM"),
    (0x200, "CLONE_FS"),
    (0x400, "CLONE_FILES"),
    (0x800, "CLONE_SIGHAND"),
    (0x1000, "CLONE_PIDFD"),
    (0x2000, "CLONE_PTRACE"),
    (0x4000, "CLONE_VFORK"),
    (0x8000, "CLONE_PARENT"),
    (0x10000, "CLONE_THREAD"),
    (0x20000, "CLONE_NEWNS"),
    (0x40000, "CLONE_SYSVSEM"),
    (0x80000, "CLONE_SETTLS"),
    (0x10_0000, "CLONE_PARENT_SETTID"),
    (0x20_0000, "CLONE_CHILD_CLEARTID"),
    (0x40_0000, "CLONE_DETACHED"),
    (0x80_0000, "CLONE_UNTRACED"),
    (0x100_0000, "CLONE_CHILD_SETTID"),
    (0x200_0000, "CLONE_NEWCGROUP"),
    (0x400_0000, "CLONE_NEWUTS"),
    (0x800_0000, "CLONE_NEWIPC"),
    (0x1000_0000, "CLONE_NEWUSER"),
    (0x2000_0000, "CLONE_NEWPID"),
    (0x4000_0000, "CLONE_NEWNET"),
    (0x8000_0000, "CLONE_IO"),
    (0x1_0000_0000, "CLONE_CLEAR_SIGHAND"),
    (0x2_0000_0000, "CLONE_INTO_CGROUP"),
];

const MAP: &[(u64, &str)] = &[
    (0x40, "MAP_32BIT"),
    (0x10, "MAP_FIXED"),
    (0x20, "MAP_ANONYMOUS"),
    (0x4000, "MAP_NORESERVE"),
    (0x8000, "MAP_POPULATE"),
    (0x10000, "MAP_NONBLOCK"),
    (0x100, "MAP_GROWSDOWN"),
    (0x800, "MAP_DENYWRITE"),
    (0x1000, "MAP_EXECUTABLE"),
    (0x2000, "MAP_LOCKED"),
    (0x20000, "MAP_STACK"),
    (0x40000, "MAP_HUGETLB"),
    (0x80000, "MAP_SYNC"),
    (0x10_0000, "MAP_FIXED_NOREPLACE"),
];

const AT: &[(u64, &str)] = &[
    (0x100, "AT_SYMLINK_NOFOLLOW"),
    (0x200, "AT_REMOVEDIR"),
    (0x400, "AT_SYMLINK_FOLLOW"),
    (0x800, "AT_NO_AUTOMOUNT"),
    (0x1000, "AT_EMPTY_PATH"),
    (0x8000, "AT_RECURSIVE"),
];

const COMMANDS: &[(u64, &str)] = &[
    (0, "F_DUPFD"),
    (1, "F_GETFD"),
    (2, "F_SETFD"),
    (3, "F_GETFL"),
    (4, "F_SETFL"),
    (5, "F_GETLK"),
    (6, "F_SETLK"),
    (7, "F_SETLKW"),
    (8, "F_SETOWN"),
    (9, "F_GETOWN"),
    (10, "F_SETSIG"),
    (11, "F_GETSIG"),
    (15, "F_SETOWN_EX"),
    (16, "F_GETOWN_EX"),
    (36, "F_OFD_GETLK"),
    (37, "F_OFD_SETLK"),
    (38, "F_OFD_SETLKW"),
    (1024, "F_SETLEASE"),
    (1025, "F_GETLEASE"),
    (1026, "F_NOTIFY"),
    (1030, "F_DUPFD_CLOEXEC"),
    (1031, "F_SETPIPE_SZ"),
    (1032, "F_GETPIPE_SZ"),
    (1033, "F_ADD_SEALS"),
    (1034, "F_GET_SEALS"),
];
