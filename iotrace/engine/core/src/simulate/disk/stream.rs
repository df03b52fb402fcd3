//! The transfer between medium and head, block by block.

use super::drive::Drive;
use super::mechanism::Mechanism;

/// An arm that passes over contiguous blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub arm: Mechanism,
    /// The next block.
    pub next: u64,
    /// When all earlier blocks have passed, or the arm may first move.
    pub ready_ns: i64,
    /// When the head arrived at its current track.
    landed_ns: i64,
    write: bool,
    /// The minimum time of the next block's move.
    pub least_move_ns: i64,
    /// Whether blocks are transferred in the order in which they pass, instead of in sequence.
    zero_latency: bool,
    /// Total time of moves and of rotational waits.
    pub seek_ns: i64,
    pub rotation_ns: i64,
}

impl Stream {
    pub fn new(arm: Mechanism, next: u64, ready_ns: i64, write: bool, zero_latency: bool) -> Self {
        Stream {
            arm,
            next,
            ready_ns,
            landed_ns: ready_ns,
            write,
            least_move_ns: 0,
            zero_latency,
            seek_ns: 0,
            rotation_ns: 0,
        }
    }

    /// Read or write the next block, not before `not_before_ns`, and return the time when it has passed.
    pub fn step(&mut self, drive: &Drive, not_before_ns: i64) -> i64 {
        let place = drive.geometry.place(self.next);
        let to = (place.cylinder, place.surface);
        let from = (self.arm.cylinder, self.arm.surface);
        let move_ns = drive.reposition_ns(from, to, self.write).max(self.least_move_ns);
        if from != to || self.least_move_ns > 0 {
            self.least_move_ns = 0;
            (self.arm.cylinder, self.arm.surface) = to;
            self.landed_ns = self.ready_ns + move_ns;
            self.ready_ns = self.landed_ns;
        }
        let from_ns = match self.zero_latency {
            true => self.landed_ns,
            false => self.ready_ns,
        };
        let slot = drive.geometry.slot(place);
        let start_ns = drive.rotation.slot_starts_ns(slot, from_ns.max(not_before_ns));
        let end_ns = drive.rotation.slots_end_ns(start_ns, 1, slot);
        self.seek_ns += move_ns;
        self.rotation_ns += (start_ns - self.ready_ns).max(0);
        self.ready_ns = self.ready_ns.max(end_ns);
        self.next += 1;
        end_ns
    }

    /// The position of the arm, and the time from which it can move elsewhere, if it is interrupted at this time.
    pub fn called_away(
        &self,
        drive: &Drive,
        at_ns: i64,
        end: u64,
        stops_in_sector: bool,
    ) -> (Mechanism, i64) {
        if self.next >= end || at_ns <= self.ready_ns {
            return (self.arm, self.ready_ns.max(at_ns));
        }
        let mut next = *self;
        let sector_end_ns = next.step(drive, i64::MIN);
        let place = (next.arm.cylinder, next.arm.surface);
        let moved_ns =
            self.ready_ns + drive.reposition_ns((self.arm.cylinder, self.arm.surface), place, false);
        let slot_ns = sector_end_ns - drive.slot_ns(next.arm.cylinder);
        if !stops_in_sector && slot_ns <= at_ns {
            return (next.arm, sector_end_ns.max(at_ns));
        }
        (next.arm, moved_ns.max(at_ns))
    }
}
