//! Slow reference implementations: blocks assigned slot by slot, angles in 128-bit fractions.

use super::*;
use proptest::prelude::*;

fn zone(first: u32, cylinders: u32, sectors_per_track: u32, spares: u32) -> Zone {
    Zone {
        first_cylinder: first,
        last_cylinder: first + cylinders - 1,
        sectors_per_track,
        spares,
        empty_sectors: 0,
        track_skew_thousandths: 0,
        cylinder_skew_thousandths: 0,
        first_sector_offset_thousandths: 0,
        slips: Vec::new(),
        remapped: Vec::new(),
    }
}

fn drive(geometry: Geometry, rpm: u32, parameters: Parameters) -> Drive {
    let seek = SeekForm::SquareRoot { a: 1.0, b: 0.1, c: 0.01 };
    let seek = SeekCurve::new(&seek, geometry.cylinders()).unwrap();
    Drive::new("test", geometry, rpm, seek, parameters).unwrap()
}

/// Assign a zone's blocks to its slots: the good slots that are not spares, in order.
fn dealt(zone: &Zone, sparing: Sparing, surfaces: u64) -> Vec<u64> {
    let per_track = u64::from(zone.sectors_per_track);
    let tracks = zone.cylinders() * surfaces;
    let (group, unit) = match sparing {
        Sparing::Zone => (tracks * per_track, 1),
        Sparing::Track => (per_track, 1),
        Sparing::Cylinder | Sparing::CylinderFront | Sparing::CylinderToEnd => (surfaces * per_track, 1),
        Sparing::CylinderRange(cylinders) => (u64::from(cylinders) * surfaces * per_track, 1),
        Sparing::WholeTracks => (tracks * per_track, per_track),
    };
    if sparing == Sparing::CylinderToEnd {
        let usable = group - u64::from(zone.spares);
        let slots = (0..tracks * per_track).filter(|slot| slot % group < usable);
        let numbered = slots.enumerate().filter(|(number, _)| !zone.slips.contains(&(*number as u64)));
        let good: Vec<u64> = numbered.map(|(_, slot)| slot).collect();
        return good[zone.empty_sectors as usize..].to_vec();
    }
    let (spares, mut dealt) = (u64::from(zone.spares) * unit, Vec::new());
    for first in (0..tracks * per_track).step_by(group as usize) {
        let end = (first + group).min(tracks * per_track);
        let good = (first..end).filter(|slot| !zone.slips.contains(&(slot / unit)));
        let good: Vec<u64> = good.collect();
        let usable = ((group - spares) as usize).min(good.len());
        if sparing == Sparing::CylinderFront {
            dealt.extend(&good[good.len() - usable..]);
        } else {
            dealt.extend(&good[..usable]);
        }
    }
    dealt.split_off(zone.empty_sectors as usize)
}

fn any_sparing() -> impl Strategy<Value = Sparing> {
    prop_oneof![
        Just(Sparing::Zone),
        Just(Sparing::Track),
        Just(Sparing::Cylinder),
        Just(Sparing::CylinderFront),
        Just(Sparing::CylinderToEnd),
        (1..4u32).prop_map(Sparing::CylinderRange),
        Just(Sparing::WholeTracks),
    ]
}

