// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs that the kernel runs: at the beginning and end of calls, and of threads.
//!
//! A call is recorded at its return, when its arguments are still in the registers that it began with and the kernel has
//! read the names, so that they are in memory (a program at the beginning cannot read a name on a page that was not
//! touched yet). The program at the beginning notes the time only.

use crate::arch;
use crate::asm::{Asm, Instruction, Label, Op, Reg, When, Width};
use crate::bpf::{little_endian, Kind, Map, NO_PREALLOC};
use crate::btf::Offsets;
use crate::calls::{self, INODE_BYTES, MOST_CALLS, MOST_NAME_BYTES, MOST_VECTOR_PARTS};
use crate::record::{self, Loss, HEAD_BYTES, LOSSES};
use std::io;
use Op::{Add, And, Or, ShiftLeft, ShiftRight, Sub};
use Reg::{Frame, R0, R1, R2, R3, R4, R6, R7, R8, R9};
use When::{Equal, Greater, NotEqual, SignedGreater, SignedLess};
use Width::{Bits16, Bits32, Bits64, Bits8};

pub mod disk;
pub mod page_cache;
pub mod scheduler;
pub mod uring;

/// Helpers of the kernel (`include/uapi/linux/bpf.h`).
mod helper {
    pub const MAP_LOOKUP: i32 = 1;
    pub const MAP_UPDATE: i32 = 2;
    pub const MAP_DELETE: i32 = 3;
    pub const TIME_NS: i32 = 5;
    pub const PROCESS_AND_THREAD: i32 = 14;
    pub const TASK: i32 = 35;
    pub const UNDER_CGROUP: i32 = 37;
    pub const READ_USER: i32 = 112;
    pub const READ_KERNEL: i32 = 113;
    pub const READ_USER_TEXT: i32 = 114;
    pub const READ_KERNEL_TEXT: i32 = 115;
    pub const RING_OUTPUT: i32 = 130;
    pub const RING_RESERVE: i32 = 131;
    pub const RING_SUBMIT: i32 = 132;
}

/// The members of the kernel's structures whose offsets the programs need.
pub const MEMBERS: [(&str, &str); 18] = [
    ("task_struct", "pid"),
    ("task_struct", "tgid"),
    ("task_struct", "exit_code"),
    ("task_struct", "signal"),
    ("task_struct", "files"),
    ("task_struct", "mm"),
    ("signal_struct", "live"),
    ("mm_struct", "arg_start"),
    ("mm_struct", "arg_end"),
    ("linux_binprm", "filename"),
    ("files_struct", "fdt"),
    ("fdtable", "fd"),
    ("file", "f_inode"),
    ("inode", "i_mode"),
    ("inode", "i_sb"),
    ("inode", "i_ino"),
    ("inode", "i_size"),
    ("super_block", "s_dev"),
];

/// The bits of the minor number in the kernel's number of a device.
const MINOR_BITS: i32 = 20;
/// The number of execve for 32-bit programs, of x86 and of Arm.
const NARROW_EXECVE: i32 = 11;
/// Do not wake the reader up: it looks by itself.
const NO_WAKE_UP: i32 = 1;
/// Slots for the times at which threads began their calls; threads whose numbers are equal in these bits share one.
const SLOTS: u32 = 1 << 16;
const SLOT_BYTES: u32 = 16;
const MOST_PROCESSES: u32 = 1 << 16;
/// The most bytes of the arguments of a program; a power of two.
pub const MOST_ARGUMENT_BYTES: i32 = 2048;
/// The argument of close by which the child of the recorder says which process it is, as the numbers of /proc are not
/// those of programs in a PID namespace.
pub const HELLO: u64 = 0x1075_ACE0;

/// The values of processes that are recorded, and of those that never are.
pub const RECORDED: u8 = 1;
pub const EXCLUDED: u8 = 2;

/// Which processes are recorded from the first call that the programs see, beside those that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    None,
    OfCgroup,
    All,
}

/// The maps that the programs share with the recorder.
#[derive(Debug)]
pub struct Maps {
    /// The processes that are recorded.
    pub processes: Map,
    /// Which others are added to them.
    met: Met,
    /// The cgroup whose processes are added.
    pub cgroup: Map,
    /// The shapes of calls.
    shapes: Map,
    slots: Map,
    pub ring: Map,
    /// Room for a record with names, for each processor.
    scratch: Map,
    lost: Map,
    /// The process that said hello.
    hello: Map,
}

