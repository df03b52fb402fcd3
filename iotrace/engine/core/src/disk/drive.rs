//! All that is known of a drive: immutable, shared by every simulation of it.

use super::geometry::{Geometry, Place};
use super::rotation::Rotation;
use super::seek::SeekCurve;

/// What is wrong with a drive's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveError(pub String);

impl std::fmt::Display for DriveError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for DriveError {}

/// The times that a drive's description gives beside its geometry, rotation and seek curve, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// To use another head on the same cylinder.
    pub head_switch_ns: i64,
    /// Added to a seek or head switch that precedes a write: positive where writing needs the arm quieter than
    /// reading does, negative where the seek curve was measured with writes.
    pub write_settle_ns: i64,
    /// From the arrival of a read at the idle drive to the start of its seek.
    pub read_overhead_ns: i64,
    /// The same of a write.
    pub write_overhead_ns: i64,
}

/// A drive.
#[derive(Clone, Debug)]
pub struct Drive {
    pub name: String,
    pub geometry: Geometry,
    pub rotation: Rotation,
    pub seek: SeekCurve,
    pub head_switch_ns: i64,
    pub write_settle_ns: i64,
    pub read_overhead_ns: i64,
    pub write_overhead_ns: i64,
}

impl Drive {
    /// Put a drive together; the error says what does not fit.
    pub fn new(
        name: &str,
        geometry: Geometry,
        rpm: u32,
        seek: SeekCurve,
        parameters: Parameters,
    ) -> Result<Self, DriveError> {
        let most_slots = geometry.most_sectors_per_track();
        let rotation = Rotation::new(rpm, most_slots).ok_or_else(|| {
            DriveError(format!(
                "rpm: {rpm} revolutions a minute of {most_slots} sectors is not between 1 and {} sectors a minute",
                Rotation::MOST_SLOTS_A_MINUTE
            ))
        })?;
        let times = [
            ("head_switch", parameters.head_switch_ns),
            ("read_overhead", parameters.read_overhead_ns),
            ("write_overhead", parameters.write_overhead_ns),
        ];
        if let Some((name, time)) = times.iter().find(|(_, time)| *time < 0) {
            return Err(DriveError(format!("{name}: {time} ns is no time")));
        }
        if seek.times_ns().len() != geometry.cylinders() as usize {
            return Err(DriveError(
                "seek: made for another number of cylinders".into(),
            ));
        }
        Ok(Drive {
            name: name.into(),
            geometry,
            rotation,
            seek,
            head_switch_ns: parameters.head_switch_ns,
            write_settle_ns: parameters.write_settle_ns,
            read_overhead_ns: parameters.read_overhead_ns,
            write_overhead_ns: parameters.write_overhead_ns,
        })
    }

    /// The first instant not before `from_ns` at which the sector's start is under its head.
    #[inline]
    pub fn sector_starts_ns(&self, place: Place, from_ns: i64) -> i64 {
        let (slot, slots) = self.geometry.slot(place);
        self.rotation.slot_starts_ns(slot, slots, from_ns)
    }

    /// When a sector that began at `start_ns` has passed: the next one begins.
    #[inline]
    pub fn sector_ends_ns(&self, place: Place, start_ns: i64) -> i64 {
        let slots = self.geometry.sectors_per_track(place.cylinder);
        self.rotation.slots_end_ns(start_ns, 1, slots)
    }

    /// The time of a seek; 0 for none.
    #[inline]
    pub fn seek_ns(&self, from_cylinder: u32, to_cylinder: u32) -> i64 {
        self.seek.time_ns(from_cylinder.abs_diff(to_cylinder))
    }

    /// The time from one track, as (cylinder, surface), to being able to read or write another: the longer of seek
    /// and head switch, and before a write the settling besides. 0 where nothing moves.
    #[inline]
    pub fn reposition_ns(&self, from: (u32, u32), to: (u32, u32), write: bool) -> i64 {
        if from == to {
            return 0;
        }
        let switch_ns = if from.1 == to.1 {
            0
        } else {
            self.head_switch_ns
        };
        let moved_ns = self.seek_ns(from.0, to.0).max(switch_ns);
        if write {
            return (moved_ns + self.write_settle_ns).max(0);
        }
        moved_ns
    }
}
