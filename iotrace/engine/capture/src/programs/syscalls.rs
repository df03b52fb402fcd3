// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs at the beginning and the end of calls.

use super::scheduler::Waits;
use super::*;
use crate::calls::{CONTROL_BIT, MOST_CONTROL_BYTES};
use crate::sample::FileSample;

/// The program at the beginning of a call: note when it was. A call that does not return is recorded here. With a sample
/// of files, the upper half of the number in the slot has a bit for each argument that is a descriptor of another file.
pub fn call_begins(
    maps: &Maps,
    offsets: &Offsets,
    sample: Option<FileSample>,
) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, last, full, left_out) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    only_recorded_or_met(&mut asm, maps, out, out);
    asm.load(Bits64, R8, R6, 8);
    shape(&mut asm, maps, out);
    if let Some(sample) = sample {
        asm.mov(R9, R1);
        sampled::begins(&mut asm, offsets, sample, left_out)?;
    }
    asm.call(helper::TIME_NS);
    asm.mov(R9, R0);
    for number in [libc::SYS_exit, libc::SYS_exit_group] {
        asm.jump_if(Equal, R8, number as i32, last);
    }
    if sample.is_some() {
        asm.load(Bits64, R1, Frame, WORD);
        asm.op(ShiftLeft, R1, 16);
        asm.op_reg(Or, R8, R1);
    }
    slot(&mut asm, maps, R3);
    asm.store(Bits32, R3, 0, R7);
    asm.store(Bits32, R3, 4, R8);
    asm.store(Bits64, R3, 8, R9);
    asm.jump(out);
    if sample.is_some() {
        asm.here(left_out);
        slot(&mut asm, maps, R3);
        asm.store(Bits32, R3, 0, R7);
        asm.store_value(Bits64, R3, 8, LEFT_OUT as i32);
        asm.jump(out);
    }
    asm.here(last);
    last_call(&mut asm, maps, full);
    asm.jump(out);
    asm.here(full);
    count_loss(&mut asm, maps, Loss::Calls);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// Make a record of the call R8 that thread R7 begins at R9, and that does not return.
fn last_call(asm: &mut Asm, maps: &Maps, full: Label) {
    asm.store(Bits64, Frame, NUMBER, R8);
    reserve(asm, maps, HEAD_BYTES);
    asm.jump_if(Equal, R0, 0, full);
    asm.mov(R8, R0);
    empty_head(asm, record::UNDER_WAY);
    who(asm, R8);
    asm.store(Bits64, R8, record::START, R9);
    asm.load(Bits64, R1, Frame, NUMBER);
    asm.store(Bits64, R8, record::ARGUMENTS, R1);
    losses_so_far(asm, maps, R8);
    submit(asm);
}

/// The program at the end of a call: make a record of it, and end a wait within it that is still open. Without `times`,
/// its duration is not known.
pub fn call_ends(
    maps: &Maps,
    offsets: &Offsets,
    times: bool,
    sample: Option<FileSample>,
    waits: Option<&Waits>,
) -> io::Result<Vec<Instruction>> {
    let registers = arch::HERE;
    let mut asm = Asm::default();
    let (out, plain, full, narrow) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    only_recorded_or_met(&mut asm, maps, full, out);
    read_registers(&mut asm);
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
    let left_out = asm.label();
    if let Some(sample) = sample {
        sampled::opened(&mut asm, offsets, sample, left_out)?;
        asm.store_value(Bits64, Frame, WORD, 0);
    }
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
        if sample.is_some() {
            asm.jump_if(Equal, R1, LEFT_OUT as i32, left_out);
            asm.load(Bits16, R1, R3, 6);
            asm.store(Bits64, Frame, WORD, R1);
        }
        asm.store_value(Bits32, R3, 0, 0);
        asm.here(unknown);
    }
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, 8);
    asm.jump_if(Equal, R1, 0, plain);
    with_data(&mut asm, maps, offsets, sample, out, full)?;
    asm.here(plain);
    reserve(&mut asm, maps, HEAD_BYTES);
    asm.jump_if(Equal, R0, 0, full);
    asm.mov(R9, R0);
    asm.store(Bits64, Frame, NUMBER, R8);
    fill(&mut asm, maps, R9, sample);
    asm.mov(R1, R9);
    asm.set(R2, NO_WAKE_UP);
    asm.call(helper::RING_SUBMIT);
    asm.jump(out);
    asm.here(full);
    count_loss(&mut asm, maps, Loss::Calls);
    asm.jump(out);
    asm.here(narrow);
    count_loss(&mut asm, maps, Loss::Narrow);
    if sample.is_some() {
        asm.jump(out);
        asm.here(left_out);
        forget_slot(&mut asm, maps, out);
    }
    asm.here(out);
    if let Some(waits) = waits {
        scheduler::end_with_call(&mut asm, maps, waits);
    }
    asm.exit();
    asm.finish()
}