/// Room for a record with all that it may have.
const SCRATCH_BYTES: u32 =
    (HEAD_BYTES + 3 * MOST_NAME_BYTES + 16 * (MOST_VECTOR_PARTS + 1) + 8 + INODE_BYTES) as u32;

impl Maps {
    /// Make the maps, with a ring of this size, a power of two.
    pub fn new(ring_bytes: u32, met: Met) -> io::Result<Maps> {
        let maps = Maps {
            processes: Map::new(Kind::Hash, 1, MOST_PROCESSES, NO_PREALLOC)?,
            met,
            cgroup: Map::new(Kind::Cgroups, 4, 1, 0)?,
            shapes: Map::new(Kind::Array, 8 * MOST_CALLS as u32, 1, 0)?,
            slots: Map::new(Kind::Array, SLOTS * SLOT_BYTES, 1, 0)?,
            ring: Map::new(Kind::Ring, 0, ring_bytes, 0)?,
            scratch: Map::new(Kind::PerCpuArray, SCRATCH_BYTES, 1, 0)?,
            lost: Map::new(Kind::Array, 8 * LOSSES as u32, 1, 0)?,
            hello: Map::new(Kind::Array, 4, 1, 0)?,
        };
        maps.shapes.set(0, &calls::words())?;
        Ok(maps)
    }

    /// How much was lost so far, by kind.
    pub fn lost(&self) -> io::Result<[u64; LOSSES]> {
        let bytes = self.lost.get(0)?;
        let mut counts = [0; LOSSES];
        for (count, word) in counts.iter_mut().zip(bytes.chunks_exact(8)) {
            *count = little_endian(word);
        }
        Ok(counts)
    }

    /// The calls that threads are in: thread, number of the call, and when it began.
    pub fn calls_under_way(&self) -> io::Result<Vec<(u32, u32, u64)>> {
        let slots = self.slots.get(0)?;
        let read = slots.chunks_exact(SLOT_BYTES as usize).map(|slot| {
            (little_endian(&slot[..4]) as u32, little_endian(&slot[4..8]) as u32, little_endian(&slot[8..]))
        });
        Ok(read.filter(|(thread, ..)| *thread != 0).collect())
    }

    /// The number of the process that said hello; 0 if none did.
    pub fn greeted(&self) -> io::Result<u32> {
        Ok(little_endian(&self.hello.get(0)?) as u32)
    }
}

/// Places on a program's stack.
const KEY: i16 = -4;
const FLAG: i16 = -8;
const END: i16 = -16;
const START: i16 = -24;
const WORD: i16 = -32;
const NUMBER: i16 = -40;
const REGISTERS: i16 = -48 - arch::HERE.bytes as i16;

/// The program at the beginning of a call: note when it was.
pub fn call_begins(maps: &Maps) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let out = asm.label();
    asm.mov(R6, R1);
    only_recorded_or_met(&mut asm, maps, out, out);
    asm.load(Bits64, R8, R6, 8);
    shape(&mut asm, maps, out);
    asm.call(helper::TIME_NS);
    asm.mov(R9, R0);
    slot(&mut asm, maps, R3);
    asm.store(Bits32, R3, 0, R7);
    asm.store(Bits32, R3, 4, R8);
    asm.store(Bits64, R3, 8, R9);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// The program at the end of a call: make a record of it. Without `times`, its duration is not known.
