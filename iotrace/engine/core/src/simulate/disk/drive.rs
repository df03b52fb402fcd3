//! The description of a drive: immutable, shared by every simulation of it.

use super::buffer::OnBoardBuffer;
use super::geometry::{Geometry, SectorAddress};
use super::rotation::{Rotation, Slot};
use super::seek::{SeekCurve, SeekForm};
use super::zone::{Sparing, Zone};
use crate::error::Error;
use serde::Deserialize;

/// Limits on a buffer's segments and their blocks, above those of any drive.
const MOST_SEGMENTS: u32 = 10_000;
const MOST_BLOCKS: u32 = 1 << 20;

/// A drive's overhead per command in nanoseconds, in addition to moving data: before the arm or the data move,
/// depending on the previous command, and after the last block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overheads {
    pub read_after_read_ns: i64,
    pub read_after_write_ns: i64,
    /// A read whose first block is in the buffer.
    pub read_hit_after_read_ns: i64,
    pub read_hit_after_write_ns: i64,
    pub write_after_read_ns: i64,
    pub write_after_write_ns: i64,
    /// To reacquire the bus when the blocks that a read waits for are in the buffer.
    pub read_reconnection_ns: i64,
    pub read_completion_ns: i64,
    pub write_completion_ns: i64,
}

impl Overheads {
    /// Before a read.
    pub fn read_ns(&self, hit: bool, after_write: bool) -> i64 {
        match (hit, after_write) {
            (false, false) => self.read_after_read_ns,
            (false, true) => self.read_after_write_ns,
            (true, false) => self.read_hit_after_read_ns,
            (true, true) => self.read_hit_after_write_ns,
        }
    }

    /// Before a write.
    pub fn write_ns(&self, after_write: bool) -> i64 {
        match after_write {
            false => self.write_after_read_ns,
            true => self.write_after_write_ns,
        }
    }

    fn all(&self) -> [i64; 9] {
        [
            self.read_after_read_ns,
            self.read_after_write_ns,
            self.read_hit_after_read_ns,
            self.read_hit_after_write_ns,
            self.write_after_read_ns,
            self.write_after_write_ns,
            self.read_reconnection_ns,
            self.read_completion_ns,
            self.write_completion_ns,
        ]
    }
}

/// The extra disconnect of some drives for a write that follows a write elsewhere: they release the bus before they
/// take its data (DiskSim 4.0, "extra write disconnect"). Such drives begin to write when several blocks are in the
/// buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteDisconnect {
    /// At the start, instead of the write's overhead.
    pub command_ns: i64,
    /// From then until the arm moves, and until the data move.
    pub seek_delay_ns: i64,
    pub data_delay_ns: i64,
    /// The additional time of completion compared with other writes; it may be negative.
    pub completion_ns: i64,
}

impl WriteDisconnect {
    /// Of a write of `blocks` blocks, how many are in the buffer before the first is written.
    pub fn first_blocks(blocks: u64) -> u64 {
        match blocks {
            0..45 => blocks.min(10),
            _ => 15,
        }
    }
}

/// The parameters of a drive other than geometry, rotation and seek curve; times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// To switch heads on the same cylinder.
    pub head_switch_ns: i64,
    /// Added to a seek or head switch that precedes a write: positive if writing needs more settling of the arm than
    /// reading, negative if the seek curve was measured with writes.
    pub write_settle_ns: i64,
    /// Minimum time of a write's first seek in ns, even of zero distance.
    pub least_write_seek_ns: i64,
    pub overheads: Overheads,
    pub write_disconnect: Option<WriteDisconnect>,
    /// The time of a block on the bus to the host.
    pub bus_read_block_ns: i64,
    pub bus_write_block_ns: i64,
    /// The buffer; None if blocks go directly between medium and bus.
    pub buffer: Option<OnBoardBuffer>,
}

/// A drive's description from Python.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    pub name: String,
    pub surfaces: u32,
    pub sparing: Sparing,
    pub serpentine: bool,
    /// Outermost first.
    pub zones: Vec<Zone>,
    pub rpm: u32,
    pub seek: SeekForm,
    pub parameters: Parameters,
}

/// A drive.
#[derive(Clone, Debug)]
pub struct Drive {
    pub name: String,
    pub geometry: Geometry,
    pub rotation: Rotation,
    pub seek: SeekCurve,
    pub parameters: Parameters,
}

impl Drive {
    /// Build a drive from its description; the error names the invalid key.
    pub fn described(given: Description) -> Result<Self, Error> {
        let geometry =
            Geometry::new(given.surfaces, given.sparing, given.serpentine, given.zones).map_err(Error::of)?;
        let seek = SeekCurve::new(&given.seek, geometry.cylinders());
        let seek = seek.map_err(|why| Error::of(format!("seek: {why}")))?;
        Drive::new(&given.name, geometry, given.rpm, seek, given.parameters)
    }

