//! Recordings of `iotrace record` (crate iotrace-capture): its records become events in the order of time.
//!
//! A record is made when a call returns. A call during which something else happened is issued and returns as two events;
//! the others are one, as in a log of strace.

mod calls;
mod fields;
mod inherited;
mod order;
mod source;
mod under_calls;

pub use source::{Processes, Recording};

#[cfg(test)]
mod tests;
