//! A record as the programs put it into the ring.

/// The bytes of a record before its names and data.
pub const HEAD_BYTES: usize = 96;
pub const THREAD: i16 = 0;
/// The call's number, with the bits below; or the number of what is not a call.
pub const NUMBER: i16 = 4;
pub const NAME_LENGTH: i16 = 6;
pub const PROCESS: i16 = 8;
pub const SECOND_LENGTH: i16 = 12;
pub const DATA_LENGTH: i16 = 14;
/// Nanoseconds of the monotonic clock; 0 if not known.
pub const START: i16 = 16;
pub const DURATION: i16 = 24;
pub const RESULT: i16 = 32;
pub const ARGUMENTS: i16 = 40;
/// The calls that were lost before this record.
pub const LOST: i16 = 88;

/// A thread or a process was made; the arguments are its number and that of its process.
pub const FORK: u16 = 0x1000;
/// A program was started; the first argument is the thread's number before.
pub const EXEC: u16 = 0x1001;
/// A thread ended; the arguments are its exit code and the number of threads that its process still has.
pub const EXIT: u16 = 0x1002;
/// Calls were lost; the first argument is their number. Recordings have it, rings do not.
pub const LOST_CALLS: u16 = 0x1003;

/// A call that had not returned at the end of the recording, or that does not return (exit); the first argument is its
/// number.
pub const UNDER_WAY: u16 = 0x1004;

/// A thread was off the processor, from its start on. The arguments are how long it was blocked, its state then, the
/// number plus 1 of the call that it was in, 0 for none, and the number of its stack, 0 for none.
pub const OFF_PROCESSOR: u16 = 0x1005;
/// Pages of a file were added to the page cache; the arguments are device, inode, first page, number of pages, and the
/// number plus 1 of the processor.
pub const PAGES_ADDED: u16 = 0x1006;
/// Pages of a file left the page cache; the arguments are the same.
pub const PAGES_REMOVED: u16 = 0x1007;
/// A program touched a page of a mapped file that was not in its memory; the arguments are the same.
pub const PAGE_FAULT: u16 = 0x1008;
/// A request to a disk was completed; it starts as it is queued, by the thread. The arguments are device, partition,
/// first sector, bytes, the kernel's flags, and 1 if it is not known when it was queued: it then starts with the next
/// stage. The result is the first page. Its data are the times plus 1 from its start on at which it was given to the
/// scheduler and issued, 0 if unknown, and the name of the thread's program, of [`PROGRAM_BYTES`]; its inode is the
/// file whose pages it moves.
pub const DISK_REQUEST: u16 = 0x1009;
/// Memory of the recorded processes' cgroup, or of the machine; the arguments are bytes of the page cache, anonymous
/// memory and slab, the limit, 0 for none, 1 for a cgroup and 2 for one of version 1, and the processors, 0 if unknown.
pub const MEMORY: u16 = 0x100a;
/// A request of io_uring was completed; it starts as it is submitted, by the thread. The arguments are the operation,
/// offset and length in the file, and the descriptor's file is its inode; the result is as of the call.
pub const RING_REQUEST: u16 = 0x100b;

/// A frame of a stack, at the end of a recording. The arguments are the stack's number, the frame's depth, 0 for the
/// innermost, and the place of its instruction in its file: the first name, empty if it is not known. The second name is
/// the function, empty if it is not known.
pub const STACK_FRAME: u16 = 0x100c;
/// The cgroup of the thread is its first name, at its first call of a program.
pub const PROCESS_CGROUP: u16 = 0x100d;

/// A fault of a mapped file found pages near its own in the page cache, and mapped them; the arguments are those of
/// [`PAGE_FAULT`].
pub const PAGES_MAPPED: u16 = 0x100e;

/// In the place of descriptors of a message that are not known.
pub const UNKNOWN_DESCRIPTOR: i32 = -1;

/// The bytes of a program's name with the zeros that fill it up (TASK_COMM_LEN of the kernel).
pub const PROGRAM_BYTES: usize = 16;

/// Whether a record is of something under the calls.
pub fn is_under_calls(number: u16) -> bool {
    (OFF_PROCESSOR..=PAGES_MAPPED).contains(&number)
}

/// Whether a record is of what happened under the calls, and not of what is known of threads and of stacks.
pub fn is_event(number: u16) -> bool {
    is_under_calls(number) && !matches!(number, STACK_FRAME | PROCESS_CGROUP)
}

/// Bits of the number: after the names stand data, a second number, and an inode.
pub const HAS_DATA: u16 = 0x2000;
pub const HAS_SECOND: u16 = 0x4000;
pub const HAS_INODE: u16 = 0x8000;
const PARTS: u16 = HAS_DATA | HAS_SECOND | HAS_INODE;

