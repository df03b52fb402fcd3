//! The position of the arm, and the times of a contiguous request.

use super::drive::Drive;

/// The arm: its cylinder, and the surface of the active head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mechanism {
    pub cylinder: u32,
    pub surface: u32,
}

/// The parts of a request's time, whose sum is `end_ns` minus the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The drive's overhead before the arm moves.
    pub overhead_ns: i64,
    /// All seeks, head switches and settling, including those within the request.
    pub seek_ns: i64,
    /// All waits for a sector to pass under the head.
    pub rotation_ns: i64,
    /// The time in which the request's slots pass, including bad ones between them.
    pub transfer_ns: i64,
    pub end_ns: i64,
}

impl Mechanism {
    /// Serve `blocks` (at least 1) from `lbn` on, all on the drive, starting at `start_ns`; across tracks and
    /// cylinders if needed.
    pub fn access(&mut self, drive: &Drive, start_ns: i64, lbn: u64, blocks: u64, write: bool) -> Access {
        let overhead_ns = drive.overhead_ns(write);
        let mut access = Access { overhead_ns, end_ns: start_ns + overhead_ns, ..Access::default() };
        let (mut next, end) = (lbn, lbn + blocks);
        while next < end {
            next += self.run(drive, &mut access, next, end - next, write);
        }
        access
    }

    /// Serve the blocks on one track, and return their number.
    fn run(&mut self, drive: &Drive, access: &mut Access, lbn: u64, blocks: u64, write: bool) -> u64 {
        let run = drive.geometry.run(lbn, blocks);
        let to = (run.place.cylinder, run.place.surface);
        let seek_ns = drive.reposition_ns((self.cylinder, self.surface), to, write);
        let there_ns = access.end_ns + seek_ns;
        let slot = drive.geometry.slot(run.place);
        let first_ns = drive.rotation.slot_starts_ns(slot, there_ns);
        let last_ns = drive.rotation.slots_end_ns(first_ns, run.slots, slot);
        access.seek_ns += seek_ns;
        access.rotation_ns += first_ns - there_ns;
        access.transfer_ns += last_ns - first_ns;
        access.end_ns = last_ns;
        (self.cylinder, self.surface) = to;
        u64::from(run.blocks)
    }
}
