//! Discrete-event simulations of disks, controllers and parallel machines.

pub mod cluster;
pub mod disk;
pub mod events;
pub mod parallel_fs;
pub mod write_cache;
