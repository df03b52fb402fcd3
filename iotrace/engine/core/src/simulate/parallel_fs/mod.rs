//! A parallel file system: processes, a shared buffer cache, and disks over which files are interleaved block by block
//! (Kotz and Ellis, "Caching and Writeback Policies in Parallel File Systems", 1991, sections 3.1, 3.3 and 4.1).
//!
//! - `settings` names what can be chosen; `program` is what the processes do, record by record;
//! - `simulation` is the event loop: `process` is what one does, `caching` what the cache does for it, `flow` how
//!   blocks come to disks and back, `prefetching` what is read before it is asked for, `portions` how far that goes;
//! - `process_state`, `buffers` and `disks` are the three kinds of things it moves; `blocks` says which blocks are where;
//! - `rng` has each process's own random numbers;
//! - `measures` is what a run counted, `windows` what was so over its time, `log` what happened, `table` all of that
//!   as tables;
//! - `simulator` has many settings over one program, on several cores, `progress` how far it is.
//!
//! # Time
//!
//! Whole nanoseconds. What the clock brings are the ends of delays and of disk operations, those of one instant in the
//! order in which they were scheduled. A process that is woken goes to the tail of a queue, which is emptied before
//! the clock moves on; a delay of 0 does not pass. At time 0 processes start in their order.

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
pub use program::{Operation, Program, ProgramBuilder, Record};
pub use progress::Progress;
pub use settings::*;
pub use simulator::{Outcome, Simulator};
pub use table::Tables;
