//! Records the system calls of running programs with BPF programs that are assembled at run time, and reads recordings.
//!
//! Recording is for Linux; recordings are read everywhere.

pub mod record;
pub mod recording;

#[cfg(target_os = "linux")]
pub mod arch;
#[cfg(target_os = "linux")]
pub mod asm;
#[cfg(target_os = "linux")]
pub mod bpf;
#[cfg(target_os = "linux")]
pub mod btf;
#[cfg(target_os = "linux")]
mod call_rotation;
#[cfg(target_os = "linux")]
pub mod calls;
#[cfg(target_os = "linux")]
pub mod cgroups;
#[cfg(target_os = "linux")]
mod clocks;
#[cfg(target_os = "linux")]
pub mod command;
#[cfg(target_os = "linux")]
pub mod disks;
pub mod json;
#[cfg(target_os = "linux")]
pub mod live;
#[cfg(target_os = "linux")]
pub mod memory;
#[cfg(target_os = "linux")]
mod met;
#[cfg(target_os = "linux")]
pub mod plan;
#[cfg(target_os = "linux")]
pub mod programs;
#[cfg(target_os = "linux")]
mod requests;
#[cfg(target_os = "linux")]
pub mod rights;
#[cfg(target_os = "linux")]
pub mod ring;
#[cfg(target_os = "linux")]
mod rotation;
#[cfg(target_os = "linux")]
mod run;
pub mod sample;
#[cfg(target_os = "linux")]
pub mod session;
#[cfg(target_os = "linux")]
pub mod snapshot;
#[cfg(target_os = "linux")]
pub mod stacks;
#[cfg(target_os = "linux")]
mod totals;
#[cfg(target_os = "linux")]
pub mod under_calls;
