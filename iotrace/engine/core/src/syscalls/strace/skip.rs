//! Why a line was not understood, and the count of all lines.

use crate::syscalls::tally::Reason;

/// Why a line was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// It has not the form of a call, a signal or an exit.
    NotACall,
    /// It ends inside a call: within a string, a bracket or the list of arguments.
    CutShort,
    /// The arguments are not followed by a result.
    NoResult,
    /// A descriptor is not a number of 32 bits.
    BadDescriptor,
    /// A number does not fit into 64 bits (a pid into 31), or a time is none.
    NumberOutOfRange,
    /// The end of a call of which the log does not have the beginning.
    ResumedWithoutUnfinished,
}

impl Skip {
    /// All reasons.
    pub const ALL: [Skip; 6] = [
        Skip::NotACall,
        Skip::CutShort,
        Skip::NoResult,
        Skip::BadDescriptor,
        Skip::NumberOutOfRange,
        Skip::ResumedWithoutUnfinished,
    ];

    /// The reason in words.
    pub fn name(self) -> &'static str {
        match self {
            Skip::NotACall => "not a call",
            Skip::CutShort => "cut short",
            Skip::NoResult => "no result",
            Skip::BadDescriptor => "bad descriptor",
            Skip::NumberOutOfRange => "number out of range",
            Skip::ResumedWithoutUnfinished => "resumed without unfinished",
        }
    }
}

impl Reason for Skip {
    const ALL: &'static [Skip] = &Skip::ALL;

    fn name(self) -> &'static str {
        Skip::name(self)
    }
}

/// A line that was understood and is no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Remark {
    /// `--- SIGCHLD {...} ---`, also `--- stopped by ... ---`.
    Signal,
    /// What strace says of itself: `strace: Process N attached`.
    Notice,
    /// Nothing.
    Blank,
    /// A child's side of the call that made it: `<... clone resumed>` first of all.
    ChildReturn,
    /// Where in the program a call was made (`-k`): ` > /lib/libc.so.6(read+0xe) [0xea8de]`.
    StackFrame,
    /// The table of counts that `-c` and `-C` print at the end.
    Summary,
    /// What the traced program wrote to the standard error that strace writes to. Only known at a log's end.
    Foreign,
}

impl Remark {
    /// All kinds.
    pub const ALL: [Remark; 7] = [
        Remark::Signal,
        Remark::Notice,
        Remark::Blank,
        Remark::ChildReturn,
        Remark::StackFrame,
        Remark::Summary,
        Remark::Foreign,
    ];

    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Remark::Signal => "signal",
            Remark::Notice => "notice of strace",
            Remark::Blank => "blank",
            Remark::ChildReturn => "return of a new child",
            Remark::StackFrame => "frame of the stack",
            Remark::Summary => "summary of counts",
            Remark::Foreign => "output of the traced program",
        }
    }
}

impl Reason for Remark {
    const ALL: &'static [Remark] = &Remark::ALL;

    fn name(self) -> &'static str {
        Remark::name(self)
    }
}

/// The count of a log's lines.
pub type Tally = crate::syscalls::tally::Tally<Skip, Remark>;
