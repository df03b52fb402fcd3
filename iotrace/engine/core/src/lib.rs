//! The engine of iotrace, without Python.
//!
//! Modules, lowest layer first; each uses only those before it. All use `error`, `columns` (tables), `lists` and
//! `histogram`. `parquet` encodes tables. `archive` and `input` turn files into lines, `fields` reads numbers and names in them. `recording` opens what
//! `iotrace record` wrote. `block_trace` turns
//! lines and records of block traces into requests, `parallel_trace` lines of parallel traces into calls, `syscalls`
//! lines of strace and ULTRIX logs into events, `reconstruct` events into tables and the reference stream. `cache`
//! computes exact miss-ratio curves, and simulates other replacement policies, non-volatile and partitioned caches over
//! that stream. `keys` reads records of caches' traces and numbers their keys. `simulate` has discrete-event simulations: disks, controllers with write caches, parallel file systems
//! and clusters. `statistics` counts what follows from the order of requests. `stored` takes batches of a store's tables.

pub mod archive;
pub mod block_trace;
pub mod cache;
pub mod columns;
pub mod error;
pub mod fields;
pub mod histogram;
pub mod input;
pub mod keys;
pub mod lists;
pub mod parallel_trace;
pub mod parquet;
pub mod reconstruct;
pub mod recording;
pub mod simulate;
pub mod statistics;
pub mod stored;
pub mod syscalls;
