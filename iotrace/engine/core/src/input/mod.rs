//! Bytes in: files, pipes and what is compressed in them, as blocks of complete lines.
//!
//! Files are read into one reused buffer instead of mapped: that is as fast here (the copy from the page cache costs a
//! few percent of the parsing), memory does not grow with the file, and a log that shrinks while it is read is an
//! error and not a signal.

mod blocks;
mod compression;
mod lines;
mod member;

pub use blocks::{Blocks, LONGEST_LINE, LONG_LINE};
pub use compression::Compression;
pub use lines::Lines;
pub use member::Member;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// What went wrong with an input.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be opened.
    #[error("{}: cannot be opened: {cause}", path.display())]
    Open {
        /// The path as given.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// It cannot be read on, or its compression is damaged or cut short. All that came before has been delivered.
    #[error("{}: {}: {cause}", path.display(), damage(*compression, *after_bytes))]
    Damaged {
        /// The path as given.
        path: PathBuf,
        /// How many bytes of text came before.
        after_bytes: u64,
        /// How it is compressed.
        compression: Compression,
        /// The reason.
        cause: io::Error,
    },
}

fn damage(compression: Compression, after_bytes: u64) -> String {
    match compression {
        Compression::None => format!("cannot be read beyond byte {after_bytes}"),
        _ => format!("the {compression} data are damaged or cut short after {after_bytes} bytes of text"),
    }
}

/// How far an input has been read, in bytes as stored (compressed). May be read from another thread.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    read: Arc<AtomicU64>,
    total_bytes: Option<u64>,
}

impl Progress {
    /// Nothing read yet of so many bytes.
    pub fn of(total_bytes: Option<u64>) -> Progress {
        Progress { read: Arc::default(), total_bytes }
    }

    /// Count more bytes as read.
    pub fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read so far.
    pub fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes in all; None for a pipe.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }
}

/// A reader that counts what passes.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// What a path turned out to be.
pub enum Input {
    /// A stream of text.
    Text(Blocks),
    /// The regular files of a tar archive.
    Archive(Vec<Member>),
}

/// Open a file, or standard input for `-`, as blocks of complete lines, decompressed if its first bytes say so.
pub fn open(path: &Path) -> Result<Blocks, InputError> {
    let failed = |cause| InputError::Open { path: path.to_path_buf(), cause };
    if path == Path::new("-") {
        return from_reader(io::stdin(), path, None).map_err(failed);
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let total_bytes = metadata.is_file().then_some(metadata.len());
    from_reader(file, path, total_bytes).map_err(failed)
}

/// The same, and unpacked if it then is a tar archive, whose files may take `most_unpacked_bytes` together.
pub fn open_archive(path: &Path, most_unpacked_bytes: u64) -> Result<Input, InputError> {
    let mut blocks = open(path)?;
    if !blocks.is_archive() {
        return Ok(Input::Text(blocks));
    }
    let parts = crate::archive::unpack(blocks, most_unpacked_bytes)
        .map_err(|cause| InputError::Open { path: path.to_path_buf(), cause })?;
    Ok(Input::Archive(parts.into_iter().map(Member::part).collect()))
}

/// Any reader as blocks of complete lines; `path` is what errors call it.
pub fn from_reader(
    reader: impl Read + Send + 'static,
    path: &Path,
    total_bytes: Option<u64>,
) -> io::Result<Blocks> {
    let read = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: reader, read: Arc::clone(&read) };
    let (compression, source) = compression::decompress(counted)?;
    let progress = Progress { read, total_bytes };
    Ok(Blocks::new(source, compression, path.to_path_buf(), progress, blocks::BLOCK))
}

#[cfg(test)]
mod tests;
