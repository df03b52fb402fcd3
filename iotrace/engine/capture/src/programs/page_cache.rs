// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs of the page cache: pages of files that are added, removed, or touched by programs that mapped them.
//!
//! Additions and faults are recorded of recorded threads; what others do is recorded of files of which a recorded thread
//! added or touched pages.

use super::*;

/// Files whose inodes are remembered; those that were not met for longest are forgotten.
const MOST_INODES: u32 = 1 << 16;

/// The members of the kernel's structures whose offsets these programs need.
pub const MEMBERS: [(&str, &str); 8] = [
    ("folio", "flags"),
    ("folio", "_flags_1"),
    ("folio", "mapping"),
    ("folio", "index"),
    ("address_space", "host"),
    ("inode", "i_ino"),
    ("inode", "i_sb"),
    ("super_block", "s_dev"),
];
/// The bit of a folio's flags that says that it has several pages.
pub const SEVERAL_PAGES: (&str, &str) = ("pageflags", "PG_head");
/// Bits of an address in a page's `mapping` that say that it is of no file.
const OF_NO_FILE: i32 = 3;
/// The lower bits of `_flags_1` are the order of a folio, which is less than 32.
const ORDER: i32 = 0x1f;

/// The inodes of files of which recorded threads added or touched pages.
#[derive(Debug)]
pub struct Inodes(Map);

impl Inodes {
    pub fn new() -> io::Result<Inodes> {
        Ok(Inodes(Map::of_addresses(Kind::LruHash, 1, MOST_INODES, 0)?))
    }
}

/// Places on a program's stack.
const INODE: i16 = -48;
const DEVICE: i16 = -56;
const NUMBER_OF_INODE: i16 = -64;
const PAGE: i16 = -72;
const PAGES: i16 = -80;

/// The program when pages are added.
pub fn added(maps: &Maps, inodes: &Inodes, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    of_folio(maps, inodes, offsets, record::PAGES_ADDED)
}

/// The program when pages are removed.
pub fn removed(maps: &Maps, inodes: &Inodes, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    of_folio(maps, inodes, offsets, record::PAGES_REMOVED)
}

