//! Why the engine cannot begin, or cannot go on.

use arrow_schema::ArrowError;
use std::fmt;

/// What is wrong, and where in what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub at: Option<At>,
    pub reason: String,
}

/// A place in the input, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Reference(u64),
    Request(u64),
    Record(u64),
    ProgramRow(u64),
}

const STOPPED: &str = "the simulation was stopped";

impl Error {
    /// Why a run that was stopped has no outcome.
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

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(out, "{at}: {}", self.reason),
            None => out.write_str(&self.reason),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Reference(number) => write!(out, "reference {number}"),
            At::Request(number) => write!(out, "request {number}"),
            At::Record(number) => write!(out, "record {number}"),
            At::ProgramRow(number) => write!(out, "row {number} of the program"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Error::of(error.to_string())
    }
}
