//! Why a line was not understood, and the count of all lines.

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
}

impl Remark {
    /// All kinds.
    pub const ALL: [Remark; 4] = [
        Remark::Signal,
        Remark::Notice,
        Remark::Blank,
        Remark::ChildReturn,
    ];

    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Remark::Signal => "signal",
            Remark::Notice => "notice of strace",
            Remark::Blank => "blank",
            Remark::ChildReturn => "return of a new child",
        }
    }
}

/// The longest excerpt of a line, in bytes.
pub const EXCERPT: usize = 200;

/// The lines that were skipped for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub lines: u64,
    /// The number of the first, from 1.
    pub first_line: u64,
    /// How the first begins, as printable UTF-8.
    pub excerpt: String,
}

/// The count of lines: `lines` is the sum of `parsed`, all that was skipped, and all remarks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines seen.
    pub lines: u64,
    /// Lines that are calls, halves of calls, or ends of threads.
    pub parsed: u64,
    /// Calls that returned, or that the trace's end cut off.
    pub calls: u64,
    skipped: [Skipped; Skip::ALL.len()],
    remarks: [u64; Remark::ALL.len()],
}

impl Tally {
    /// The lines skipped for this reason.
    pub fn skipped(&self, reason: Skip) -> &Skipped {
        &self.skipped[reason as usize]
    }

    /// All lines skipped.
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.iter().map(|skipped| skipped.lines).sum()
    }

    /// The number of remarks of this kind.
    pub fn remarks(&self, kind: Remark) -> u64 {
        self.remarks[kind as usize]
    }

    pub(super) fn remark(&mut self, kind: Remark) {
        self.remarks[kind as usize] += 1;
    }

    pub(super) fn skip(&mut self, reason: Skip, line_number: u64, line: &[u8]) {
        let skipped = &mut self.skipped[reason as usize];
        if skipped.lines == 0 {
            skipped.first_line = line_number;
            skipped.excerpt = excerpt(line);
        }
        skipped.lines += 1;
    }
}

/// The first bytes of a line, with what is not printable replaced by `\xHH`.
fn excerpt(line: &[u8]) -> String {
    let cut = &line[..line.len().min(EXCERPT)];
    let mut shown = String::with_capacity(cut.len());
    for chunk in cut.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                shown.extend(character.escape_default());
            } else {
                shown.push(character);
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}
