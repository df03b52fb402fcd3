// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs of the scheduler: when a recorded thread leaves the processor, can go on, and gets it back.

use super::*;

/// What a thread does that is off the processor: thread and process, when it left, how long it was blocked, its state,
/// its call, and its stack.
const WAIT_BYTES: u32 = 32;
const WAIT_THREAD: i16 = 0;
const WAIT_PROCESS: i16 = 4;
const WAIT_START: i16 = 8;
const WAIT_BLOCKED: i16 = 16;
const WAIT_STATE: i16 = 24;
const WAIT_CALL: i16 = 28;
const WAIT_STACK: i16 = 30;
/// States of a thread that does not come back (`include/linux/sched.h`: EXIT_DEAD, EXIT_ZOMBIE and TASK_DEAD).
const ENDED: i32 = 0x10 | 0x20 | 0x80;

/// The members of the kernel's structures whose offsets these programs need.
pub const MEMBERS: [(&str, &str); 2] = [("task_struct", "pid"), ("task_struct", "__state")];

/// The most addresses of a stack (PERF_MAX_STACK_DEPTH of the kernel), and the most different stacks.
const STACK_ADDRESSES: u32 = 127;
const MOST_STACKS: u32 = 1 << 14;
/// The stack of the program, not of the kernel (`include/uapi/linux/bpf.h`: BPF_F_USER_STACK).
const USER_STACK: i32 = 1 << 8;

/// The addresses of a stack, the innermost first.
pub type Stack = Vec<u64>;

/// Threads that are off the processor, by the lower bits of their numbers, and their stacks if these are recorded.
#[derive(Debug)]
pub struct Waits {
    slots: Map,
    stacks: Option<Map>,
}

/// A thread that is off the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    pub thread: u32,
    pub process: u32,
    pub start_ns: u64,
    /// How long it was blocked; 0 if it still is, or never was.
    pub blocked_ns: u64,
    pub state: u32,
    /// The number plus 1 of its call; 0 for none.
    pub call: u32,
    /// The kernel's number plus 1 of its stack; 0 for none.
    pub stack: u32,
}

impl Waits {
    pub fn new(with_stacks: bool) -> io::Result<Waits> {
        let stacks = || Map::new(Kind::Stacks, 8 * STACK_ADDRESSES, MOST_STACKS, 0);
        Ok(Waits {
            slots: Map::new(Kind::Array, SLOTS * WAIT_BYTES, 1, 0)?,
            stacks: with_stacks.then(stacks).transpose()?,
        })
    }

    /// The stack of a number of the kernel; None if it cannot be read.
    pub fn stack(&self, number: u32) -> Option<Stack> {
        let bytes = self.stacks.as_ref()?.get(number).ok()?;
        Some(bytes.chunks_exact(8).map(little_endian).take_while(|&address| address != 0).collect())
    }

    /// The threads that are off the processor.
    pub fn under_way(&self) -> io::Result<Vec<Wait>> {
        let slots = self.slots.get(0)?;
        let waits = slots.chunks_exact(WAIT_BYTES as usize).map(|slot| {
            let number = |at: i16, bytes: usize| little_endian(&slot[at as usize..at as usize + bytes]);
            Wait {
                thread: number(WAIT_THREAD, 4) as u32,
                process: number(WAIT_PROCESS, 4) as u32,
                start_ns: number(WAIT_START, 8),
                blocked_ns: number(WAIT_BLOCKED, 8),
                state: number(WAIT_STATE, 4) as u32,
                call: number(WAIT_CALL, 2) as u32,
                stack: number(WAIT_STACK, 2) as u32,
            }
        });
        Ok(waits.filter(|wait| wait.thread != 0).collect())
    }

    /// `target` = the slot of the thread whose number is in `thread`.
    fn slot(&self, asm: &mut Asm, target: Reg, thread: Reg) {
        asm.mov_32(target, thread);
        asm.op(And, target, SLOTS as i32 - 1);
        asm.op(ShiftLeft, target, WAIT_BYTES.trailing_zeros() as i32);
        asm.value(R1, self.slots.number(), 0);
        asm.op_reg(Add, target, R1);
    }
}

