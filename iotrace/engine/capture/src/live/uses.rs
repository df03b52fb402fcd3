//! What each call works on, what it does to descriptors, and what its time counts as.
//!
//! The classes are those of view `call_class` and `timed_call` of a store, and the descriptors those of table `call_file`.

use super::files::Kind;
use crate::calls::{Recorded, CALLS, MOST_CALLS};
use crate::record::Record;

/// What the time of a call is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Storage,
    Waiting,
    Other,
    /// The call may be on storage.
    Unknown,
}

pub const CLASSES: [(Class, &str); 4] = [
    (Class::Storage, "storage"),
    (Class::Waiting, "waiting"),
    (Class::Other, "other"),
    (Class::Unknown, "unknown"),
];

/// What a call works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    Nothing,
    /// The descriptor in this argument.
    Descriptor(u8),
    /// The path that is the first or the second name, and the argument with the descriptor of the folder.
    Path {
        second: bool,
        folder: Option<u8>,
    },
}

/// What a call does to descriptors, or moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    /// The result is a descriptor of the object.
    Opens,
    /// The result is a descriptor of a new object; None if it is not known what of.
    Makes(Option<Kind>),
    MakesPair(Kind),
    Closes,
    ClosesRange,
    Duplicates,
    /// Into the descriptor of the second argument.
    DuplicatesInto,
    Controls,
    ChangesFolder,
    ChangesFolderByDescriptor,
    TellsFolder,
    Reads,
    Writes,
    /// From the descriptor of the first argument to that of the second.
    Copies(u8, u8),
    /// Makes a process or a thread.
    MakesChild,
}

/// Whether a new descriptor is closed by exec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExec {
    Stays,
    Closes,
    /// It closes if this argument has these bits.
    Flag(u8, u64),
    /// It closes if the structure's first word has the bit `O_CLOEXEC`.
    Structure,
}

/// All of that for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub name: &'static str,
    pub object: Object,
    pub effect: Effect,
    pub on_exec: OnExec,
    /// The class that it has whatever it works on.
    class: Option<Class>,
}

/// The uses of calls, by number.
pub fn uses() -> Vec<Option<Use>> {
    let mut uses = vec![None; MOST_CALLS];
    for call in CALLS {
        uses[call.number as usize] = Some(use_of(call));
    }
    uses
}

const CLOSES: u64 = libc::O_CLOEXEC as u64;
const VFORK: u64 = libc::CLONE_VFORK as u64;
/// fcntl's commands of locks that are waited for.
const LOCKS: [u64; 2] = [libc::F_SETLKW as u64, libc::F_OFD_SETLKW as u64];

fn use_of(call: &Recorded) -> Use {
    let name = call.name;
    Use { name, object: object(call), effect: effect(name), on_exec: on_exec(name), class: class(name) }
}

fn object(call: &Recorded) -> Object {
    match call.name {
        "getcwd" => Object::Nothing,
        "symlink" => Object::Path { second: true, folder: None },
        "symlinkat" => Object::Path { second: true, folder: Some(1) },
        "mmap" => Object::Descriptor(4),
        "copy_file_range" | "splice" => Object::Descriptor(2),
        "tee" => Object::Descriptor(1),
        "read" | "write" | "pread64" | "pwrite64" | "readv" | "writev" | "preadv" | "pwritev" | "preadv2"
        | "pwritev2" | "sendfile" | "vmsplice" | "readahead" | "fadvise64" | "lseek" | "close"
        | "close_range" | "dup" | "dup2" | "dup3" | "fcntl" | "fsync" | "fdatasync" | "syncfs"
        | "sync_file_range" | "ftruncate" | "fallocate" | "fchdir" | "fstat" | "fstatfs" | "fchmod"
        | "fchown" | "fgetxattr" | "fsetxattr" | "flistxattr" | "fremovexattr" | "getdents"
        | "getdents64" | "open_by_handle_at" | "pidfd_getfd" | "io_uring_enter" | "io_uring_register"
        | "sendmsg" | "sendmmsg" | "recvmsg" | "recvmmsg" => Object::Descriptor(0),
        _ => match call.shape.names[0] {
            Some(argument) => Object::Path { second: false, folder: argument.checked_sub(1) },
            None => Object::Nothing,
        },
    }
}

fn effect(name: &str) -> Effect {
    match name {
        "open" | "openat" | "openat2" | "creat" | "open_tree" => Effect::Opens,
        "memfd_create" => Effect::Makes(Some(Kind::Storage)),
        "socket" | "accept" | "accept4" => Effect::Makes(Some(Kind::Socket)),
        "eventfd" | "eventfd2" | "epoll_create" | "epoll_create1" | "timerfd_create" | "signalfd"
        | "signalfd4" | "inotify_init" | "inotify_init1" | "fanotify_init" | "pidfd_open"
        | "perf_event_open" | "bpf" | "userfaultfd" | "fsopen" | "io_uring_setup" => {
            Effect::Makes(Some(Kind::Anonymous))
        }
        "open_by_handle_at" | "pidfd_getfd" => Effect::Makes(None),
        "pipe" | "pipe2" => Effect::MakesPair(Kind::Pipe),
        "socketpair" => Effect::MakesPair(Kind::Socket),
        "close" => Effect::Closes,
        "close_range" => Effect::ClosesRange,
        "dup" => Effect::Duplicates,
        "dup2" | "dup3" => Effect::DuplicatesInto,
        "fcntl" => Effect::Controls,
        "chdir" => Effect::ChangesFolder,
        "fchdir" => Effect::ChangesFolderByDescriptor,
        "getcwd" => Effect::TellsFolder,
        "read" | "readv" | "pread64" | "preadv" | "preadv2" => Effect::Reads,
        "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" => Effect::Writes,
        "sendfile" => Effect::Copies(1, 0),
        "copy_file_range" | "splice" => Effect::Copies(0, 2),
        "fork" | "vfork" | "clone" | "clone3" => Effect::MakesChild,
        _ => Effect::Nothing,
    }
}