fn of_folio(maps: &Maps, inodes: &Inodes, offsets: &Offsets, number: u16) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, one_page) = (asm.label(), asm.label());
    asm.load(Bits64, R6, R1, 0);
    mapping_of_folio(&mut asm, offsets, out)?;
    follow(&mut asm, offsets.get("address_space", "host")?, out);
    asm.store(Bits64, Frame, INODE, R3);
    only_known(&mut asm, maps, inodes, number == record::PAGES_ADDED, out);
    file_of_inode(&mut asm, offsets, INODE, (DEVICE, NUMBER_OF_INODE), out)?;
    read(&mut asm, R6, offsets.get("folio", "index")?, 8, PAGE);
    asm.store_value(Bits64, Frame, PAGES, 1);
    read(&mut asm, R6, offsets.get("folio", "flags")?, 8, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.op(ShiftRight, R1, offsets.get(SEVERAL_PAGES.0, SEVERAL_PAGES.1)?);
    asm.op(And, R1, 1);
    asm.jump_if(Equal, R1, 0, one_page);
    read(&mut asm, R6, offsets.get("folio", "_flags_1")?, 8, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.op(And, R1, ORDER);
    asm.set(R2, 1);
    asm.op_reg(ShiftLeft, R2, R1);
    asm.store(Bits64, Frame, PAGES, R2);
    asm.here(one_page);
    emit(&mut asm, maps, number, out);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// The program when a recorded thread touches a page of a mapped file that its page table lacks.
pub fn fault(maps: &Maps, inodes: &Inodes, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    of_mapping(maps, inodes, offsets, record::PAGE_FAULT, |asm| asm.store_value(Bits64, Frame, PAGES, 1))
}

/// The program when a recorded thread's fault maps pages from a first to a last one that are cached.
pub fn mapped(maps: &Maps, inodes: &Inodes, offsets: &Offsets) -> io::Result<Vec<Instruction>> {
    of_mapping(maps, inodes, offsets, record::PAGES_MAPPED, |asm| {
        asm.load(Bits64, R2, R6, 16);
        asm.load(Bits64, R1, R6, 8);
        asm.op_reg(Sub, R2, R1);
        asm.op(Add, R2, 1);
        asm.store(Bits64, Frame, PAGES, R2);
    })
}

/// A program whose context has the mapping of a file and the first page; `count` stores how many pages there are.
fn of_mapping(
    maps: &Maps,
    inodes: &Inodes,
    offsets: &Offsets,
    number: u16,
    count: impl FnOnce(&mut Asm),
) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let out = asm.label();
    asm.mov(R6, R1);
    only_recorded(&mut asm, maps, out);
    asm.load(Bits64, R1, R6, 8);
    asm.store(Bits64, Frame, PAGE, R1);
    count(&mut asm);
    asm.load(Bits64, R3, R6, 0);
    follow(&mut asm, offsets.get("address_space", "host")?, out);
    asm.store(Bits64, Frame, INODE, R3);
    remember(&mut asm, inodes);
    file_of_inode(&mut asm, offsets, INODE, (DEVICE, NUMBER_OF_INODE), out)?;
    emit(&mut asm, maps, number, out);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// R3 = the mapping of the folio at R6; leaves if it is of no file.
pub(super) fn mapping_of_folio(asm: &mut Asm, offsets: &Offsets, none: Label) -> io::Result<()> {
    asm.mov(R3, R6);
    follow(asm, offsets.get("folio", "mapping")?, none);
    asm.mov(R1, R3);
    asm.op(And, R1, OF_NO_FILE);
    asm.jump_if(NotEqual, R1, 0, none);
    Ok(())
}

/// Store device and number of the inode whose address is on the stack.
pub(super) fn file_of_inode(
    asm: &mut Asm,
    offsets: &Offsets,
    inode: i16,
    (device, number): (i16, i16),
    none: Label,
) -> io::Result<()> {
    asm.load(Bits64, R3, Frame, inode);
    follow(asm, offsets.get("inode", "i_sb")?, none);
    read(asm, R3, offsets.get("super_block", "s_dev")?, 4, device);
    asm.load(Bits64, R3, Frame, inode);
    read(asm, R3, offsets.get("inode", "i_ino")?, 8, number);
    Ok(())
}

/// R7 = process and thread; leaves unless the inode is known, or the thread is recorded and makes it known.
fn only_known(asm: &mut Asm, maps: &Maps, inodes: &Inodes, makes_known: bool, out: Label) {
    let (other, known) = (asm.label(), asm.label());
    if makes_known {
        only_recorded(asm, maps, other);
        remember(asm, inodes);
        asm.jump(known);
        asm.here(other);
    } else {
        asm.call(helper::PROCESS_AND_THREAD);
        asm.mov(R7, R0);
    }
    look_up(asm, &inodes.0, INODE);
    asm.jump_if(Equal, R0, 0, out);
    asm.here(known);
}

/// Remember the inode at INODE.
fn remember(asm: &mut Asm, inodes: &Inodes) {
    asm.store_value(Bits8, Frame, FLAG, 1);
    update(asm, &inodes.0, INODE, FLAG);
}

/// Make the record: R7 is process and thread.
fn emit(asm: &mut Asm, maps: &Maps, number: u16, out: Label) {
    begin_under_calls(asm, maps, number, HEAD_BYTES, out);
    who(asm, R8);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, R8, record::START, R0);
    for (place, from) in [DEVICE, NUMBER_OF_INODE, PAGE, PAGES].into_iter().enumerate() {
        asm.load(Bits64, R1, Frame, from);
        asm.store(Bits64, R8, record::ARGUMENTS + 8 * place as i16, R1);
    }
    asm.call(helper::PROCESSOR);
    asm.op(Add, R0, 1);
    asm.store(Bits64, R8, record::ARGUMENTS + 8 * 4, R0);
    submit(asm);
}
