//! The engine of iotrace, without Python.
//!
//! Rooms, lowest first; each uses only those before it. `error`, `columns` (tables), `lists` and `histogram` are for
//! all. `archive` and `input` turn files into lines, `syscalls` turns lines of strace and ULTRIX logs into events,
//! `reconstruct` turns events into tables and the reference stream. `cache` has exact miss-ratio curves, other
//! replacement policies, and caches of special kinds over that stream. `simulate` has discrete-event simulations:
//! disks, controllers with write caches, parallel file systems and clusters.

pub mod archive;
pub mod cache;
pub mod columns;
pub mod error;
pub mod histogram;
pub mod input;
pub mod lists;
pub mod reconstruct;
pub mod simulate;
pub mod syscalls;
