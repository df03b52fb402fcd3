// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs on threads and processes: beginnings, programs that they start, and ends.

use super::*;

/// The child says which process it is, so that it is recorded, as the numbers of /proc are not those of programs in a PID
/// namespace: it closes `descriptor`, which no process has and no other recorder takes.
pub fn hello(maps: &Maps, descriptor: i32) -> io::Result<Vec<Instruction>> {
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
    asm.jump_if(NotEqual, R1, descriptor, out);
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
    look_up_process(&mut asm, maps);
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
    asm.mov(R3, R7);
    asm.op(ShiftRight, R3, 32);
    asm.store(Bits32, Frame, KEY, R3);
    delete(&mut asm, &maps.processes, KEY);
    asm.here(lives);
    asm.set(R3, HEAD_BYTES as i32);
    output(&mut asm, maps, full);
    leave(&mut asm, maps, full, out);
    asm.finish()
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

/// The end of a program on threads.
fn leave(asm: &mut Asm, maps: &Maps, full: Label, out: Label) {
    asm.jump(out);
    asm.here(full);
    count_loss(asm, maps, Loss::Lives);
    asm.here(out);
    asm.exit();
}