pub fn call_ends(maps: &Maps, offsets: &Offsets, times: bool) -> io::Result<Vec<Instruction>> {
    let registers = arch::HERE;
    let mut asm = Asm::default();
    let (out, plain, full, narrow) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    only_recorded_or_met(&mut asm, maps, full, out);
    asm.address(R1, Frame, i32::from(REGISTERS));
    asm.set(R2, registers.bytes);
    asm.load(Bits64, R3, R6, 0);
    asm.op(Add, R3, registers.start);
    asm.call(helper::READ_KERNEL);
    let number = if registers.number_is_32_bits { Bits32 } else { Bits64 };
    asm.load(number, R8, Frame, REGISTERS + registers.number);
    let (mode, mask, of_32_bits) = registers.mode;
    asm.load(Bits64, R1, Frame, REGISTERS + mode);
    asm.op(And, R1, mask);
    let wide = asm.label();
    asm.jump_if(NotEqual, R1, of_32_bits, wide);
    // the call that started the program may have been made by another; the kernel gives it the new program's number
    asm.jump_if(NotEqual, R8, NARROW_EXECVE, narrow);
    asm.load(Bits64, R1, R6, 8);
    asm.jump_if(NotEqual, R1, 0, narrow);
    asm.set(R8, libc::SYS_execve as i32);
    asm.here(wide);
    shape(&mut asm, maps, out);
    asm.mov(R9, R1);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, END, R0);
    // when it began is not known
    asm.store_value(Bits64, Frame, START, 0);
    if times {
        let unknown = asm.label();
        slot(&mut asm, maps, R3);
        asm.load(Bits32, R1, R3, 0);
        asm.mov_32(R2, R7);
        asm.jump_if_reg(NotEqual, R1, R2, unknown);
        asm.load(Bits64, R1, R3, 8);
        asm.store(Bits64, Frame, START, R1);
        asm.store_value(Bits32, R3, 0, 0);
        asm.here(unknown);
    }
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, 8);
    asm.jump_if(Equal, R1, 0, plain);
    with_data(&mut asm, maps, offsets, out, full)?;
    asm.here(plain);
    asm.map(R1, maps.ring.number());
    asm.set(R2, HEAD_BYTES as i32);
    asm.set(R3, 0);
    asm.call(helper::RING_RESERVE);
    asm.jump_if(Equal, R0, 0, full);
    asm.mov(R9, R0);
    fill(&mut asm, maps, R9);
    asm.mov(R1, R9);
    asm.set(R2, NO_WAKE_UP);
    asm.call(helper::RING_SUBMIT);
    asm.jump(out);
    asm.here(full);
    count_loss(&mut asm, maps, Loss::Calls);
    asm.jump(out);
    asm.here(narrow);
    count_loss(&mut asm, maps, Loss::Narrow);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// Make a record with names and data in the scratch room, and copy it into the ring.
fn with_data(asm: &mut Asm, maps: &Maps, offsets: &Offsets, out: Label, full: Label) -> io::Result<()> {
    scratch(asm, maps, out);
    asm.store(Bits64, Frame, NUMBER, R8);
    asm.mov(R8, R0);
    // R6 is the context until the head is filled, then the bytes of names and data so far
    fill_from(asm, maps, R8, NUMBER);
    asm.set(R6, 0);
    for (shift, length) in [(8, record::NAME_LENGTH), (12, record::SECOND_LENGTH)] {
        let (none, is_read) = (asm.label(), asm.label());
        pointer(asm, shift, none);
        destination(asm);
        asm.set(R2, MOST_NAME_BYTES as i32 - 1);
        asm.call(helper::READ_USER_TEXT);
        asm.jump_if(SignedGreater, R0, 0, is_read);
        count_lost_name(asm, maps);
        asm.set(R0, 0);
        asm.here(is_read);
        asm.op(And, R0, MOST_NAME_BYTES as i32 - 1);
        asm.store(Bits16, R8, length, R0);
        asm.op_reg(Add, R6, R0);
        asm.here(none);
        asm.op(And, R6, 2 * MOST_NAME_BYTES as i32 - 1);
    }
    // the bytes of names, after which data begin
    asm.store(Bits64, Frame, WORD, R6);
    let no_data = asm.label();
    asm.load(Bits64, R1, R8, record::RESULT);
    asm.jump_if(SignedLess, R1, 0, no_data);
    data(asm);
    second(asm);
    inode(asm, offsets)?;
    asm.mov(R1, R6);
    asm.load(Bits64, R2, Frame, WORD);
    asm.op_reg(Sub, R1, R2);
    asm.store(Bits16, R8, record::DATA_LENGTH, R1);
    asm.here(no_data);
    asm.mov(R3, R6);
    asm.op(And, R3, 4 * MOST_NAME_BYTES as i32 - 1);
    asm.op(Add, R3, HEAD_BYTES as i32);
    output(asm, maps, full);
    asm.jump(out);
    Ok(())
}

/// Copy a vector, or a number of bytes.
fn data(asm: &mut Asm) {
    let (none, of_bytes, read) = (asm.label(), asm.label(), asm.label());
    pointer(asm, 16, none);
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, 32);
    asm.op(And, R1, 1);
    asm.jump_if(Equal, R1, 0, of_bytes);
    // the number of parts is the argument after the vector's, which is the second in all calls
    asm.load(Bits64, R2, R8, record::ARGUMENTS + 16);
    let fits = asm.label();
    asm.jump_if(Greater, R2, MOST_VECTOR_PARTS as i32, none);
    asm.jump(fits);
    asm.here(of_bytes);
    asm.mov(R2, R9);
    asm.op(ShiftRight, R2, 24);
    asm.op(And, R2, 0xff);
    asm.jump(read);
    asm.here(fits);
    asm.op(ShiftLeft, R2, 4);
    asm.here(read);
    asm.op(And, R2, 0x1ff);
    asm.store(Bits32, Frame, KEY, R2);
    destination(asm);
    asm.call(helper::READ_USER);
    asm.jump_if(NotEqual, R0, 0, none);
    asm.load(Bits32, R1, Frame, KEY);
    asm.op(And, R1, 0x1ff);
    asm.op_reg(Add, R6, R1);
    mark(asm, record::HAS_DATA);
    asm.here(none);
}

