//! What must hold for any configuration.

use super::super::blocks::touched;
use super::super::log::LogEvent;
use super::super::simulation::Simulation;
use super::super::windows::{Gauge, Windows};
use super::watcher::watch;
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

const BLOCK_BYTES: u64 = 16;

/// Rows of up to five processes, in any order, or consecutive in a file.
fn rows(processes: u32) -> impl Strategy<Value = Vec<ProgramRow>> {
    let operation = prop_oneof![
        3 => Just(Operation::Read),
        5 => Just(Operation::Write),
        1 => Just(Operation::Compute),
    ];
    let lengths = prop::sample::select(vec![0, 4, 8, 16, 16, 19, 40]);
    let process = prop::option::of(0..processes);
    let row = (process, operation, 0..100_u64, lengths, 0..3_u32, prop::sample::select(vec![0, 0, 5, 1000]));
    (prop::collection::vec(row, 0..60), any::<bool>()).prop_map(|(rows, is_sequential)| {
        let mut ends = std::collections::HashMap::new();
        let placed = rows.into_iter().map(|(process, operation, offset, length, file, compute_ns)| {
            let end = ends.entry((process, file)).or_insert(0);
            let offset = if is_sequential { *end } else { offset };
            *end = offset + length;
            let record = Record { offset, length, compute_ns, file, operation };
            (process, record)
        });
        placed.collect()
    })
}

fn overheads() -> impl Strategy<Value = Overheads> {
    let mean_ns = || prop_oneof![Just(0), Just(1), 0..1000_i64];
    let means = (mean_ns(), mean_ns(), mean_ns(), mean_ns(), mean_ns(), mean_ns());
    let more = (0..=1000_u32, prop::sample::select(vec![0, 3, 8, 256]));
    (means, more).prop_map(|((jitter, read, write, request, start, copy), (spread, piece))| Overheads {
        jitter_ns: jitter,
        read_management_ns: read,
        write_management_ns: write,
        disk_request_ns: request,
        write_start_ns: start,
        copy_ns_per_kbyte: copy * 100,
        copy_piece_bytes: piece,
        spread_permille: spread,
    })
}

fn settings(processes: u32) -> impl Strategy<Value = Settings> {
    let policies = (
        prop::sample::select(vec![
            WritePolicy::WriteThru,
            WritePolicy::WriteBack,
            WritePolicy::WriteFree,
            WritePolicy::WriteFull,
        ]),
        prop::sample::select(vec![
            Replacement::TossImmediately,
            Replacement::TossImmediately,
            Replacement::Lru,
            Replacement::Fifo,
        ]),
        prop::sample::select(vec![
            ClaimOrder::Random,
            ClaimOrder::Fifo,
            ClaimOrder::Lifo,
            ClaimOrder::Lowest,
        ]),
        prop::sample::select(vec![Prefetch::None, Prefetch::OneBlock, Prefetch::Portion]),
    );
    let layout = (1..5_u32, 1..4_u64, any::<bool>());
    let sizes = (0..9_u32, prop::sample::select(vec![1, 7, 5000]), any::<u64>());
    (policies, layout, sizes, any::<(bool, bool, bool)>(), overheads()).prop_map(
        move |(policies, layout, sizes, flags, overheads)| {
            let (write_policy, replacement, claim_order, prefetch) = policies;
            let (more, service_ns, seed) = sizes;
            let buffers = match (more, replacement) {
                (0, _) => 0,
                (more, Replacement::TossImmediately) => processes + more - 1,
                (more, _) => more,
            };
            Settings {
                block_bytes: BLOCK_BYTES,
                disks: layout.0,
                stripe_blocks: layout.1,
                first_disk: if layout.2 { FirstDisk::File } else { FirstDisk::Zero },
                service: Service::Constant { service_ns },
                buffers,
                write_policy,
                replacement,
                claim_order,
                prefetch,
                writes_while_writing: flags.0,
                files_exist: flags.1,
                shared_cache: flags.2,
                overheads,
                seed,
                windows: 0,
                log: true,
            }
        },
    )
}

fn anything() -> impl Strategy<Value = (Program, Settings)> {
    (1..6_u32).prop_flat_map(|processes| {
        let program = rows(processes).prop_map(move |rows| program(processes as usize, &rows));
        (program, settings(processes))
    })
}

