//! Instructions of BPF, with labels, so that programs are made at run time without a compiler.

use std::io;

/// An instruction as bpf(2) takes it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instruction {
    pub code: u8,
    /// The target register in the lower four bits, the source in the upper four.
    pub registers: u8,
    pub offset: i16,
    pub immediate: i32,
}

/// A register; a called helper takes R1 to R5, returns R0 and keeps R6 to R9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Reg {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    /// The top of the stack of 512 bytes.
    Frame,
}

/// The width of what is loaded or stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    Bits32 = 0x00,
    Bits16 = 0x08,
    Bits8 = 0x10,
    Bits64 = 0x18,
}

/// An operation on 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    Add = 0x00,
    Sub = 0x10,
    Multiply = 0x20,
    Or = 0x40,
    And = 0x50,
    ShiftLeft = 0x60,
    ShiftRight = 0x70,
    ExclusiveOr = 0xa0,
    Move = 0xb0,
    /// Keeps the sign.
    ShiftRightSigned = 0xc0,
}

/// The condition of a jump; `Signed` ones compare as numbers with a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum When {
    Equal = 0x10,
    Greater = 0x20,
    NotEqual = 0x50,
    SignedGreater = 0x60,
    SignedLess = 0xc0,
    Less = 0xa0,
}

/// A place in a program to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(usize);

/// A program being written.
#[derive(Debug, Default)]
pub struct Asm {
    code: Vec<Instruction>,
    /// Jumps, with their labels.
    jumps: Vec<(usize, Label)>,
    labels: Vec<Option<usize>>,
}

const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const JUMP: u8 = 0x05;
const LOAD_64_BITS: u8 = 0x18;
/// In place of a register: the immediate is a map's descriptor.
const OF_MAP: u8 = 1;
/// The same, for the address of an array's only value.
const OF_VALUE: u8 = 2;

impl Asm {
    fn put(&mut self, code: u8, target: Reg, source: u8, offset: i16, immediate: i32) {
        let registers = target as u8 | source << 4;
        self.code.push(Instruction { code, registers, offset, immediate });
    }

