//! Why a line was not understood.

use crate::syscalls::tally::{self, Reason};

/// Why a line was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It does not start as an entry does.
    NotAnEntry,
    /// A number is none, or does not fit.
    BadNumber,
    /// A `%` is not followed by two hexadecimal digits.
    BadEscape,
    /// A letter that stands for no type of file.
    BadType,
    /// An argument that the call must have is missing.
    TooFewArguments,
    /// An argument that the call does not have.
    UnknownArgument,
    /// A way in which no thread ends.
    UnknownEnd,
    /// A return whose call the trace does not have.
    ReturnWithoutCall,
    /// The header names a version that is not known.
    UnknownVersion,
}

impl Reason for Skip {
    const ALL: &'static [Skip] = &[
        Skip::NotAnEntry,
        Skip::BadNumber,
        Skip::BadEscape,
        Skip::BadType,
        Skip::TooFewArguments,
        Skip::UnknownArgument,
        Skip::UnknownEnd,
        Skip::ReturnWithoutCall,
        Skip::UnknownVersion,
    ];

    fn name(self) -> &'static str {
        match self {
            Skip::NotAnEntry => "not an entry",
            Skip::BadNumber => "bad number",
            Skip::BadEscape => "bad escape in a name",
            Skip::BadType => "unknown type of file",
            Skip::TooFewArguments => "too few arguments",
            Skip::UnknownArgument => "unknown argument",
            Skip::UnknownEnd => "unknown end of a thread",
            Skip::ReturnWithoutCall => "return without call",
            Skip::UnknownVersion => "unknown version of the format",
        }
    }
}

/// A line that is no entry and need not be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// The header, a line of column names, or a comment.
    Comment,
    /// Nothing.
    Blank,
}

impl Reason for Remark {
    const ALL: &'static [Remark] = &[Remark::Comment, Remark::Blank];

    fn name(self) -> &'static str {
        match self {
            Remark::Comment => "comment",
            Remark::Blank => "blank",
        }
    }
}

/// The count of a trace's lines.
pub type Tally = tally::Tally<Skip, Remark>;