/// The program at a switch: make a record of the thread that gets the processor, and note the one that leaves it.
pub fn switches(maps: &Maps, waits: &Waits, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (leaves, out) = (asm.label(), asm.label());
    asm.mov(R6, R1);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, END, R0);
    number_of(&mut asm, offsets, 16)?;
    asm.jump_if(Equal, R8, 0, leaves);
    of_thread(&mut asm, waits, leaves);
    end_wait(&mut asm, maps, leaves);
    asm.here(leaves);
    note_leaving(&mut asm, maps, waits, offsets, out)?;
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// At the end of a call: the thread has the processor. Kernels do not show every switch to a thread; a wait within the call
/// whose end was not shown ends here, and is counted as lost, since it may have ended before.
pub(super) fn end_with_call(asm: &mut Asm, maps: &Maps, waits: &Waits) {
    let none = asm.label();
    asm.call(helper::PROCESS_AND_THREAD);
    asm.mov_32(R8, R0);
    of_thread(asm, waits, none);
    asm.load(Bits16, R1, R9, WAIT_CALL);
    asm.jump_if(Equal, R1, 0, none);
    count_loss(asm, maps, Loss::UnderCalls);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, END, R0);
    end_wait(asm, maps, none);
    asm.here(none);
}

/// R9 = the wait of thread R8; jump to `none` if it is not waiting.
fn of_thread(asm: &mut Asm, waits: &Waits, none: Label) {
    waits.slot(asm, R9, R8);
    asm.load(Bits32, R1, R9, WAIT_THREAD);
    asm.jump_if_reg(NotEqual, R1, R8, none);
}

/// Write a record of the wait at R9 of thread R8, with end time END, to the ring; jump to `full` if the ring is full.
fn end_wait(asm: &mut Asm, maps: &Maps, full: Label) {
    asm.store_value(Bits32, R9, WAIT_THREAD, 0);
    asm.store(Bits64, Frame, NUMBER, R8);
    begin_under_calls(asm, maps, record::OFF_PROCESSOR, HEAD_BYTES, full);
    asm.load(Bits64, R1, Frame, NUMBER);
    asm.store(Bits32, R8, record::THREAD, R1);
    for (width, from, to) in [
        (Bits32, WAIT_PROCESS, record::PROCESS),
        (Bits64, WAIT_START, record::START),
        (Bits64, WAIT_BLOCKED, record::ARGUMENTS),
    ] {
        asm.load(width, R1, R9, from);
        asm.store(width, R8, to, R1);
    }
    for (width, from, to) in [(Bits32, WAIT_STATE, 8), (Bits16, WAIT_CALL, 16), (Bits16, WAIT_STACK, 24)] {
        asm.load(width, R1, R9, from);
        asm.store(Bits64, R8, record::ARGUMENTS + to, R1);
    }
    asm.load(Bits64, R1, R9, WAIT_START);
    asm.load(Bits64, R2, Frame, END);
    asm.op_reg(Sub, R2, R1);
    asm.store(Bits64, R8, record::DURATION, R2);
    // where no wake-up was shown, it is taken to be blocked to the end
    let is_whole = asm.label();
    asm.load(Bits32, R1, R9, WAIT_STATE);
    asm.jump_if(Equal, R1, 0, is_whole);
    asm.load(Bits64, R1, R9, WAIT_BLOCKED);
    asm.jump_if(NotEqual, R1, 0, is_whole);
    asm.store(Bits64, R8, record::ARGUMENTS, R2);
    count_loss(asm, maps, Loss::UnderCalls);
    asm.here(is_whole);
    submit(asm);
}

