//! Linked lists whose links are numbers in arrays, and hints about where arrays lie.

mod blocks;
mod huge_pages;
mod links;
mod prefetch;
mod weight;

pub use blocks::{Lists, NOWHERE};
pub use huge_pages::{ask_for_huge_pages, filled, make_room, with_room};
pub use links::{Links, List, NONE};
pub use prefetch::{prefetch, prefetch_at};
pub use weight::{One, Weight};
