//! Invalid settings and programs are rejected with a clear message.

use super::*;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};

fn refusal(processes: usize, rows: &[ProgramRow], settings: Settings) -> String {
    let simulator = Simulator::new(program(processes, rows));
    let outcome = simulator.run(&[settings], 1, &Progress::default());
    outcome.err().map(|refusal| refusal.to_string()).unwrap_or_default()
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let one = [row(Some(0), Operation::Write, 0, BLOCK)];
    let base = Settings::base;
    let constant = |service_ns| Service::Constant { service_ns };
    for (settings, part) in [
        (
            Settings { buffers: 1, ..base() },
            "2 processes but 1 buffers: the policy needs one buffer per process",
        ),
        (Settings { disks: 0, ..base() }, "disks is 0"),
        (Settings { block_bytes: 0, ..base() }, "block_bytes is 0"),
        (Settings { stripe_blocks: 0, ..base() }, "stripe_blocks is 0"),
        (Settings { service: constant(0), ..base() }, "service time is 0 ns"),
        (Settings { service: constant(i64::MAX), ..base() }, "longer than eleven days"),
        (Settings { windows: u32::MAX, ..base() }, "windows is 4294967295"),
        (Settings { overheads: Overheads { jitter_ns: -1, ..exact().overheads }, ..base() }, "below 0"),
        (
            Settings { service: Service::Drive(drive()), block_bytes: 1000, ..base() },
            "whole number of sectors",
        ),
    ] {
        let reason = refusal(2, &one, settings);
        assert!(reason.contains(part), "{reason:?} has no {part:?}");
    }
    let huge = vec![row(Some(0), Operation::Write, 0, 1 << 36); 1200];
    assert!(refusal(1, &huge, Settings::base()).contains("seventy years"));
    let short = Settings { service: constant(1), ..exact() };
    assert!(refusal(1, &huge, short).contains("at most 4294967294 can be"));
    let many = [row(Some(0), Operation::Write, 0, 1 << 33)];
    let tiny = Settings { service: constant(1), block_bytes: 1, ..exact() };
    assert!(refusal(1, &many, tiny).contains("at most 4294967294 can be"));
    let far = [row(Some(0), Operation::Read, 1 << 40, BLOCK)];
    let drives = Settings { service: Service::Drive(drive()), ..exact() };
    assert!(refusal(1, &far, drives).contains("sectors on each disk"));
}

#[test]
fn blocks_far_apart_take_no_memory() {
    let rows = [0, 1 << 61, 1 << 62].map(|offset| row(Some(0), Operation::Write, offset, 100));
    assert_eq!(run(1, &rows, &exact()).disk_writes, 3);
    assert_eq!(run(1, &rows, &Settings { buffers: 0, ..exact() }).disk_writes, 3);
}

#[test]
fn rows_that_make_no_sense_are_refused() {
    let good = row(Some(0), Operation::Read, 0, 10);
    let with = |change: fn(&mut ProgramRow)| {
        let mut row = good;
        change(&mut row);
        row
    };
    for ((process, record), application, part) in [
        (with(|row| row.0 = Some(2)), 0, "record 0: process 2 is not below 2"),
        (with(|row| row.0 = Some(1)), 0, "process 1 belongs to application 1"),
        (good, 2, "application 2 is not below 2"),
        (with(|row| row.1.compute_ns = -1), 0, "its computation is negative"),
        (with(|row| row.1.compute_ns = i64::MAX), 0, "longer than seventy years"),
        (with(|row| row.1.offset = u64::MAX), 0, "beyond the largest offset"),
        (with(|row| row.1.length = (1 << 36) + 1), 0, "more than 68719476736 bytes in one access"),
        (with(|row| row.1.file = u32::MAX), 0, "file 4294967295 is not below"),
    ] {
        let mut builder = ProgramBuilder::new(vec![0, 1]).unwrap();
        let reason = builder.add(application, process, record).unwrap_err().to_string();
        assert!(reason.contains(part), "{reason:?} has no {part:?}");
    }
    assert!(ProgramBuilder::new(vec![]).is_err());
    let many = ProgramBuilder::new(vec![u32::MAX]).unwrap_err().to_string();
    assert!(many.contains("at most 1048576 of each can be"), "{many:?}");
}

/// A table program of one row.
fn table(operation: Option<&str>, process: Option<i32>, file: Option<i32>, offset: i64) -> RecordBatch {
    let small = |value| Arc::new(Int32Array::from(vec![value])) as ArrayRef;
    let large = |value| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    let columns = [
        ("application", small(Some(0))),
        ("process", small(process)),
        ("operation", Arc::new(StringArray::from(vec![operation])) as ArrayRef),
        ("file", small(file)),
        ("offset", large(offset)),
        ("length", large(1)),
        ("compute_ns", large(0)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

#[test]
fn tables_that_make_no_sense_are_refused() {
    let push = |batch: &RecordBatch| {
        let mut builder = ProgramBuilder::new(vec![0]).unwrap();
        builder.push(batch).map(|()| builder.finish().records()).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(push(&table(Some("sync_write"), None, Some(0), 0)), Ok(1));
    assert_eq!(push(&table(Some("compute"), Some(0), None, -5)), Ok(1));
    for (batch, part) in [
        (
            table(Some("erase"), Some(0), Some(0), 0),
            "record 0: operation must be read, write, sync_write or compute",
        ),
        (table(None, Some(0), Some(0), 0), "operation must be"),
        (table(Some("read"), Some(-1), Some(0), 0), "process -1 is below 0"),
        (table(Some("read"), Some(0), None, 0), "no file"),
        (table(Some("read"), Some(0), Some(0), -1), "offset -1 is below 0"),
        (table(Some("read"), Some(0), Some(0), 0).project(&[0, 1, 2]).unwrap(), "no column file"),
    ] {
        let reason = push(&batch).unwrap_err();
        assert!(reason.contains(part), "{reason:?} has no {part:?}");
    }
}

#[test]
fn runs_that_are_stopped_have_no_outcome() {
    let progress = Progress::default();
    progress.stop();
    let simulator = Simulator::new(program(1, &[row(Some(0), Operation::Read, 0, BLOCK)]));
    let outcome = simulator.run(&[Settings::base()], 1, &progress);
    assert_eq!(outcome.err().unwrap().to_string(), "the simulation was stopped");
}
