//! Run the strace scanner over logs and print what it found and how fast: `scan [--table] FILE...`; with `--table`,
//! table `syscall` is built too.

use iotrace_core::columns::Named;
use iotrace_core::reconstruct::syscall_table::SyscallTable;
use iotrace_core::syscalls::call::{Event, EventSink};
use iotrace_core::syscalls::strace::{Log, Order, Remark, SetError};
use std::path::Path;
use std::time::Instant;

#[derive(Default)]
struct Counts {
    issued: u64,
    returned: u64,
    ended: u64,
    table: Option<SyscallTable>,
    batches: u64,
}

impl EventSink for Counts {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Issued(_) => self.issued += 1,
            Event::Returned(_) => self.returned += 1,
            Event::Ended(_) => self.ended += 1,
        }
        let Some(table) = &mut self.table else { return };
        match &event {
            Event::Issued(_) => {}
            Event::Returned(call) => table.push(call, 0),
            Event::Ended(ended) => table.push_end(ended, 0),
        }
        if table.is_full() && table.take_batch().is_ok() {
            self.batches += 1;
        }
    }
}

fn main() {
    let table = std::env::args().any(|argument| argument == "--table");
    for path in std::env::args().skip(1).filter(|argument| argument != "--table") {
        if let Err(error) = scan(Path::new(&path), table) {
            eprintln!("{error}");
        }
    }
}

fn scan(path: &Path, table: bool) -> Result<(), SetError> {
    let started = Instant::now();
    let mut log = Log::open(&[path.to_path_buf()], Order::Time)?;
    let mut counts = Counts { table: table.then(SyscallTable::new), ..Counts::default() };
    loop {
        match log.advance(&mut counts) {
            Ok(true) => {}
            Ok(false) => break,
            Err(damage) => println!("{damage}"),
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let scanner = log.scanner();
    let megabytes = scanner.text_bytes() as f64 / 1e6;
    let tally = scanner.tally();
    println!(
        "{}: lines {} parsed {} skipped {} calls {} issued {} ended {}; {:.0} MB in {:.3} s = {:.0} MB/s",
        path.display(),
        tally.lines,
        tally.parsed,
        tally.skipped_lines(),
        tally.calls,
        counts.issued,
        counts.ended,
        megabytes,
        seconds,
        megabytes / seconds
    );
    if table {
        println!("  full batches of table syscall: {}", counts.batches);
    }
    if log.tied_lines() > 0 {
        println!("  tied lines: {}", log.tied_lines());
    }
    println!("  times {:?}, resolution {:?} ns", scanner.time_base(), scanner.time_resolution_ns());
    for kind in Remark::ALL.iter().copied().filter(|&kind| tally.remarks(kind) > 0) {
        println!("  {}: {}", kind.name(), tally.remarks(kind));
    }
    for (reason, skipped) in tally.skips().iter().filter(|(_, skipped)| skipped.lines > 0) {
        println!(
            "  {}: {}, first in line {}: {}",
            reason.name(),
            skipped.lines,
            skipped.first_line,
            skipped.excerpt
        );
    }
    Ok(())
}
