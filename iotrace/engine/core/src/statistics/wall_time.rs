//! How wall time divides by what threads are doing: a sweep over the ends of their intervals in the order of time.

use crate::columns::{column, whole_column};
use crate::error::Error;
use arrow_array::{Int32Array, Int64Array, RecordBatch, UInt8Array};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What an interval is of, as table `thread_interval` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// One end of an interval; they are ordered by their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    at_ns: i64,
    process: i32,
    class: Class,
    change: i8,
}

/// What a moment is spent on, as view `wall_stretch` defines it.
#[derive(Clone, Copy, Debug)]
enum State {
    Storage,
    InNoCall,
    Tracer,
    Runnable,
    Blocked,
    Unknown,
    Other,
    Waiting,
}

impl State {
    const ALL: [State; 8] = [
        State::Storage,
        State::InNoCall,
        State::Tracer,
        State::Runnable,
        State::Blocked,
        State::Unknown,
        State::Other,
        State::Waiting,
    ];

    /// Its name; `in_no_call` is that of a moment at which a thread is in no call.
    fn name(self, in_no_call: &'static str) -> &'static str {
        match self {
            State::Storage => "storage",
            State::InNoCall => in_no_call,
            State::Tracer => "tracer",
            State::Runnable => "runnable",
            State::Blocked => "blocked",
            State::Unknown => "unknown",
            State::Other => "other",
            State::Waiting => "waiting",
        }
    }
}

/// A sweep over the ends of intervals in the order of time: how many of each class are under way, and how long each
/// state lasted until the last end.
#[derive(Debug, Default)]
struct Sweep {
    under_way: [i64; Class::ALL.len()],
    last_ns: Option<i64>,
    times: [i64; State::ALL.len()],
}

impl Sweep {
    /// Take the next end. Moments without a thread count for one process (`is_one`), and for all together while the
    /// clock runs.
    fn follow(&mut self, edge: &Edge, is_one: bool) {
        let lasted_ns = self.last_ns.map_or(0, |last| edge.at_ns.saturating_sub(last));
        if lasted_ns > 0 && (is_one || self.of(Class::Thread) > 0 || self.of(Class::Clock) > 0) {
            let time = &mut self.times[self.state() as usize];
            *time = time.saturating_add(lasted_ns);
        }
        self.last_ns = Some(edge.at_ns);
        self.under_way[edge.class as usize] += i64::from(edge.change);
    }

    fn of(&self, class: Class) -> i64 {
        self.under_way[class as usize]
    }

    fn state(&self) -> State {
        let calls: i64 = self.under_way[2..].iter().sum();
        let threads = self.of(Class::Thread);
        match self {
            _ if self.of(Class::Storage) > 0 => State::Storage,
            _ if threads > calls => State::InNoCall,
            _ if self.of(Class::Tracer) > 0 => State::Tracer,
            _ if self.of(Class::Runnable) > 0 => State::Runnable,
            _ if self.of(Class::Blocked) > 0 => State::Blocked,
            _ if self.of(Class::Unknown) > 0 || threads == 0 => State::Unknown,
            _ if self.of(Class::Other) > 0 => State::Other,
            _ => State::Waiting,
        }
    }

    fn rows(&self, process: Option<i32>, in_no_call: &'static str) -> impl Iterator<Item = WallTime> + '_ {
        let states = State::ALL.into_iter().zip(self.times).filter(|(_, wall_ns)| *wall_ns > 0);
        states.map(move |(state, wall_ns)| WallTime { process, state: state.name(in_no_call), wall_ns })
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
///
/// Intervals come in the order of their first ends, so that only those under way are held.
#[derive(Debug)]
pub struct WallTimes {
    first_ns: i64,
    under_way: BinaryHeap<Reverse<Edge>>,
    of_all: Sweep,
    of_each: HashMap<i32, Sweep>,
}

impl Default for WallTimes {
    fn default() -> WallTimes {
        WallTimes {
            first_ns: i64::MIN,
            under_way: BinaryHeap::new(),
            of_all: Sweep::default(),
            of_each: HashMap::new(),
        }
    }
}

impl WallTimes {
    /// Take intervals, in the order of the lesser of `start_ns` and `end_ns`.
    ///
    /// The batch has the columns process (int32; null for the clock), class (uint8: a place in `interval_classes`),
    /// start_ns and end_ns (int64).
    ///
    /// # Errors
    /// If a column is missing or of another type, a class is not known, or intervals are in another order.
    pub fn push(&mut self, intervals: &RecordBatch) -> Result<(), Error> {
        let processes: &Int32Array = column(intervals, "process")?;
        let classes: &UInt8Array = whole_column(intervals, "class")?;
        let starts: &Int64Array = whole_column(intervals, "start_ns")?;
        let ends: &Int64Array = whole_column(intervals, "end_ns")?;
        let times = starts.values().iter().zip(ends.values());
        for ((process, class), (start_ns, end_ns)) in processes.iter().zip(classes.values()).zip(times) {
            let (_, class) = Class::ALL
                .get(usize::from(*class))
                .ok_or_else(|| Error::of("an interval's class is not known"))?;
            let process = process.unwrap_or(-1);
            let edge = |at_ns, change| Edge { at_ns, process, class: *class, change };
            let (start, end) = (edge(*start_ns, 1), edge(*end_ns, -1));
            let (first, second) = if start_ns <= end_ns { (start, end) } else { (end, start) };
            if first.at_ns < self.first_ns {
                return Err(Error::of("intervals are not in the order of time"));
            }
            self.first_ns = first.at_ns;
            while let Some(Reverse(edge)) = self.under_way.peek().filter(|edge| edge.0.at_ns <= first.at_ns) {
                let edge = *edge;
                self.under_way.pop();
                self.follow(&edge);
            }
            self.follow(&first);
            self.under_way.push(Reverse(second));
        }
        Ok(())
    }

    fn follow(&mut self, edge: &Edge) {
        self.of_all.follow(edge, false);
        if edge.process >= 0 {
            self.of_each.entry(edge.process).or_default().follow(edge, true);
        }
    }

    /// The rows of all that was pushed; `in_no_call` names the state of a moment at which a thread is in no call.
    #[must_use]
    pub fn finish(mut self, in_no_call: &'static str) -> Vec<WallTime> {
        while let Some(Reverse(edge)) = self.under_way.pop() {
            self.follow(&edge);
        }
        let mut of_each: Vec<(i32, Sweep)> = self.of_each.into_iter().collect();
        of_each.sort_unstable_by_key(|(process, _)| *process);
        let rows = of_each.iter().flat_map(|(process, sweep)| sweep.rows(Some(*process), in_no_call));
        rows.chain(self.of_all.rows(None, in_no_call)).collect()
    }
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
        let mut intervals = intervals.to_vec();
        intervals.sort_by_key(|row| row.2.min(row.3));
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
    #[should_panic(expected = "intervals are not in the order of time")]
    fn another_order_is_refused() {
        let times: ArrayRef = Arc::new(Int64Array::from(vec![2, 1]));
        let columns: [(&str, ArrayRef); 4] = [
            ("process", Arc::new(Int32Array::from(vec![0, 0]))),
            ("class", Arc::new(UInt8Array::from(vec![0, 0]))),
            ("start_ns", Arc::clone(&times)),
            ("end_ns", times),
        ];
        WallTimes::default().push(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    }

    #[test]
    fn times_at_the_ends_of_64_bits() {
        let rows = divided(&[(Some(0), "thread", i64::MIN, i64::MAX)]);
        assert!(rows.iter().all(|row| row.wall_ns == i64::MAX));
    }
}
