//! Caches of blocks under replacement policies. A miss brings in the missing block, and a dirty block is written when it
//! is evicted.

mod cache;
mod reads;
mod simulator;
mod table;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use reads::{hits, misses};
pub use simulator::Simulator;