/// Copy the second number.
fn second(asm: &mut Asm) {
    let none = asm.label();
    pointer(asm, 20, none);
    destination(asm);
    asm.set(R2, 8);
    asm.call(helper::READ_USER);
    asm.jump_if(NotEqual, R0, 0, none);
    asm.op(Add, R6, 8);
    mark(asm, record::HAS_SECOND);
    asm.here(none);
}

/// Copy device, inode, mode and size of the file of the descriptor that the call returned.
fn inode(asm: &mut Asm, offsets: &Offsets) -> io::Result<()> {
    let none = asm.label();
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, 33);
    asm.op(And, R1, 1);
    asm.jump_if(Equal, R1, 0, none);
    asm.load(Bits64, R1, R8, record::RESULT);
    asm.op(ShiftLeft, R1, 3);
    asm.store(Bits64, Frame, START, R1);
    asm.call(helper::TASK);
    asm.mov(R3, R0);
    follow(asm, offsets.get("task_struct", "files")?, none);
    follow(asm, offsets.get("files_struct", "fdt")?, none);
    follow(asm, offsets.get("fdtable", "fd")?, none);
    asm.load(Bits64, R1, Frame, START);
    asm.op_reg(Add, R3, R1);
    follow(asm, 0, none);
    follow(asm, offsets.get("file", "f_inode")?, none);
    asm.store(Bits64, Frame, NUMBER, R3);
    follow(asm, offsets.get("inode", "i_sb")?, none);
    let members = [
        (None, offsets.get("super_block", "s_dev")?, 4),
        (Some(NUMBER), offsets.get("inode", "i_ino")?, 8),
        (Some(NUMBER), offsets.get("inode", "i_mode")?, 2),
        (Some(NUMBER), offsets.get("inode", "i_size")?, 8),
    ];
    for (place, (base, offset, bytes)) in members.into_iter().enumerate() {
        if let Some(base) = base {
            asm.load(Bits64, R3, Frame, base);
        }
        asm.op(Add, R3, offset);
        asm.store_value(Bits64, Frame, START, 0);
        asm.address(R1, Frame, i32::from(START));
        asm.set(R2, bytes);
        asm.call(helper::READ_KERNEL);
        asm.jump_if(NotEqual, R0, 0, none);
        asm.mov(R1, R8);
        asm.op_reg(Add, R1, R6);
        asm.load(Bits64, R2, Frame, START);
        asm.store(Bits64, R1, (HEAD_BYTES + 8 * place) as i16, R2);
    }
    asm.op(Add, R6, INODE_BYTES as i32);
    mark(asm, record::HAS_INODE);
    asm.here(none);
    Ok(())
}

/// `R3 = *(R3 + offset)`, in the kernel's memory; leaves if that cannot be read or is 0.
fn follow(asm: &mut Asm, offset: i32, none: Label) {
    asm.op(Add, R3, offset);
    asm.address(R1, Frame, i32::from(END));
    asm.set(R2, 8);
    asm.call(helper::READ_KERNEL);
    asm.jump_if(NotEqual, R0, 0, none);
    asm.load(Bits64, R3, Frame, END);
    asm.jump_if(Equal, R3, 0, none);
}

/// R3 = the argument whose number plus 1 stands from this bit on in the shape; leaves if there is none, or it is 0.
fn pointer(asm: &mut Asm, shift: i32, none: Label) {
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, shift);
    asm.op(And, R1, 15);
    asm.jump_if(Equal, R1, 0, none);
    asm.op(Sub, R1, 1);
    asm.op(And, R1, 7);
    asm.op(ShiftLeft, R1, 3);
    asm.op_reg(Add, R1, R8);
    asm.load(Bits64, R3, R1, record::ARGUMENTS);
    asm.jump_if(Equal, R3, 0, none);
}

/// R1 = where the next names or data go.
fn destination(asm: &mut Asm) {
    asm.address(R1, R8, HEAD_BYTES as i32);
    asm.op_reg(Add, R1, R6);
}

