//! How wall time divides by what threads are doing: a sweep over the ends of their intervals in the order of time.

use crate::columns::{column, whole_column};
use crate::error::Error;
use arrow_array::{Int32Array, Int64Array, RecordBatch, UInt8Array};
use std::collections::BTreeMap;

/// What an interval is of, as table `thread_interval` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Thread,
    Clock,
    Storage,
    Unknown,
    Other,
    Waiting,
    Tracer,
    Runnable,
    Blocked,
}

impl Class {
    const ALL: [(&'static str, Class); 9] = [
        ("thread", Class::Thread),
        ("clock", Class::Clock),
        ("storage", Class::Storage),
        ("unknown", Class::Unknown),
        ("other", Class::Other),
        ("waiting", Class::Waiting),
        ("tracer", Class::Tracer),
        ("runnable", Class::Runnable),
        ("blocked", Class::Blocked),
    ];
}

/// The classes of intervals, each at the number by which `WallTimes` takes it.
pub fn interval_classes() -> Vec<&'static str> {
    Class::ALL.iter().map(|(name, _)| *name).collect()
}

/// One end of an interval.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at_ns: i64,
    process: i32,
    class: Class,
    change: i8,
}

/// How many intervals of each class are under way.
#[derive(Debug, Default)]
struct UnderWay([i64; Class::ALL.len()]);

impl UnderWay {
    fn of(&self, class: Class) -> i64 {
        self.0[class as usize]
    }

    fn change(&mut self, edge: &Edge) {
        self.0[edge.class as usize] += i64::from(edge.change);
    }

    fn has_none(&self) -> bool {
        self.of(Class::Thread) <= 0 && self.of(Class::Clock) <= 0
    }

    /// The state of the moment, as view `wall_stretch` defines it; `in_no_call` names that of a thread in no call.
    fn state(&self, in_no_call: &'static str) -> &'static str {
        let calls: i64 = Class::ALL[2..].iter().map(|(_, class)| self.of(*class)).sum();
        let threads = self.of(Class::Thread);
        match self {
            _ if self.of(Class::Storage) > 0 => "storage",
            _ if threads > calls => in_no_call,
            _ if self.of(Class::Tracer) > 0 => "tracer",
            _ if self.of(Class::Runnable) > 0 => "runnable",
            _ if self.of(Class::Blocked) > 0 => "blocked",
            _ if self.of(Class::Unknown) > 0 || threads == 0 => "unknown",
            _ if self.of(Class::Other) > 0 => "other",
            _ => "waiting",
        }
    }
}

/// How long one process, or all of them together, were in a state.
#[derive(Debug, PartialEq, Eq)]
pub struct WallTime {
    /// None for all processes together.
    pub process: Option<i32>,
    pub state: &'static str,
    pub wall_ns: i64,
}

/// The wall time by state of each process, and of all together: view `wall_time` of the intervals that are pushed.
#[derive(Debug, Default)]
pub struct WallTimes {
    edges: Vec<Edge>,
}

impl WallTimes {
    /// Take intervals, in any order.
    ///
    /// The batch has the columns process (int32; null for the clock), class (uint8: a place in `interval_classes`),
    /// start_ns and end_ns (int64).
    ///
    /// # Errors
    /// If a column is missing or of another type, or a class is not known.
    pub fn push(&mut self, intervals: &RecordBatch) -> Result<(), Error> {
        let processes: &Int32Array = column(intervals, "process")?;
        let classes: &UInt8Array = whole_column(intervals, "class")?;
        let starts: &Int64Array = whole_column(intervals, "start_ns")?;
        let ends: &Int64Array = whole_column(intervals, "end_ns")?;
        for (times, change) in [(starts, 1), (ends, -1)] {
            for ((process, class), at_ns) in processes.iter().zip(classes.values()).zip(times.values()) {
                let (_, class) = Class::ALL
                    .get(usize::from(*class))
                    .ok_or_else(|| Error::of("an interval's class is not known"))?;
                let process = process.unwrap_or(-1);
                self.edges.push(Edge { at_ns: *at_ns, process, class: *class, change });
            }
        }
        Ok(())
    }

