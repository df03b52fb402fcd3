//! The ULTRIX call trace: system calls as two entries each, one at the call and one at its return.
//!
//! Richardson's DECstations recorded each system call twice (1994, section 2.1): its type, process and parameters at
//! issue, its return value and error at completion. His analysis program matched the two records, and so had the order
//! of issue and the order of completion. The layout of his files was never published. This is a text form with the
//! same content:
//!
//! ```text
//! # iotrace ultrix-calls 2
//! # seq time_ns thread dir call arguments...
//! 0 1000 17 C open /etc/passwd O_RDONLY -
//! 1 4000 17 R open 3 -
//! 2 5000 17 C pread64 3 4096 0
//! 3 9000 17 R pread64 812 -
//! 4 9500 17 E process_exited 0
//! ```
//!
//! - One line per entry, in the order of the entries; columns are separated by blanks or tabs. A column that starts
//!   with `#` starts a comment. `-` is an absent value, `""` an empty name.
//! - Names are percent-encoded, byte for byte: what is not an ASCII letter or digit or one of `_./+,:@~|-` is `%` and
//!   two hexadecimal digits, and the name `-` is `%2D`. So any bytes are preserved, and different names have different
//!   texts.
//! - `dir` is `C` for a call, `R` for its return and `E` for the end of a thread. A return belongs to the oldest open
//!   call of the same thread and name. The time of a return is that of the call plus its duration.
//! - The arguments of a call are in the order of `forms::arguments`; other known values follow as `key=value`. A
//!   return has the result, the error and, by key, values that differ from the call's entry: the `size` and the `type`
//!   of the file (f, d, l, c, b, p, s, or a for anonymous) if they were revealed, the result of readlink and getcwd as
//!   `path2`, pipe's descriptors as `fd` and `fd2`.
//! - A sync_file_range with omitted flags has SYNC_FILE_RANGE_WRITE; with `-` as flags it has none.
//! - Version 1 is the classic form: times are in microseconds, open's flags, lseek's origin and errors may be ULTRIX's
//!   numbers, `ino=` is allowed on returns, and an `exit` has no return. Its calls are marked in [`list`]. A file
//!   without a header is read as version 1. iotrace writes version 2.

mod classic;
mod entry;
mod field;
mod forms;
mod name;
mod open;
mod reader;
mod skip;
mod writer;

pub use forms::{list, ListedCall};
pub use reader::Reader;
pub use skip::{Remark, Skip, Tally};
pub use writer::Writer;

/// The start of every file of this format; the version follows.
const MAGIC: &[u8] = b"# iotrace ultrix-calls ";

/// Whether a file with these first bytes is an ULTRIX call trace.
pub fn recognises(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// The two versions of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// The classic form: microseconds.
    Classic,
    /// Nanoseconds and every call.
    Extended,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