/// Store a number of the kernel's memory, of at most eight bytes, on the stack; 0 if it cannot be read.
fn read(asm: &mut Asm, base: Reg, offset: i32, bytes: i32, place: i16) {
    asm.mov(R3, base);
    asm.op(Add, R3, offset);
    asm.store_value(Bits64, Frame, place, 0);
    asm.address(R1, Frame, i32::from(place));
    asm.set(R2, bytes);
    asm.call(helper::READ_KERNEL);
}

/// R0 = the value of the key on the stack, 0 if there is none.
fn look_up(asm: &mut Asm, map: &Map, key: i16) {
    asm.map(R1, map.number());
    asm.address(R2, Frame, i32::from(key));
    asm.call(helper::MAP_LOOKUP);
}

/// R8 = a new record of something under the calls in the ring; a loss is counted, and leaves, if there is no room.
fn begin_under_calls(asm: &mut Asm, maps: &Maps, number: u16, bytes: usize, out: Label) {
    let has_room = asm.label();
    asm.map(R1, maps.ring.number());
    asm.set(R2, bytes as i32);
    asm.set(R3, 0);
    asm.call(helper::RING_RESERVE);
    asm.jump_if(NotEqual, R0, 0, has_room);
    count_loss(asm, maps, Loss::UnderCalls);
    asm.jump(out);
    asm.here(has_room);
    asm.mov(R8, R0);
    empty_head(asm, number);
    losses_so_far(asm, maps, R8);
}

/// Hand over the record at R8 in the ring.
fn submit(asm: &mut Asm) {
    asm.mov(R1, R8);
    asm.set(R2, NO_WAKE_UP);
    asm.call(helper::RING_SUBMIT);
}

/// Set a bit of the record's number.
fn mark(asm: &mut Asm, bit: u16) {
    asm.load(Bits16, R1, R8, record::NUMBER);
    asm.op(Or, R1, i32::from(bit));
    asm.store(Bits16, R8, record::NUMBER, R1);
}

/// A name that could not be read is a loss if the call succeeded; a failed call may have been given a bad address.
fn count_lost_name(asm: &mut Asm, maps: &Maps) {
    let failed = asm.label();
    asm.load(Bits64, R1, R8, record::RESULT);
    asm.jump_if(SignedLess, R1, 0, failed);
    count_loss(asm, maps, Loss::Names);
    asm.here(failed);
}

