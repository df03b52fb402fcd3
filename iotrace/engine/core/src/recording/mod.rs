//! The parts of recordings of `iotrace record` (crate iotrace-capture) that all who read them need.

mod request;

pub use request::{flag_names, Operation, Request, RequestFlags, FLAGS};

use crate::archive::temporary_file;
use crate::input::{self, Compression, InputError};
use iotrace_capture::recording::{Failure, Reader};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

/// A recording being read.
pub type RecordingReader = Reader<BufReader<File>>;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// What it is read from is damaged, or cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It is not a recording, or one of a later release.
    #[error("{0}")]
    Refused(String),
}

impl From<Failure> for RecordingError {
    fn from(failure: Failure) -> RecordingError {
        match failure {
            Failure::Input(error) => RecordingError::File(error),
            refused => RecordingError::Refused(refused.to_string()),
        }
    }
}

/// Open a recording that begins with `magic`, and give the size of its file. One that is compressed, or comes through a
/// pipe, is copied to a temporary file of at most this size.
///
/// # Errors
/// If it cannot be read, or is no such recording.
pub fn open(
    path: &Path,
    magic: [u8; 8],
    most_unpacked_bytes: u64,
) -> Result<(RecordingReader, u64), RecordingError> {
    let file = seekable(path, most_unpacked_bytes)?;
    let total_bytes = file.metadata()?.len();
    Ok((Reader::open(BufReader::new(file), magic)?, total_bytes))
}

/// What the monotonic clock of a recording is behind the time of day.
///
/// # Errors
/// If its start does not say so.
pub fn epoch_ns(reader: &RecordingReader) -> Result<i64, RecordingError> {
    let time = |key: &'static str| -> Result<i64, RecordingError> {
        let value = reader.start_values(key).next().unwrap_or_default();
        let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| RecordingError::Refused(format!("is damaged: its start has no {key}")))
    };
    Ok(time("realtime_ns")?.saturating_sub(time("monotonic_ns")?))
}

/// Why the end of a recording is missing; None if it is not.
pub fn damage(reader: &RecordingReader, path: &Path) -> Option<String> {
    let path = path.display();
    match reader.damage() {
        Some(damage) => Some(format!("{path}: {damage}: what follows is missing")),
        None if reader.end().is_some() => None,
        None => Some(format!("{path}: the recorder did not come to its end: the last second may be missing")),
    }
}

/// A recording as a file of which any part can be read.
fn seekable(path: &Path, most_unpacked_bytes: u64) -> Result<File, RecordingError> {
    let mut source = input::open(path)?;
    if path.is_file() && source.compression() == Compression::None {
        return Ok(File::open(path)?);
    }
    let mut copy = temporary_file()?;
    let (mut copied_bytes, mut part) = (0, Vec::new());
    loop {
        input::read_up_to(&mut source, COPIED_BYTES, &mut part)?;
        if part.is_empty() {
            return Ok(copy);
        }
        copied_bytes += part.len() as u64;
        if copied_bytes > most_unpacked_bytes {
            let why = "takes more temporary space, unpacked, than it may; iotrace ingest --max-unpacked SIZE allows more";
            return Err(RecordingError::Refused(why.to_owned()));
        }
        copy.write_all(&part)?;
    }
}

const COPIED_BYTES: usize = 1 << 20;
