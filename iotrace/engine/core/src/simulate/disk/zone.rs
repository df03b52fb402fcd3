//! Cylinders with the same number of sectors per track, and how their blocks avoid spare and bad sectors.

use serde::Deserialize;

/// The location of a zone's spare sectors, which determines how far a bad sector shifts the blocks after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sparing {
    /// No spare sectors, or all at the zone's end: a bad sector shifts all later blocks of the zone.
    Zone,
    /// Spare sectors at the end of every track: blocks shift within their track.
    Track,
    /// Spare sectors at the end of every cylinder.
    Cylinder,
    /// Spare sectors at the front of every cylinder.
    CylinderFront,
    /// Spare sectors at the end of every cylinder, but a bad sector shifts all later blocks of the zone.
    CylinderToEnd,
    /// Spare sectors at the end of every range of this many cylinders, counted from the zone's first. A shorter range
    /// at the zone's end has only those that do not fit into its missing cylinders.
    CylinderRange(u32),
    /// Spare tracks at the zone's end; bad tracks are skipped.
    WholeTracks,
}

/// One zone of a drive's description. Sectors are counted in slots: positions on a track, including spares.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    pub first_cylinder: u32,
    pub last_cylinder: u32,
    pub sectors_per_track: u32,
    /// Spares per track, cylinder or zone, or spare tracks in the zone, as `Sparing` says.
    pub spares: u32,
    /// Empty sectors before the zone's first block.
    pub empty_sectors: u64,
    /// Skew of each track after the previous one on the same cylinder, in thousandths of a slot.
    pub track_skew_thousandths: u32,
    /// Skew of the first track of a cylinder after the last one of the previous cylinder, in thousandths of a slot.
    pub cylinder_skew_thousandths: u32,
    /// Distance from angle 0 to the zone's first sector, in thousandths of a slot.
    pub first_sector_offset_thousandths: u32,
    /// Bad sectors that are skipped (slipped), ascending: the sector's number within the zone, counted in slots
    /// (without the spares for `CylinderToEnd`); tracks' numbers within the zone for whole-track sparing.
    pub slips: Vec<u64>,
    /// Bad sectors whose block is remapped within the zone, ascending: (bad, substitute), numbered like slips
    /// (sectors, or tracks for whole-track sparing).
    pub remapped: Vec<(u64, u64)>,
}

/// A zone and the values derived from its description. Sectors and tracks are numbered from the zone's first.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub zone: Zone,
    sparing: Sparing,
    surfaces: u32,
    /// The first block of the zone, and its number of blocks.
    pub first_block: u64,
    pub blocks: u64,
}

impl Layout {
    /// Lay out a zone; an error says what is wrong with its description.
    pub fn new(zone: Zone, sparing: Sparing, surfaces: u32, first_block: u64) -> Result<Self, String> {
        check(&zone, sparing, surfaces)?;
        let mut layout = Layout { zone, sparing, surfaces, first_block, blocks: 0 };
        let room = layout.rank_of_sector(layout.sectors());
        layout.blocks = room
            .checked_sub(layout.zone.empty_sectors)
            .filter(|&blocks| blocks > 0)
            .ok_or("empty_sectors and spares leave no space for blocks")?;
        Ok(layout)
    }

    pub fn tracks(&self) -> u64 {
        self.zone.cylinders() * u64::from(self.surfaces)
    }

    fn sectors(&self) -> u64 {
        self.tracks() * u64::from(self.zone.sectors_per_track)
    }

    fn sectors_per_cylinder(&self) -> u64 {
        u64::from(self.zone.sectors_per_track) * u64::from(self.surfaces)
    }

    fn sectors_per_range(&self, cylinders: u32) -> u64 {
        self.sectors_per_cylinder() * u64::from(cylinders)
    }

