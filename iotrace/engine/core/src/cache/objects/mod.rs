//! Exact curves of LRU caches that hold objects: in objects, or in bytes with each object's size as its weight.
//!
//! One pass keeps the stack of all caches at once, as `stack_distance` does for blocks of one size. An object's depth is
//! the sum of the weights down to and including it, and a cache holds it if it has at least that size: its content is
//! the longest head of the list of recent use that fits. What leaves without being evicted (deleted or expired objects,
//! the difference where an object shrinks) leaves a hole of its weight, which the next weights fill from the top.
//!
//! An object larger than a cache is not admitted there, so caches smaller than the largest object do not share a list.
//! A cache leaves the stack at the first request of an object larger than it, with its content at that time, and is
//! simulated alone from then on (`small_cache`). Every count is exact.
//!
//! - `weights` are slots in the order of use, with the sum of the weights below each;
//! - `stack` is the list of recent use with its holes, `small_cache` one cache alone;
//! - `events` makes requests and removals of numbered objects from columns, `expiry` says when objects expire;
//! - `sizes` are the cache sizes asked for, `tally` their hits, `writes` what caches that write back absorb;
//! - `pass` puts them together, `curve` makes tables of it;
//! - `policies` are caches of one size under the policies of `cache::replacement`, `policy_caches` several of them;
//! - `flash_log` is a model of a cache in flash;
//! - `prefixes` does the same for prompts whose blocks are of use only with those before them.

mod curve;
mod events;
mod expiry;
mod flash_log;
mod pass;
mod policies;
mod policy_caches;
mod prefixes;
mod sizes;
mod small_cache;
mod stack;
mod tally;
mod weights;
mod writes;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use curve::{ObjectCurve, Settings};
pub use expiry::Expiry;
pub use flash_log::{FlashLog, LogSettings};
pub use pass::MOST_BYTES;
pub use policies::policies;
pub use policy_caches::{PolicyCaches, PolicySettings};
pub use prefixes::PrefixCurve;
pub use sizes::Unit;
