//! The system calls that are recorded, and what is recorded of each: names, and what its pointers lead to.

use libc::c_long;

/// Numbers of calls are below this.
pub const MOST_CALLS: usize = 512;
/// The most bytes of a name, with the zero that ends it.
pub const MOST_NAME_BYTES: usize = 4096;
/// The most parts of a vector whose lengths are recorded; one more is a power of two.
pub const MOST_VECTOR_PARTS: usize = 511;
/// The most bytes of the control part of a message; it has at most 253 descriptors (SCM_MAX_FD).
pub const MOST_CONTROL_BYTES: usize = 2047;
/// The bytes that are recorded of an open descriptor's file.
pub const INODE_BYTES: usize = 32;

/// What a pointer leads to, besides names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// This number of bytes: a `struct stat`, a pair of descriptors, the flags that begin a structure.
    Bytes(u8),
    /// `struct iovec`, as many as the next argument says.
    Vector,
    /// The control part of a message of a socket.
    Control,
}

/// What is recorded of a call beside its six arguments, its result and its times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// The arguments that are names.
    pub names: [Option<u8>; 2],
    /// An argument that is a pointer, and what it leads to.
    pub data: Option<(u8, Data)>,
    /// An argument that leads to a number of 64 bits, beside `data`.
    pub second: Option<u8>,
    /// The result is a descriptor, whose device and inode are recorded.
    pub opens: bool,
}

const VECTOR_BIT: u64 = 1 << 32;
pub const OPENS_BIT: u64 = 1 << 33;
pub const CONTROL_BIT: u64 = 1 << 34;
/// From here on there is a bit for each argument that is a descriptor of a file.
pub const DESCRIPTORS_SHIFT: u32 = 35;
/// The arguments that are descriptors of files, of any call.
pub const DESCRIPTORS: [usize; 4] = [0, 1, 2, 4];
/// The second of these is a number that the call makes a descriptor of the first one's file.
pub const TARGET_BIT: u64 = 1 << 41;
/// A sample of files has all calls of this kind.
pub const ALWAYS_BIT: u64 = 1 << 42;

impl Shape {
    /// The form in which programs read it: a bit that says that the call is recorded; from bits 8, 12, 16 and 20 on, the
    /// number plus 1 of the argument that is the first name, the second, data, and the second number; from bit 24 on
    /// the bytes of data; a bit each for vectors, for results that are descriptors, and for messages.
    pub fn word(&self) -> u64 {
        let number = |argument: Option<u8>| argument.map_or(0, |argument| u64::from(argument) + 1);
        let (argument, bytes) = match self.data {
            None => (None, 0),
            Some((argument, Data::Bytes(bytes))) => (Some(argument), u64::from(bytes) << 24),
            Some((argument, Data::Vector)) => (Some(argument), VECTOR_BIT),
            Some((argument, Data::Control)) => (Some(argument), CONTROL_BIT),
        };
        let names = number(self.names[0]) << 8 | number(self.names[1]) << 12;
        let opens = if self.opens { OPENS_BIT } else { 0 };
        1 | names | number(argument) << 16 | number(self.second) << 20 | bytes | opens
    }
}

/// A call that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    pub number: c_long,
    pub name: &'static str,
    pub shape: Shape,
}

const PLAIN: Shape = Shape { names: [None, None], data: None, second: None, opens: false };
const OPENS: Shape = Shape { opens: true, ..PLAIN };

const fn name(argument: u8) -> Shape {
    Shape { names: [Some(argument), None], ..PLAIN }
}

const fn names(first: u8, second: u8) -> Shape {
    Shape { names: [Some(first), Some(second)], ..PLAIN }
}

const fn opens(argument: u8) -> Shape {
    Shape { names: [Some(argument), None], opens: true, ..PLAIN }
}

const fn bytes(of: Shape, argument: u8, bytes: u8) -> Shape {
    Shape { data: Some((argument, Data::Bytes(bytes))), ..of }
}

/// Offsets of a source and a target, as copies have them.
const OFFSETS: Shape = Shape { second: Some(3), ..bytes(PLAIN, 1, WORD) };

const fn vector(argument: u8) -> Shape {
    Shape { data: Some((argument, Data::Vector)), ..PLAIN }
}

/// A message, or the first of several.
const MESSAGE: Shape = Shape { data: Some((1, Data::Control)), ..PLAIN };