/// The child says which process it is, so that it is recorded.
pub fn hello(maps: &Maps) -> io::Result<Vec<Instruction>> {
    let registers = arch::HERE;
    let mut asm = Asm::default();
    let out = asm.label();
    asm.load(Bits64, R8, R1, 8);
    asm.jump_if(NotEqual, R8, libc::SYS_close as i32, out);
    asm.load(Bits64, R3, R1, 0);
    asm.op(Add, R3, registers.start + i32::from(registers.arguments[0]));
    asm.address(R1, Frame, i32::from(WORD));
    asm.set(R2, 8);
    asm.call(helper::READ_KERNEL);
    asm.load(Bits32, R1, Frame, WORD);
    asm.jump_if(NotEqual, R1, HELLO as i32, out);
    asm.call(helper::PROCESS_AND_THREAD);
    asm.op(ShiftRight, R0, 32);
    asm.store(Bits32, Frame, KEY, R0);
    asm.value(R1, maps.hello.number(), 0);
    asm.store(Bits32, R1, 0, R0);
    add_process(&mut asm, maps, i32::from(RECORDED));
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// A recorded process makes a thread or a process, which is recorded, too.
pub fn thread_begins(maps: &Maps, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, full, added) = (asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    lookup(&mut asm, maps);
    asm.jump_if(Equal, R0, 0, out);
    asm.load(Bits8, R9, R0, 0);
    asm.store_value(Bits64, Frame, WORD, 0);
    for (member, place) in [("pid", WORD), ("tgid", WORD + 4)] {
        asm.address(R1, Frame, i32::from(place));
        asm.set(R2, 4);
        asm.load(Bits64, R3, R6, 8);
        asm.op(Add, R3, offsets.get("task_struct", member)?);
        asm.call(helper::READ_KERNEL);
    }
    asm.load(Bits32, R1, Frame, WORD + 4);
    asm.store(Bits32, Frame, KEY, R1);
    asm.store(Bits8, Frame, FLAG, R9);
    update_process(&mut asm, maps);
    asm.jump_if(Equal, R0, 0, added);
    count_loss(&mut asm, maps, Loss::Processes);
    asm.here(added);
    asm.jump_if(Equal, R9, i32::from(EXCLUDED), out);
    life(&mut asm, maps, record::FORK, out);
    asm.load(Bits32, R1, Frame, WORD);
    asm.store(Bits64, R8, record::ARGUMENTS, R1);
    asm.load(Bits32, R1, Frame, WORD + 4);
    asm.store(Bits64, R8, record::ARGUMENTS + 8, R1);
    asm.set(R3, HEAD_BYTES as i32);
    output(&mut asm, maps, full);
    leave(&mut asm, maps, full, out);
    asm.finish()
}

/// A recorded process starts another program, with all its arguments or only the first.
pub fn program_begins(maps: &Maps, offsets: &Offsets, arguments: bool) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, full, is_read, no_arguments) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    only_recorded(&mut asm, maps, out);
    life(&mut asm, maps, record::EXEC, out);
    // the thread's number before
    asm.load(Bits64, R1, R6, 8);
    asm.store(Bits64, R8, record::ARGUMENTS, R1);
    asm.address(R1, Frame, i32::from(WORD));
    asm.set(R2, 8);
    asm.load(Bits64, R3, R6, 16);
    asm.op(Add, R3, offsets.get("linux_binprm", "filename")?);
    asm.call(helper::READ_KERNEL);
    asm.address(R1, R8, HEAD_BYTES as i32);
    asm.set(R2, MOST_NAME_BYTES as i32 - 1);
    asm.load(Bits64, R3, Frame, WORD);
    asm.call(helper::READ_KERNEL_TEXT);
    asm.jump_if(SignedGreater, R0, 0, is_read);
    asm.set(R0, 0);
    asm.here(is_read);
    asm.op(And, R0, MOST_NAME_BYTES as i32 - 1);
    asm.store(Bits16, R8, record::NAME_LENGTH, R0);
    asm.mov(R6, R0);
    asm.call(helper::TASK);
    asm.mov(R3, R0);
    follow(&mut asm, offsets.get("task_struct", "mm")?, no_arguments);
    asm.store(Bits64, Frame, START, R3);
    follow(&mut asm, offsets.get("mm_struct", "arg_start")?, no_arguments);
    if arguments {
        asm.store(Bits64, Frame, NUMBER, R3);
        asm.load(Bits64, R3, Frame, START);
        follow(&mut asm, offsets.get("mm_struct", "arg_end")?, no_arguments);
        asm.load(Bits64, R1, Frame, NUMBER);
        asm.op_reg(Sub, R3, R1);
        let fits = asm.label();
        asm.jump_if(When::Less, R3, MOST_ARGUMENT_BYTES, fits);
        asm.set(R3, MOST_ARGUMENT_BYTES - 1);
        asm.here(fits);
        asm.op(And, R3, MOST_ARGUMENT_BYTES - 1);
        asm.store(Bits32, Frame, KEY, R3);
        asm.mov(R2, R3);
        asm.load(Bits64, R3, Frame, NUMBER);
        destination(&mut asm);
        asm.call(helper::READ_USER);
        asm.jump_if(NotEqual, R0, 0, no_arguments);
        asm.load(Bits32, R1, Frame, KEY);
    } else {
        // the first is the program's name; without the zero that ends it the list shows that it goes on
        destination(&mut asm);
        asm.set(R2, MOST_ARGUMENT_BYTES);
        asm.call(helper::READ_USER_TEXT);
        asm.jump_if(SignedLess, R0, 1, no_arguments);
        asm.mov(R1, R0);
        asm.op(Sub, R1, 1);
    }
    asm.op(And, R1, MOST_ARGUMENT_BYTES - 1);
    asm.store(Bits16, R8, record::DATA_LENGTH, R1);
    asm.op_reg(Add, R6, R1);
    mark(&mut asm, record::HAS_DATA);
    asm.here(no_arguments);
    asm.mov(R3, R6);
    asm.op(And, R3, 2 * MOST_NAME_BYTES as i32 - 1);
    asm.op(Add, R3, HEAD_BYTES as i32);
    output(&mut asm, maps, full);
    leave(&mut asm, maps, full, out);
    asm.finish()
}

