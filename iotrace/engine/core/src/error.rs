//! Why a simulation cannot be, or cannot go on.

use arrow_schema::ArrowError;
use std::fmt;

/// What is wrong, and where in what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub at: Option<At>,
    pub reason: String,
}

/// A place in the input of a simulation, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Reference(u64),
    Request(u64),
    Record(u64),
    ProgramRow(u64),
}

impl Refusal {
    /// A refusal of the whole.
    pub fn of(reason: impl Into<String>) -> Self {
        Refusal {
            at: None,
            reason: reason.into(),
        }
    }

    /// A refusal of one of many.
    pub fn at(at: At, reason: impl Into<String>) -> Self {
        Refusal {
            at: Some(at),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Refusal {
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

impl std::error::Error for Refusal {}

impl From<ArrowError> for Refusal {
    fn from(error: ArrowError) -> Self {
        Refusal::of(error.to_string())
    }
}
