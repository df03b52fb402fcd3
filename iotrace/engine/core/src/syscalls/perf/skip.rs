//! Why a line was not parsed.

use crate::columns::named;
use crate::syscalls::tally;

named! {
    /// Why a line was not parsed.
    pub enum Skip {
        /// It does not have the form of a call.
        NotACall = "not a system call",
        /// A descriptor is not a number of 32 bits.
        BadDescriptor = "bad descriptor",
        /// A number does not fit into 64 bits, or a call moved more bytes than Linux does.
        NumberOutOfRange = "number out of range",
        /// perf was told not to show the names of arguments, so that it is not known which of them it left out.
        ArgumentsWithoutNames = "arguments without names",
        /// A return whose call is not in the log, of a thread that has begun.
        ReturnWithoutCall = "return without call",
    }
}

named! {
    /// A line that was parsed and is not a call.
    pub enum Remark {
        /// An empty line.
        Blank = "blank lines",
        /// `# captured on: ...`
        Comment = "comments",
        /// `LOST 3 events!`
        Losses = "records of losses",
        /// `block:block_rq_issue: 8,0 R 4096 () 1000 + 8 [app]`
        OtherEvent = "events of other kinds",
        /// A child's side of the call that created it.
        ChildReturn = "return of a new child",
    }
}

/// The count of a log's lines.
pub type Tally = tally::Tally<Skip, Remark>;