    /// A label that is placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Place a label at the next instruction.
    pub fn here(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// `target = target OP immediate`
    pub fn op(&mut self, op: Op, target: Reg, immediate: i32) {
        self.put(0x07 | op as u8, target, 0, 0, immediate);
    }

    /// `target = target OP source`
    pub fn op_reg(&mut self, op: Op, target: Reg, source: Reg) {
        self.put(0x0f | op as u8, target, source as u8, 0, 0);
    }

    pub fn mov(&mut self, target: Reg, source: Reg) {
        self.op_reg(Op::Move, target, source);
    }

    /// `target = immediate`
    pub fn set(&mut self, target: Reg, immediate: i32) {
        self.op(Op::Move, target, immediate);
    }

    /// The same with 64 bits.
    pub fn set_64(&mut self, target: Reg, immediate: u64) {
        self.put(LOAD_64_BITS, target, 0, 0, immediate as i32);
        self.put(0, Reg::R0, 0, 0, (immediate >> 32) as i32);
    }

    /// Move the lower 32 bits, and clear the upper ones.
    pub fn mov_32(&mut self, target: Reg, source: Reg) {
        self.put(0x0c | Op::Move as u8, target, source as u8, 0, 0);
    }

    /// `target = source + offset`
    pub fn address(&mut self, target: Reg, source: Reg, offset: i32) {
        self.mov(target, source);
        self.op(Op::Add, target, offset);
    }

    /// `target = *(source + offset)`
    pub fn load(&mut self, width: Width, target: Reg, source: Reg, offset: i16) {
        self.put(0x61 | width as u8, target, source as u8, offset, 0);
    }

    /// `*(target + offset) = source`
    pub fn store(&mut self, width: Width, target: Reg, offset: i16, source: Reg) {
        self.put(0x63 | width as u8, target, source as u8, offset, 0);
    }

    /// `*(target + offset) = immediate`
    pub fn store_value(&mut self, width: Width, target: Reg, offset: i16, immediate: i32) {
        self.put(0x62 | width as u8, target, 0, offset, immediate);
    }

    /// `*(target + offset) += source`, at once for all processors.
    pub fn add_atomically(&mut self, target: Reg, offset: i16, source: Reg) {
        self.put(0xdb, target, source as u8, offset, 0);
    }

    /// Call a helper of the kernel.
    pub fn call(&mut self, helper: i32) {
        self.put(CALL, Reg::R0, 0, 0, helper);
    }

    pub fn jump(&mut self, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.put(JUMP, Reg::R0, 0, 0, 0);
    }

    /// Jump if `register WHEN immediate`.
    pub fn jump_if(&mut self, when: When, register: Reg, immediate: i32, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.put(JUMP | when as u8, register, 0, 0, immediate);
    }

    /// Jump if `register WHEN other`.
    pub fn jump_if_reg(&mut self, when: When, register: Reg, other: Reg, to: Label) {
        self.jumps.push((self.code.len(), to));
        self.put(JUMP | 0x08 | when as u8, register, other as u8, 0, 0);
    }

    /// Load a map, by its descriptor.
    pub fn map(&mut self, target: Reg, descriptor: i32) {
        self.put(LOAD_64_BITS, target, OF_MAP, 0, descriptor);
        self.put(0, Reg::R0, 0, 0, 0);
    }

    /// Load the address of a byte of an array's only value.
    pub fn value(&mut self, target: Reg, descriptor: i32, offset: i32) {
        self.put(LOAD_64_BITS, target, OF_VALUE, 0, descriptor);
        self.put(0, Reg::R0, 0, 0, offset);
    }

    /// Return 0.
    pub fn exit(&mut self) {
        self.set(Reg::R0, 0);
        self.put(EXIT, Reg::R0, 0, 0, 0);
    }

    /// The program, with its jumps filled in.
    ///
    /// # Errors
    /// A label without a place, or one that is too far away.
    pub fn finish(mut self) -> io::Result<Vec<Instruction>> {
        for (at, label) in &self.jumps {
            let place = self.labels[label.0].ok_or_else(|| io::Error::other("a jump leads nowhere"))?;
            let distance = place as i64 - *at as i64 - 1;
            self.code[*at].offset = i16::try_from(distance).map_err(io::Error::other)?;
        }
        Ok(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_the_kernels_form() {
        let mut asm = Asm::default();
        let end = asm.label();
        asm.mov(Reg::R6, Reg::R1);
        asm.jump_if(When::Equal, Reg::R6, 7, end);
        asm.load(Width::Bits64, Reg::R3, Reg::R6, 8);
        asm.store(Width::Bits32, Reg::Frame, -4, Reg::R3);
        asm.call(5);
        asm.here(end);
        asm.exit();
        let code: Vec<(u8, u8, i16, i32)> = asm
            .finish()
            .unwrap_or_default()
            .iter()
            .map(|one| (one.code, one.registers, one.offset, one.immediate))
            .collect();
        // as `llvm-objdump` prints them: r6 = r1; if r6 == 7 goto +3; r3 = *(u64 *)(r6 + 8); ...
        let expected = [
            (0xbf, 0x16, 0, 0),
            (0x15, 0x06, 3, 7),
            (0x79, 0x63, 8, 0),
            (0x63, 0x3a, -4, 0),
            (0x85, 0x00, 0, 5),
            (0xb7, 0x00, 0, 0),
            (0x95, 0x00, 0, 0),
        ];
        assert_eq!(code, expected);
    }

    #[test]
    fn a_label_without_a_place_is_an_error() {
        let mut asm = Asm::default();
        let nowhere = asm.label();
        asm.jump(nowhere);
        assert!(asm.finish().is_err());
    }
}
