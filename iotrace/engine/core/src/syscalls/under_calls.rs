//! What happens under system calls: in the scheduler, the page cache, disks and io_uring.

use crate::columns::named;
use crate::recording::Operation;

/// A file, as the kernel knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inode {
    /// The device of its file system: the major number from bit 20 on, and the minor number.
    pub device: i64,
    /// Its number on that device.
    pub inode: i64,
}

named! {
    /// Why a thread left the processor.
    pub enum WaitState {
        /// It can go on, and another has the processor.
        Runnable = "runnable",
        /// It waits for an event or a signal.
        Sleeping = "sleeping",
        /// It waits for an event and not for signals, as for a disk.
        Uninterruptible = "uninterruptible",
        /// A signal or a debugger stopped it.
        Stopped = "stopped",
        Other = "other",
    }
}

impl WaitState {
    /// The state of these bits of the kernel (`include/linux/sched.h`).
    pub fn of_bits(bits: u64) -> WaitState {
        match bits & 0xff {
            0 => WaitState::Runnable,
            bits if bits & 1 != 0 => WaitState::Sleeping,
            bits if bits & 2 != 0 => WaitState::Uninterruptible,
            bits if bits & 0xc != 0 => WaitState::Stopped,
            _ => WaitState::Other,
        }
    }
}

named! {
    /// What happens to pages of the page cache.
    pub enum PageEvent {
        Added = "added",
        Removed = "removed",
        Fault = "fault",
        Mapped = "mapped",
    }
}

/// A thread was off the processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffProcessor {
    pub duration_ns: i64,
    /// How long of it the thread could not go on; after that it waited for a processor.
    pub blocked_ns: i64,
    pub state: WaitState,
    /// The call that it was in.
    pub call: Option<Box<[u8]>>,
    /// The number of its stack.
    pub stack: Option<i32>,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    pub stack: i32,
    /// 0 for the innermost.
    pub depth: i32,
    pub function: Option<Box<[u8]>>,
    /// The file of the program or library, and the place of the instruction in it.
    pub module: Option<(Box<[u8]>, i64)>,
}

/// Pages of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    pub event: PageEvent,
    pub file: Inode,
    pub first: i64,
    pub count: i64,
    /// On which the thread ran.
    pub processor: Option<i32>,
}

/// A request to a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskRequest {
    /// The disk, and its part that the request is for, as [`Inode::device`].
    pub device: i64,
    pub partition: i64,
    pub operation: Operation,
    /// In blocks of 512 bytes.
    pub first_block: i64,
    pub blocks: i64,
    /// As in table `disk_io`; empty for none.
    pub flags: Box<str>,
    /// From its start on, if known.
    pub inserted_ns: Option<i64>,
    pub issued_ns: Option<i64>,
    pub duration_ns: i64,
    /// The file whose pages it moves, and the first of these.
    pub file: Option<(Inode, i64)>,
}

/// Memory of the recorded processes' cgroup, or of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    pub scope: MemoryScope,
    pub page_cache_bytes: i64,
    pub anonymous_bytes: i64,
    pub slab_bytes: Option<i64>,
    pub limit_bytes: Option<i64>,
    pub processors: Option<i32>,
}

/// What memory is counted of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryScope {
    Machine,
    Cgroup,
    /// A cgroup of version 1.
    FormerCgroup,
}

/// A request of io_uring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingRequest {
    /// The operation, as a number of `include/uapi/linux/io_uring.h`.
    pub operation: i64,
    pub offset: i64,
    pub length: i64,
    pub result: i64,
    pub duration_ns: i64,
    pub file: Option<Inode>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    OffProcessor(OffProcessor),
    Pages(Pages),
    Disk(DiskRequest),
    Memory(Memory),
    Frame(StackFrame),
    /// The path of the cgroup that its process was seen in.
    Cgroup(Box<[u8]>),
    Ring(RingRequest),
}

/// Something that happened under the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderCalls {
    /// When it began, in nanoseconds from the origin of times of the calls.
    pub time_ns: i64,
    /// The kernel's number of the thread.
    pub thread: i32,
    pub what: What,
}