/// What is lost, by place in the programs' counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Calls for which the ring had no room.
    Calls = 0,
    /// Beginnings and ends of threads, and programs that were started.
    Lives = 1,
    /// Names that could not be read.
    Names = 2,
    /// Processes beyond the most that are followed.
    Processes = 3,
    /// Calls of 32-bit programs, whose numbers and arguments are others.
    Narrow = 4,
    /// What happened under the calls, in the scheduler, the page cache and disks, for which the ring had no room.
    UnderCalls = 5,
}

/// The number of kinds of losses.
pub const LOSSES: usize = 6;

/// The file of a descriptor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inode {
    /// As the kernel has it: the major number from bit 20 on.
    pub device: u64,
    pub inode: u64,
    pub mode: u64,
    pub size_bytes: u64,
}

/// A call, or a beginning or an end of a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record<'b> {
    /// The call's number, or FORK, EXEC, EXIT or LOST_CALLS.
    pub number: u16,
    pub thread: u32,
    pub process: u32,
    /// Nanoseconds of the monotonic clock; that of its end, if when it began is not known.
    pub start_ns: u64,
    pub has_start: bool,
    pub duration_ns: u64,
    pub result: i64,
    pub arguments: [u64; 6],
    /// Names, without the zero that ends them; an empty one may be a name that could not be read.
    pub name: &'b [u8],
    pub second_name: &'b [u8],
    pub data: Option<&'b [u8]>,
    pub second: Option<u64>,
    pub inode: Option<Inode>,
}

impl Record<'_> {
    /// When it ended, on the monotonic clock.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }

    /// The first or the second name.
    pub fn path(&self, second: bool) -> &[u8] {
        if second {
            self.second_name
        } else {
            self.name
        }
    }

    /// A number of 64 bits in the data, from this byte on.
    pub fn word(&self, at: usize) -> Option<u64> {
        word(self.data?, at)
    }
}

/// The kernel's number of a device, of that which programs see (`new_encode_dev` and `huge_encode_dev`).
pub fn kernels_device(device: u64) -> u64 {
    let major = device >> 8 & 0xfff | device >> 32 & !0xfff;
    let minor = device & 0xff | device >> 12 & !0xff & 0xffff_ffff;
    major << 20 | minor
}

/// Read a record of the ring, and how many calls were lost before it; None if it is not whole.
pub fn read(bytes: &[u8]) -> Option<(Record<'_>, u64)> {
    let number = half(bytes, NUMBER)?;
    let name_length = usize::from(half(bytes, NAME_LENGTH)?);
    let second_length = usize::from(half(bytes, SECOND_LENGTH)?);
    let data_length = usize::from(half(bytes, DATA_LENGTH)?);
    let rest = bytes.get(HEAD_BYTES..)?;
    let (name, rest) = rest.split_at_checked(name_length)?;
    let (second_name, rest) = rest.split_at_checked(second_length)?;
    let rest = rest.get(..data_length)?;
    let mut arguments = [0; 6];
    for (place, argument) in arguments.iter_mut().enumerate() {
        *argument = word(bytes, ARGUMENTS as usize + 8 * place)?;
    }
    let parts = parts(number, rest)?;
    let (start_ns, duration_ns) = (word(bytes, START as usize)?, word(bytes, DURATION as usize)?);
    let has_start = start_ns != 0;
    let record = Record {
        number: number & !PARTS,
        thread: word(bytes, THREAD as usize)? as u32,
        process: word(bytes, PROCESS as usize)? as u32,
        // without its beginning the time that it took counts from 0
        start_ns: if has_start { start_ns } else { duration_ns },
        has_start,
        duration_ns: if has_start { duration_ns } else { 0 },
        result: word(bytes, RESULT as usize)? as i64,
        arguments,
        name: without_end(name),
        second_name: without_end(second_name),
        ..parts
    };
    Some((record, word(bytes, LOST as usize)?))
}

/// Data, second number and inode, which stand in this order.
fn parts(number: u16, rest: &[u8]) -> Option<Record<'_>> {
    let has = |bit: u16| number & bit != 0;
    let inode_bytes = if has(HAS_INODE) { 32 } else { 0 };
    let second_bytes = if has(HAS_SECOND) { 8 } else { 0 };
    let data_bytes = rest.len().checked_sub(inode_bytes + second_bytes)?;
    let (data, second_at) = (&rest[..data_bytes], data_bytes);
    let inode_at = second_at + second_bytes;
    let inode = match has(HAS_INODE) {
        true => Some(Inode {
            device: word(rest, inode_at)?,
            inode: word(rest, inode_at + 8)?,
            mode: word(rest, inode_at + 16)?,
            size_bytes: word(rest, inode_at + 24)?,
        }),
        false => None,
    };
    let second = if has(HAS_SECOND) { Some(word(rest, second_at)?) } else { None };
    Some(Record { data: has(HAS_DATA).then_some(data), second, inode, ..Record::default() })
}

/// A name up to the zero that ends it.
fn without_end(name: &[u8]) -> &[u8] {
    name.strip_suffix(&[0]).unwrap_or(name)
}

fn half(bytes: &[u8], at: i16) -> Option<u16> {
    let bytes = bytes.get(at as usize..at as usize + 2)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
