//! What the targets share: inputs as files, and what must hold of any trace of system calls.

use iotrace_core::reconstruct::file_table::{KnownFiles, Model};
use iotrace_core::reconstruct::intake::{self, Intake};
use std::path::PathBuf;

/// An input in a file of this process, in memory.
///
/// # Panics
/// If it cannot be written.
pub fn file_of(data: &[u8]) -> PathBuf {
    let path = PathBuf::from(format!("/dev/shm/iotrace-fuzz-{}", std::process::id()));
    std::fs::write(&path, data).expect("the file in memory is written");
    path
}

/// Read a trace of system calls to its end: each line is parsed, skipped or neither, and tables have as many rows as
/// are counted.
///
/// # Panics
/// If counts do not agree.
pub fn read_calls(format: &str, data: &[u8]) {
    let Ok((format, source)) = intake::open(format, &[file_of(data)], "time", 1 << 24) else {
        return;
    };
    let mut intake = Intake::new(format, source, Model::LINUX, KnownFiles::default(), true);
    let mut references = 0_i64;
    loop {
        match intake.next_batches() {
            Ok(Some(batches)) => {
                let of = |name| batches.iter().filter(move |(table, _)| *table == name);
                references += of("reference").map(|(_, batch)| batch.num_rows() as i64).sum::<i64>();
            }
            Ok(None) => break,
            Err(_) => return,
        }
    }
    let report = intake.report();
    assert_eq!(report.counts.references, references);
    assert!(report.counts.parsed + report.counts.skipped_lines <= report.counts.lines);
}
