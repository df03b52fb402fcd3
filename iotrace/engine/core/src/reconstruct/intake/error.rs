//! Errors of reading a trace.

use arrow_schema::ArrowError;

use crate::error::Error;
use crate::input::InputError;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The input cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The input has not one system call.
    #[error("{}", no_trace(format, *lines, first.as_ref()))]
    NoTrace {
        /// The format it was read as.
        format: &'static str,
        /// Lines seen.
        lines: u64,
        /// The first line that was not parsed, and its beginning.
        first: Option<(u64, String)>,
    },
    /// One of several files has not one readable line.
    #[error(
        "{file}: none of its {lines} lines is a system call; line {} is: {}; the files of one trace have one format: \
         leave this one out, or ingest it alone",
        first.0, first.1
    )]
    NoTraceOf {
        /// Its name.
        file: String,
        /// Its lines that were not parsed.
        lines: u64,
        /// The first of these, and its beginning.
        first: (u64, String),
    },
    /// The arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A batch could not be built.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

impl From<Error> for IntakeError {
    fn from(error: Error) -> Self {
        IntakeError::Usage(error.to_string())
    }
}

fn no_trace(format: &str, lines: u64, first: Option<&(u64, String)>) -> String {
    let of_lines = format!("is not in format {format}: none of its {lines} lines is a system call");
    match first {
        _ if lines == 0 => "is empty".to_owned(),
        Some((line, excerpt)) => format!("{of_lines}; line {line} is: {excerpt}"),
        None => of_lines,
    }
}
