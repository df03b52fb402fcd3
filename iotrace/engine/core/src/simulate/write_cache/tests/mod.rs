//! The controller compared with a slow reference implementation, on small disks: the same operations in the same
//! order, to the nanosecond.

mod oracle;

use super::controller::{Operation, Request};
use super::settings::*;
use super::simulator::Run;
use crate::histogram::Histogram;
use crate::simulate::disk::{Drive, Geometry, Overheads, Parameters, SeekCurve, SeekForm, Sparing, Zone};
use oracle::{Oracle, Outcome};
use proptest::prelude::*;
use std::sync::Arc;

fn zone(first: u32, last: u32, sectors_per_track: u32, skew: u32) -> Zone {
    Zone {
        first_cylinder: first,
        last_cylinder: last,
        sectors_per_track,
        spares: 0,
        empty_sectors: 0,
        track_skew_thousandths: 1000 + skew,
        cylinder_skew_thousandths: 2000,
        first_sector_offset_thousandths: 1000,
        slips: Vec::new(),
        remapped: Vec::new(),
    }
}

/// A disk of 114 blocks: two zones, three surfaces; optionally with a block remapped to another cylinder.
fn small_drive(remaps: bool, skew: u32, head_switch_ns: i64, write_settle_ns: i64) -> Drive {
    let mut inner = zone(4, 6, 6, skew);
    if remaps {
        inner.spares = 2;
        inner.remapped = vec![(3, 53), (20, 52)];
    }
    let geometry = Geometry::new(3, Sparing::Zone, false, vec![zone(0, 3, 5, skew), inner]).unwrap();
    let form = SeekForm::SquareRoot { a: 1.0, b: 0.7, c: 0.1 };
    let seek = SeekCurve::new(&form, geometry.cylinders()).unwrap();
    let parameters = Parameters {
        head_switch_ns,
        write_settle_ns,
        overheads: Overheads {
            read_after_read_ns: 300_000,
            write_after_write_ns: 500_000,
            ..Overheads::default()
        },
        ..Parameters::default()
    };
    Drive::new("small", geometry, 3600, seek, parameters).unwrap()
}

const BLOCKS: u64 = 112;

const PURGES: [Purge; 6] =
    [Purge::Full, Purge::OneThreshold, Purge::TwoThresholds, Purge::Asap, Purge::Linear, Purge::Dynamic];

prop_compose! {
    fn any_request(disks: u32)(
        gap_ms in prop_oneof![3 => 0i64..4, 2 => 0i64..60, 1 => Just(0i64)],
        odd_ns in 0i64..1000,
        disk in 0..disks,
        kind in 0..20u32,
        lbn in 0..BLOCKS,
        blocks in prop_oneof![4 => 1..4u64, 1 => 1..30u64],
    ) -> Request {
        let operation = match kind {
            0 => Operation::Flush,
            1 => Operation::Discard,
            2 => Operation::ForcedWrite,
            3..=9 => Operation::Read,
            _ => Operation::Write,
        };
        Request { time_ns: gap_ms * 1_000_000 + odd_ns, disk, operation, lbn, blocks: blocks.min(BLOCKS - lbn) }
    }
}

prop_compose! {
    /// A percentage with three decimals, and another that is at most as large.
    fn any_watermarks()(high in 0..=100_000u32, low in 0..=100u32) -> (f64, f64) {
        (f64::from(high) / 1000.0, f64::from(high / 100 * low) / 1000.0)
    }
}

prop_compose! {
    fn any_settings()(
        single in prop::bool::weighted(0.3),
        sizes in (0..12u32, prop_oneof![4 => 1..25u32, 1 => Just(0u32)]),
        partitioned: bool,
        purge in prop::sample::select(&PURGES),
        watermarks in any_watermarks(),
        interval in 1..20u64,
        disks in 1..3u32,
        cylinder: bool,
        choices in (0..3usize, 0..4usize, 0..3usize, 0..5usize),
        closed in prop::bool::weighted(0.2),
        whole: bool,
        forced_through: bool,
    ) -> Settings {
        let (piggyback, victim, effect, queue) = choices;
        Settings {
            memories: match single {
                true => Memories::Single { blocks: sizes.1.max(2) },
                false => Memories::Separate { read: sizes.0, write: sizes.1 },
            },
            sharing: if partitioned { Sharing::Partitioned } else { Sharing::Common },
            disks,
            unit: if cylinder { Unit::Cylinder } else { Unit::Track },
            piggyback: [Piggyback::None, Piggyback::Free, Piggyback::Full][piggyback],
            victim: [Victim::MostDirty, Victim::Nearest, Victim::Lrw, Victim::Wow][victim],
            purge,
            high_percent: watermarks.0,
            low_percent: watermarks.1,
            interval,
            low_share: 0.4,
            forced: if forced_through { Forced::Through } else { Forced::Cached },
            write_effect: [WriteEffect::Purge, WriteEffect::Update, WriteEffect::Allocate][effect],
            admission: if whole { Admission::Whole } else { Admission::Blocks },
            queue: [Scheduler::Fifo, Scheduler::Sstf, Scheduler::Look, Scheduler::CLook, Scheduler::Sptf][queue],
            replay: if closed { Replay::Closed } else { Replay::Open },
        }
    }
}