prop_compose! {
    /// Surfaces, and zones that may or may not fit their sparing, with unused cylinders between some of them.
    fn any_zones()(
        surfaces in 1..4u32,
        shapes in prop::collection::vec(
            (
                0..3u32, 1..4u32, 1..7u32, 0..4u32, 0..5u64, prop::collection::btree_set(0..40u64, 0..4),
                0..9u32, 0..9u32, 0..9u32,
            ),
            1..4,
        ),
    ) -> (u32, Vec<Zone>) {
        let mut first = 0;
        let zones = shapes.into_iter().map(|(gap, cylinders, sectors, spares, empty, slips, track, cylinder, offset)| {
            first += if first == 0 { 0 } else { gap };
            let mut zone = zone(first, cylinders, sectors, spares);
            zone.empty_sectors = empty;
            zone.slips = slips.into_iter().collect();
            zone.track_skew_thousandths = track * 1000;
            zone.cylinder_skew_thousandths = cylinder * 1000;
            zone.first_sector_offset_thousandths = offset * 125;
            first += cylinders;
            zone
        });
        (surfaces, zones.collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn blocks_lie_where_they_are_dealt_out((surfaces, zones) in any_zones(), sparing in any_sparing(), serpentine: bool) {
        let geometry = Geometry::new(surfaces, sparing, serpentine, zones.clone());
        prop_assume!(geometry.is_ok());
        let geometry = geometry.unwrap();
        let mut lbn = 0;
        for zone in &zones {
            for slot in dealt(zone, sparing, u64::from(surfaces)) {
                let place = geometry.place(lbn);
                let track = slot / u64::from(zone.sectors_per_track);
                let (cylinder, order) = (track / u64::from(surfaces), track % u64::from(surfaces));
                let turned = serpentine && cylinder % 2 == 1;
                let surface = if turned { u64::from(surfaces) - 1 - order } else { order };
                prop_assert_eq!(u64::from(place.cylinder), u64::from(zone.first_cylinder) + cylinder);
                prop_assert_eq!(u64::from(place.surface), surface);
                prop_assert_eq!(u64::from(place.sector), slot % u64::from(zone.sectors_per_track));
                let number = geometry.track(lbn);
                prop_assert_eq!(number, geometry.track_of(place.cylinder, place.surface));
                prop_assert_eq!(geometry.surface_of_track(number), place.surface);
                prop_assert_eq!(geometry.cylinder(lbn), place.cylinder);
                prop_assert!(geometry.blocks_of_track(number).contains(&lbn));
                prop_assert!(geometry.blocks_of_cylinder(place.cylinder).contains(&lbn));
                lbn += 1;
            }
        }
        prop_assert_eq!(lbn, geometry.blocks());
        let mut next = 0;
        for track in 0..geometry.cylinders() * surfaces {
            let range = geometry.blocks_of_track(track);
            prop_assert_eq!(range.start, next);
            next = range.end;
        }
        prop_assert_eq!(next, lbn);
    }

    #[test]
    fn runs_are_the_blocks_of_one_track((surfaces, zones) in any_zones(), sparing in any_sparing(), serpentine: bool) {
        let geometry = Geometry::new(surfaces, sparing, serpentine, zones);
        prop_assume!(geometry.is_ok());
        let geometry = geometry.unwrap();
        let mut next = 0;
        while next < geometry.blocks() {
            let run = geometry.run(next, geometry.blocks() - next);
            prop_assert_eq!(run.place, geometry.place(next));
            let end = next + u64::from(run.blocks);
            prop_assert_eq!(end, geometry.blocks_of_track(geometry.track(next)).end);
            prop_assert_eq!(geometry.place(end - 1).sector + 1 - run.place.sector, run.slots);
            next = end;
        }
    }

    #[test]
    fn a_slot_begins_at_its_angle(
        rpm in 1..20_000u32, of in 1..3_000u32, number: u32, thousandths in prop_oneof![Just(0), 0..1000u32],
        from in 0..2_000_000_000_000_000i64,
    ) {
        let slot = Slot { number: number % of, of, thousandths };
        let rotation = Rotation::new(rpm, of).unwrap();
        let start = rotation.slot_starts_ns(slot, from);
        // exact time of revolution r: (r · of + number + thousandths / 1000) · 60e9 / (rpm · of)
        let (minute, a_minute) = (60_000_000_000i128, i128::from(rpm) * i128::from(of) * 1000);
        let exact = |revolution: i128| {
            let slots = revolution * i128::from(of) + i128::from(slot.number);
            let angle = (slots * 1000 + i128::from(thousandths)) * minute;
            (angle + a_minute - 1).div_euclid(a_minute)
        };
        let about = i128::from(from) * i128::from(rpm) / minute;
        let expected = (about - 2..about + 3).map(exact).find(|&time| time >= i128::from(from)).unwrap();
        prop_assert_eq!(i128::from(start), expected);
        let end = rotation.slots_end_ns(start, 1, slot);
        let next = Slot { number: (slot.number + 1) % of, ..slot };
        prop_assert_eq!(end, rotation.slot_starts_ns(next, start + 1));
    }

    #[test]
    fn parts_sum_to_the_whole(
        (surfaces, zones) in any_zones(), sparing in any_sparing(), start in 0..1_000_000_000_000i64,
        requests in prop::collection::vec((any::<u64>(), 1..60u64, any::<bool>()), 1..8),
    ) {
        let geometry = Geometry::new(surfaces, sparing, false, zones);
        prop_assume!(geometry.is_ok());
        let parameters = Parameters {
            head_switch_ns: 900_000, write_settle_ns: -300_000,
            overheads: Overheads { read_after_read_ns: 500_000, write_after_write_ns: 700_000, ..Overheads::default() },
            ..Parameters::default()
        };
        let drive = drive(geometry.unwrap(), 5_400, parameters);
        let (mut arm, mut now) = (Mechanism::default(), start);
        for (lbn, blocks, write) in requests {
            let lbn = lbn % drive.geometry.blocks();
            let blocks = blocks.min(drive.geometry.blocks() - lbn);
            let access = arm.access(&drive, now, lbn, blocks, write);
            let parts = [access.overhead_ns, access.seek_ns, access.rotation_ns, access.transfer_ns];
            prop_assert!(parts.iter().all(|&part| part >= 0));
            prop_assert_eq!(parts.iter().sum::<i64>(), access.end_ns - now);
            let last = drive.geometry.place(lbn + blocks - 1);
            prop_assert_eq!((arm.cylinder, arm.surface), (last.cylinder, last.surface));
            now = access.end_ns;
        }
    }
}

#[test]
fn a_read_of_one_track_waits_and_then_takes_its_sectors() {
    let geometry = Geometry::new(2, Sparing::Zone, false, vec![zone(0, 4, 10, 0)]).unwrap();
    let drive = drive(geometry, 6_000, Parameters::default());
    let mut arm = Mechanism::default();
    let read = arm.access(&drive, 2_500_000, 5, 3, false);
    assert_eq!((read.seek_ns, read.rotation_ns), (0, 2_500_000));
    assert_eq!((read.transfer_ns, read.end_ns), (3_000_000, 8_000_000));
}

#[test]
fn skew_hides_a_head_switch() {
    let mut skewed = zone(0, 4, 10, 0);
    skewed.track_skew_thousandths = 1000;
    let geometry = Geometry::new(2, Sparing::Zone, false, vec![skewed]).unwrap();
    let parameters = Parameters { head_switch_ns: 1_000_000, ..Parameters::default() };
    let drive = drive(geometry, 6_000, parameters);
    let read = Mechanism::default().access(&drive, 0, 8, 4, false);
    assert_eq!((read.rotation_ns, read.seek_ns), (8_000_000, 1_000_000));
    assert_eq!(read.end_ns, 13_000_000);
}

#[test]
fn seek_tables_are_interpolated() {
    let form = SeekForm::Table(vec![(1, 1.0), (3, 2.0), (10, 2.7)]);
    let curve = SeekCurve::new(&form, 13).unwrap();
    let times: Vec<i64> = [0, 1, 2, 3, 4, 10, 12].map(|d| curve.time_ns(d)).into();
    assert_eq!(times, [0, 1_000_000, 1_500_000, 2_000_000, 2_100_000, 2_700_000, 2_900_000]);
    for bad in [vec![], vec![(0, 1.0)], vec![(2, 1.0), (2, 1.5)], vec![(1, -1.0)]] {
        assert!(SeekCurve::new(&SeekForm::Table(bad), 13).is_err());
    }
}

#[test]
fn a_substitute_sector_breaks_a_run() {
    let mut worn = zone(0, 1, 10, 2);
    worn.remapped = vec![(4, 9)];
    let geometry = Geometry::new(1, Sparing::Track, false, vec![worn]).unwrap();
    assert_eq!(geometry.blocks(), 8);
    assert_eq!(geometry.place(4).sector, 9);
    let runs = [(0, 4, 4), (4, 1, 1), (5, 3, 3)];
    for (lbn, blocks, slots) in runs {
        let run = geometry.run(lbn, 8 - lbn);
        assert_eq!((run.blocks, run.slots), (blocks, slots), "from {lbn}");
    }
}

#[test]
fn a_range_shares_its_spares_and_a_short_last_range_has_none() {
    // ranges of 2 cylinders of 4 sectors, 3 spares each: blocks 0 to 4, then the last cylinder whole
    let geometry = Geometry::new(1, Sparing::CylinderRange(2), false, vec![zone(0, 3, 4, 3)]).unwrap();
    assert_eq!(geometry.blocks(), 5 + 4);
    let at = |lbn| (geometry.place(lbn).cylinder, geometry.place(lbn).sector);
    assert_eq!((at(4), at(5), at(8)), ((1, 0), (2, 0), (2, 3)));
}

#[test]
fn a_cylinder_between_zones_holds_no_blocks() {
    let zones = vec![zone(0, 2, 3, 0), zone(3, 1, 3, 0)];
    let geometry = Geometry::new(1, Sparing::Zone, false, zones).unwrap();
    assert_eq!((geometry.blocks(), geometry.cylinders()), (9, 4));
    assert_eq!(geometry.blocks_of_cylinder(2), 6..6);
    assert_eq!(geometry.cylinder(6), 3);
}

#[test]
fn wrong_zones_are_refused() {
    let refused = |zones: Vec<Zone>| Geometry::new(2, Sparing::Track, false, zones).is_err();
    assert!(refused(vec![]));
    assert!(refused(vec![zone(1, 2, 10, 0)]));
    assert!(refused(vec![zone(0, 2, 10, 0), zone(1, 2, 10, 0)]));
    assert!(refused(vec![zone(0, 2, 10, 10)]));
    let mut crowded = zone(0, 2, 10, 1);
    crowded.slips = vec![3, 4];
    assert!(refused(vec![crowded]));
}
