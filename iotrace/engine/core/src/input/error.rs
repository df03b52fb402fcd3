//! What goes wrong with inputs.

use super::compression::Compression;
use std::io;
use std::path::PathBuf;

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
