//! Logs of strace with any flags, as [`Event`](crate::syscalls::call::Event)s, and events as such a log.
//!
//! A log is read once from left to right, byte by byte, with the state of brackets, quotes and angle brackets
//! (`split`); no regular expressions, nothing is searched from the right, nothing is allocated for a common line. One
//! table (`roles`) has the meaning of each argument of each call.
//!
//! The grammar of a line, and the file that reads each part of it:
//!
//! ```text
//! line     = prefix event                       prefix
//! event    = call | signal | exit | resumed ... forms, pending
//! call     = name "(" argument, ... ")" outcome assemble
//! argument = number | string | descriptor | structure | symbols
//!                                               split, number, descriptor, structs, symbols/
//! outcome  = " = " result [error] [<duration>]  outcome
//! ```

mod assemble;
mod capture;
mod clock;
mod contents;
mod descriptor;
mod forms;
mod log;
mod outcome;
mod pending;
mod prefix;
mod scanner;
mod seen;
mod set;
mod skip;
mod split;
mod stacks;
mod structs;
mod writer;

use super::{number, roles, symbols};

pub use clock::TimeBase;
pub use contents::ContentsFilter;
pub use log::Log;
pub use scanner::{Disorder, Scanner};
pub use seen::Seen;
pub use set::{FileLines, Order, SetError};
pub use skip::{Remark, Skip, Tally};
pub use writer::Writer;

#[cfg(test)]
mod tests;
