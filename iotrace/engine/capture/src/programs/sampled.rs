// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! Which calls belong to a sample of files: at the beginning those on descriptors, at the end those that open files.

use super::*;
use crate::calls::{ALWAYS_BIT, DESCRIPTORS, DESCRIPTORS_SHIFT, OPENS_BIT, TARGET_BIT};
use crate::sample::{FileSample, DEVICE_FACTOR, FACTORS, SHIFTS};

/// A bit above those of the arguments: a descriptor's file is in the sample.
const IS_IN_SAMPLE: i32 = 1 << 8;
/// The bits of a file's mode that are its kind, and the kind of regular files.
const KIND: i32 = 0xf000;
const REGULAR: i32 = 0x8000;

/// At the beginning of the call R8, whose shape is R9: leaves a bit for each argument that is a descriptor of a file outside
/// the sample at WORD, or jumps to `left_out` if the call does not belong to the sample.
pub(super) fn begins(
    asm: &mut Asm,
    offsets: &Offsets,
    sample: FileSample,
    left_out: Label,
) -> io::Result<()> {
    let keeps = asm.label();
    asm.store_value(Bits64, Frame, WORD, 0);
    for bit in [ALWAYS_BIT, OPENS_BIT] {
        has_bit(asm, bit.trailing_zeros());
        asm.jump_if(NotEqual, R1, 0, keeps);
    }
    read_registers(asm);
    for argument in DESCRIPTORS {
        let (next, outside) = (asm.label(), asm.label());
        has_bit(asm, DESCRIPTORS_SHIFT + argument as u32);
        asm.jump_if(Equal, R1, 0, next);
        asm.load(Bits64, R3, Frame, REGISTERS + arch::HERE.arguments[argument]);
        has(asm, offsets, sample, outside)?;
        note(asm, IS_IN_SAMPLE);
        asm.jump(next);
        asm.here(outside);
        if argument == 1 {
            has_bit(asm, TARGET_BIT.trailing_zeros());
            asm.jump_if(NotEqual, R1, 0, next);
        }
        note(asm, 1 << argument);
        asm.here(next);
    }
    asm.load(Bits64, R1, Frame, WORD);
    asm.op(And, R1, IS_IN_SAMPLE);
    asm.jump_if(Equal, R1, 0, left_out);
    asm.here(keeps);
    Ok(())
}

/// At the end of a call, whose shape is R9 and whose context is R6: jumps to `left_out` if it did not open a file of the
/// sample, but was to open one.
pub(super) fn opened(
    asm: &mut Asm,
    offsets: &Offsets,
    sample: FileSample,
    left_out: Label,
) -> io::Result<()> {
    let keeps = asm.label();
    has_bit(asm, OPENS_BIT.trailing_zeros());
    asm.jump_if(Equal, R1, 0, keeps);
    asm.load(Bits64, R3, R6, 8);
    asm.jump_if(SignedLess, R3, 0, left_out);
    has(asm, offsets, sample, left_out)?;
    asm.here(keeps);
    Ok(())
}

/// In the record at `head`: -1 in place of the descriptors of files outside the sample, whose bits are at WORD.
pub(super) fn hide_others(asm: &mut Asm, head: Reg) {
    for argument in DESCRIPTORS {
        let next = asm.label();
        asm.load(Bits64, R1, Frame, WORD);
        asm.op(And, R1, 1 << argument);
        asm.jump_if(Equal, R1, 0, next);
        asm.store_value(Bits64, head, record::ARGUMENTS + 8 * argument as i16, -1);
        asm.here(next);
    }
}

/// R1 = the bit of the shape R9 with this number.
fn has_bit(asm: &mut Asm, number: u32) {
    asm.mov(R1, R9);
    asm.op(ShiftRight, R1, number as i32);
    asm.op(And, R1, 1);
}

fn note(asm: &mut Asm, bit: i32) {
    asm.load(Bits64, R1, Frame, WORD);
    asm.op(Or, R1, bit);
    asm.store(Bits64, Frame, WORD, R1);
}

/// Jumps to `outside` unless the descriptor R3 is of a regular file that is in the sample.
fn has(asm: &mut Asm, offsets: &Offsets, sample: FileSample, outside: Label) -> io::Result<()> {
    let (is_possible, is_in) = (asm.label(), asm.label());
    asm.mov_32(R3, R3);
    asm.store(Bits64, Frame, START, R3);
    asm.call(helper::TASK);
    asm.mov(R3, R0);
    follow(asm, offsets.get("task_struct", "files")?, outside);
    follow(asm, offsets.get("files_struct", "fdt")?, outside);
    asm.store(Bits64, Frame, NUMBER, R3);
    read(asm, R3, offsets.get("fdtable", "max_fds")?, 4, FLAG);
    asm.load(Bits64, R1, Frame, FLAG);
    asm.load(Bits64, R2, Frame, START);
    asm.jump_if_reg(Less, R2, R1, is_possible);
    asm.jump(outside);
    asm.here(is_possible);
    asm.load(Bits64, R3, Frame, NUMBER);
    follow(asm, offsets.get("fdtable", "fd")?, outside);
    asm.load(Bits64, R1, Frame, START);
    asm.op(ShiftLeft, R1, 3);
    asm.op_reg(Add, R3, R1);
    follow(asm, 0, outside);
    follow(asm, offsets.get("file", "f_inode")?, outside);
    asm.store(Bits64, Frame, NUMBER, R3);
    read(asm, R3, offsets.get("inode", "i_mode")?, 2, FLAG);
    asm.load(Bits64, R1, Frame, FLAG);
    asm.op(And, R1, KIND);
    asm.jump_if(NotEqual, R1, REGULAR, outside);
    asm.load(Bits64, R3, Frame, NUMBER);
    read(asm, R3, offsets.get("inode", "i_ino")?, 8, START);
    asm.load(Bits64, R3, Frame, NUMBER);
    follow(asm, offsets.get("inode", "i_sb")?, outside);
    read(asm, R3, offsets.get("super_block", "s_dev")?, 4, FLAG);
    asm.load(Bits64, R1, Frame, FLAG);
    asm.set_64(R3, DEVICE_FACTOR);
    asm.op_reg(Multiply, R1, R3);
    asm.load(Bits64, R2, Frame, START);
    asm.op_reg(Add, R1, R2);
    for (shift, factor) in SHIFTS.iter().zip(FACTORS) {
        mix(asm, *shift);
        asm.set_64(R3, factor);
        asm.op_reg(Multiply, R1, R3);
    }
    mix(asm, SHIFTS[2]);
    asm.op(ShiftRight, R1, 32);
    asm.set_64(R3, sample.bound());
    asm.jump_if_reg(Less, R1, R3, is_in);
    asm.jump(outside);
    asm.here(is_in);
    Ok(())
}

/// `R1 ^= R1 >> shift`
fn mix(asm: &mut Asm, shift: i32) {
    asm.mov(R2, R1);
    asm.op(ShiftRight, R2, shift);
    asm.op_reg(ExclusiveOr, R1, R2);
}
