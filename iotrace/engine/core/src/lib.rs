//! The engine of iotrace, without Python.
//!
//! Grammar and tables below, simulations above: `input` turns a file into lines, `strace` and `ultrix` turn lines
//! into `call::Event`s, `syscall_table` turns events into the native table, `file_table` turns them into the
//! reference stream, `stack` turns references into exact miss-ratio curves, and `policies`
//! simulates other replacement policies at chosen sizes, `nonvolatile` and `partition` caches of special kinds.
//! `disk` is a drive that turns, `write_cache` a controller with caches before it, `parallel_file_system` many disks,
//! processes and a cache between them, and `cluster` two levels of caches on the nodes of a network; `events` is the
//! clock of discrete-event simulations.

pub mod call;
pub mod cluster;
pub mod columns;
pub mod disk;
pub mod events;
pub mod file_table;
pub mod input;
pub mod intake;
pub mod nonvolatile;
pub mod parallel_file_system;
pub mod partition;
pub mod policies;
pub mod process_table;
pub mod refusal;
mod replay;
pub mod stack;
pub mod strace;
pub mod syscall_table;
pub mod tally;
pub mod text;
pub mod ultrix;
pub mod write_cache;