    /// Build a drive from its parts; the error says which part is invalid.
    pub fn new(
        name: &str,
        geometry: Geometry,
        rpm: u32,
        seek: SeekCurve,
        parameters: Parameters,
    ) -> Result<Self, Error> {
        let most_slots = geometry.most_sectors_per_track();
        let rotation = Rotation::new(rpm, most_slots).ok_or_else(|| {
            Error::of(format!(
                "rpm: {rpm} revolutions of {most_slots} sectors per minute are not between 1 and {} sectors per minute",
                Rotation::MOST_SLOTS_A_MINUTE
            ))
        })?;
        check(&parameters)?;
        if seek.times_ns().len() != geometry.cylinders() as usize {
            return Err(Error::of("seek: made for another number of cylinders"));
        }
        Ok(Drive { name: name.into(), geometry, rotation, seek, parameters })
    }

    /// The overhead before a read or write that follows one of its kind.
    #[inline]
    pub fn overhead_ns(&self, write: bool) -> i64 {
        match write {
            true => self.parameters.overheads.write_after_write_ns,
            false => self.parameters.overheads.read_after_read_ns,
        }
    }

    /// The first time not before `from_ns` at which the sector's start is under its head.
    #[inline]
    pub fn sector_starts_ns(&self, place: SectorAddress, from_ns: i64) -> i64 {
        let slot = self.geometry.slot(place);
        self.rotation.slot_starts_ns(slot, from_ns)
    }

    /// When a sector that began at `start_ns` has passed: the next one begins.
    #[inline]
    pub fn sector_ends_ns(&self, place: SectorAddress, start_ns: i64) -> i64 {
        self.rotation.slots_end_ns(start_ns, 1, self.geometry.slot(place))
    }

    /// The time in ns in which a slot of this cylinder's tracks passes, rounded up.
    pub fn slot_ns(&self, cylinder: u32) -> i64 {
        let slot = Slot { number: 0, of: self.geometry.sectors_per_track(cylinder), thousandths: 0 };
        self.rotation.slots_end_ns(0, 1, slot)
    }

    /// The time of a seek; 0 for none.
    #[inline]
    pub fn seek_ns(&self, from_cylinder: u32, to_cylinder: u32) -> i64 {
        self.seek.time_ns(from_cylinder.abs_diff(to_cylinder))
    }

    /// The time from one track, as (cylinder, surface), to being able to read or write another: the longer of seek and
    /// head switch, plus settling before a write. 0 if nothing moves.
    #[inline]
    pub fn reposition_ns(&self, from: (u32, u32), to: (u32, u32), write: bool) -> i64 {
        if from == to {
            return 0;
        }
        let switch_ns = if from.1 == to.1 { 0 } else { self.parameters.head_switch_ns };
        let moved_ns = self.seek_ns(from.0, to.0).max(switch_ns);
        if write {
            return (moved_ns + self.parameters.write_settle_ns).max(0);
        }
        moved_ns
    }
}

fn check(parameters: &Parameters) -> Result<(), Error> {
    let times = [
        ("head_switch", parameters.head_switch_ns),
        ("least_write_seek", parameters.least_write_seek_ns),
        ("bus read_block", parameters.bus_read_block_ns),
        ("bus write_block", parameters.bus_write_block_ns),
    ];
    let overheads = parameters.overheads.all().map(|time| ("overhead", time));
    let apart = parameters
        .write_disconnect
        .map_or([0; 3], |apart| [apart.command_ns, apart.seek_delay_ns, apart.data_delay_ns]);
    let apart = apart.map(|time| ("write_disconnect", time));
    let mut all = times.iter().chain(&overheads).chain(&apart);
    if let Some((name, time)) = all.find(|(_, time)| *time < 0) {
        return Err(Error::of(format!("{name}: {time} ns is negative")));
    }
    match parameters.buffer {
        Some(buffer) if buffer.segments == 0 || buffer.segment_blocks == 0 => {
            Err(Error::of("buffer: must have at least one segment of at least one block"))
        }
        Some(buffer) if buffer.segments > MOST_SEGMENTS || buffer.segment_blocks > MOST_BLOCKS => {
            Err(Error::of(format!(
                "buffer: must have at most {MOST_SEGMENTS} segments of at most {MOST_BLOCKS} blocks"
            )))
        }
        Some(buffer) if buffer.reconnect_percent > 100 => {
            Err(Error::of("buffer: reconnect_percent must be at most 100"))
        }
        _ => Ok(()),
    }
}
