//! Errors of the engine's functions.

use arrow_schema::ArrowError;

/// What is wrong, and where in the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", at.map_or(String::new(), |at| format!("{at}: ")))]
pub struct Error {
    pub at: Option<At>,
    pub reason: String,
}

/// A place in the input, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum At {
    #[error("reference {0}")]
    Reference(u64),
    #[error("request {0}")]
    Request(u64),
    #[error("record {0}")]
    Record(u64),
    #[error("row {0} of the program")]
    ProgramRow(u64),
}

const STOPPED: &str = "the simulation was stopped";

impl Error {
    /// The error of a run that was stopped.
    pub fn stopped() -> Self {
        Error::of(STOPPED)
    }

    pub fn is_stopped(&self) -> bool {
        self.reason == STOPPED
    }

    /// An error in the settings, or in the input as a whole.
    pub fn of(reason: impl Into<String>) -> Self {
        Error { at: None, reason: reason.into() }
    }

    /// An error at one place of the input.
    pub fn at(at: At, reason: impl Into<String>) -> Self {
        Error { at: Some(at), reason: reason.into() }
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Error::of(error.to_string())
    }
}
