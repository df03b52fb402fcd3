//! Caches over the reference stream.

pub mod disk_accesses;
pub mod nonvolatile;
pub mod objects;
pub mod partition;
pub mod replacement;
mod replay;
pub mod sampling;
pub mod stack_distance;
mod stream_simulator;
pub mod write_backs;

pub use stream_simulator::StreamSimulator;
