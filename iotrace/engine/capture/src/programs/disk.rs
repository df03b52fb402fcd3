// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The programs of disks: requests as they are queued, given to the scheduler, issued and completed.
//!
//! A request is one record, at its completion. Its thread is the one that queued it, and its file the one whose pages
//! it moves.

use super::page_cache::{file_of_inode, mapping_of_folio};
use super::*;

/// The members of the kernel's structures whose offsets these programs need, beside those of the page cache.
pub const MEMBERS: [(&str, &str); 17] = [
    ("request", "q"),
    ("request", "bio"),
    ("request", "part"),
    ("request", "__sector"),
    ("request", "__data_len"),
    ("request", "cmd_flags"),
    ("request_queue", "disk"),
    ("gendisk", "major"),
    ("gendisk", "first_minor"),
    ("block_device", "bd_dev"),
    ("bio", "bi_io_vec"),
    ("bio", "bi_iter"),
    ("bvec_iter", "bi_idx"),
    ("bvec_iter", "bi_bvec_done"),
    ("bio_vec", "bv_page"),
    ("bio_vec", "bv_offset"),
    ("page", "compound_head"),
];

const MOST_BIOS: u32 = 1 << 15;
const MOST_REQUESTS: u32 = 1 << 14;
/// `struct bio_vec` and `struct page` have these sizes on all machines of 64 bits.
const VECTOR_BITS: i32 = 4;
const PAGE_STRUCTURE_BITS: i32 = 6;
const PAGE_BITS: i32 = 12;
/// The bits of a request's flags that are its operation; read and write are 0 and 1.
const OPERATION: i32 = 0xff;

/// Who queued what, and when; what is under way; and how many requests were completed whose beginning was not seen.
#[derive(Debug)]
pub struct Requests {
    queued: Map,
    under_way: Map,
    unseen: Map,
}

impl Requests {
    pub fn new() -> io::Result<Requests> {
        Ok(Requests {
            queued: Map::of_addresses(Kind::LruHash, QUEUED_BYTES, MOST_BIOS, 0)?,
            under_way: Map::of_addresses(Kind::Hash, VALUE_BYTES as u32, MOST_REQUESTS, NO_PREALLOC)?,
            unseen: Map::new(Kind::Array, 8, 1, 0)?,
        })
    }

    /// How many requests with data were completed whose beginning was not seen, and how many are under way.
    pub fn cut(&self) -> io::Result<(u64, u64)> {
        Ok((little_endian(&self.unseen.get(0)?), u64::from(self.under_way.addresses(MOST_REQUESTS))))
    }
}

/// A request under way: where its parts stand.
const QUEUED: i16 = 0;
const THREAD: i16 = 8;
const PROCESS: i16 = 12;
const PROGRAM: i16 = 16;
/// What of it is known as it is queued.
const QUEUED_BYTES: u32 = 32;
const INSERTED: i16 = 32;
const ISSUED: i16 = 40;
const DEVICE: i16 = 48;
const PARTITION: i16 = 56;
const SECTOR: i16 = 64;
const BYTES: i16 = 72;
const FLAGS: i16 = 80;
const FILE_DEVICE: i16 = 88;
const FILE_INODE: i16 = 96;
const FILE_PAGE: i16 = 104;
const LEFT: i16 = 112;
const VALUE_BYTES: i16 = 120;

/// The data of a record: the times of two stages, and the name of a program.
const DATA_BYTES: usize = 16 + record::PROGRAM_BYTES;
/// The argument that says that it is not known when the request was queued.
const NOT_QUEUED: i16 = 5;

/// Places on a program's stack.
const REQUEST: i16 = -48;
const BIO: i16 = -56;
const NOW: i16 = -64;
const VECTOR: i16 = -72;
const FOLIO: i16 = -80;
const HOST: i16 = -88;
const VALUE: i16 = -96 - VALUE_BYTES;

/// A stage of a request that is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is given to the scheduler.
    Inserted,
    /// It is issued to the device.
    Issued,
}

/// The program when a part of a request is queued.
pub fn queued(requests: &Requests) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    asm.load(Bits64, R6, R1, 0);
    asm.store(Bits64, Frame, BIO, R6);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, VALUE + QUEUED, R0);
    store_who(&mut asm);
    update(&mut asm, &requests.queued, BIO, VALUE);
    asm.exit();
    asm.finish()
}

