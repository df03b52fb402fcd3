//! bpf(2): maps, programs and where they are attached.

use crate::asm::Instruction;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

const MAP_CREATE: i32 = 0;
const MAP_LOOKUP: i32 = 1;
const MAP_UPDATE: i32 = 2;
const MAP_NEXT_KEY: i32 = 4;
const PROG_LOAD: i32 = 5;
const OBJECT_INFORMATION: i32 = 15;
const RAW_TRACEPOINT_OPEN: i32 = 17;
const PROG_TYPE_RAW_TRACEPOINT: u32 = 17;
/// The kernel gives programs with this licence the helpers that they need; those in programs/ may be had under it.
const LICENCE: &[u8] = b"GPL\0";
const LOG_BYTES: usize = 1 << 18;

/// A kind of map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Hash = 1,
    Array = 2,
    PerCpuArray = 6,
    Stacks = 7,
    Cgroups = 8,
    /// A hash of which the entries that were not used for longest make room for others.
    LruHash = 9,
    Ring = 27,
}

/// Allocate entries of a hash as they come.
pub const NO_PREALLOC: u32 = 1;

/// The structure that bpf(2) takes, in words; each command uses its beginning.
type Attributes = [u64; 18];

fn bpf(command: i32, attributes: &mut Attributes) -> io::Result<i64> {
    // SAFETY: the attributes live through the call, and each caller gives the addresses of buffers that do, too
    let result =
        unsafe { libc::syscall(libc::SYS_bpf, command, attributes.as_mut_ptr(), size_of::<Attributes>()) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

fn descriptor(result: i64) -> OwnedFd {
    // SAFETY: the kernel has just given this descriptor, which nothing else owns
    unsafe { OwnedFd::from_raw_fd(result as i32) }
}

/// The number of which these are the bytes, at most eight.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Of a walk over the keys of a hash: more than any of the maps has.
const MOST_STEPS: u32 = 1 << 18;

/// A map of the kernel.
#[derive(Debug)]
pub struct Map {
    descriptor: OwnedFd,
    value_bytes: usize,
}

impl Map {
    /// Make a map whose keys are numbers of 32 bits.
    pub fn new(kind: Kind, value_bytes: u32, entries: u32, flags: u32) -> io::Result<Map> {
        Map::with_keys(kind, if kind == Kind::Ring { 0 } else { 4 }, value_bytes, entries, flags)
    }

    /// Make a map whose keys are addresses in the kernel; for programs only.
    pub fn of_addresses(kind: Kind, value_bytes: u32, entries: u32, flags: u32) -> io::Result<Map> {
        Map::with_keys(kind, 8, value_bytes, entries, flags)
    }

    fn with_keys(kind: Kind, key_bytes: u32, value_bytes: u32, entries: u32, flags: u32) -> io::Result<Map> {
        let mut attributes = Attributes::default();
        attributes[0] = pair(kind as u32, key_bytes);
        attributes[1] = pair(value_bytes, entries);
        attributes[2] = u64::from(flags);
        let descriptor = descriptor(bpf(MAP_CREATE, &mut attributes)?);
        Ok(Map { descriptor, value_bytes: value_bytes as usize })
    }

    pub fn number(&self) -> i32 {
        self.descriptor.as_raw_fd()
    }

    /// Set the value of a key.
    pub fn set(&self, key: u32, value: &[u8]) -> io::Result<()> {
        if value.len() != self.value_bytes {
            return Err(io::Error::other("a value of a map has another size"));
        }
        let mut attributes = self.of_key(&key);
        attributes[2] = value.as_ptr() as u64;
        bpf(MAP_UPDATE, &mut attributes).map(|_| ())
    }

    /// The value of a key; not for maps with a value for each processor.
    pub fn get(&self, key: u32) -> io::Result<Vec<u8>> {
        let mut value = vec![0; self.value_bytes];
        let mut attributes = self.of_key(&key);
        attributes[2] = value.as_mut_ptr() as u64;
        bpf(MAP_LOOKUP, &mut attributes)?;
        Ok(value)
    }

    /// How many addresses a hash of at most this number has.
    pub fn addresses(&self, most: u32) -> u32 {
        let mut keys = [0_u64; 2];
        let mut attributes = Attributes::default();
        attributes[0] = self.number() as u64;
        attributes[2] = std::ptr::from_mut(&mut keys[1]) as u64;
        let mut count = 0;
        while count < most && bpf(MAP_NEXT_KEY, &mut attributes).is_ok() {
            count += 1;
            keys[0] = keys[1];
            attributes[1] = std::ptr::from_ref(&keys[0]) as u64;
        }
        count
    }

    /// The keys of a hash, each once.
    pub fn keys(&self) -> Vec<u32> {
        let mut keys = BTreeSet::new();
        let mut walk = [0_u32; 2];
        let mut attributes = Attributes::default();
        attributes[0] = self.number() as u64;
        attributes[2] = std::ptr::from_mut(&mut walk[1]) as u64;
        // the kernel begins anew after a key that was removed meanwhile
        for _ in 0..MOST_STEPS {
            if bpf(MAP_NEXT_KEY, &mut attributes).is_err() {
                break;
            }
            walk[0] = walk[1];
            keys.insert(walk[0]);
            attributes[1] = std::ptr::from_ref(&walk[0]) as u64;
        }
        keys.into_iter().collect()
    }

    /// Whether a hash has no entries.
    pub fn is_empty(&self) -> bool {
        let mut next = 0_u32;
        let mut attributes = Attributes::default();
        attributes[0] = self.number() as u64;
        attributes[2] = std::ptr::from_mut(&mut next) as u64;
        bpf(MAP_NEXT_KEY, &mut attributes).is_err()
    }

    fn of_key(&self, key: &u32) -> Attributes {
        let mut attributes = Attributes::default();
        attributes[0] = self.number() as u64;
        attributes[1] = std::ptr::from_ref(key) as u64;
        attributes
    }
}

/// A program that is attached until this is dropped.
#[derive(Debug)]
pub struct Link {
    program: OwnedFd,
    _link: OwnedFd,
}

impl Link {
    /// How often the kernel left the program out, as an interrupt or another thread came while it ran on the same
    /// processor; 0 where it does not say so.
    pub fn left_out(&self) -> u64 {
        let mut information = [0_u64; INFORMATION_BYTES / 8];
        let mut attributes = Attributes::default();
        attributes[0] = pair(self.program.as_raw_fd() as u32, INFORMATION_BYTES as u32);
        attributes[1] = information.as_mut_ptr() as u64;
        match bpf(OBJECT_INFORMATION, &mut attributes) {
            Ok(_) => information[LEFT_OUT],
            Err(_) => 0,
        }
    }
}

/// `struct bpf_prog_info` up to `recursion_misses`, and that in words of 64 bits (`include/uapi/linux/bpf.h`).
const INFORMATION_BYTES: usize = 216;
const LEFT_OUT: usize = 26;

/// Load a program and attach it to a raw tracepoint, until the result is dropped.
///
/// # Errors
/// The kernel's; if its verifier refuses the program, with the end of what that says.
pub fn attach(tracepoint: &str, code: &[Instruction]) -> io::Result<Link> {
    let program = load(code)
        .map_err(|error| io::Error::new(error.kind(), format!("program for {tracepoint}: {error}")))?;
    let name = CString::new(tracepoint)?;
    let mut attributes = Attributes::default();
    attributes[0] = name.as_ptr() as u64;
    attributes[1] = program.as_raw_fd() as u64;
    bpf(RAW_TRACEPOINT_OPEN, &mut attributes)
        .map(|result| Link { program, _link: descriptor(result) })
        .map_err(|error| io::Error::new(error.kind(), format!("tracepoint {tracepoint}: {error}")))
}

fn load(code: &[Instruction]) -> io::Result<OwnedFd> {
    let mut attributes = Attributes::default();
    attributes[0] = pair(PROG_TYPE_RAW_TRACEPOINT, code.len() as u32);
    attributes[1] = code.as_ptr() as u64;
    attributes[2] = LICENCE.as_ptr() as u64;
    let error = match bpf(PROG_LOAD, &mut attributes) {
        Ok(result) => return Ok(descriptor(result)),
        Err(error) => error,
    };
    // once more, for what the verifier says
    let mut log = vec![0_u8; LOG_BYTES];
    attributes[3] = pair(1, LOG_BYTES as u32);
    attributes[4] = log.as_mut_ptr() as u64;
    if let Ok(result) = bpf(PROG_LOAD, &mut attributes) {
        return Ok(descriptor(result));
    }
    let text = String::from_utf8_lossy(&log);
    let said: Vec<&str> = text.trim_end_matches('\0').lines().rev().take(3).collect();
    if said.is_empty() {
        return Err(error);
    }
    let said: Vec<&str> = said.into_iter().rev().collect();
    Err(io::Error::new(error.kind(), format!("{error} ({})", said.join("; "))))
}
