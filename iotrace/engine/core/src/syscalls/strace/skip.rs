//! Why a line was not understood, and the count of all lines.

use crate::columns::named;

named! {
    /// Why a line was not understood.
    pub enum Skip {
        /// It has not the form of a call, a signal or an exit.
        NotACall = "not a call",
        /// It ends inside a call: within a string, a bracket or the list of arguments.
        CutShort = "cut short",
        /// The arguments are not followed by a result.
        NoResult = "no result",
        /// A descriptor is not a number of 32 bits.
        BadDescriptor = "bad descriptor",
        /// A number does not fit into 64 bits (a pid into 31), or a time is none.
        NumberOutOfRange = "number out of range",
        /// The end of a call of which the log does not have the beginning.
        ResumedWithoutUnfinished = "resumed without unfinished",
    }
}

named! {
    /// A line that was understood and is no call.
    pub enum Remark {
        /// `--- SIGCHLD {...} ---`, also `--- stopped by ... ---`.
        Signal = "signal",
        /// What strace says of itself: `strace: Process N attached`.
        Notice = "notice of strace",
        /// Nothing.
        Blank = "blank",
        /// A child's side of the call that made it: `<... clone resumed>` first of all.
        ChildReturn = "return of a new child",
        /// Where in the program a call was made (`-k`): ` > /lib/libc.so.6(read+0xe) [0xea8de]`.
        StackFrame = "frame of the stack",
        /// The table of counts that `-c` and `-C` print at the end.
        Summary = "summary of counts",
        /// What the traced program wrote to the standard error that strace writes to. Only known at a log's end.
        Foreign = "output of the traced program",
    }
}

/// The count of a log's lines.
pub type Tally = crate::syscalls::tally::Tally<Skip, Remark>;