    /// The rows of all that was pushed; `in_no_call` names the state of a moment at which a thread is in no call.
    #[must_use]
    pub fn finish(self, in_no_call: &'static str) -> Vec<WallTime> {
        let mut edges = self.edges;
        edges.sort_unstable_by_key(|edge| edge.at_ns); // in place: a stable sort takes half as much memory again
        let of_all = swept(&edges, false, in_no_call);
        edges.retain(|edge| edge.process >= 0);
        edges.sort_unstable_by_key(|edge| (edge.process, edge.at_ns));
        let mut rows = Vec::new();
        for of_one in edges.chunk_by(|one, next| one.process == next.process) {
            let process = of_one.first().map(|edge| edge.process);
            let times = swept(of_one, true, in_no_call);
            rows.extend(times.into_iter().map(|(state, wall_ns)| WallTime { process, state, wall_ns }));
        }
        rows.extend(of_all.into_iter().map(|(state, wall_ns)| WallTime { process: None, state, wall_ns }));
        rows
    }
}

/// How long each state lasts, of ends in the order of time. Moments without a thread count for one process
/// (`is_one`), and for all together while the clock runs.
fn swept(edges: &[Edge], is_one: bool, in_no_call: &'static str) -> BTreeMap<&'static str, i64> {
    let mut under_way = UnderWay::default();
    let mut times = BTreeMap::new();
    for (place, edge) in edges.iter().enumerate() {
        under_way.change(edge);
        let lasted_ns = edges.get(place + 1).map_or(0, |next| next.at_ns.saturating_sub(edge.at_ns));
        if lasted_ns > 0 && (is_one || !under_way.has_none()) {
            let time: &mut i64 = times.entry(under_way.state(in_no_call)).or_default();
            *time = time.saturating_add(lasted_ns);
        }
    }
    times
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{interval_classes, WallTime, WallTimes};
    use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, UInt8Array};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    type Interval = (Option<i32>, &'static str, i64, i64);

    fn divided(intervals: &[Interval]) -> Vec<WallTime> {
        let classes = interval_classes();
        let place = |class| classes.iter().position(|name| *name == class).unwrap() as u8;
        let columns: [(&str, ArrayRef); 4] = [
            ("process", Arc::new(intervals.iter().map(|row| row.0).collect::<Int32Array>())),
            ("class", Arc::new(intervals.iter().map(|row| Some(place(row.1))).collect::<UInt8Array>())),
            ("start_ns", Arc::new(intervals.iter().map(|row| Some(row.2)).collect::<Int64Array>())),
            ("end_ns", Arc::new(intervals.iter().map(|row| Some(row.3)).collect::<Int64Array>())),
        ];
        let (intervals, mut times) = (RecordBatch::try_from_iter(columns).unwrap(), WallTimes::default());
        for first in (0..intervals.num_rows()).step_by(5) {
            times.push(&intervals.slice(first, 5.min(intervals.num_rows() - first))).unwrap();
        }
        times.finish("not_recorded")
    }

    /// The state of one nanosecond, from the classes of the intervals that hold it.
    fn state(classes: &[&str], is_one: bool) -> Option<&'static str> {
        let count = |class: &str| classes.iter().filter(|name| **name == class).count();
        let threads = count("thread");
        match () {
            () if !is_one && threads == 0 && count("clock") == 0 => None,
            () if count("storage") > 0 => Some("storage"),
            () if threads > classes.len() - threads - count("clock") => Some("not_recorded"),
            () => ["tracer", "runnable", "blocked", "unknown"]
                .into_iter()
                .find(|name| count(name) > 0)
                .or((threads == 0).then_some("unknown"))
                .or_else(|| if count("other") > 0 { Some("other") } else { Some("waiting") }),
        }
    }

    fn of_each_nanosecond(intervals: &[Interval]) -> BTreeMap<(Option<i32>, &'static str), i64> {
        let mut times = BTreeMap::new();
        for process in [None, Some(0), Some(1)] {
            let of_it: Vec<&Interval> =
                intervals.iter().filter(|row| process.is_none() || row.0 == process).collect();
            let first = of_it.iter().map(|row| row.2).min().unwrap_or(0);
            for moment in first..of_it.iter().map(|row| row.3).max().unwrap_or(0) {
                let classes: Vec<&str> =
                    of_it.iter().filter(|row| row.2 <= moment && moment < row.3).map(|row| row.1).collect();
                if let Some(state) = state(&classes, process.is_some()) {
                    *times.entry((process, state)).or_insert(0) += 1;
                }
            }
        }
        times
    }

    proptest! {
        #[test]
        fn it_is_that_of_each_nanosecond(
            rows in prop::collection::vec((0..2, prop::sample::select(interval_classes()), 0..30_i64, 0..9_i64), 0..20)
        ) {
            let intervals: Vec<Interval> = rows
                .into_iter()
                .map(|(process, class, start, length)| {
                    ((class != "clock").then_some(process), class, start, start + length)
                })
                .collect();
            let rows = divided(&intervals);
            let times: BTreeMap<_, _> = rows.iter().map(|row| ((row.process, row.state), row.wall_ns)).collect();
            prop_assert_eq!(times.len(), rows.len());
            prop_assert_eq!(times, of_each_nanosecond(&intervals));
        }
    }

    #[test]
    fn times_at_the_ends_of_64_bits() {
        let rows = divided(&[(Some(0), "thread", i64::MIN, i64::MAX)]);
        assert!(rows.iter().all(|row| row.wall_ns == i64::MAX));
    }
}
