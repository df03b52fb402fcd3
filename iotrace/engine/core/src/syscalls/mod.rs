//! Readers of each format of system-call logs, and the events that they emit.

pub mod call;
pub mod kept_events;
mod number;
mod numbers;
pub mod perf;
pub mod recording;
pub mod redaction;
mod roles;
pub mod snoops;
pub mod strace;
mod symbols;
pub mod tally;
pub mod text;
pub mod ultrix;
pub mod under_calls;