/// The program when a request is given to the scheduler, or issued.
pub fn begins(
    maps: &Maps,
    requests: &Requests,
    offsets: &Offsets,
    stage: Stage,
) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, is_new) = (asm.label(), asm.label());
    asm.load(Bits64, R6, R1, 0);
    asm.store(Bits64, Frame, REQUEST, R6);
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, NOW, R0);
    let place = if stage == Stage::Issued { ISSUED } else { INSERTED };
    look_up(&mut asm, &requests.under_way, REQUEST);
    asm.jump_if(Equal, R0, 0, is_new);
    asm.mov(R9, R0);
    // one that was issued, and is not queued again, is a former request at this address, whose end was not seen
    let is_queued = asm.label();
    asm.load(Bits64, R1, R9, ISSUED);
    asm.jump_if(Equal, R1, 0, is_queued);
    count_loss(&mut asm, maps, Loss::UnderCalls);
    asm.jump(is_new);
    asm.here(is_queued);
    if stage == Stage::Issued {
        grown(&mut asm, offsets)?;
    }
    asm.load(Bits64, R1, Frame, NOW);
    asm.store(Bits64, R9, place, R1);
    asm.jump(out);
    asm.here(is_new);
    for word in 0..VALUE_BYTES / 8 {
        asm.store_value(Bits64, Frame, VALUE + 8 * word, 0);
    }
    asm.load(Bits64, R1, Frame, NOW);
    asm.store(Bits64, Frame, VALUE + place, R1);
    device(&mut asm, offsets, out)?;
    read(&mut asm, R6, offsets.get("request", "__sector")?, 8, VALUE + SECTOR);
    read(&mut asm, R6, offsets.get("request", "__data_len")?, 4, VALUE + BYTES);
    asm.load(Bits64, R1, Frame, VALUE + BYTES);
    asm.store(Bits64, Frame, VALUE + LEFT, R1);
    read(&mut asm, R6, offsets.get("request", "cmd_flags")?, 4, VALUE + FLAGS);
    who_queued(&mut asm, requests, offsets)?;
    file(&mut asm, offsets)?;
    update(&mut asm, &requests.under_way, REQUEST, VALUE);
    asm.jump_if(Equal, R0, 0, out);
    count_loss(&mut asm, maps, Loss::UnderCalls);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// Until a part of the request at R6 is completed, the scheduler may merge others into it: note where it begins and its