/// The size of `struct stat`, and what is needed of `struct statx`.
const STAT: u8 = 144;
/// A number, such as the flags that begin `struct open_how` and `struct clone_args`, or an offset.
const WORD: u8 = 8;

/// Numbers of calls.
mod number {
    pub use libc::*;

    /// libc lacks it.
    #[allow(non_upper_case_globals)]
    pub const SYS_io_pgetevents: c_long = if cfg!(target_arch = "x86_64") { 333 } else { 292 };
}

macro_rules! calls {
    ($($(#[$only:meta])* $constant:ident $name:literal $shape:expr;)*) => {
        /// All calls that are recorded, on the architecture that this is built for.
        pub const CALLS: &[Recorded] = &[
            $($(#[$only])* Recorded { number: number::$constant, name: $name, shape: $shape },)*
        ];
    };
}

calls! {
    SYS_read "read" PLAIN;
    SYS_write "write" PLAIN;
    SYS_pread64 "pread64" PLAIN;
    SYS_pwrite64 "pwrite64" PLAIN;
    SYS_readv "readv" vector(1);
    SYS_writev "writev" vector(1);
    SYS_preadv "preadv" vector(1);
    SYS_pwritev "pwritev" vector(1);
    SYS_preadv2 "preadv2" vector(1);
    SYS_pwritev2 "pwritev2" vector(1);
    SYS_sendfile "sendfile" bytes(PLAIN, 2, WORD);
    SYS_copy_file_range "copy_file_range" OFFSETS;
    SYS_splice "splice" OFFSETS;
    SYS_tee "tee" PLAIN;
    SYS_vmsplice "vmsplice" vector(1);
    SYS_readahead "readahead" PLAIN;
    SYS_fadvise64 "fadvise64" PLAIN;
    SYS_lseek "lseek" PLAIN;
    SYS_close "close" PLAIN;
    SYS_close_range "close_range" PLAIN;
    SYS_dup "dup" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_dup2 "dup2" PLAIN;
    SYS_dup3 "dup3" PLAIN;
    SYS_fcntl "fcntl" PLAIN;
    SYS_ioctl "ioctl" PLAIN;
    SYS_flock "flock" PLAIN;
    SYS_fsync "fsync" PLAIN;
    SYS_fdatasync "fdatasync" PLAIN;
    SYS_sync "sync" PLAIN;
    SYS_syncfs "syncfs" PLAIN;
    SYS_sync_file_range "sync_file_range" PLAIN;
    SYS_ftruncate "ftruncate" PLAIN;
    SYS_truncate "truncate" name(0);
    SYS_fallocate "fallocate" PLAIN;
    SYS_mmap "mmap" PLAIN;
    SYS_munmap "munmap" PLAIN;
    SYS_msync "msync" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_open "open" opens(0);
    SYS_openat "openat" opens(1);
    SYS_openat2 "openat2" bytes(opens(1), 2, WORD);
    #[cfg(target_arch = "x86_64")] SYS_creat "creat" opens(0);
    SYS_name_to_handle_at "name_to_handle_at" name(1);
    SYS_open_by_handle_at "open_by_handle_at" OPENS;
    SYS_open_tree "open_tree" opens(1);
    SYS_fsopen "fsopen" PLAIN;
    SYS_memfd_create "memfd_create" OPENS;
    SYS_getcwd "getcwd" name(0);
    SYS_chdir "chdir" name(0);
    SYS_fchdir "fchdir" PLAIN;
    SYS_chroot "chroot" name(0);
    #[cfg(target_arch = "x86_64")] SYS_access "access" name(0);
    SYS_faccessat "faccessat" name(1);
    SYS_faccessat2 "faccessat2" name(1);
    #[cfg(target_arch = "x86_64")] SYS_stat "stat" bytes(name(0), 1, STAT);
    #[cfg(target_arch = "x86_64")] SYS_lstat "lstat" bytes(name(0), 1, STAT);
    SYS_fstat "fstat" bytes(PLAIN, 1, STAT);
    SYS_newfstatat "newfstatat" bytes(name(1), 2, STAT);
    SYS_statx "statx" bytes(name(1), 4, STAT);
    SYS_statfs "statfs" name(0);
    SYS_fstatfs "fstatfs" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_readlink "readlink" names(0, 1);
    SYS_readlinkat "readlinkat" names(1, 2);
    #[cfg(target_arch = "x86_64")] SYS_rename "rename" names(0, 1);
    SYS_renameat "renameat" names(1, 3);
    SYS_renameat2 "renameat2" names(1, 3);
    #[cfg(target_arch = "x86_64")] SYS_link "link" names(0, 1);
    SYS_linkat "linkat" names(1, 3);
    #[cfg(target_arch = "x86_64")] SYS_symlink "symlink" names(0, 1);
    SYS_symlinkat "symlinkat" names(0, 2);
    #[cfg(target_arch = "x86_64")] SYS_unlink "unlink" name(0);
    SYS_unlinkat "unlinkat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_mkdir "mkdir" name(0);
    SYS_mkdirat "mkdirat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_rmdir "rmdir" name(0);
    #[cfg(target_arch = "x86_64")] SYS_mknod "mknod" name(0);
    SYS_mknodat "mknodat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_chmod "chmod" name(0);
    SYS_fchmod "fchmod" PLAIN;
    SYS_fchmodat "fchmodat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_chown "chown" name(0);
    #[cfg(target_arch = "x86_64")] SYS_lchown "lchown" name(0);
    SYS_fchown "fchown" PLAIN;
    SYS_fchownat "fchownat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_utime "utime" name(0);
    #[cfg(target_arch = "x86_64")] SYS_utimes "utimes" name(0);
    #[cfg(target_arch = "x86_64")] SYS_futimesat "futimesat" name(1);
    SYS_utimensat "utimensat" name(1);
    SYS_getxattr "getxattr" name(0);
    SYS_lgetxattr "lgetxattr" name(0);
    SYS_fgetxattr "fgetxattr" PLAIN;
    SYS_setxattr "setxattr" name(0);
    SYS_lsetxattr "lsetxattr" name(0);
    SYS_fsetxattr "fsetxattr" PLAIN;
    SYS_listxattr "listxattr" name(0);
    SYS_llistxattr "llistxattr" name(0);
    SYS_flistxattr "flistxattr" PLAIN;
    SYS_removexattr "removexattr" name(0);
    SYS_lremovexattr "lremovexattr" name(0);
    SYS_fremovexattr "fremovexattr" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_getdents "getdents" PLAIN;
    SYS_getdents64 "getdents64" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_pipe "pipe" bytes(PLAIN, 0, WORD);
    SYS_pipe2 "pipe2" bytes(PLAIN, 0, WORD);
    SYS_socket "socket" PLAIN;
    SYS_socketpair "socketpair" bytes(PLAIN, 3, WORD);
    SYS_accept "accept" PLAIN;
    SYS_accept4 "accept4" PLAIN;
    SYS_connect "connect" PLAIN;
    SYS_sendto "sendto" PLAIN;
    SYS_recvfrom "recvfrom" PLAIN;
    SYS_sendmsg "sendmsg" MESSAGE;
    SYS_recvmsg "recvmsg" MESSAGE;
    SYS_sendmmsg "sendmmsg" MESSAGE;
    SYS_recvmmsg "recvmmsg" MESSAGE;
    #[cfg(target_arch = "x86_64")] SYS_eventfd "eventfd" PLAIN;
    SYS_eventfd2 "eventfd2" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_epoll_create "epoll_create" PLAIN;
    SYS_epoll_create1 "epoll_create1" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_epoll_wait "epoll_wait" PLAIN;
    SYS_epoll_pwait "epoll_pwait" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_poll "poll" PLAIN;
    SYS_ppoll "ppoll" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_select "select" PLAIN;
    SYS_pselect6 "pselect6" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_signalfd "signalfd" PLAIN;
    SYS_signalfd4 "signalfd4" PLAIN;
    SYS_timerfd_create "timerfd_create" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_inotify_init "inotify_init" PLAIN;
    SYS_inotify_init1 "inotify_init1" PLAIN;
    SYS_fanotify_init "fanotify_init" PLAIN;
    SYS_pidfd_open "pidfd_open" PLAIN;
    SYS_pidfd_getfd "pidfd_getfd" OPENS;
    SYS_perf_event_open "perf_event_open" PLAIN;
    SYS_bpf "bpf" PLAIN;
    SYS_userfaultfd "userfaultfd" PLAIN;
    SYS_io_uring_setup "io_uring_setup" PLAIN;
    SYS_io_uring_enter "io_uring_enter" PLAIN;
    SYS_io_uring_register "io_uring_register" PLAIN;
    SYS_io_setup "io_setup" PLAIN;
    SYS_io_submit "io_submit" PLAIN;
    SYS_io_getevents "io_getevents" PLAIN;
    SYS_execve "execve" name(0);
    SYS_execveat "execveat" name(1);
    #[cfg(target_arch = "x86_64")] SYS_fork "fork" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_vfork "vfork" PLAIN;
    SYS_clone "clone" PLAIN;
    SYS_clone3 "clone3" bytes(PLAIN, 0, WORD);
    SYS_unshare "unshare" PLAIN;
    SYS_exit "exit" PLAIN;
    SYS_exit_group "exit_group" PLAIN;
    SYS_wait4 "wait4" PLAIN;
    SYS_waitid "waitid" PLAIN;
    SYS_nanosleep "nanosleep" PLAIN;
    SYS_clock_nanosleep "clock_nanosleep" PLAIN;
    #[cfg(target_arch = "x86_64")] SYS_pause "pause" PLAIN;
    SYS_futex "futex" PLAIN;
    SYS_futex_waitv "futex_waitv" PLAIN;
    SYS_io_pgetevents "io_pgetevents" PLAIN;
    SYS_epoll_pwait2 "epoll_pwait2" PLAIN;
    SYS_restart_syscall "restart_syscall" PLAIN;
    SYS_semop "semop" PLAIN;
    SYS_semtimedop "semtimedop" PLAIN;
    SYS_msgrcv "msgrcv" PLAIN;
    SYS_msgsnd "msgsnd" PLAIN;
    SYS_rt_sigsuspend "rt_sigsuspend" PLAIN;
    SYS_rt_sigtimedwait "rt_sigtimedwait" PLAIN;
}

/// The bits that say to a sample of files which calls belong to it: those on the descriptors of files, and those that
/// change what names and descriptors refer to, or which processes there are. It has no others but those that open files.
fn in_samples(name: &str) -> u64 {
    let on = |descriptors: &[u32]| {
        descriptors.iter().fold(0, |bits, argument| bits | 1 << (DESCRIPTORS_SHIFT + argument))
    };
    match name {
        "read" | "write" | "pread64" | "pwrite64" | "readv" | "writev" | "preadv" | "pwritev" | "preadv2"
        | "pwritev2" | "vmsplice" | "readahead" | "fadvise64" | "lseek" | "close" | "dup" | "fcntl"
        | "ioctl" | "flock" | "fsync" | "fdatasync" | "sync_file_range" | "ftruncate" | "fallocate"
        | "fstat" | "fstatfs" | "fchmod" | "fchown" | "fgetxattr" | "fsetxattr" | "flistxattr"
        | "fremovexattr" => on(&[0]),
        "mmap" => on(&[4]),
        "sendfile" | "tee" => on(&[0, 1]),
        "copy_file_range" | "splice" => on(&[0, 2]),
        "dup2" | "dup3" => on(&[0, 1]) | TARGET_BIT,
        "close_range" | "chdir" | "fchdir" | "chroot" | "rename" | "renameat" | "renameat2" | "link"
        | "linkat" | "unlink" | "unlinkat" | "rmdir" | "truncate" | "munmap" | "msync" | "execve"
        | "execveat" | "fork" | "vfork" | "clone" | "clone3" | "unshare" | "exit" | "exit_group" => {
            ALWAYS_BIT
        }
        _ => 0,
    }
}

/// The words of all calls, by number, as programs read them.
pub fn words() -> Vec<u8> {
    let mut words = vec![0_u8; 8 * MOST_CALLS];
    for call in CALLS {
        let at = 8 * call.number as usize;
        let word = call.shape.word() | in_samples(call.name);
        words[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_stands_once_and_fits() {
        let mut numbers: Vec<_> = CALLS.iter().map(|call| call.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), CALLS.len());
        assert!(numbers.iter().all(|&number| (number as usize) < MOST_CALLS));
    }

    #[test]
    fn words_have_the_arguments() {
        assert_eq!(PLAIN.word(), 1);
        assert_eq!(names(1, 3).word(), 1 | 2 << 8 | 4 << 12);
        assert_eq!(bytes(name(1), 4, STAT).word(), 1 | 2 << 8 | 5 << 16 | 144 << 24);
        assert_eq!(vector(1).word(), 1 | 2 << 16 | 1 << 32);
        assert_eq!(opens(1).word(), 1 | 2 << 8 | 1 << 33);
        assert_eq!(MESSAGE.word(), 1 | 2 << 16 | 1 << 34);
    }
}
