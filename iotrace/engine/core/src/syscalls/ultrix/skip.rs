//! Why a line was not understood.

use crate::columns::named;
use crate::syscalls::tally;

named! {
    /// Why a line was not understood.
    pub enum Skip {
        /// It does not start as an entry does.
        NotAnEntry = "not an entry",
        /// A number is none, or does not fit.
        BadNumber = "bad number",
        /// A `%` is not followed by two hexadecimal digits.
        BadEscape = "bad escape in a name",
        /// A letter that stands for no type of file.
        BadType = "unknown type of file",
        /// An argument that the call must have is missing.
        TooFewArguments = "too few arguments",
        /// An argument that the call does not have.
        UnknownArgument = "unknown argument",
        /// A way in which no thread ends.
        UnknownEnd = "unknown end of a thread",
        /// A return whose call the trace does not have.
        ReturnWithoutCall = "return without call",
        /// The header names a version that is not known.
        UnknownVersion = "unknown version of the format",
    }
}

named! {
    /// A line that is no entry and need not be one.
    pub enum Remark {
        /// The header, a line of column names, or a comment.
        Comment = "comment",
        /// Nothing.
        Blank = "blank",
    }
}

/// The count of a trace's lines.
pub type Tally = tally::Tally<Skip, Remark>;
