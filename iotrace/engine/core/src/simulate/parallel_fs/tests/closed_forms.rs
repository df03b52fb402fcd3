//! Times and counts known in closed form: tables and ideals of sections 4.2 and 4.3, without overhead.

use super::*;
use crate::simulate::disk::{closed_loop, Request};

const PROCESSES: usize = 20;
const BLOCKS: u64 = 4000;

fn without_cache() -> Settings {
    Settings { buffers: 0, ..exact() }
}

/// Each process's segment, in records of `bytes` bytes.
fn segments(operation: Operation, bytes: u64) -> Vec<ProgramRow> {
    let segment = BLOCKS / PROCESSES as u64 * BLOCK;
    let records = (0..BLOCKS * BLOCK).step_by(bytes as usize);
    let of = |offset: u64| Some((offset / segment) as u32);
    records.map(|offset| row(of(offset), operation, offset, bytes)).collect()
}

fn whole_file(process: Option<u32>, operation: Operation, bytes: u64) -> Vec<ProgramRow> {
    let records = (0..BLOCKS * BLOCK).step_by(bytes as usize);
    records.map(|offset| row(process, operation, offset, bytes)).collect()
}

#[test]
fn segments_take_a_turn_for_each_block_after_a_queue_at_the_first_disk() {
    for operation in [Operation::Read, Operation::Write] {
        let measures = run(PROCESSES, &segments(operation, BLOCK), &without_cache());
        assert_eq!(measures.execution_ns, (200 + 19) * SERVICE_NS);
    }
    let cached = run(PROCESSES, &segments(Operation::Read, BLOCK), &exact());
    assert_eq!(cached.execution_ns, (200 + 19) * SERVICE_NS);
}

#[test]
fn jitter_adds_no_more_than_itself_to_segments() {
    let measures =
        run(PROCESSES, &segments(Operation::Read, BLOCK), &Settings { buffers: 0, ..Settings::base() });
    let added_ns = measures.execution_ns - 219 * SERVICE_NS;
    assert!((0..=219 * 15_000).contains(&added_ns), "{added_ns}");
}

#[test]
fn one_writer_without_a_cache_uses_one_disk_at_a_time() {
    let measures = run(PROCESSES, &whole_file(Some(0), Operation::Write, BLOCK), &without_cache());
    assert_eq!(measures.execution_ns, 120_000_000_000);
    assert_eq!(measures.processes[0].spent_ns.iter().sum::<i64>(), 120_000_000_000);
    assert_eq!(measures.processes[1].finished_ns, 0);
}

#[test]
fn one_writer_with_a_cache_uses_all_disks() {
    for write_policy in [WritePolicy::WriteThru, WritePolicy::WriteBack, WritePolicy::WriteFull] {
        let settings = Settings { write_policy, ..exact() };
        let measures = run(PROCESSES, &whole_file(Some(0), Operation::Write, BLOCK), &settings);
        assert_eq!(measures.execution_ns, 6_000_000_000, "{write_policy:?}");
        assert_eq!((measures.disk_writes, measures.disk_reads), (BLOCKS, 0));
        assert_eq!(measures.ideal_ns, 6_000_000_000);
    }
}

#[test]
fn partial_writes_without_a_cache_cost_two_accesses_less_one_a_block() {
    for records in [1, 2, 4, 8] {
        let bytes = BLOCK / records;
        for rows in [
            whole_file(Some(0), Operation::Write, bytes),
            whole_file(None, Operation::Write, bytes),
            segments(Operation::Write, bytes),
        ] {
            let measures = run(PROCESSES, &rows, &without_cache());
            assert_eq!(measures.disk_writes, BLOCKS * records);
            assert_eq!(measures.disk_reads, BLOCKS * (records - 1));
        }
    }
    let rows = whole_file(Some(0), Operation::Write, BLOCK / 4);
    assert_eq!(run(1, &rows, &without_cache()).execution_ns, 840_000_000_000);
    let existing = Settings { files_exist: true, ..without_cache() };
    let measures = run(1, &rows, &existing);
    assert_eq!((measures.disk_reads, measures.rereads), (4 * BLOCKS, 3 * BLOCKS));
}

#[test]
fn a_cache_cuts_quarter_block_writes_to_one_access_a_block() {
    let measures = run(PROCESSES, &segments(Operation::Write, BLOCK / 4), &exact());
    assert_eq!((measures.disk_writes, measures.disk_reads), (BLOCKS, 0));
    assert_eq!((measures.rewrites, measures.rereads), (0, 0));
}

#[test]
fn write_thru_makes_a_rewrite_mistake_of_each_write_but_a_blocks_last() {
    let settings = Settings { write_policy: WritePolicy::WriteThru, ..exact() };
    let measures = run(PROCESSES, &whole_file(None, Operation::Write, BLOCK / 4), &settings);
    assert_eq!((measures.disk_writes, measures.rewrites), (4 * BLOCKS, 3 * BLOCKS));
}

