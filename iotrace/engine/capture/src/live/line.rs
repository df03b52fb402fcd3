//! An interval as a line of JSON, with the rows that are first by any of the orders.

use super::totals::Totals;
use super::{has_totals, Live, Process, CLASSES};
use crate::json::quoted;
use std::collections::HashSet;
use std::fmt::Write;

/// The orders of rows.
const ORDERS: [fn(&Totals) -> u64; 5] = [
    |totals| totals.time_ns,
    |totals| totals.calls,
    Totals::bytes,
    |totals| totals.missed_pages,
    Totals::p99_ns,
];

impl Live {
    /// The line of the interval that ends now, and begin another. `lost` are the calls that were lost since the beginning,
    /// and those of 32-bit programs. Of files and processes, the line has `most_rows` by each order.
    ///
    /// A row is an array: name, number of the process or class of the call, calls, calls with a time, time in ns, bytes
    /// read, bytes written, pages missed, 99th percentile in ns, and the time in calls that wait.
    pub fn line(&mut self, now_ns: u64, lost: [u64; 2], most_rows: usize) -> String {
        let [lost_calls, narrow_calls] = std::array::from_fn(|kind| lost[kind] - self.lost_before[kind]);
        let mut line = format!(
            "{{\"duration_ns\": {}, \"lost_calls\": {lost_calls}, \"narrow_calls\": {narrow_calls}",
            now_ns.saturating_sub(self.began_ns)
        );
        self.lost_before = lost;
        self.began_ns = now_ns;
        let files = self.files.take();
        let files: Vec<_> = files.iter().map(|(file, totals)| (&*file.path, "", totals, 0)).collect();
        rows(&mut line, "file", &files, most_rows);
        let mut processes = std::mem::take(&mut self.ended);
        for (&number, process) in &mut self.processes {
            if has_totals(process) {
                let totals = std::mem::take(&mut process.totals);
                let waiting_ns = std::mem::take(&mut process.waiting_ns);
                let name = process.name.clone();
                processes.push((number, Process { name, totals, waiting_ns, ..Process::default() }));
            }
        }
        let numbers: Vec<String> = processes.iter().map(|(number, _)| number.to_string()).collect();
        let processes = processes.iter().zip(&numbers);
        let processes: Vec<_> = processes
            .map(|((_, process), number)| {
                (process.name.as_bytes(), number.as_str(), &*process.totals, process.waiting_ns)
            })
            .collect();
        rows(&mut line, "process", &processes, most_rows);
        let taken: Vec<_> = self.calls.iter_mut().map(Option::take).collect();
        let calls = taken.iter().enumerate().filter_map(|(place, totals)| {
            let call = self.uses[place / CLASSES.len()]?;
            let (_, class) = CLASSES[place % CLASSES.len()];
            Some((call.name.as_bytes(), class, &**totals.as_ref()?, 0))
        });
        rows(&mut line, "call", &calls.collect::<Vec<_>>(), usize::MAX);
        line.push_str("}\n");
        line
    }
}

type Row<'a> = (&'a [u8], &'a str, &'a Totals, u64);

/// Append the number of all rows, and those that are first by any order.
fn rows(line: &mut String, what: &str, all: &[Row<'_>], most_rows: usize) {
    let mut chosen = HashSet::new();
    let mut places: Vec<(u64, usize)> = Vec::with_capacity(all.len());
    for order in ORDERS {
        places.clear();
        places.extend(all.iter().enumerate().map(|(place, row)| (order(row.2), place)));
        if places.len() > most_rows {
            places.select_nth_unstable_by(most_rows, |one, other| other.cmp(one));
            places.truncate(most_rows);
        }
        chosen.extend(places.iter().map(|&(_, place)| place));
    }
    // writing to a string does not fail
    let _ = write!(line, ", \"{what}_count\": {}, \"{what}_rows\": [", all.len());
    for (number, &place) in chosen.iter().enumerate() {
        let (name, detail, totals, waiting_ns) = all[place];
        let comma = if number == 0 { "" } else { ", " };
        let Totals { calls, time_ns, read_bytes, written_bytes, missed_pages, .. } = totals;
        let (timed, p99_ns) = (totals.timed(), totals.p99_ns());
        let name = quoted(name);
        let _ = write!(
            line,
            "{comma}[{name}, \"{detail}\", {calls}, {timed}, {time_ns}, {read_bytes}, {written_bytes}, {missed_pages}, \
             {p99_ns}, {waiting_ns}]"
        );
    }
    line.push(']');
}