/// bytes.
fn grown(asm: &mut Asm, offsets: &Offsets) -> io::Result<()> {
    let is_in_parts = asm.label();
    asm.load(Bits64, R1, R9, BYTES);
    asm.load(Bits64, R2, R9, LEFT);
    asm.jump_if_reg(NotEqual, R1, R2, is_in_parts);
    read(asm, R6, offsets.get("request", "__sector")?, 8, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.store(Bits64, R9, SECTOR, R1);
    read(asm, R6, offsets.get("request", "__data_len")?, 4, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    for place in [BYTES, LEFT] {
        asm.store(Bits64, R9, place, R1);
    }
    asm.here(is_in_parts);
    Ok(())
}

/// The program when the device gives a request back, which is then issued again.
pub fn requeued(requests: &Requests) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let out = asm.label();
    asm.load(Bits64, R1, R1, 0);
    asm.store(Bits64, Frame, REQUEST, R1);
    look_up(&mut asm, &requests.under_way, REQUEST);
    asm.jump_if(Equal, R0, 0, out);
    asm.store_value(Bits64, R0, ISSUED, 0);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// The program when a request has become a part of another, with which it is completed.
pub fn merged(requests: &Requests) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    asm.load(Bits64, R1, R1, 0);
    asm.store(Bits64, Frame, REQUEST, R1);
    delete(&mut asm, &requests.under_way, REQUEST);
    asm.exit();
    asm.finish()
}

/// The disk and the partition of the request at R6; leaves if it is for none.
fn device(asm: &mut Asm, offsets: &Offsets, none: Label) -> io::Result<()> {
    let whole_disk = asm.label();
    asm.mov(R3, R6);
    follow(asm, offsets.get("request", "q")?, none);
    follow(asm, offsets.get("request_queue", "disk")?, none);
    asm.mov(R7, R3);
    read(asm, R7, offsets.get("gendisk", "major")?, 4, WORD);
    read(asm, R7, offsets.get("gendisk", "first_minor")?, 4, HOST);
    asm.load(Bits64, R1, Frame, WORD);
    asm.op(ShiftLeft, R1, MINOR_BITS);
    asm.load(Bits64, R2, Frame, HOST);
    asm.op_reg(Or, R1, R2);
    asm.store(Bits64, Frame, VALUE + DEVICE, R1);
    asm.store(Bits64, Frame, VALUE + PARTITION, R1);
    asm.mov(R3, R6);
    follow(asm, offsets.get("request", "part")?, whole_disk);
    read(asm, R3, offsets.get("block_device", "bd_dev")?, 4, VALUE + PARTITION);
    asm.here(whole_disk);
    Ok(())
}

/// Who queued the request at R6, and when; the thread that runs, if that is not known.
fn who_queued(asm: &mut Asm, requests: &Requests, offsets: &Offsets) -> io::Result<()> {
    let (unknown, known) = (asm.label(), asm.label());
    asm.store_value(Bits64, Frame, BIO, 0);
    asm.mov(R3, R6);
    follow(asm, offsets.get("request", "bio")?, unknown);
    asm.store(Bits64, Frame, BIO, R3);
    look_up(asm, &requests.queued, BIO);
    asm.jump_if(Equal, R0, 0, unknown);
    for place in [QUEUED, THREAD, PROGRAM, PROGRAM + 8] {
        asm.load(Bits64, R1, R0, place);
        asm.store(Bits64, Frame, VALUE + place, R1);
    }
    delete(asm, &requests.queued, BIO);
    asm.jump(known);
    asm.here(unknown);
    store_who(asm);
    asm.here(known);
    Ok(())
}

/// The file whose pages the request moves, and the first of them.
fn file(asm: &mut Asm, offsets: &Offsets) -> io::Result<()> {
    let (none, is_first) = (asm.label(), asm.label());
    asm.load(Bits64, R3, Frame, BIO);
    asm.jump_if(Equal, R3, 0, none);
    asm.load(Bits64, R1, Frame, VALUE + FLAGS);
    asm.op(And, R1, OPERATION);
    asm.jump_if(Greater, R1, 1, none);
    asm.mov(R7, R3);
    let iterator = offsets.get("bio", "bi_iter")?;
    read(asm, R7, iterator + offsets.get("bvec_iter", "bi_idx")?, 4, VECTOR);
    read(asm, R7, iterator + offsets.get("bvec_iter", "bi_bvec_done")?, 4, VALUE + FILE_PAGE);
    asm.mov(R3, R7);
    follow(asm, offsets.get("bio", "bi_io_vec")?, none);
    asm.load(Bits64, R1, Frame, VECTOR);
    asm.op(ShiftLeft, R1, VECTOR_BITS);
    asm.op_reg(Add, R3, R1);
    asm.mov(R7, R3);
    read(asm, R7, offsets.get("bio_vec", "bv_offset")?, 4, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.load(Bits64, R2, Frame, VALUE + FILE_PAGE);
    asm.op_reg(Add, R1, R2);
    asm.op(ShiftRight, R1, PAGE_BITS);
    asm.store(Bits64, Frame, VALUE + FILE_PAGE, R1);
    asm.mov(R3, R7);
    follow(asm, offsets.get("bio_vec", "bv_page")?, none);
    asm.store(Bits64, Frame, FOLIO, R3);
    // a page that is not the first of its folio says where that is
    asm.mov(R7, R3);
    read(asm, R7, offsets.get("page", "compound_head")?, 8, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.mov(R2, R1);
    asm.op(And, R2, 1);
    asm.jump_if(Equal, R2, 0, is_first);
    asm.op(Sub, R1, 1);
    asm.store(Bits64, Frame, FOLIO, R1);
    asm.op_reg(Sub, R7, R1);
    asm.op(ShiftRight, R7, PAGE_STRUCTURE_BITS);
    asm.load(Bits64, R1, Frame, VALUE + FILE_PAGE);
    asm.op_reg(Add, R1, R7);
    asm.store(Bits64, Frame, VALUE + FILE_PAGE, R1);
    asm.here(is_first);
    asm.load(Bits64, R6, Frame, FOLIO);
    mapping_of_folio(asm, offsets, none)?;
    follow(asm, offsets.get("address_space", "host")?, none);
    asm.store(Bits64, Frame, HOST, R3);
    read(asm, R6, offsets.get("folio", "index")?, 8, WORD);
    asm.load(Bits64, R1, Frame, WORD);
    asm.load(Bits64, R2, Frame, VALUE + FILE_PAGE);
    asm.op_reg(Add, R1, R2);
    asm.store(Bits64, Frame, VALUE + FILE_PAGE, R1);
    file_of_inode(asm, offsets, HOST, (VALUE + FILE_DEVICE, VALUE + FILE_INODE), none)?;
    asm.here(none);
    Ok(())
}

/// The program when a request, or a part of it, is completed.
pub fn completed(maps: &Maps, requests: &Requests) -> io::Result<Vec<Instruction>> {
    let mut asm = Asm::default();
    let (out, is_known, is_whole) = (asm.label(), asm.label(), asm.label());
    asm.mov(R6, R1);
    asm.load(Bits64, R1, R6, 0);
    asm.store(Bits64, Frame, REQUEST, R1);
    look_up(&mut asm, &requests.under_way, REQUEST);
    asm.load(Bits64, R1, R6, 16);
    asm.mov_32(R1, R1);
    asm.jump_if(NotEqual, R0, 0, is_known);
    // a write that waits for a flush is completed a second time, of no bytes
    asm.jump_if(Equal, R1, 0, out);
    asm.set(R1, 1);
    asm.value(R2, requests.unseen.number(), 0);
    asm.add_atomically(R2, 0, R1);
    asm.jump(out);
    asm.here(is_known);
    asm.mov(R9, R0);
    asm.load(Bits64, R2, R9, LEFT);
    asm.op_reg(Sub, R2, R1);
    asm.jump_if(SignedLess, R2, 1, is_whole);
    asm.store(Bits64, R9, LEFT, R2);
    asm.jump(out);
    asm.here(is_whole);
    let ends = asm.label();
    begin_under_calls(&mut asm, maps, record::DISK_REQUEST, HEAD_BYTES + DATA_BYTES + INODE_BYTES, ends);
    let parts = i32::from(record::DISK_REQUEST | record::HAS_DATA | record::HAS_INODE);
    asm.store_value(Bits16, R8, record::NUMBER, parts);
    asm.store_value(Bits16, R8, record::DATA_LENGTH, (DATA_BYTES + INODE_BYTES) as i32);
    for (from, to) in [(THREAD, record::THREAD), (PROCESS, record::PROCESS)] {
        asm.load(Bits32, R1, R9, from);
        asm.store(Bits32, R8, to, R1);
    }
    for (place, from) in [DEVICE, PARTITION, SECTOR, BYTES, FLAGS].into_iter().enumerate() {
        asm.load(Bits64, R1, R9, from);
        asm.store(Bits64, R8, record::ARGUMENTS + 8 * place as i16, R1);
    }
    asm.load(Bits64, R1, R9, FILE_PAGE);
    asm.store(Bits64, R8, record::RESULT, R1);
    times(&mut asm);
    for word in [0, 8] {
        asm.load(Bits64, R1, R9, PROGRAM + word);
        asm.store(Bits64, R8, HEAD_BYTES as i16 + 16 + word, R1);
    }
    let inode = (HEAD_BYTES + DATA_BYTES) as i16;
    for (from, to) in [(FILE_DEVICE, inode), (FILE_INODE, inode + 8)] {
        asm.load(Bits64, R1, R9, from);
        asm.store(Bits64, R8, to, R1);
    }
    asm.store_value(Bits64, R8, inode + 16, 0);
    asm.store_value(Bits64, R8, inode + 24, 0);
    submit(&mut asm);
    asm.here(ends);
    delete(&mut asm, &requests.under_way, REQUEST);
    asm.here(out);
    asm.exit();
    asm.finish()
}

/// The times of the request at R9, from the first of them on, in the record at R8.
fn times(asm: &mut Asm) {
    let has_start = asm.label();
    asm.call(helper::TIME_NS);
    asm.store(Bits64, Frame, NOW, R0);
    asm.load(Bits64, R1, R9, QUEUED);
    asm.jump_if(NotEqual, R1, 0, has_start);
    asm.store_value(Bits64, R8, record::ARGUMENTS + 8 * NOT_QUEUED, 1);
    for place in [INSERTED, ISSUED] {
        asm.load(Bits64, R1, R9, place);
        asm.jump_if(NotEqual, R1, 0, has_start);
    }
    asm.here(has_start);
    asm.store(Bits64, R8, record::START, R1);
    asm.load(Bits64, R2, Frame, NOW);
    asm.op_reg(Sub, R2, R1);
    asm.store(Bits64, R8, record::DURATION, R2);
    for (place, to) in [(INSERTED, HEAD_BYTES as i16), (ISSUED, HEAD_BYTES as i16 + 8)] {
        let unknown = asm.label();
        asm.load(Bits64, R2, R9, place);
        asm.store_value(Bits64, R8, to, 0);
        asm.jump_if(Equal, R2, 0, unknown);
        asm.op_reg(Sub, R2, R1);
        asm.op(Add, R2, 1);
        asm.store(Bits64, R8, to, R2);
        asm.here(unknown);
    }
}

/// Store the thread and the process that run, of 32 bits each, and the thread's name.
fn store_who(asm: &mut Asm) {
    asm.call(helper::PROCESS_AND_THREAD);
    asm.store(Bits32, Frame, VALUE + THREAD, R0);
    asm.op(ShiftRight, R0, 32);
    asm.store(Bits32, Frame, VALUE + PROCESS, R0);
    asm.address(R1, Frame, i32::from(VALUE + PROGRAM));
    asm.set(R2, record::PROGRAM_BYTES as i32);
    asm.call(helper::NAME);
}
