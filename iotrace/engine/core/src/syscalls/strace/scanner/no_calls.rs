//! Lines that are not calls: damaged records of strace, or output of the traced program to the same standard error.

use crate::input::LONG_LINE;
use crate::syscalls::strace::clock::TimeBase;
use crate::syscalls::strace::prefix::{self, Stamp};
use crate::syscalls::tally::Skipped;

/// The kinds of time stamps, and none.
const STAMPS: usize = 4;

/// The lines of a log that are not calls.
#[derive(Debug, Default)]
pub(super) struct NoCalls {
    /// Lines that cannot be the program's output: they contain NUL, as holes in a file do, are too long, or begin with
    /// a thread's number as strace writes it.
    damaged: Skipped,
    /// The others, by the kind of their time stamp.
    by_stamp: [Skipped; STAMPS],
}

impl NoCalls {
    /// Count a line.
    pub fn note(&mut self, line_number: u64, line: &[u8]) {
        let is_damaged = memchr::memchr(0, line).is_some()
            || line == LONG_LINE.trim_ascii_end()
            || line.starts_with(b"[pid ");
        let skipped = if is_damaged {
            &mut self.damaged
        } else {
            &mut self.by_stamp[base_of(prefix::leading_stamp(line)) as usize]
        };
        skipped.note(line_number, line);
    }

    /// The damaged records of a log with time stamps of this kind, and then the presumed output of the program: lines
    /// without such a stamp.
    pub fn apart(&self, base: TimeBase) -> (Skipped, Skipped) {
        let (mut damaged, mut output) = (self.damaged.clone(), Skipped::default());
        for (stamp, lines) in self.by_stamp.iter().enumerate() {
            if base != TimeBase::None && stamp == base as usize {
                damaged.add(lines);
            } else {
                output.add(lines);
            }
        }
        (damaged, output)
    }
}

fn base_of(stamp: Stamp) -> TimeBase {
    match stamp {
        Stamp::None => TimeBase::None,
        Stamp::Epoch(_) => TimeBase::Epoch,
        Stamp::OfDay(_) => TimeBase::OfDay,
        Stamp::Relative(_) | Stamp::Small(_) => TimeBase::Relative,
    }
}