fn on_exec(name: &str) -> OnExec {
    match name {
        "open" | "socket" | "socketpair" | "eventfd2" | "timerfd_create" | "pipe2" => OnExec::Flag(1, CLOSES),
        "openat" | "open_tree" | "open_by_handle_at" | "dup3" => OnExec::Flag(2, CLOSES),
        "accept4" | "signalfd4" => OnExec::Flag(3, CLOSES),
        "epoll_create1" | "inotify_init1" | "userfaultfd" => OnExec::Flag(0, CLOSES),
        // FAN_CLOEXEC, MFD_CLOEXEC, FSOPEN_CLOEXEC, PERF_FLAG_FD_CLOEXEC
        "fanotify_init" => OnExec::Flag(0, 1),
        "memfd_create" | "fsopen" => OnExec::Flag(1, 1),
        "perf_event_open" => OnExec::Flag(4, 8),
        "openat2" => OnExec::Structure,
        "pidfd_open" | "pidfd_getfd" | "bpf" | "io_uring_setup" => OnExec::Closes,
        _ => OnExec::Stays,
    }
}

/// The class that a call has by its name.
fn class(name: &str) -> Option<Class> {
    match name {
        "fsync" | "fdatasync" | "sync" | "syncfs" | "sync_file_range" | "msync" | "io_submit"
        | "io_getevents" | "io_pgetevents" => Some(Class::Storage),
        "wait4" | "waitid" | "vfork" | "pause" | "futex" | "futex_waitv" | "flock" | "nanosleep"
        | "clock_nanosleep" | "restart_syscall" | "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait"
        | "epoll_pwait" | "epoll_pwait2" | "rt_sigsuspend" | "rt_sigtimedwait" | "semop" | "semtimedop"
        | "msgrcv" | "msgsnd" | "connect" | "accept" | "accept4" | "recvfrom" | "recvmsg" | "recvmmsg"
        | "sendto" | "sendmsg" | "sendmmsg" => Some(Class::Waiting),
        "io_uring_enter" => Some(Class::Unknown),
        "munmap" | "dup" | "dup2" | "dup3" | "ioctl" => Some(Class::Other),
        _ => None,
    }
}

impl Use {
    /// Whether a record is the return of a call in the process or thread that it made.
    pub fn is_of_child(&self, record: &Record<'_>) -> bool {
        self.effect == Effect::MakesChild && record.result == 0
    }

    /// Whether exec closes the descriptor that the call made.
    pub fn closes_on_exec(&self, record: &Record<'_>) -> bool {
        match self.on_exec {
            OnExec::Stays => false,
            OnExec::Closes => true,
            OnExec::Flag(argument, bits) => record.arguments[usize::from(argument)] & bits != 0,
            OnExec::Structure => record.word(0).is_some_and(|flags| flags & CLOSES != 0),
        }
    }

    /// The class of a call: `kind` is that of what it works on, None if that is nothing or not known; `is_named` whether a
    /// path names that.
    pub fn class(&self, record: &Record<'_>, kind: Option<Kind>, is_named: bool) -> Class {
        const EBADF: i64 = -9;
        let moves = self.moves();
        if kind == Some(Kind::Pipe) && self.effect == Effect::Opens {
            return Class::Waiting; // for the other end
        }
        if let Some(class) = self.class {
            return class;
        }
        if self.waits(record) {
            return Class::Waiting;
        }
        match kind {
            Some(Kind::Storage) => Class::Storage,
            Some(Kind::Pipe | Kind::Socket | Kind::Anonymous | Kind::Terminal) if moves => Class::Waiting,
            None if moves => Class::Unknown,
            _ if is_named => Class::Storage,
            None if record.result != EBADF && self.descriptor(record).is_some() => Class::Unknown,
            _ => Class::Other,
        }
    }

    fn moves(&self) -> bool {
        matches!(self.effect, Effect::Reads | Effect::Writes | Effect::Copies(..))
            || matches!(self.name, "tee" | "vmsplice")
    }

    /// Whether the call suspends its thread for a child, or waits for a lock.
    fn waits(&self, record: &Record<'_>) -> bool {
        match self.name {
            "clone" => record.arguments[0] & VFORK != 0,
            "clone3" => record.word(0).is_some_and(|flags| flags & VFORK != 0),
            "fcntl" => LOCKS.contains(&record.arguments[1]),
            _ => false,
        }
    }

    /// The descriptor that the call works on, if it names one.
    pub fn descriptor(&self, record: &Record<'_>) -> Option<i32> {
        let argument = match self.object {
            Object::Descriptor(argument) => argument,
            Object::Path { folder: Some(argument), second } if record.path(second).is_empty() => argument,
            _ => return None,
        };
        Some(record.arguments[usize::from(argument)] as i32).filter(|&descriptor| descriptor >= 0)
    }
}
