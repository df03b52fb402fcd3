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
use Op::{Add, And, ExclusiveOr, Multiply, Or, ShiftLeft, ShiftRight, Sub};
use Reg::{Frame, R0, R1, R2, R3, R4, R6, R7, R8, R9};
use When::{Equal, Greater, Less, NotEqual, SignedGreater, SignedLess};
use Width::{Bits16, Bits32, Bits64, Bits8};

pub mod disk;
mod maps;
pub mod page_cache;
mod sampled;
pub mod scheduler;
pub mod syscalls;
pub mod threads;
pub mod uring;

pub use maps::{Maps, Met};

/// Helpers of the kernel (`include/uapi/linux/bpf.h`).
mod helper {
    pub const MAP_LOOKUP: i32 = 1;
    pub const MAP_UPDATE: i32 = 2;
    pub const MAP_DELETE: i32 = 3;
    pub const TIME_NS: i32 = 5;
    pub const PROCESSOR: i32 = 8;
    pub const PROCESS_AND_THREAD: i32 = 14;
    pub const NAME: i32 = 16;
    pub const STACK: i32 = 27;
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
pub const MEMBERS: [(&str, &str); 19] = [
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
    ("fdtable", "max_fds"),
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
/// The time in the slot of a call that is not in the sample of files.
const LEFT_OUT: u64 = 0;
const MOST_PROCESSES: u32 = 1 << 16;
/// The most bytes of the arguments of a program; a power of two.
pub const MOST_ARGUMENT_BYTES: i32 = 2048;

/// The values of processes that are recorded, and of those that never are.
pub const RECORDED: u8 = 1;
pub const EXCLUDED: u8 = 2;

/// Places on a program's stack.
const KEY: i16 = -4;
const FLAG: i16 = -8;
const END: i16 = -16;
const START: i16 = -24;
const WORD: i16 = -32;
const NUMBER: i16 = -40;
const REGISTERS: i16 = -48 - arch::HERE.bytes as i16;

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

/// Copy the registers of the call, whose context is R6, to REGISTERS.
fn read_registers(asm: &mut Asm) {
    asm.address(R1, Frame, i32::from(REGISTERS));
    asm.set(R2, arch::HERE.bytes);
    asm.load(Bits64, R3, R6, 0);
    asm.op(Add, R3, arch::HERE.start);
    asm.call(helper::READ_KERNEL);
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

/// Set the value of a key; both are on the stack. R0 = 0 if there was room.
fn update(asm: &mut Asm, map: &Map, key: i16, value: i16) {
    asm.map(R1, map.number());
    asm.address(R2, Frame, i32::from(key));
    asm.address(R3, Frame, i32::from(value));
    asm.set(R4, 0);
    asm.call(helper::MAP_UPDATE);
}

/// Remove the key on the stack.
fn delete(asm: &mut Asm, map: &Map, key: i16) {
    asm.map(R1, map.number());
    asm.address(R2, Frame, i32::from(key));
    asm.call(helper::MAP_DELETE);
}

/// R0 = room for a record in the ring, 0 if there is none.
fn reserve(asm: &mut Asm, maps: &Maps, bytes: usize) {
    asm.map(R1, maps.ring.number());
    asm.set(R2, bytes as i32);
    asm.set(R3, 0);
    asm.call(helper::RING_RESERVE);
}

/// R8 = a new record in the ring of something under the calls. Without room, count a loss and jump to `out`.
fn begin_under_calls(asm: &mut Asm, maps: &Maps, number: u16, bytes: usize, out: Label) {
    let has_room = asm.label();
    reserve(asm, maps, bytes);
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

/// Leaves unless the process is recorded.
fn only_recorded(asm: &mut Asm, maps: &Maps, out: Label) {
    look_up_process(asm, maps);
    asm.jump_if(Equal, R0, 0, out);
    refuse_excluded(asm, maps, out);
}

fn refuse_excluded(asm: &mut Asm, maps: &Maps, out: Label) {
    if maps.met == Met::All {
        asm.load(Bits8, R1, R0, 0);
        asm.jump_if(Equal, R1, i32::from(EXCLUDED), out);
    }
}

/// R7 = the process's and the thread's number; R0 = the process's value, 0 if it has none.
fn look_up_process(asm: &mut Asm, maps: &Maps) {
    asm.call(helper::PROCESS_AND_THREAD);
    asm.mov(R7, R0);
    asm.op(ShiftRight, R0, 32);
    asm.store(Bits32, Frame, KEY, R0);
    look_up(asm, &maps.processes, KEY);
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
    look_up(asm, &maps.scratch, KEY);
    asm.jump_if(Equal, R0, 0, out);
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

/// Fill the head at R8 of a record of something else than a call, without thread, process and times.
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

/// Copy the record at R8, of R3 bytes, into the ring.
fn output(asm: &mut Asm, maps: &Maps, full: Label) {
    asm.map(R1, maps.ring.number());
    asm.mov(R2, R8);
    asm.set(R4, NO_WAKE_UP);
    asm.call(helper::RING_OUTPUT);
    asm.jump_if(SignedLess, R0, 0, full);
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
    update(asm, &maps.processes, KEY, FLAG);
}
