//! Why a line was not parsed.

use crate::columns::named;
use crate::syscalls::tally;

named! {
    /// Why a line was not parsed.
    pub enum Skip {
        /// It does not start like an entry.
        NotAnEntry = "not an entry",
        /// A number is invalid, or does not fit.
        BadNumber = "bad number",
        /// A `%` is not followed by two hexadecimal digits.
        BadEscape = "bad escape in a name",
        /// A letter that is not a file type.
        BadType = "unknown type of file",
        /// A required argument is missing.
        TooFewArguments = "too few arguments",
        /// An argument that the call does not have.
        UnknownArgument = "unknown argument",
        /// An unknown kind of thread end.
        UnknownEnd = "unknown end of a thread",
        /// A return whose call is not in the trace.
        ReturnWithoutCall = "return without call",
        /// The header has an unknown version.
        UnknownVersion = "unknown version of the format",
    }
}

named! {
    /// A line that is not an entry, and is valid.
    pub enum Remark {
        /// The header, a line of column names, or a comment.
        Comment = "comment",
        /// An empty line.
        Blank = "blank",
    }
}

/// The count of a trace's lines.
pub type Tally = tally::Tally<Skip, Remark>;
