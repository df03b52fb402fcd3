//! System calls as `perf trace` and `perf script` print them (`tools/perf/builtin-trace.c`, `builtin-script.c`).
//!
//! perf trace prints a call with its return, unless others' calls come between; then it prints the call first, and its
//! return later. perf script prints the tracepoints of a call's entry and of its exit, with registers (`raw_syscalls`) or
//! named arguments (`syscalls`). Both become the same events as lines of strace; `line` has examples.

mod arguments;
mod calls;
mod line;
mod names;
mod queue;
mod reader;
mod skip;

pub use reader::Reader;
pub use skip::{Remark, Skip, Tally};

#[cfg(test)]
mod tests;