/// Note that the thread that runs leaves the processor, if it is recorded.
fn note_leaving(asm: &mut Asm, maps: &Maps, waits: &Waits, offsets: &Offsets, out: Label) -> io::Result<()> {
    only_recorded(asm, maps, out);
    // the state of a thread that is made to leave is of no meaning
    let (has_state, is_free, in_no_call) = (asm.label(), asm.label(), asm.label());
    asm.store_value(Bits64, Frame, WORD, 0);
    asm.load(Bits64, R1, R6, 0);
    asm.jump_if(NotEqual, R1, 0, has_state);
    asm.address(R1, Frame, i32::from(WORD));
    asm.set(R2, 4);
    asm.load(Bits64, R3, R6, 8);
    asm.op(Add, R3, offsets.get("task_struct", "__state")?);
    asm.call(helper::READ_KERNEL);
    asm.here(has_state);
    asm.load(Bits32, R8, Frame, WORD);
    asm.mov(R1, R8);
    asm.op(And, R1, ENDED);
    asm.jump_if(NotEqual, R1, 0, out);
    waits.slot(asm, R9, R7);
    // the end of a wait was not shown, or two threads share the slot
    asm.load(Bits32, R1, R9, WAIT_THREAD);
    asm.jump_if(Equal, R1, 0, is_free);
    count_loss(asm, maps, Loss::UnderCalls);
    asm.here(is_free);
    asm.store(Bits32, R9, WAIT_STATE, R8);
    asm.load(Bits64, R1, Frame, END);
    asm.store(Bits64, R9, WAIT_START, R1);
    asm.store_value(Bits64, R9, WAIT_BLOCKED, 0);
    asm.mov(R1, R7);
    asm.op(ShiftRight, R1, 32);
    asm.store(Bits32, R9, WAIT_PROCESS, R1);
    asm.store_value(Bits32, R9, WAIT_CALL, 0); // and no stack
    slot(asm, maps, R3);
    asm.load(Bits32, R1, R3, 0);
    asm.mov_32(R2, R7);
    asm.jump_if_reg(NotEqual, R1, R2, in_no_call);
    asm.load(Bits32, R1, R3, 4);
    asm.op(Add, R1, 1);
    asm.store(Bits16, R9, WAIT_CALL, R1);
    asm.here(in_no_call);
    if let Some(stacks) = &waits.stacks {
        let no_stack = asm.label();
        asm.jump_if(Equal, R8, 0, no_stack);
        asm.mov(R1, R6);
        asm.map(R2, stacks.number());
        asm.set(R3, USER_STACK);
        asm.call(helper::STACK);
        asm.jump_if(SignedLess, R0, 0, no_stack);
        asm.op(Add, R0, 1);
        asm.store(Bits16, R9, WAIT_STACK, R0);
        asm.here(no_stack);
    }
    asm.store(Bits32, R9, WAIT_THREAD, R7);
    Ok(())
}

/// The program at a wake-up: note how long the thread was blocked.
pub fn wakes(waits: &Waits, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let out = asm.label();
    asm.mov(R6, R1);
    number_of(&mut asm, offsets, 0)?;
    asm.jump_if(Equal, R8, 0, out);
    of_thread(&mut asm, waits, out);
    asm.load(Bits64, R1, R9, WAIT_BLOCKED);
    asm.jump_if(NotEqual, R1, 0, out);
    asm.call(helper::TIME_NS);
    asm.load(Bits64, R1, R9, WAIT_START);
    asm.op_reg(Sub, R0, R1);
    asm.store(Bits64, R9, WAIT_BLOCKED, R0);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// R8 = the number of the thread whose structure is at this place of the context.
fn number_of(asm: &mut Asm, offsets: &Offsets, place: i16) -> io::Result<()> {
    asm.store_value(Bits64, Frame, WORD, 0);
    asm.address(R1, Frame, i32::from(WORD));
    asm.set(R2, 4);
    asm.load(Bits64, R3, R6, place);
    asm.op(Add, R3, offsets.get("task_struct", "pid")?);
    asm.call(helper::READ_KERNEL);
    asm.load(Bits32, R8, Frame, WORD);
    Ok(())
}
