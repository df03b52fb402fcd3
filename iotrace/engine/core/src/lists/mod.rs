//! Linked lists whose links are numbers in arrays.

mod blocks;
mod links;
mod prefetch;

pub use blocks::{Lists, NOWHERE};
pub use links::{Links, List, NONE};
pub use prefetch::prefetch;