    /// The sector of a block, counted in the zone, with slips but without remapping.
    #[inline]
    pub fn nominal_sector(&self, block: u64) -> u64 {
        let rank = block - self.first_block + self.zone.empty_sectors;
        let per_track = u64::from(self.zone.sectors_per_track);
        let spares = u64::from(self.zone.spares);
        match self.sparing {
            Sparing::Zone if self.zone.slips.is_empty() => rank,
            Sparing::Zone => self.slipped(rank, 0),
            Sparing::Track => {
                let usable = per_track - spares;
                self.slipped(rank % usable, rank / usable * per_track)
            }
            Sparing::Cylinder => {
                let usable = self.sectors_per_cylinder() - spares;
                self.slipped(rank % usable, rank / usable * self.sectors_per_cylinder())
            }
            Sparing::CylinderToEnd => {
                let usable = self.sectors_per_cylinder() - spares;
                let rank = self.slipped(rank, 0);
                rank / usable * self.sectors_per_cylinder() + rank % usable
            }
            Sparing::CylinderFront => {
                let usable = self.sectors_per_cylinder() - spares;
                let first = rank / usable * self.sectors_per_cylinder();
                self.slipped(rank % usable + self.front_sectors(first), first)
            }
            Sparing::CylinderRange(cylinders) => {
                let range = self.sectors_per_range(cylinders);
                let usable = range - spares;
                self.slipped(rank % usable, rank / usable * range)
            }
            Sparing::WholeTracks => self.slipped(rank / per_track, 0) * per_track + rank % per_track,
        }
    }

    /// The sector at which a block is read and written.
    #[inline]
    pub fn sector(&self, block: u64) -> u64 {
        let nominal = self.nominal_sector(block);
        if self.zone.remapped.is_empty() {
            return nominal;
        }
        self.substitute(nominal)
    }

    /// The number of the zone's blocks before the start of a track.
    pub fn blocks_before_track(&self, track: u64) -> u64 {
        let before = self.rank_of_sector(track * u64::from(self.zone.sectors_per_track));
        before.saturating_sub(self.zone.empty_sectors).min(self.blocks)
    }

    /// Advance from `first` over `rank` good sectors and the bad ones between them.
    #[inline]
    fn slipped(&self, rank: u64, first: u64) -> u64 {
        if self.zone.slips.is_empty() {
            return first + rank;
        }
        let start = self.zone.slips.partition_point(|&bad| bad < first);
        let mut sector = first + rank;
        for &bad in &self.zone.slips[start..] {
            if bad > sector {
                break;
            }
            sector += 1;
        }
        sector
    }

    /// The number of spare sectors left at a cylinder's front, after some were used for bad ones.
    fn front_sectors(&self, first: u64) -> u64 {
        let last = first + self.sectors_per_cylinder();
        u64::from(self.zone.spares).saturating_sub(self.slips_between(first, last))
    }

    /// The number of bad sectors that shift the start of a track, as in a drive formatted with slipping within tracks
    /// or cylinders (DiskSim 4.0 assumes this too). `first` is its cylinder's first track.
    #[inline]
    pub fn slips_that_push(&self, first: u64, order: u64) -> u64 {
        if self.zone.slips.is_empty() {
            return 0;
        }
        let track = match self.sparing {
            Sparing::Zone | Sparing::CylinderRange(_) | Sparing::WholeTracks => return 0,
            Sparing::Track => first + order,
            Sparing::Cylinder | Sparing::CylinderFront | Sparing::CylinderToEnd => first,
        };
        self.slips_between(0, track * u64::from(self.zone.sectors_per_track))
    }

    fn slips_between(&self, first: u64, last: u64) -> u64 {
        let below = |end: u64| self.zone.slips.partition_point(|&bad| bad < end) as u64;
        below(last) - below(first)
    }

    /// The number of usable sectors before this one, which starts a track.
    fn rank_of_sector(&self, sector: u64) -> u64 {
        let per_track = u64::from(self.zone.sectors_per_track);
        let spares = u64::from(self.zone.spares);
        match self.sparing {
            Sparing::Zone => (sector - self.slips_between(0, sector)).min(self.sectors() - spares),
            Sparing::Track => sector / per_track * (per_track - spares),
            Sparing::Cylinder => {
                let usable = self.sectors_per_cylinder() - spares;
                let first = sector - sector % self.sectors_per_cylinder();
                let within = sector - first - self.slips_between(first, sector);
                sector / self.sectors_per_cylinder() * usable + within.min(usable)
            }
            Sparing::CylinderRange(cylinders) => {
                let range = self.sectors_per_range(cylinders);
                let first = sector - sector % range;
                let within = sector - first - self.slips_between(first, sector);
                sector / range * (range - spares) + within.min(range - spares)
            }
            Sparing::CylinderToEnd => {
                let usable = self.sectors_per_cylinder() - spares;
                let within = (sector % self.sectors_per_cylinder()).min(usable);
                let rank = sector / self.sectors_per_cylinder() * usable + within;
                rank - self.slips_between(0, rank)
            }
            Sparing::CylinderFront => {
                let usable = self.sectors_per_cylinder() - spares;
                let first = sector - sector % self.sectors_per_cylinder();
                let within = sector - first - self.slips_between(first, sector);
                sector / self.sectors_per_cylinder() * usable
                    + within.saturating_sub(self.front_sectors(first))
            }
            Sparing::WholeTracks => {
                let track = sector / per_track;
                (track - self.slips_between(0, track)).min(self.tracks() - spares) * per_track
            }
        }
    }

