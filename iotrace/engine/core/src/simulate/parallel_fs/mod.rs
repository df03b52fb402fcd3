//! A parallel file system: processes, a buffer cache for each file, and disks over which files are interleaved block by
//! block (Kotz and Ellis, "Caching and Writeback Policies in Parallel File Systems", 1991, sections 3.1, 3.3 and 4.1).
//!
//! - `settings` has the policies and parameters; `program` has the processes' records;
//! - `simulation` is the event loop: `process` has the steps of a process, `caching` the buffer look-up, `flow` the
//!   disk operations, `prefetching` the read-ahead, `portions` its limits;
//! - `process_state`, `buffers` and `disks` are the simulated objects; `blocks` has the state of blocks;
//! - `rng` has a random number generator per process;
//! - `measures` has the counts of a run, `windows` its time series, `log` its events, `table` makes tables of them;
//! - `simulator` runs many settings over one program on several cores, `progress` has its progress.
//!
//! # Time
//!
//! Whole nanoseconds. Timed events are the ends of delays and of disk operations; those of the same time occur in the
//! order in which they were scheduled. A woken process goes to the tail of a queue, which is emptied before the time
//! advances; a delay of 0 is no event. At time 0 processes start in order of their numbers.

mod blocks;
mod buffers;
mod caching;
mod disks;
mod flow;
mod log;
mod measures;
mod portions;
mod prefetching;
mod process;
mod process_state;
mod program;
mod progress;
mod rng;
mod settings;
mod simulation;
mod simulator;
mod table;
mod windows;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use measures::Measures;
pub use program::{Operation, Program, ProgramBuilder, Record, MOST_FILES, MOST_PROCESSES};
pub use progress::Progress;
pub use settings::*;
pub use simulator::{Outcome, Simulator};
pub use table::Tables;