/// A recorded thread ends; with the last one of a process its number is no longer recorded, as others may get it.
pub fn thread_ends(maps: &Maps, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, full, lives, unknown) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    only_recorded(&mut asm, maps, out);
    asm.store_value(Bits64, Frame, WORD, 0);
    asm.store_value(Bits64, Frame, START, 1);
    asm.address(R1, Frame, i32::from(WORD));
    asm.set(R2, 4);
    asm.load(Bits64, R3, R6, 0);
    asm.op(Add, R3, offsets.get("task_struct", "exit_code")?);
    asm.call(helper::READ_KERNEL);
    asm.load(Bits64, R3, R6, 0);
    follow(&mut asm, offsets.get("task_struct", "signal")?, unknown);
    asm.op(Add, R3, offsets.get("signal_struct", "live")?);
    asm.address(R1, Frame, i32::from(START));
    asm.set(R2, 4);
    asm.call(helper::READ_KERNEL);
    asm.here(unknown);
    life(&mut asm, maps, record::EXIT, out);
    asm.load(Bits32, R1, Frame, WORD);
    asm.store(Bits64, R8, record::ARGUMENTS, R1);
    asm.load(Bits32, R1, Frame, START);
    asm.store(Bits64, R8, record::ARGUMENTS + 8, R1);
    asm.jump_if(NotEqual, R1, 0, lives);
    asm.map(R1, maps.processes.number());
    asm.mov(R3, R7);
    asm.op(ShiftRight, R3, 32);
    asm.store(Bits32, Frame, KEY, R3);
    asm.address(R2, Frame, i32::from(KEY));
    asm.call(helper::MAP_DELETE);
    asm.here(lives);
    asm.set(R3, HEAD_BYTES as i32);
    output(&mut asm, maps, full);
    leave(&mut asm, maps, full, out);
    asm.finish()
}

/// Leaves unless the process is recorded.
fn only_recorded(asm: &mut Asm, maps: &Maps, out: Label) {
    lookup(asm, maps);
    asm.jump_if(Equal, R0, 0, out);
    refuse_excluded(asm, maps, out);
}

/// The same at a call; a process that is to be recorded from its first call on is added, or leaves by `full`.
fn only_recorded_or_met(asm: &mut Asm, maps: &Maps, full: Label, out: Label) {
    let (known, added) = (asm.label(), asm.label());
    if maps.met == Met::None {
        return only_recorded(asm, maps, out);
    }
    lookup(asm, maps);
    asm.jump_if(NotEqual, R0, 0, known);
    if maps.met == Met::OfCgroup {
        asm.map(R1, maps.cgroup.number());
        asm.set(R2, 0);
        asm.call(helper::UNDER_CGROUP);
        asm.jump_if(NotEqual, R0, 1, out);
    }
    add_process(asm, maps, i32::from(RECORDED));
    asm.jump_if(Equal, R0, 0, added);
    asm.jump(full);
    asm.here(known);
    refuse_excluded(asm, maps, out);
    asm.here(added);
}

fn refuse_excluded(asm: &mut Asm, maps: &Maps, out: Label) {
    if maps.met == Met::All {
        asm.load(Bits8, R1, R0, 0);
        asm.jump_if(Equal, R1, i32::from(EXCLUDED), out);
    }
}

/// R7 = the process's and the thread's number; R0 = the process's value, 0 if it has none.
fn lookup(asm: &mut Asm, maps: &Maps) {
    asm.call(helper::PROCESS_AND_THREAD);
    asm.mov(R7, R0);
    asm.op(ShiftRight, R0, 32);
    asm.store(Bits32, Frame, KEY, R0);
    asm.map(R1, maps.processes.number());
    asm.address(R2, Frame, i32::from(KEY));
    asm.call(helper::MAP_LOOKUP);
}

/// R1 = the shape of call R8; leaves if the call is not recorded.
fn shape(asm: &mut Asm, maps: &Maps, out: Label) {
    asm.jump_if(Greater, R8, MOST_CALLS as i32 - 1, out);
    asm.mov(R1, R8);
    asm.op(ShiftLeft, R1, 3);
    asm.value(R2, maps.shapes.number(), 0);
    asm.op_reg(Add, R1, R2);
    asm.load(Bits64, R1, R1, 0);
    asm.jump_if(Equal, R1, 0, out);
}

/// `target` = the slot of thread R7.
fn slot(asm: &mut Asm, maps: &Maps, target: Reg) {
    asm.mov_32(target, R7);
    asm.op(And, target, SLOTS as i32 - 1);
    asm.op(ShiftLeft, target, SLOT_BYTES.trailing_zeros() as i32);
    asm.value(R1, maps.slots.number(), 0);
    asm.op_reg(Add, target, R1);
}

/// R0 = the scratch room of this processor.
fn scratch(asm: &mut Asm, maps: &Maps, out: Label) {
    asm.store_value(Bits32, Frame, KEY, 0);
    asm.map(R1, maps.scratch.number());
    asm.address(R2, Frame, i32::from(KEY));
    asm.call(helper::MAP_LOOKUP);
    asm.jump_if(Equal, R0, 0, out);
}

