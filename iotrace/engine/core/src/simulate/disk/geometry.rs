//! Which blocks lie where: cylinders, surfaces, sectors, zones, spares and skew.

use super::rotation::Slot;
use super::zone::{Layout, Sparing, Zone};
use std::ops::Range;

/// The location of a block. The sector is the slot on its track, counted from the track's first, before skew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorAddress {
    pub cylinder: u32,
    pub surface: u32,
    pub sector: u32,
}

/// Consecutive blocks on one track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The location of the first one.
    pub place: SectorAddress,
    pub blocks: u32,
    /// The number of slots from the first block's start to the last one's end: more than the blocks if there are bad
    /// sectors between.
    pub slots: u32,
}

/// The most cylinders, above that of any drive; the seek curve holds a time for each.
const MOST_CYLINDERS: u32 = 10_000_000;

/// The layout of a drive's blocks, 512 bytes each.
#[derive(Clone, Debug)]
pub struct Geometry {
    surfaces: u32,
    cylinders: u32,
    serpentine: bool,
    zones: Vec<Layout>,
    blocks: u64,
}

impl Geometry {
    /// Lay out zones, outermost first; cylinders between two zones have no blocks. With `serpentine` every odd
    /// cylinder (counted from its zone's first) is filled from the last surface to the first.
    ///
    /// The error names the zone and what is wrong with it.
    pub fn new(surfaces: u32, sparing: Sparing, serpentine: bool, zones: Vec<Zone>) -> Result<Self, String> {
        if surfaces == 0 || zones.is_empty() {
            return Err("a drive must have at least one surface and one zone".into());
        }
        let (mut cylinders, mut blocks, mut layouts) = (0, 0, Vec::new());
        for (number, zone) in zones.into_iter().enumerate() {
            let named = |why: String| format!("zones[{number}]: {why}");
            if number == 0 && zone.first_cylinder != 0 {
                return Err(named(format!("first_cylinder must be 0, not {}", zone.first_cylinder)));
            }
            if zone.first_cylinder < cylinders {
                return Err(named(format!(
                    "first_cylinder must be {cylinders} or more, after the previous zone, not {}",
                    zone.first_cylinder
                )));
            }
            let layout = Layout::new(zone, sparing, surfaces, blocks).map_err(named)?;
            cylinders = layout
                .zone
                .last_cylinder
                .checked_add(1)
                .filter(|&cylinders| cylinders <= MOST_CYLINDERS)
                .ok_or_else(|| named(format!("more than {MOST_CYLINDERS} cylinders")))?;
            if cylinders.checked_mul(surfaces).is_none() {
                return Err(named(format!("more than {} tracks", u32::MAX)));
            }
            blocks += layout.blocks;
            layouts.push(layout);
        }
        Ok(Geometry { surfaces, cylinders, serpentine, zones: layouts, blocks })
    }

    /// The capacity in blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The number of heads.
    pub fn surfaces(&self) -> u32 {
        self.surfaces
    }

    /// The number of cylinders.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// The location of a block; `lbn` < `blocks()`.
    #[inline]
    pub fn place(&self, lbn: u64) -> SectorAddress {
        let zone = self.zone_of_block(lbn);
        self.place_in(zone, zone.sector(lbn))
    }

    /// The track of a block, counted in the order of blocks: `track / surfaces()` is its cylinder. A block remapped to
    /// another track still belongs to its original track.
    #[inline]
    pub fn track(&self, lbn: u64) -> u32 {
        let zone = self.zone_of_block(lbn);
        let track = zone.nominal_sector(lbn) / u64::from(zone.zone.sectors_per_track);
        zone.zone.first_cylinder * self.surfaces + track as u32
    }

    /// The number of the track under a head.
    pub fn track_of(&self, cylinder: u32, surface: u32) -> u32 {
        let zone = &self.zone_of_cylinder(cylinder).zone;
        cylinder * self.surfaces + self.turned(zone, cylinder, surface)
    }

    /// The surface of a track.
    pub fn surface_of_track(&self, track: u32) -> u32 {
        let (cylinder, order) = (track / self.surfaces, track % self.surfaces);
        self.turned(&self.zone_of_cylinder(cylinder).zone, cylinder, order)
    }

    /// The blocks of a track; none if it holds only spares.
    pub fn blocks_of_track(&self, track: u32) -> Range<u64> {
        let zone = self.zone_of_cylinder(track / self.surfaces);
        let local = u64::from(track - zone.zone.first_cylinder * self.surfaces);
        let first = zone.first_block + zone.blocks_before_track(local);
        first..zone.first_block + zone.blocks_before_track(local + 1)
    }

    /// The cylinder of a block.
    pub fn cylinder(&self, lbn: u64) -> u32 {
        self.track(lbn) / self.surfaces
    }

    /// The blocks of a cylinder.
    pub fn blocks_of_cylinder(&self, cylinder: u32) -> Range<u64> {
        let zone = self.zone_of_cylinder(cylinder);
        let local = u64::from(cylinder - zone.zone.first_cylinder) * u64::from(self.surfaces);
        let first = zone.first_block + zone.blocks_before_track(local);
        first..zone.first_block + zone.blocks_before_track(local + u64::from(self.surfaces))
    }

