//! Logs of Darshan, formats 1.21 to 3.41: counters by file and rank, and every read and write where extended tracing was
//! on.

mod bytes;
mod compression;
mod container;
mod legacy;
mod log;
mod modules;
mod records;
mod segments;
mod tables;

use log::Parts;
pub use log::{About, Counted, Job, Log, ModuleState, Moved, MpiCalls, Record};
pub use modules::{Catalogue, Module};
pub use tables::CounterTables;

use crate::error::Error;

/// Read what can be read of a log.
///
/// # Errors
/// Why nothing of it can be read.
pub fn read(file: &[u8]) -> Result<Log, Error> {
    read_parts(file, Parts::All)
}

/// Read what a log says of its job, and which modules it has, but no records.
///
/// # Errors
/// Why nothing of it can be read.
pub fn read_job(file: &[u8]) -> Result<Log, Error> {
    read_parts(file, Parts::Job)
}

/// Read all but the accesses of extended tracing.
///
/// # Errors
/// Why nothing of it can be read.
pub fn read_counters(file: &[u8]) -> Result<Log, Error> {
    read_parts(file, Parts::Counters)
}

fn read_parts(file: &[u8], parts: Parts) -> Result<Log, Error> {
    let (compression, unpacked, damage) = compression::unpacked(file);
    let bytes = unpacked.as_deref().unwrap_or(file);
    let version = version(bytes)?;
    let read = match container::minor_of(&version) {
        Some(minor) => container::read(bytes, &version, minor, parts),
        None => legacy::read(bytes, &version, parts).unwrap_or_else(|| {
            Err(Error::of("it is of a format that is not read: iotrace reads 1.21 to 1.24, 2.00 to 2.06, 3.00, 3.10, 3.20, 3.21 and 3.41"))
        }),
    };
    let mut log = read.map_err(|why| Error::of(format!("Darshan log of format {version}: {why}")))?;
    if let (true, Some(compression)) = (log.job.compression.is_empty(), compression) {
        log.job.compression = compression.word();
    } else if log.job.compression.is_empty() {
        log.job.compression = compression::Compression::Uncompressed.word();
    }
    if let Some(damage) = damage {
        log.damage.insert(0, format!("the file: {damage}"));
    }
    log.note_wrong_ranks();
    Ok(log)
}

/// The format of a log as its first bytes name it.
fn version(bytes: &[u8]) -> Result<String, Error> {
    let head = bytes.get(..8).ok_or_else(|| Error::of("it is shorter than the name of a Darshan format"))?;
    let version = bytes::text_of(head);
    let is_format =
        version.contains('.') && version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
    match version.as_str() {
        "" if container::is_big_endian(bytes).is_some() => Err(Error::of(
            "it is a Darshan log that was never finished, as files named .darshan_partial are: its header has no format",
        )),
        _ if is_format => Ok(version),
        _ => Err(Error::of("it is not a Darshan log: its first bytes name no format")),
    }
}

impl Log {
    /// Count records of ranks that the job did not have, and values that were left out.
    fn note_wrong_ranks(&mut self) {
        let processes = self.job.processes;
        let wrong =
            self.records.iter().filter(|record| record.rank < -1 || record.rank >= processes.max(1)).count();
        if wrong > 0 {
            self.note(
                "its records",
                format!("{wrong} are of ranks that a job of {processes} processes does not have"),
            );
        }
        if self.too_large > 0 {
            self.note(
                "its records",
                format!("{} counters are larger than 63 bits, and left out", self.too_large),
            );
        }
    }
}
