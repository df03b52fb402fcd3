//! Batches of a store's tables as their readers take them: requests to disks as references, what they did with each
//! disk, the blocks that references touch, and the least and largest values of columns.

mod disk_references;
mod disk_uses;
mod extremes;
mod touched;

pub use disk_references::references_of_disks;
pub use disk_uses::DiskUses;
pub use extremes::extremes;
pub use touched::{touched, Touched};