#[test]
fn a_partial_write_to_a_flushed_block_is_a_reread_mistake() {
    let alternate = [0, BLOCK, 256, BLOCK + 256];
    let rows = alternate.map(|offset| row(Some(0), Operation::Write, offset, 256));
    let settings = Settings { buffers: 1, ..exact() };
    let measures = run(1, &rows, &settings);
    assert_eq!((measures.rereads, measures.rewrites), (2, 0));
    assert_eq!((measures.disk_reads, measures.disk_writes), (2, 4));
    // each block's second record waits for the other's write and for its own read; the last write is the flush
    assert_eq!(measures.execution_ns, 6 * SERVICE_NS);
}

/// Each write costs its process 1 µs: three blocks take it 3 µs, the last of which overlaps with its disk's work.
#[test]
fn the_process_that_starts_disk_writes_pays_for_them() {
    let rows = [0, 1, 2].map(|block| row(Some(0), Operation::Write, block * BLOCK, BLOCK));
    let overheads = Overheads { write_start_ns: 1000, ..exact().overheads };
    for (write_policy, last_queued_ns) in [
        (WritePolicy::WriteThru, 2000),
        (WritePolicy::WriteFull, 2000),
        // the third block's write starts when the process leaves it, after two others
        (WritePolicy::WriteFree, 2000),
        // they are written in the end, all at the same time
        (WritePolicy::WriteBack, 0),
    ] {
        let measures = run(1, &rows, &Settings { write_policy, overheads, ..exact() });
        assert_eq!(measures.processes[0].finished_ns, 3000, "{write_policy:?}");
        assert_eq!(measures.execution_ns, SERVICE_NS + last_queued_ns, "{write_policy:?}");
    }
}

/// Block 0 of two files, in turn: the process keeps it in each file's cache of one buffer; in a shared one it leaves
/// the one block for the other.
#[test]
fn a_process_keeps_a_block_in_the_cache_of_each_file() {
    let mut rows = [0, 0, 0, 0].map(|offset| row(Some(0), Operation::Read, offset, BLOCK));
    for (file, (_, record)) in rows.iter_mut().enumerate() {
        record.file = file as u32 % 2;
    }
    for (shared_cache, disk_reads) in [(false, 2), (true, 4)] {
        let measures = run(1, &rows, &Settings { buffers: 1, shared_cache, ..exact() });
        assert_eq!(measures.disk_reads, disk_reads);
    }
}

#[test]
fn a_whole_file_read_globally_keeps_all_disks_busy() {
    for buffers in [0, 80] {
        let settings = Settings { buffers, ..exact() };
        let measures = run(PROCESSES, &whole_file(None, Operation::Read, BLOCK), &settings);
        assert_eq!(measures.execution_ns, 6_000_000_000);
        assert_eq!((measures.busy_ns, measures.busiest_ns), (120_000_000_000, 6_000_000_000));
    }
}

#[test]
fn a_file_read_by_all_is_read_once_with_a_cache() {
    let all = (0..PROCESSES as u32).flat_map(|process| {
        (0..200).map(move |block| row(Some(process), Operation::Read, block * BLOCK, BLOCK))
    });
    let all: Vec<_> = all.collect();
    let measures = run(PROCESSES, &all, &exact());
    assert_eq!((measures.execution_ns, measures.disk_reads), (6_000_000_000, 200));
    assert_eq!((measures.hits, measures.ideal_ns), (3800, 300_000_000));
    // without a cache each of the 20 processes must read each of the 200 blocks
    let measures = run(PROCESSES, &all, &without_cache());
    assert_eq!((measures.disk_reads, measures.ideal_ns), (4000, 6_000_000_000));
}

#[test]
fn the_ideal_is_that_of_the_disk_with_the_most_to_do() {
    // blocks 0, 20 and 40 are on the first of 20 disks, block 1 on the second
    let offsets = [0, 20, 40, 1, 0];
    let rows = offsets.map(|block| row(Some(0), Operation::Read, block * BLOCK, BLOCK));
    assert_eq!(run(1, &rows, &exact()).ideal_ns, 3 * SERVICE_NS);
    assert_eq!(run(1, &rows, &without_cache()).ideal_ns, 4 * SERVICE_NS);
}

#[test]
fn what_was_written_before_need_not_be_read() {
    let operations = [Operation::Write, Operation::Read, Operation::Read];
    let rows = operations.map(|operation| row(Some(0), operation, 0, BLOCK));
    let measures = run(1, &rows, &exact());
    assert_eq!((measures.disk_reads, measures.ideal_ns), (0, SERVICE_NS));
    assert_eq!(run(1, &rows, &without_cache()).ideal_ns, 3 * SERVICE_NS);
}

