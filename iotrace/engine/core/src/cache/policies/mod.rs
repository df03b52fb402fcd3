//! Caches of blocks under replacement policies. A miss brings in the missing block, and a dirty block is written when it
//! is evicted; the page cache of Linux (`page_cache`) brings in and writes what that does.

mod cache;
mod page_cache;
mod policy_cache;
mod reads;
mod simulator;
mod table;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use reads::{hits, misses};
pub use simulator::Simulator;
