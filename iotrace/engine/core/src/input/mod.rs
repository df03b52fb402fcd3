//! Input: files and pipes, decompressed, as blocks of complete lines.
//!
//! Files are read into one reused buffer instead of mapped: this is as fast (the copy from the page cache costs a few
//! percent of the parsing time), memory does not grow with the file, and a log that shrinks while it is read causes an
//! error instead of a signal.

mod blocks;
mod bytes;
mod compression;
mod error;
mod lines;
mod member;
mod progress;

pub use blocks::{Blocks, LONGEST_LINE, LONG_LINE};
pub use bytes::read_up_to;
pub use compression::Compression;
pub use error::InputError;
pub use lines::Lines;
pub use member::Member;
pub use progress::Progress;

use crate::archive::Unpacked;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// The content of a path.
pub enum Input {
    /// A stream of text.
    Text(Blocks),
    /// A tar archive.
    Archive(Unpacked),
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

/// Open a part of a plain file, from one byte to before another, which begins and ends at the start of a line.
pub fn open_part(path: &Path, part: Range<u64>) -> Result<Blocks, InputError> {
    let failed = |cause| InputError::Open { path: path.to_path_buf(), cause };
    let mut file = File::open(path).map_err(failed)?;
    file.seek(SeekFrom::Start(part.start)).map_err(failed)?;
    let total_bytes = part.end.saturating_sub(part.start);
    let (counted, progress) = Progress::counted(file.take(total_bytes), Some(total_bytes));
    let blocks =
        Blocks::new(Box::new(counted), Compression::None, path.to_path_buf(), progress, blocks::BLOCK);
    Ok(if part.start > 0 { blocks.without_mark() } else { blocks })
}

/// Like `open`, but a tar archive is unpacked; its files may take `most_unpacked_bytes` in total.
pub fn open_archive(path: &Path, most_unpacked_bytes: u64) -> Result<Input, InputError> {
    let mut blocks = open(path)?;
    if !blocks.is_archive() {
        return Ok(Input::Text(blocks));
    }
    let unpacked = crate::archive::unpack(blocks, most_unpacked_bytes)
        .map_err(|cause| InputError::Open { path: path.to_path_buf(), cause })?;
    Ok(Input::Archive(unpacked))
}

/// Any reader as blocks of complete lines; `path` is its name in error messages.
pub fn from_reader(
    reader: impl Read + Send + 'static,
    path: &Path,
    total_bytes: Option<u64>,
) -> io::Result<Blocks> {
    let (counted, progress) = Progress::counted(reader, total_bytes);
    let (compression, source) = compression::decompress(counted)?;
    Ok(Blocks::new(source, compression, path.to_path_buf(), progress, blocks::BLOCK))
}

#[cfg(test)]
mod tests;
