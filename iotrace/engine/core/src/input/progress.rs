//! Progress of reading inputs.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The position in an input, in bytes as stored (compressed). May be read from another thread.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    read: Arc<AtomicU64>,
    total_bytes: Option<u64>,
}

impl Progress {
    /// No bytes read yet of `total_bytes`.
    pub fn of(total_bytes: Option<u64>) -> Progress {
        Progress { read: Arc::default(), total_bytes }
    }

    /// A reader, and its progress.
    pub(super) fn counted<R>(reader: R, total_bytes: Option<u64>) -> (Counted<R>, Progress) {
        let progress = Progress::of(total_bytes);
        (Counted { inner: reader, read: Arc::clone(&progress.read) }, progress)
    }

    /// Count more bytes as read.
    pub fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read so far.
    pub fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Total bytes; None for a pipe.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }
}

/// A reader that counts the bytes read.
pub(super) struct Counted<R> {
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
