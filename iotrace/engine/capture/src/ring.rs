//! The reader's side of the ring that programs write records into.

use crate::bpf::Map;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The kernel's page: the positions stand on one each, and the records after them, mapped twice in a row.
const PAGE: usize = 4096;
const HEADER_BYTES: u64 = 8;
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
/// Free room for the programs after this number of records.
const RELEASED_RECORDS: usize = 1024;

/// The ring, mapped into memory.
#[derive(Debug)]
pub struct Ring {
    consumed: *mut libc::c_void,
    produced: *mut libc::c_void,
    bytes: usize,
}

// SAFETY: the mappings belong to no thread, and positions are read and written atomically
unsafe impl Send for Ring {}

impl Ring {
    /// Map the ring of a map of this size.
    pub fn new(map: &Map, bytes: usize) -> io::Result<Ring> {
        let consumed = mapped(map.number(), PAGE, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let produced = mapped(map.number(), PAGE + 2 * bytes, libc::PROT_READ, PAGE)?;
        Ok(Ring { consumed, produced, bytes })
    }

    /// Take the records that are there, until `take` returns false; returns their number.
    pub fn drain(&mut self, mut take: impl FnMut(&[u8]) -> bool) -> usize {
        // SAFETY: both mappings begin with a position, are aligned to pages, and live as long as the ring
        let (consumed, produced) =
            unsafe { (&*self.consumed.cast::<AtomicU64>(), &*self.produced.cast::<AtomicU64>()) };
        let mut at = consumed.load(Ordering::Relaxed);
        let end = produced.load(Ordering::Acquire);
        let (mut records, mut goes_on) = (0, true);
        while goes_on && at < end {
            let place = (at & (self.bytes as u64 - 1)) as usize;
            // SAFETY: a record begins within the ring, which is mapped twice, so that all of it is in one piece
            let head = unsafe { self.produced.cast::<u8>().add(PAGE + place) };
            // SAFETY: records are aligned to 8 bytes, and the kernel writes the length as one word
            let length = unsafe { (*head.cast::<AtomicU32>()).load(Ordering::Acquire) };
            if length & BUSY != 0 {
                break;
            }
            let bytes = (length & !DISCARDED) as usize;
            if length & DISCARDED == 0 {
                // SAFETY: the kernel has finished this record, and writes over it only once it is consumed
                goes_on = take(unsafe { std::slice::from_raw_parts(head.add(HEADER_BYTES as usize), bytes) });
                records += 1;
            }
            at += (bytes as u64 + HEADER_BYTES).next_multiple_of(8);
            if records % RELEASED_RECORDS == 0 {
                consumed.store(at, Ordering::Release);
            }
        }
        consumed.store(at, Ordering::Release);
        records
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: these are the mappings that `new` made, and nothing refers to them any longer
        unsafe {
            libc::munmap(self.consumed, PAGE);
            libc::munmap(self.produced, PAGE + 2 * self.bytes);
        }
    }
}

fn mapped(map: RawFd, bytes: usize, protection: i32, offset: usize) -> io::Result<*mut libc::c_void> {
    // SAFETY: a new mapping at a place that the kernel chooses changes no other memory
    let place = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, map, offset as libc::off_t)
    };
    if place == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(place)
}
