//! Events per second of the parallel file system, over patterns of Kotz and Ellis (1991, 3.2), on one core.
//!
//!     cargo run --release --example parallel -- [processes] [records per process]
//!
//! There are as many disks as processes, and four buffers per process. An event is the end of a delay or of a disk
//! operation, or the wake-up of a process. The times are processor times.

use iotrace_core::error::Error;
use iotrace_core::simulate::parallel_fs::{
    Operation, Overheads, Program, ProgramBuilder, Progress, Record, Settings, Simulator, WritePolicy,
};
use std::time::Instant;

const BLOCK_BYTES: u64 = 1024;

/// A program of records of `bytes` bytes: all processes share one list of records, or each has its own segment.
fn program(
    processes: u32,
    records: u64,
    bytes: u64,
    operation: Operation,
    is_global: bool,
) -> Result<Program, Error> {
    let mut builder = ProgramBuilder::new(vec![0; processes as usize])?;
    for process in 0..processes {
        let first = u64::from(process) * records;
        for record in first..first + records {
            let record = Record { offset: record * bytes, length: bytes, compute_ns: 0, file: 0, operation };
            builder.add(0, (!is_global).then_some(process), record)?;
        }
    }
    Ok(builder.finish())
}

fn calibrated() -> Overheads {
    Overheads {
        read_management_ns: 1_000_000,
        write_management_ns: 3_270_000,
        disk_request_ns: 1_250_000,
        write_start_ns: 550_000,
        copy_ns_per_kbyte: 250_000,
        ..Settings::base().overheads
    }
}

fn main() -> Result<(), Error> {
    let number = |place: usize, default: u64| {
        let given = std::env::args().nth(place).and_then(|text| text.parse().ok());
        given.unwrap_or(default)
    };
    let processes = number(1, 20) as u32;
    let records = number(2, 50_000);
    for (name, is_global, bytes, operation) in [
        ("gw read", true, BLOCK_BYTES, Operation::Read),
        ("gw read, quarter", true, BLOCK_BYTES / 4, Operation::Read),
        ("seg read", false, BLOCK_BYTES, Operation::Read),
        ("gw write", true, BLOCK_BYTES, Operation::Write),
        ("gw write, quarter", true, BLOCK_BYTES / 4, Operation::Write),
        ("seg write", false, BLOCK_BYTES, Operation::Write),
    ] {
        let simulator = Simulator::new(program(processes, records, bytes, operation, is_global)?);
        for (cache, buffers) in [("no cache", 0), ("cache", 4 * processes)] {
            for (overhead, overheads) in [("zero", Settings::base().overheads), ("calibrated", calibrated())]
            {
                let settings = Settings {
                    disks: processes,
                    buffers,
                    overheads,
                    write_policy: WritePolicy::WriteBack,
                    ..Settings::base()
                };
                let start = Instant::now();
                let outcomes = simulator.run(&[settings], 1, &Progress::default())?;
                let seconds = start.elapsed().as_secs_f64();
                let events = outcomes[0].measures.events as f64 / 1e6;
                println!(
                    "{name:18} {cache:9} {overhead:11} {events:7.1} M events {seconds:7.2} s {:6.2} M/s",
                    events / seconds
                );
            }
        }
    }
    Ok(())
}
