//! What LRU caches of several sizes write to the disk, where a dirty block is written together with the dirty blocks
//! next to it in its file.
//!
//! - `caches` are up to 32 sizes on one LRU stack: each cache has the stack's first blocks, so that only what is dirty
//!   differs between them;
//! - `simulator` runs them over one stream, and makes a table of their counts.
//!
//! `disk_accesses` simulates each size alone, which fetch blocks need, and takes many times as long.

mod caches;
mod simulator;

pub use simulator::Simulator;
