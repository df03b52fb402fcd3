//! Why a line was not parsed, and the count of all lines.

use crate::columns::named;

named! {
    /// Why a line was not parsed.
    pub enum Skip {
        /// It does not have the form of a call, a signal or an exit.
        NotACall = "not a call",
        /// It ends inside a call: within a string, a bracket or the list of arguments.
        CutShort = "cut short",
        /// The arguments are not followed by a result.
        NoResult = "no result",
        /// A descriptor is not a number of 32 bits.
        BadDescriptor = "bad descriptor",
        /// A number does not fit into 64 bits (a pid into 31), or a time is invalid.
        NumberOutOfRange = "number out of range",
        /// The end of a call whose beginning is not in the log.
        ResumedWithoutUnfinished = "resumed without unfinished",
    }
}

named! {
    /// A line that was parsed and is not a call.
    pub enum Remark {
        /// `--- SIGCHLD {...} ---`
        Signal = "signal",
        /// `--- stopped by SIGTSTP ---`: the process does nothing until another signal lets it go on.
        Stop = "stop by a signal",
        /// strace's own notice: `strace: Process N attached`.
        Notice = "notice of strace",
        /// An empty line.
        Blank = "blank",
        /// A child's side of the call that created it: `<... clone resumed>` first of all.
        ChildReturn = "return of a new child",
        /// A frame of the call stack (`-k`): ` > /lib/libc.so.6(read+0xe) [0xea8de]`.
        StackFrame = "frame of the stack",
        /// The table of counts that `-c` and `-C` print at the end.
        Summary = "summary of counts",
        /// Output of the traced program to the same standard error as strace's. Only known at the end of a log.
        Foreign = "output of the traced program",
    }
}

/// The count of a log's lines.
pub type Tally = crate::syscalls::tally::Tally<Skip, Remark>;