fn service_ns(settings: &Settings) -> i64 {
    match settings.service {
        Service::Constant { service_ns } => service_ns,
        Service::Drive(_) => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn it_ends_and_no_block_is_lost_and_no_disk_idles((program, settings) in anything()) {
        let (measures, log) = run_to_rest(&program, &settings);
        watch(&log, service_ns(&settings), settings.buffers > 0);
        prop_assert_eq!(measures.accesses, touched(&program, BLOCK_BYTES));
        prop_assert_eq!(measures.records, program.records() as u64);
        let claims = log.iter().filter(|line| line.what == LogEvent::Claim).count() as u64;
        if settings.buffers > 0 {
            prop_assert_eq!(measures.hits + claims, measures.accesses);
        }
        let last_ns = log.last().map_or(0, |line| line.time_ns);
        prop_assert_eq!(measures.execution_ns, last_ns);
        let operations = (measures.disk_reads + measures.disk_writes) as i64;
        prop_assert_eq!(measures.busy_ns, i128::from(operations * service_ns(&settings)));
    }

    #[test]
    fn the_parts_of_a_processs_time_are_its_life((program, settings) in anything()) {
        let (measures, _) = run_to_rest(&program, &settings);
        for process in &measures.processes {
            prop_assert!(process.spent_ns.iter().all(|&spent_ns| spent_ns >= 0));
            prop_assert_eq!(process.spent_ns.iter().sum::<i64>(), process.finished_ns);
        }
        let computed: i64 = measures.processes.iter().map(|one| one.spent_ns[0]).sum();
        let given: i64 = program.records.iter().map(|record| record.compute_ns).sum();
        prop_assert_eq!(computed, given);
    }

    /// Windows are integrals, in total and of each window's constants, and do not change the run.
    #[test]
    fn windows_add_up((program, settings) in anything(), count in 1..7_u32) {
        let (measures, _) = run_to_rest(&program, &settings);
        let windows = Windows::new(count, measures.execution_ns);
        let mut again = Simulation::new(&program, &settings, Some(windows)).unwrap();
        again.run(&Progress::default()).unwrap();
        prop_assert_eq!(format!("{:?}", &again.measures), format!("{measures:?}"));
        let windows = again.windows.unwrap();
        let sum = |gauge: Gauge| windows.sums.iter().map(|sums| sums[gauge as usize]).sum::<i128>() as i64;
        prop_assert_eq!(i128::from(sum(Gauge::DisksReading) + sum(Gauge::DisksWriting)), measures.busy_ns);
        for (state, gauge) in [
            Gauge::ProcessesComputing,
            Gauge::ProcessesOverhead,
            Gauge::ProcessesWaitingForReads,
            Gauge::ProcessesWaitingForBuffers,
            Gauge::ProcessesWaitingForWrites,
        ].into_iter().enumerate() {
            let spent_ns: i64 = measures.processes.iter().map(|one| one.spent_ns[state]).sum();
            prop_assert_eq!(sum(gauge), spent_ns);
        }
        for (number, sums) in (0..).zip(&windows.sums) {
            let long_ns = windows.start_ns(number + 1) - windows.start_ns(number);
            let states = [Gauge::BuffersClean, Gauge::BuffersDirty, Gauge::BuffersFree];
            let buffers: i128 = states.iter().map(|&gauge| sums[gauge as usize]).sum();
            let caches = if settings.shared_cache { 1 } else { program.file_bytes.len() };
            let all = i128::from(settings.buffers) * caches as i128;
            prop_assert_eq!(buffers, all * i128::from(long_ns));
        }
    }

    /// Blocks read ahead are read once, and accesses are the same as without read-ahead. Read-ahead changes which
    /// process reaches a block first, so that a block which was new to its writer may now be read before: runs with
    /// writes may differ in their reads.
    #[test]
    fn reading_ahead_reads_nothing_twice_that_fits((program, settings) in anything()) {
        let roomy = Settings { buffers: 200, ..settings };
        let without = Settings { prefetch: Prefetch::None, ..roomy.clone() };
        let (with, log) = run_to_rest(&program, &roomy);
        let (without, _) = run_to_rest(&program, &without);
        let mut read = HashSet::new();
        for line in log.iter().filter(|line| line.what == LogEvent::ReadQueued) {
            let place = line.place.unwrap();
            prop_assert!(read.insert((place.file, place.block)), "read twice");
        }
        prop_assert_eq!(with.disk_reads, read.len() as u64);
        prop_assert_eq!(with.accesses, without.accesses);
    }

    /// Blocks read ahead are used: nothing is read that would not have been.
    #[test]
    fn reading_ahead_reads_nothing_in_vain((program, settings) in anything()) {
        let mut program = program;
        for record in &mut program.records {
            if record.operation == Operation::Write {
                record.operation = Operation::Read;
            }
        }
        let roomy = Settings { buffers: 200, ..settings };
        let without = Settings { prefetch: Prefetch::None, ..roomy.clone() };
        let (with, _) = run_to_rest(&program, &roomy);
        let (without, _) = run_to_rest(&program, &without);
        prop_assert_eq!(with.disk_reads, without.disk_reads);
    }

    /// Random times stay within their range and reach both halves of it.
    #[test]
    fn draws_are_about_their_mean(seed: u64, process: u32, mean in 0..1_000_000_i64, spread in 0..=1000_u32) {
        let mut rng = super::super::rng::Rng::new(seed, process);
        let half = mean * i64::from(spread) / 1000;
        let drawn: Vec<_> = (0..64).map(|_| rng.around(mean, spread)).collect();
        prop_assert!(drawn.iter().all(|&one| (mean - half..=mean + half).contains(&one)));
        if half > 10 {
            prop_assert!(drawn.iter().any(|&one| one < mean) && drawn.iter().any(|&one| one >= mean));
        }
    }
}