fn histogram(responses: &[i64]) -> Histogram {
    let mut histogram = Histogram::default();
    responses.iter().for_each(|&time| histogram.add(time));
    histogram
}

/// Give requests absolute times in open replay.
fn timed(mut requests: Vec<Request>, replay: Replay) -> Vec<Request> {
    let mut now_ns = 0;
    for request in &mut requests {
        now_ns += request.time_ns;
        if replay == Replay::Open {
            request.time_ns = now_ns;
        }
    }
    requests
}

fn compare(drive: Drive, settings: Settings, requests: Vec<Request>) -> Result<(), TestCaseError> {
    let drive = Arc::new(drive);
    let requests = timed(requests, settings.replay);
    let mut oracle = Oracle::new(&drive, settings);
    requests.iter().for_each(|request| oracle.request(request));
    oracle.finish();
    let mut run = Run::new(&drive, settings);
    prop_assert_eq!(run.take(&requests), Ok(()));
    let begun = run.drain();
    for (at, (ours, theirs)) in begun.iter().zip(&oracle.outcome.begun).enumerate() {
        prop_assert_eq!(ours, theirs, "operation {}", at);
    }
    prop_assert_eq!(begun.len(), oracle.outcome.begun.len());
    let measures = run.finish();
    prop_assert!(measures.is_ok(), "{:?}", measures);
    let measures = measures.unwrap();
    prop_assert!(measures.disk_writes() <= measures.written_units + measures.partial_entries);
    prop_assert!(settings.admission == Admission::Blocks || measures.partial_entries == 0);
    let [reads, writes] = &oracle.responses;
    prop_assert_eq!(&measures.read_response, &histogram(reads));
    prop_assert_eq!(&measures.write_response, &histogram(writes));
    let mut counts = Outcome::default().counts;
    for (name, value) in [
        ("read_cache_hits", measures.read_cache_hits as i64),
        ("write_cache_hits", measures.write_cache_hits as i64),
        ("disk_reads", measures.disk_reads as i64),
        ("idle_purges", measures.idle_purges as i64),
        ("immediate_purges", measures.immediate_purges as i64),
        ("write_throughs", measures.write_throughs as i64),
        ("purged_blocks", measures.purged_blocks as i64),
        ("piggybacked_blocks", measures.piggybacked_blocks as i64),
        ("piggybacked_reads", measures.piggybacked_reads as i64),
        ("stalled_reads", measures.stalled_reads as i64),
        ("stalled_writes", measures.stalled_writes as i64),
        ("read_wait", measures.read_wait_ns as i64),
        ("read_wait_behind_writes", measures.read_wait_behind_writes_ns as i64),
        ("wait", measures.wait_ns as i64),
        ("read_service", measures.read_parts.sum_ns()),
        ("write_service", measures.write_parts.sum_ns()),
        ("dropped_dirty", measures.dropped_dirty as i64),
    ] {
        counts.insert(name, value);
    }
    for (name, value) in counts {
        prop_assert_eq!(value, oracle.outcome.counts.get(name).copied().unwrap_or(0), "{}", name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_its_slow_twin(
        settings in any_settings(),
        requests in prop::collection::vec(any_request(1), 1..120),
        disks in prop::collection::vec(0..2u32, 120),
        remaps in prop::bool::weighted(0.2),
        skew in prop_oneof![Just(0u32), 0u32..1000],
        head_switch_ns in prop_oneof![Just(0i64), 1i64..3_000_000],
        write_settle_ns in prop_oneof![3 => Just(0i64), 1 => -500_000i64..500_000],
    ) {
        let mut requests = requests;
        for (request, disk) in requests.iter_mut().zip(disks) {
            request.disk = disk % settings.disks;
        }
        compare(small_drive(remaps, skew, head_switch_ns, write_settle_ns), settings, requests)?;
    }
}