fn with_computation(mut rows: Vec<ProgramRow>) -> Vec<ProgramRow> {
    for (_, record) in &mut rows {
        record.compute_ns = SERVICE_NS;
    }
    rows
}

#[test]
fn computation_counts_in_the_ideal() {
    let one = with_computation(whole_file(Some(0), Operation::Write, BLOCK));
    assert_eq!(run(PROCESSES, &one, &exact()).ideal_ns, 120_000_000_000);
    let shared = with_computation(whole_file(None, Operation::Write, BLOCK));
    assert_eq!(run(PROCESSES, &shared, &exact()).ideal_ns, 6_000_000_000);
}

#[test]
fn reading_one_block_ahead_hides_the_disk_behind_computation() {
    let rows = with_computation(whole_file(Some(0), Operation::Read, BLOCK));
    assert_eq!(run(1, &rows, &exact()).execution_ns, 8000 * SERVICE_NS);
    let ahead = Settings { prefetch: Prefetch::OneBlock, ..exact() };
    let measures = run(1, &rows, &ahead);
    assert_eq!(measures.execution_ns, 4001 * SERVICE_NS);
    assert_eq!((measures.prefetches, measures.disk_reads), (3999, 4000));
}

#[test]
fn reading_a_portion_ahead_uses_all_disks() {
    let rows = whole_file(Some(0), Operation::Read, BLOCK);
    let ahead = Settings { prefetch: Prefetch::Portion, ..exact() };
    let measures = run(1, &rows, &ahead);
    assert_eq!((measures.execution_ns, measures.disk_reads), (200 * SERVICE_NS, 4000));
}

#[test]
fn stripes_and_first_disks_say_where_blocks_are() {
    // six blocks in stripes of three on two disks
    let rows: Vec<_> =
        (0..6).map(|block| row(Some(block), Operation::Read, u64::from(block) * BLOCK, BLOCK)).collect();
    let settings = Settings { disks: 2, stripe_blocks: 3, ..exact() };
    assert_eq!(run(6, &rows, &settings).busiest_ns, 3 * SERVICE_NS);
    let files = |first_disk| {
        let mut rows: Vec<_> = (0..4).map(|process| row(Some(process), Operation::Read, 0, BLOCK)).collect();
        for (file, (_, record)) in rows.iter_mut().enumerate() {
            record.file = file as u32;
        }
        run(4, &rows, &Settings { first_disk, ..exact() }).execution_ns
    };
    assert_eq!(files(FirstDisk::Zero), 4 * SERVICE_NS);
    assert_eq!(files(FirstDisk::File), SERVICE_NS);
}

#[test]
fn a_drive_serves_one_reader_as_in_a_closed_loop() {
    let blocks = [0, 700, 3, 4, 5, 1500, 700];
    let rows: Vec<_> = blocks.map(|block| row(Some(0), Operation::Read, block * BLOCK, BLOCK)).to_vec();
    let settings = Settings { disks: 1, buffers: 0, service: Service::Drive(drive()), ..exact() };
    let requests = blocks.map(|block| Request { lbn: 2 * block, blocks: 2, write: false, after_ns: 0 });
    let served = closed_loop(drive(), requests).unwrap();
    let measures = run(1, &rows, &settings);
    assert_eq!(Some(measures.execution_ns), served.last().map(|(_, service)| service.end_ns));
}

#[test]
fn two_processes_copy_piece_by_piece_in_turns() {
    let rows = [row(Some(0), Operation::Read, 0, BLOCK), row(Some(1), Operation::Read, 0, BLOCK)];
    let settings = Settings {
        overheads: Overheads { copy_ns_per_kbyte: 4000, copy_piece_bytes: 256, ..Overheads::default() },
        ..exact()
    };
    let measures = run(2, &rows, &settings);
    let finished = [0, 1].map(|one| measures.processes[one].finished_ns - SERVICE_NS);
    assert_eq!(finished, [7000, 8000]);
}

#[test]
fn many_settings_at_once_are_as_each_alone() {
    let rows = segments(Operation::Write, BLOCK / 4);
    let settings: Vec<_> = (1..7).map(|seed| Settings { seed, windows: 3, ..Settings::base() }).collect();
    let simulator = Simulator::new(program(PROCESSES, &rows));
    let progress = Progress::default();
    let together = simulator.run(&settings, 3, &progress).unwrap();
    assert_eq!(progress.done(), 6);
    for (outcome, settings) in together.iter().zip(&settings) {
        let alone = run(PROCESSES, &rows, settings);
        assert_eq!(format!("{:?}", outcome.measures), format!("{alone:?}"));
    }
}