    /// The number of slots of a cylinder's tracks.
    #[inline]
    pub fn sectors_per_track(&self, cylinder: u32) -> u32 {
        self.zone_of_cylinder(cylinder).zone.sectors_per_track
    }

    /// The largest number of slots that a track of this drive has.
    pub fn most_sectors_per_track(&self) -> u32 {
        let sizes = self.zones.iter().map(|zone| zone.zone.sectors_per_track);
        sizes.max().unwrap_or(0)
    }

    /// The slot of a revolution, counted from angle 0, at which a sector begins.
    #[inline]
    pub fn slot(&self, place: SectorAddress) -> Slot {
        let layout = self.zone_of_cylinder(place.cylinder);
        let zone = &layout.zone;
        let cylinders = u64::from(place.cylinder - zone.first_cylinder);
        let order = u64::from(self.turned(zone, place.cylinder, place.surface));
        let switches = order + u64::from(self.surfaces - 1) * cylinders;
        let skew = switches * u64::from(zone.track_skew_thousandths)
            + cylinders * u64::from(zone.cylinder_skew_thousandths)
            + u64::from(zone.first_sector_offset_thousandths);
        let pushed = layout.slips_that_push(cylinders * u64::from(self.surfaces), order);
        let of = u64::from(zone.sectors_per_track);
        Slot {
            number: ((skew / 1000 + pushed + u64::from(place.sector)) % of) as u32,
            of: of as u32,
            thousandths: (skew % 1000) as u32,
        }
    }

    /// The longest run of blocks from `lbn` on, of at most `blocks`; both are on the drive.
    #[inline]
    pub fn run(&self, lbn: u64, blocks: u64) -> Run {
        let zone = self.zone_of_block(lbn);
        let per_track = u64::from(zone.zone.sectors_per_track);
        let nominal = zone.nominal_sector(lbn);
        if !zone.zone.remapped.is_empty() {
            return self.run_by_blocks(zone, lbn, blocks);
        }
        let left = per_track - nominal % per_track;
        let mut count = blocks.min(left).min(zone.first_block + zone.blocks - lbn);
        let mut last = zone.nominal_sector(lbn + count - 1);
        if last / per_track != nominal / per_track {
            count = self.blocks_of_track(self.track(lbn)).end - lbn;
            last = zone.nominal_sector(lbn + count - 1);
        }
        Run { place: self.place_in(zone, nominal), blocks: count as u32, slots: (last - nominal + 1) as u32 }
    }

    /// A run that ends before a remapped block, or consists of that block.
    fn run_by_blocks(&self, zone: &Layout, lbn: u64, blocks: u64) -> Run {
        let (nominal, sector) = (zone.nominal_sector(lbn), zone.sector(lbn));
        let track = nominal / u64::from(zone.zone.sectors_per_track);
        let end = (lbn + blocks).min(zone.first_block + zone.blocks);
        let follows = |next: &u64| {
            let there = zone.nominal_sector(*next);
            there / u64::from(zone.zone.sectors_per_track) == track && zone.sector(*next) == there
        };
        let more = match nominal == sector {
            true => (lbn + 1..end).take_while(follows).count() as u64,
            false => 0,
        };
        Run {
            place: self.place_in(zone, sector),
            blocks: more as u32 + 1,
            slots: (zone.nominal_sector(lbn + more) - nominal + 1) as u32,
        }
    }

    #[inline]
    fn place_in(&self, layout: &Layout, sector: u64) -> SectorAddress {
        let zone = &layout.zone;
        let per_track = u64::from(zone.sectors_per_track);
        let (track, sector) = (sector / per_track, sector % per_track);
        let surfaces = u64::from(self.surfaces);
        let cylinder = zone.first_cylinder + (track / surfaces) as u32;
        SectorAddress {
            cylinder,
            surface: self.turned(zone, cylinder, (track % surfaces) as u32),
            sector: sector as u32,
        }
    }

    /// Order in the cylinder to surface, and vice versa.
    #[inline]
    fn turned(&self, zone: &Zone, cylinder: u32, order: u32) -> u32 {
        if self.serpentine && (cylinder - zone.first_cylinder) % 2 == 1 {
            return self.surfaces - 1 - order;
        }
        order
    }

    #[inline]
    fn zone_of_block(&self, lbn: u64) -> &Layout {
        let number = match self.zones.len() {
            1 => 0,
            _ => self.zones.partition_point(|zone| zone.first_block <= lbn) - 1,
        };
        &self.zones[number]
    }

    #[inline]
    fn zone_of_cylinder(&self, cylinder: u32) -> &Layout {
        let number = match self.zones.len() {
            1 => 0,
            _ => {
                let below = |zone: &Layout| zone.zone.first_cylinder <= cylinder;
                self.zones.partition_point(below) - 1
            }
        };
        &self.zones[number]
    }
}
