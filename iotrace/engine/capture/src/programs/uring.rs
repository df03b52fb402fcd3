// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs of io_uring: requests as recorded threads submit them and as they are completed.

use super::page_cache::file_of_inode;
use super::*;

/// The members of the kernel's structures whose offsets these programs need, beside those of the page cache.
pub const MEMBERS: [(&str, &str); 8] = [
    ("io_kiocb", "opcode"),
    ("io_kiocb", "cmd"),
    ("io_kiocb", "file"),
    ("io_rw", "kiocb"),
    ("io_rw", "len"),
    ("kiocb", "ki_pos"),
    ("io_uring_cqe", "res"),
    ("file", "f_inode"),
];
/// The event of a completion, and the number of its arguments in the kernels whose order of them is known.
pub const COMPLETION: (&str, usize) = ("btf_trace_io_uring_complete", 4);

const MOST_REQUESTS: u32 = 1 << 16;
/// A request under way: where its parts stand.
const SUBMITTED: i16 = 0;
const THREAD: i16 = 8;
const OPERATION: i16 = 16;
const OFFSET: i16 = 24;
const LENGTH: i16 = 32;
const VALUE_BYTES: i16 = 40;
/// Places on a program's stack.
const REQUEST: i16 = -48;
const INODE: i16 = -56;
const FILE_DEVICE: i16 = -64;
const FILE_INODE: i16 = -72;
const RESULT: i16 = -80;
const VALUE: i16 = -80 - VALUE_BYTES;

/// Requests under way.
#[derive(Debug)]
pub struct Submitted(Map);

impl Submitted {
    pub fn new() -> io::Result<Submitted> {
        Ok(Submitted(Map::of_addresses(Kind::LruHash, VALUE_BYTES as u32, MOST_REQUESTS, 0)?))
    }
}

/// The program when a recorded thread submits a request.
pub fn submitted(maps: &Maps, requests: &Submitted, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let out = asm.label();
    asm.load(Bits64, R6, R1, 0);
    only_recorded(&mut asm, maps, out);
    asm.store(Bits64, Frame, REQUEST, R6);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, VALUE + SUBMITTED, R0);
    asm.store(Bits64, Frame, VALUE + THREAD, R7);
    let of_data = offsets.get("io_kiocb", "cmd")?;
    read(&mut asm, R6, offsets.get("io_kiocb", "opcode")?, 1, VALUE + OPERATION);
    let position = of_data + offsets.get("io_rw", "kiocb")? + offsets.get("kiocb", "ki_pos")?;
    read(&mut asm, R6, position, 8, VALUE + OFFSET);
    read(&mut asm, R6, of_data + offsets.get("io_rw", "len")?, 4, VALUE + LENGTH);
    update(&mut asm, &requests.0, REQUEST, VALUE);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// The program when a request is completed, by whichever thread.
pub fn completed(maps: &Maps, requests: &Submitted, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, no_file) = (asm.label(), asm.label());
    asm.mov(R6, R1);
    asm.load(Bits64, R1, R6, 8);
    asm.store(Bits64, Frame, REQUEST, R1);
    look_up(&mut asm, &requests.0, REQUEST);
    asm.jump_if(Equal, R0, 0, out);
    asm.mov(R9, R0);
    asm.load(Bits64, R3, R6, 16);
    read(&mut asm, R3, offsets.get("io_uring_cqe", "res")?, 4, RESULT);
    asm.store_value(Bits64, Frame, FILE_DEVICE, 0);
    asm.store_value(Bits64, Frame, FILE_INODE, 0);
    asm.load(Bits64, R3, Frame, REQUEST);
    follow(&mut asm, offsets.get("io_kiocb", "file")?, no_file);
    follow(&mut asm, offsets.get("file", "f_inode")?, no_file);
    asm.store(Bits64, Frame, INODE, R3);
    file_of_inode(&mut asm, offsets, INODE, (FILE_DEVICE, FILE_INODE), no_file)?;
    asm.here(no_file);
    let ends = asm.label();
    begin_under_calls(&mut asm, maps, record::RING_REQUEST, HEAD_BYTES + INODE_BYTES, ends);
    asm.store_value(Bits16, R8, record::NUMBER, i32::from(record::RING_REQUEST | record::HAS_INODE));
    asm.store_value(Bits16, R8, record::DATA_LENGTH, INODE_BYTES as i32);
    asm.load(Bits64, R1, R9, THREAD);
    asm.store(Bits32, R8, record::THREAD, R1);
    asm.op(ShiftRight, R1, 32);
    asm.store(Bits32, R8, record::PROCESS, R1);
    for (place, from) in [OPERATION, OFFSET, LENGTH].into_iter().enumerate() {
        asm.load(Bits64, R1, R9, from);
        asm.store(Bits64, R8, record::ARGUMENTS + 8 * place as i16, R1);
    }
    // a result has 32 bits and a sign
    asm.load(Bits64, R1, Frame, RESULT);
    asm.op(ShiftLeft, R1, 32);
    asm.op(Op::ShiftRightSigned, R1, 32);
    asm.store(Bits64, R8, record::RESULT, R1);
    asm.call(helper::TIME_NS);
    asm.load(Bits64, R1, R9, SUBMITTED);
    asm.store(Bits64, R8, record::START, R1);
    asm.op_reg(Sub, R0, R1);
    asm.store(Bits64, R8, record::DURATION, R0);
    for (word, from) in [FILE_DEVICE, FILE_INODE].into_iter().enumerate() {
        asm.load(Bits64, R1, Frame, from);
        asm.store(Bits64, R8, (HEAD_BYTES + 8 * word) as i16, R1);
    }
    asm.store_value(Bits64, R8, HEAD_BYTES as i16 + 16, 0);
    asm.store_value(Bits64, R8, HEAD_BYTES as i16 + 24, 0);
    submit(&mut asm);
    asm.here(ends);
    delete(&mut asm, &requests.0, REQUEST);
    asm.here(out);
    asm.exit();
    asm.finish()
}
