//! A stream as blocks of complete lines in one reused buffer.

use super::{Compression, InputError, Progress};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A line longer than this is left out, and counted.
pub const LONGEST_LINE: usize = 64 << 20;

/// The text that replaces a line left out, so that line numbers stay correct and every reader skips and counts it.
pub const LONG_LINE: &[u8] = b"<a line of more than 64 MB was left out>\n";

/// The usual size of the buffer while lines are shorter, and the most that is read at a time.
pub(super) const BLOCK: usize = 1 << 20;

/// The byte order mark that some editors and exports write before text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes requested from a decompressor at a time: if it finds damage, the output of that step is lost.
const STEP: usize = 1 << 15;

/// A stream of text. Memory: one buffer, of twice the longest line if that is more than its first size.
pub struct Blocks {
    source: Box<dyn Read + Send>,
    compression: Compression,
    path: PathBuf,
    progress: Progress,
    buffer: Vec<u8>,
    /// The incomplete line after the last block: `buffer[rest..end]`.
    rest: usize,
    end: usize,
    delivered_bytes: u64,
    long_lines: u64,
    open_end: bool,
    /// Whether the first block has been requested.
    begun: bool,
    /// Inside a line that is left out.
    dropping: bool,
    finished: bool,
    failure: Option<io::Error>,
}

impl Blocks {
    pub(super) fn new(
        source: Box<dyn Read + Send>,
        compression: Compression,
        path: PathBuf,
        progress: Progress,
        buffer_bytes: usize,
    ) -> Blocks {
        Blocks {
            source,
            compression,
            path,
            progress,
            buffer: vec![0; buffer_bytes],
            rest: 0,
            end: 0,
            delivered_bytes: 0,
            long_lines: 0,
            open_end: false,
            begun: false,
            dropping: false,
            finished: false,
            failure: None,
        }
    }

    /// The same stream, which is not the beginning of a text: a byte order mark there is a part of its line.
    pub(super) fn without_mark(mut self) -> Blocks {
        self.begun = true;
        self
    }

    /// The next complete lines, each ending in a newline; None at the end. A last line without one is a block by itself.
    /// A UTF-8 byte order mark before the first line is left out.
    ///
    /// # Errors
    /// Damaged input is reported once, after all lines before it have been delivered; later calls return None. The line
    /// in which the damage lies is left out: what is there of it may be a part of a number.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>, InputError> {
        self.buffer.copy_within(self.rest..self.end, 0);
        self.end -= self.rest;
        self.rest = 0;
        loop {
            let searched = self.end;
            self.fill();
            if !self.begun {
                self.begun = true;
                self.skip_byte_order_mark();
            }
            if self.dropping {
                self.drop_to_newline();
                if self.dropping && !self.finished {
                    continue;
                }
            }
            if self.finished {
                return self.last();
            }
            let start = searched.min(self.end);
            if let Some(newline) = memchr::memrchr(b'\n', &self.buffer[start..self.end]) {
                return Ok(Some(self.deliver(start + newline + 1)));
            }
            if self.end == self.buffer.len() {
                if self.buffer.len() >= LONGEST_LINE {
                    self.long_lines += 1;
                    self.dropping = true;
                    self.end = LONG_LINE.len();
                    self.buffer[..self.end].copy_from_slice(LONG_LINE);
                    return Ok(Some(self.deliver(self.end)));
                }
                self.buffer.resize((self.buffer.len() * 2).min(LONGEST_LINE), 0);
            }
        }
    }

    /// The block that was delivered last; empty before the first and after the last.
    pub fn block(&self) -> &[u8] {
        &self.buffer[..self.rest]
    }

    /// The stream's name in error messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the stream is a tar archive. To be called before the first block.
    pub(super) fn is_archive(&mut self) -> bool {
        self.fill();
        crate::archive::is_archive(&self.buffer[..self.end])
    }

    /// The stream's first bytes, at most this many, whole lines or not. To be called before the first block.
    pub fn head(&mut self, most: usize) -> &[u8] {
        self.fill();
        self.begun = true;
        self.skip_byte_order_mark();
        &self.buffer[..self.end.min(most)]
    }

    /// How the stream is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The progress of reading it.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// How many bytes of text have been read and delivered, or left out.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// How many lines were longer than [`LONGEST_LINE`] and left out.
    pub fn long_lines(&self) -> u64 {
        self.long_lines
    }

    /// Whether the stream's last line has been delivered, and has no newline. It is a block of its own.
    pub fn open_end(&self) -> bool {
        self.open_end
    }

    /// Read until the buffer is full, or the stream ends or fails.
    fn fill(&mut self) {
        let step = if self.compression == Compression::None { BLOCK } else { STEP };
        while !self.finished && self.end < self.buffer.len() {
            let until = self.buffer.len().min(self.end + step);
            match self.source.read(&mut self.buffer[self.end..until]) {
                Ok(0) => self.finished = true,
                Ok(count) => self.end += count,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => {
                    self.failure = Some(cause);
                    self.finished = true;
                }
            }
        }
    }

    fn skip_byte_order_mark(&mut self) {
        if self.buffer[..self.end].starts_with(BYTE_ORDER_MARK) {
            self.buffer.copy_within(BYTE_ORDER_MARK.len()..self.end, 0);
            self.end -= BYTE_ORDER_MARK.len();
        }
    }

    fn drop_to_newline(&mut self) {
        match memchr::memchr(b'\n', &self.buffer[..self.end]) {
            Some(newline) => {
                self.buffer.copy_within(newline + 1..self.end, 0);
                self.end -= newline + 1;
                self.dropping = false;
            }
            None => self.end = 0,
        }
    }

    fn last(&mut self) -> Result<Option<&[u8]>, InputError> {
        if let Some(newline) = memchr::memrchr(b'\n', &self.buffer[..self.end]) {
            return Ok(Some(self.deliver(newline + 1)));
        }
        if self.end > 0 && self.failure.is_none() {
            self.open_end = true;
            return Ok(Some(self.deliver(self.end)));
        }
        self.delivered_bytes += self.end as u64;
        self.end = 0;
        match self.failure.take() {
            None => Ok(None),
            Some(cause) => Err(InputError::Damaged {
                path: self.path.clone(),
                after_bytes: self.delivered_bytes,
                compression: self.compression,
                cause,
            }),
        }
    }

    fn deliver(&mut self, until: usize) -> &[u8] {
        self.rest = until;
        self.delivered_bytes += until as u64;
        &self.buffer[..until]
    }
}

/// The unprocessed bytes of the stream, from the start of the next block.
impl Read for Blocks {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.rest == self.end {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            let count = self.source.read(out)?;
            self.delivered_bytes += count as u64;
            return Ok(count);
        }
        let count = out.len().min(self.end - self.rest);
        out[..count].copy_from_slice(&self.buffer[self.rest..self.rest + count]);
        self.rest += count;
        self.delivered_bytes += count as u64;
        Ok(count)
    }
}
