//! Push damaged and hostile logs through the readers and the file table: `fuzz [SECONDS] [SEED] [CASE]`.
//!
//! Each case is a log made from the seed lines with a separate random number generator, so that it can be repeated by
//! its seed and number. A case fails if the code panics, if the tables violate an invariant, if the same calls as
//! ULTRIX text give other tables, or if memory or time is out of proportion to the log's length. Build it with
//! overflow checks:
//!
//! ```text
//! CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true \
//!     cargo run --release --example fuzz -- 1200
//! ```

#![allow(clippy::unwrap_used)]

#[path = "../../tests/in_memory/mod.rs"]
mod in_memory;
mod mutate;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use in_memory::{as_ultrix, check, take_in, Tables};
use mutate::Random;

/// Allowance per case in addition to that in proportion to its log.
const FREE_SECONDS: f64 = 5.0;
const FREE_BYTES: u64 = 64 << 20;
/// Allowance per byte of a log.
const SECONDS_PER_BYTE: f64 = 20e-6;
const BYTES_PER_BYTE: u64 = 2000;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap());
    let seconds = arguments.next().unwrap_or(60);
    let seed = arguments.next().unwrap_or(1994);
    if let Some(case) = arguments.next() {
        let log = shortest(&mutate::log(&mut Random::of_case(seed, case)), seed, case);
        println!("{}", String::from_utf8_lossy(&log));
        run(&log, &mut Random::of_case(seed, case));
        return;
    }
    watch(seed);
    let (mut case, mut bytes, mut failures) = (0u64, 0u64, 0u64);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(seconds) {
        CASE.store(case, Ordering::Relaxed);
        let log = mutate::log(&mut Random::of_case(seed, case));
        let before = processor_seconds();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&log, &mut Random::of_case(seed, case))));
        let took = processor_seconds() - before;
        let slow = took > FREE_SECONDS + SECONDS_PER_BYTE * log.len() as f64;
        if outcome.is_err() || slow {
            failures += 1;
            println!("case {case} of seed {seed} failed: {} bytes, {took:.1} s", log.len());
        }
        case += 1;
        bytes += log.len() as u64;
        if peak_bytes() > FREE_BYTES + BYTES_PER_BYTE * mutate::LONGEST as u64 {
            println!("case {case} of seed {seed} failed: {} MB of memory", peak_bytes() >> 20);
            std::process::exit(1);
        }
    }
    let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64();
    println!("{case} cases, {} MB, {rate:.2} MB/s, {failures} failures", bytes >> 20);
    std::process::exit(i32::from(failures > 0));
}

/// The log reduced to lines that are needed for the failure.
fn shortest(log: &[u8], seed: u64, case: u64) -> Vec<u8> {
    let fails =
        |log: &[u8]| catch_unwind(AssertUnwindSafe(|| run(log, &mut Random::of_case(seed, case)))).is_err();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut lines: Vec<&[u8]> = log.split_inclusive(|&byte| byte == b'\n').collect();
    let mut step = lines.len().next_power_of_two();
    while step > 0 && fails(&lines.concat()) {
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + step).min(lines.len()));
            if fails(&fewer.concat()) {
                lines = fewer;
            } else {
                at += step;
            }
        }
        step /= 2;
    }
    std::panic::set_hook(hook);
    lines.concat()
}

static CASE: AtomicU64 = AtomicU64::new(0);

/// Report a case that does not end, and abort.
fn watch(seed: u64) {
    std::thread::spawn(move || loop {
        let case = CASE.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(300));
        if CASE.load(Ordering::Relaxed) == case {
            println!("case {case} of seed {seed} failed: it hangs");
            std::process::exit(1);
        }
    });
}

fn run(log: &[u8], random: &mut Random) {
    let model = mutate::model(random);
    let Ok(direct) = take_in("strace", log, model) else {
        return;
    };
    check(&direct);
    let mut text = as_ultrix(log);
    let back = take_in("ultrix", &text, model).unwrap();
    if memchr::memmem::find(log, b"superseded").is_none() {
        // a thread whose number is reused may leave a call open, and issue another of the same name
        same(&direct, &back);
    }
    mutate::damage(random, &mut text);
    if let Ok(damaged) = take_in("ultrix", &text, model) {
        check(&damaged);
    }
}

/// The tables of the same calls in the other format differ in `seq` only.
fn same(direct: &Tables, back: &Tables) {
    same_rows("reference", &direct.references, &back.references);
    same_rows("use", &direct.uses, &back.uses);
    same_rows("file", &direct.files, &back.files);
}

fn same_rows<T: PartialEq + std::fmt::Debug>(table: &str, direct: &[T], back: &[T]) {
    let differing = direct.iter().zip(back).position(|(one, other)| one != other);
    if let Some(at) = differing {
        panic!("{table} {at} of {}: {:?}\n by ULTRIX {:?}", direct.len(), direct[at], back[at]);
    }
    assert_eq!(direct.len(), back.len(), "{table}");
}

/// The CPU time of this thread so far.
fn processor_seconds() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let run_ns = schedstat.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    run_ns.unwrap_or(0.0) / 1e9
}

/// The peak resident memory so far.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