    fn substitute(&self, sector: u64) -> u64 {
        let unit = match self.sparing {
            Sparing::WholeTracks => u64::from(self.zone.sectors_per_track),
            _ => 1,
        };
        let remapped = &self.zone.remapped;
        match remapped.binary_search_by_key(&(sector / unit), |&(bad, _)| bad) {
            Ok(index) => remapped[index].1 * unit + sector % unit,
            Err(_) => sector,
        }
    }
}

impl Zone {
    pub fn cylinders(&self) -> u64 {
        u64::from(self.last_cylinder - self.first_cylinder) + 1
    }
}

fn check(zone: &Zone, sparing: Sparing, surfaces: u32) -> Result<(), String> {
    if zone.last_cylinder < zone.first_cylinder {
        return Err("last_cylinder is less than first_cylinder".into());
    }
    if zone.sectors_per_track == 0 {
        return Err("sectors_per_track must be at least 1".into());
    }
    let per_track = u64::from(zone.sectors_per_track);
    let tracks = zone.cylinders() * u64::from(surfaces);
    let (spared, what) = match sparing {
        Sparing::Track => (per_track, "a track's sectors"),
        Sparing::Cylinder | Sparing::CylinderFront | Sparing::CylinderToEnd => {
            (per_track * u64::from(surfaces), "a cylinder's sectors")
        }
        Sparing::CylinderRange(0) => return Err("a range must have at least 1 cylinder".into()),
        Sparing::CylinderRange(cylinders) => {
            (per_track * u64::from(surfaces) * u64::from(cylinders), "a range's sectors")
        }
        Sparing::Zone => (per_track * tracks, "the zone's sectors"),
        Sparing::WholeTracks => (tracks, "the zone's tracks"),
    };
    if u64::from(zone.spares) >= spared {
        return Err(format!("spares must be fewer than {what}, {spared}"));
    }
    check_bad_sectors(zone, sparing, surfaces, tracks, per_track)
}

fn check_bad_sectors(
    zone: &Zone,
    sparing: Sparing,
    surfaces: u32,
    tracks: u64,
    per_track: u64,
) -> Result<(), String> {
    let (end, group) = match sparing {
        Sparing::WholeTracks => (tracks, tracks),
        Sparing::Zone => (tracks * per_track, tracks * per_track),
        Sparing::Track => (tracks * per_track, per_track),
        Sparing::Cylinder | Sparing::CylinderFront => (tracks * per_track, per_track * u64::from(surfaces)),
        Sparing::CylinderRange(cylinders) => {
            (tracks * per_track, per_track * u64::from(surfaces) * u64::from(cylinders))
        }
        // numbered without the spares, and limited only by the zone
        Sparing::CylinderToEnd => {
            let usable = per_track * u64::from(surfaces) - u64::from(zone.spares);
            (zone.cylinders() * usable, u64::MAX)
        }
    };
    if !zone.slips.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err("slips must ascend without duplicates".into());
    }
    if !zone.remapped.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        return Err("remapped must ascend by bad sector without duplicates".into());
    }
    let substitutes = zone.remapped.iter().flat_map(|&(bad, good)| [bad, good]);
    if let Some(beyond) = zone.slips.iter().copied().chain(substitutes).find(|&bad| bad >= end) {
        return Err(format!(
            "slips and remapped must be numbered within the zone, 0 to {}, not {beyond}",
            end - 1
        ));
    }
    let crowded = zone
        .slips
        .chunk_by(|a, b| a / group == b / group)
        .any(|slips| slips.len() as u64 > u64::from(zone.spares));
    if crowded && sparing != Sparing::CylinderToEnd {
        return Err("there are more slips than spares for them".into());
    }
    Ok(())
}