/// Make a record with names and data in the scratch room, and copy it into the ring.
fn with_data(
    asm: &mut Asm,
    maps: &Maps,
    offsets: &Offsets,
    sample: Option<FileSample>,
    out: Label,
    full: Label,
) -> io::Result<()> {
    scratch(asm, maps, out);
    asm.store(Bits64, Frame, NUMBER, R8);
    asm.mov(R8, R0);
    // R6 is the context until the head is filled, then the bytes of names and data so far
    fill(asm, maps, R8, sample);
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

/// The size of `struct msghdr`, and where it has the control part and its size.
const HEADER_BYTES: i32 = 56;
const CONTROL: i16 = 32;

/// A bound of the bytes of data that the kernel's verifier understands.
const DATA_MASK: i32 = 16 * (MOST_VECTOR_PARTS as i32 + 1) - 1;

/// Copy a vector, the control part of a message, or a number of bytes.
fn data(asm: &mut Asm) {
    let (none, of_bytes, read) = (asm.label(), asm.label(), asm.label());
    let no_message = asm.label();
    pointer(asm, 16, none);
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, CONTROL_BIT.trailing_zeros() as i32);
    asm.op(And, R1, 1);
    asm.jump_if(Equal, R1, 0, no_message);
    control(asm, none);
    asm.jump(read);
    asm.here(no_message);
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
    asm.op(And, R2, DATA_MASK);
    asm.store(Bits32, Frame, KEY, R2);
    destination(asm);
    asm.call(helper::READ_USER);
    asm.jump_if(NotEqual, R0, 0, none);
    asm.load(Bits32, R1, Frame, KEY);
    asm.op(And, R1, DATA_MASK);
    asm.op_reg(Add, R6, R1);
    mark(asm, record::HAS_DATA);
    asm.here(none);
}

/// R3 = the control part of the message at R3, and R2 its size; leaves if it has none.
fn control(asm: &mut Asm, none: Label) {
    let fits = asm.label();
    destination(asm);
    asm.set(R2, HEADER_BYTES);
    asm.call(helper::READ_USER);
    asm.jump_if(NotEqual, R0, 0, none);
    destination(asm);
    asm.load(Bits64, R3, R1, CONTROL);
    asm.load(Bits64, R2, R1, CONTROL + 8);
    asm.jump_if(Equal, R3, 0, none);
    asm.jump_if(Equal, R2, 0, none);
    asm.jump_if(Less, R2, MOST_CONTROL_BYTES as i32, fits);
    asm.set(R2, MOST_CONTROL_BYTES as i32);
    asm.here(fits);
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

/// A name that could not be read is a loss if the call succeeded; a failed call may have been given a bad address.
fn count_lost_name(asm: &mut Asm, maps: &Maps) {
    let failed = asm.label();
    asm.load(Bits64, R1, R8, record::RESULT);
    asm.jump_if(SignedLess, R1, 0, failed);
    count_loss(asm, maps, Loss::Names);
    asm.here(failed);
}

/// The same at a call; a process that is to be recorded from its first call on is added, or leaves by `full`.
fn only_recorded_or_met(asm: &mut Asm, maps: &Maps, full: Label, out: Label) {
    let (known, added) = (asm.label(), asm.label());
    if maps.met == Met::None {
        return only_recorded(asm, maps, out);
    }
    look_up_process(asm, maps);
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

/// Empty the slot of thread R7, if it is its own.
fn forget_slot(asm: &mut Asm, maps: &Maps, out: Label) {
    slot(asm, maps, R3);
    asm.load(Bits32, R1, R3, 0);
    asm.mov_32(R2, R7);
    asm.jump_if_reg(NotEqual, R1, R2, out);
    asm.store_value(Bits32, R3, 0, 0);
}

/// Fill the head of a call's record: R6 is the context, R7 the thread, and the call's number is at NUMBER.
fn fill(asm: &mut Asm, maps: &Maps, head: Reg, sample: Option<FileSample>) {
    who(asm, head);
    asm.load(Bits64, R1, Frame, NUMBER);
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
    if sample.is_some() {
        sampled::hide_others(asm, head);
    }
    losses_so_far(asm, maps, head);
}
