// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//! The maps that the programs share with the recorder.

use super::*;

/// Which processes are recorded from the first call that the programs see, beside those that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    None,
    OfCgroup,
    All,
}

/// The maps that the programs share with the recorder.
#[derive(Debug)]
pub struct Maps {
    /// The processes that are recorded.
    pub processes: Map,
    /// Which others are added to them.
    pub(super) met: Met,
    /// The cgroup whose processes are added.
    pub cgroup: Map,
    /// The shapes of calls.
    pub(super) shapes: Map,
    pub(super) slots: Map,
    pub ring: Map,
    /// Room for a record with names, for each processor.
    pub(super) scratch: Map,
    pub(super) lost: Map,
    /// The process that said hello.
    pub(super) hello: Map,
}

/// Room for a record with all that it may have.
const SCRATCH_BYTES: u32 =
    (HEAD_BYTES + 2 * MOST_NAME_BYTES + 16 * (MOST_VECTOR_PARTS + 1) + 8 + INODE_BYTES) as u32;

impl Maps {
    /// Make the maps, with a ring of this size, a power of two.
    pub fn new(ring_bytes: u32, met: Met) -> io::Result<Maps> {
        let maps = Maps {
            processes: Map::new(Kind::Hash, 1, MOST_PROCESSES, NO_PREALLOC)?,
            met,
            cgroup: Map::new(Kind::Cgroups, 4, 1, 0)?,
            shapes: Map::new(Kind::Array, 8 * MOST_CALLS as u32, 1, 0)?,
            slots: Map::new(Kind::Array, SLOTS * SLOT_BYTES, 1, 0)?,
            ring: Map::new(Kind::Ring, 0, ring_bytes, 0)?,
            scratch: Map::new(Kind::PerCpuArray, SCRATCH_BYTES, 1, 0)?,
            lost: Map::new(Kind::Array, 8 * LOSSES as u32, 1, 0)?,
            hello: Map::new(Kind::Array, 4, 1, 0)?,
        };
        maps.shapes.set(0, &calls::words())?;
        Ok(maps)
    }

    /// How much was lost so far, by kind.
    pub fn lost(&self) -> io::Result<[u64; LOSSES]> {
        let bytes = self.lost.get(0)?;
        let mut counts = [0; LOSSES];
        for (count, word) in counts.iter_mut().zip(bytes.chunks_exact(8)) {
            *count = little_endian(word);
        }
        Ok(counts)
    }

    /// The calls that threads are in and that are recorded: thread, number of the call, and when it began.
    pub fn calls_under_way(&self) -> io::Result<Vec<(u32, u32, u64)>> {
        let slots = self.slots.get(0)?;
        let read = slots.chunks_exact(SLOT_BYTES as usize).map(|slot| {
            (little_endian(&slot[..4]) as u32, little_endian(&slot[4..6]) as u32, little_endian(&slot[8..]))
        });
        Ok(read.filter(|&(thread, _, start_ns)| thread != 0 && start_ns != LEFT_OUT).collect())
    }

    /// The number of the process that said hello; 0 if none did.
    pub fn greeted(&self) -> io::Result<u32> {
        Ok(little_endian(&self.hello.get(0)?) as u32)
    }
}
