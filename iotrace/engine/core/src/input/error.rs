//! Errors of inputs.

use super::compression::Compression;
use std::io;
use std::path::PathBuf;

/// An error of an input.
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
    /// It cannot be read further, or its compressed data are damaged or truncated. All data before have been
    /// delivered.
    #[error("{}: {} ({})", path.display(), damage(*compression, *after_bytes), words(cause))]
    Damaged {
        /// The path as given.
        path: PathBuf,
        /// Bytes of text before the error.
        after_bytes: u64,
        /// Its compression.
        compression: Compression,
        /// The reason.
        cause: io::Error,
    },
}

fn damage(compression: Compression, after_bytes: u64) -> String {
    match compression {
        Compression::None => format!("could not be read beyond byte {after_bytes}"),
        _ => format!("the {compression} data are damaged or truncated after {after_bytes} bytes of text"),
    }
}

/// The system's words, without its number for them.
fn words(cause: &io::Error) -> String {
    let words = cause.to_string();
    words.split(" (os error").next().unwrap_or_default().to_string()
}
