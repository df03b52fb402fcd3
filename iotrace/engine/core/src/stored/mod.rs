//! Batches of a store's tables as their readers take them: requests to disks as references, and the blocks that
//! references touch.

mod disk_references;
mod touched;

pub use disk_references::references_of_disks;
pub use touched::{touched, Touched};