/// Fill the head of a call's record: R6 is the context, R7 the thread, R8 the call.
fn fill(asm: &mut Asm, maps: &Maps, head: Reg) {
    asm.store(Bits64, Frame, NUMBER, R8);
    fill_from(asm, maps, head, NUMBER);
}

/// The same, with the call's number at a place of the stack.
fn fill_from(asm: &mut Asm, maps: &Maps, head: Reg, number: i16) {
    who(asm, head);
    asm.load(Bits64, R1, Frame, number);
    asm.store(Bits16, head, record::NUMBER, R1);
    asm.load(Bits64, R1, Frame, START);
    asm.store(Bits64, head, record::START, R1);
    asm.load(Bits64, R2, Frame, END);
    asm.op_reg(Sub, R2, R1);
    asm.store(Bits64, head, record::DURATION, R2);
    asm.load(Bits64, R1, R6, 8);
    asm.store(Bits64, head, record::RESULT, R1);
    for (place, argument) in arch::HERE.arguments.into_iter().enumerate() {
        asm.load(Bits64, R1, Frame, REGISTERS + argument);
        asm.store(Bits64, head, record::ARGUMENTS + 8 * place as i16, R1);
    }
    losses_so_far(asm, maps, head);
}

/// Thread, process and empty lengths.
fn who(asm: &mut Asm, head: Reg) {
    asm.store(Bits32, head, record::THREAD, R7);
    asm.mov(R1, R7);
    asm.op(ShiftRight, R1, 32);
    asm.store(Bits32, head, record::PROCESS, R1);
    asm.store_value(Bits16, head, record::NAME_LENGTH, 0);
    asm.store_value(Bits16, head, record::SECOND_LENGTH, 0);
    asm.store_value(Bits16, head, record::DATA_LENGTH, 0);
}

fn losses_so_far(asm: &mut Asm, maps: &Maps, head: Reg) {
    asm.value(R1, maps.lost.number(), 0);
    asm.load(Bits64, R1, R1, 8 * Loss::Calls as i16);
    asm.store(Bits64, head, record::LOST, R1);
}

/// Fill the head at R8 of a record that is no call's, without who and when.
fn empty_head(asm: &mut Asm, number: u16) {
    asm.store_value(Bits16, R8, record::NUMBER, i32::from(number));
    for length in [record::NAME_LENGTH, record::SECOND_LENGTH, record::DATA_LENGTH] {
        asm.store_value(Bits16, R8, length, 0);
    }
    for word in [record::DURATION, record::RESULT]
        .into_iter()
        .chain((0..6).map(|place| record::ARGUMENTS + 8 * place))
    {
        asm.store_value(Bits64, R8, word, 0);
    }
}

/// Begin the record of a beginning or an end of a thread: R8 is its head in the scratch room.
fn life(asm: &mut Asm, maps: &Maps, number: u16, out: Label) {
    scratch(asm, maps, out);
    asm.mov(R8, R0);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, R8, record::START, R0);
    who(asm, R8);
    empty_head(asm, number);
    losses_so_far(asm, maps, R8);
}

/// Copy the record at R8, of R3 bytes, into the ring.
fn output(asm: &mut Asm, maps: &Maps, full: Label) {
    asm.map(R1, maps.ring.number());
    asm.mov(R2, R8);
    asm.set(R4, NO_WAKE_UP);
    asm.call(helper::RING_OUTPUT);
    asm.jump_if(SignedLess, R0, 0, full);
}

/// The end of a program on threads.
fn leave(asm: &mut Asm, maps: &Maps, full: Label, out: Label) {
    asm.jump(out);
    asm.here(full);
    count_loss(asm, maps, Loss::Lives);
    asm.here(out);
    asm.exit();
}

fn count_loss(asm: &mut Asm, maps: &Maps, loss: Loss) {
    asm.set(R1, 1);
    asm.value(R2, maps.lost.number(), 8 * loss as i32);
    asm.add_atomically(R2, 0, R1);
}

/// Record the process whose number is at KEY.
fn add_process(asm: &mut Asm, maps: &Maps, value: i32) {
    asm.store_value(Bits8, Frame, FLAG, value);
    update_process(asm, maps);
}

fn update_process(asm: &mut Asm, maps: &Maps) {
    asm.map(R1, maps.processes.number());
    asm.address(R2, Frame, i32::from(KEY));
    asm.address(R3, Frame, i32::from(FLAG));
    asm.set(R4, 0);
    asm.call(helper::MAP_UPDATE);
}
