//! What requests find at a disk when they arrive: queries `arrival_depth` and `disk_period`.

use super::tables::Named;
use super::{fine_bin, power_of_two};
use crate::columns::table;
use crate::error::Error;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many requests wait to be sorted by time: one may come late by as many.
const HELD: usize = 1 << 15;

/// A request, ordered by when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    pub time_ns: i64,
    pub seq: i64,
    pub device: i32,
    pub taken_ns: i64,
}

/// Requests, and how long they took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Taken {
    count: i64,
    taken_ns: i64,
}

impl Taken {
    fn add(&mut self, taken_ns: i64) {
        self.count += 1;
        self.taken_ns = self.taken_ns.saturating_add(taken_ns);
    }
}

/// The requests that a disk has not completed, and since when it is busy.
#[derive(Debug, Default)]
struct Queue {
    ends: BinaryHeap<Reverse<i64>>,
    /// When the present busy period began, and when the last request of it ends.
    busy: Option<(i64, i64)>,
}

/// Whether a disk had requests, and the bin of how long.
type Period = (i32, bool, i64);

/// All disks' queues.
#[derive(Debug, Default)]
pub struct Arrivals {
    waiting: Vec<Arrival>,
    last_ns: Option<i64>,
    is_out_of_order: bool,
    queues: BTreeMap<i32, Queue>,
    /// By disk, the bin of the depth and that of the time taken.
    depths: BTreeMap<(i32, i64, i64), Taken>,
    periods: BTreeMap<Period, Taken>,
}

impl Arrivals {
    pub fn push(&mut self, arrival: Arrival) {
        self.waiting.push(arrival);
        if self.waiting.len() == 2 * HELD {
            self.take_first(HELD);
        }
    }

    /// The tables by their queries' names; none if requests came too late.
    ///
    /// # Errors
    /// If Arrow rejects a table.
    pub fn finish(mut self) -> Result<Vec<Named>, Error> {
        self.take_first(self.waiting.len());
        if self.is_out_of_order {
            return Ok(Vec::new());
        }
        for (&device, queue) in &self.queues {
            if let Some((from_ns, to_ns)) = queue.busy {
                note(&mut self.periods, device, true, from_ns, to_ns);
            }
        }
        let depths = table!(self.depths.iter(), |((device, depth, bin), taken)| {
            device: i32 = *device,
            maximum_depth: i64 = *depth,
            maximum_ns: i64 = *bin,
            requests: i64 = taken.count,
            taken_ns: i64 = taken.taken_ns,
        });
        let periods = table!(self.periods.iter(), |((device, is_busy, bin), taken)| {
            device: i32 = *device,
            busy: bool = *is_busy,
            maximum_ns: i64 = *bin,
            periods: i64 = taken.count,
            taken_ns: i64 = taken.taken_ns,
        });
        Ok(vec![("arrival_depth", depths.batch()?), ("disk_period", periods.batch()?)])
    }

    fn take_first(&mut self, most: usize) {
        self.waiting.sort_unstable();
        let mut waiting = std::mem::take(&mut self.waiting);
        for arrival in waiting.drain(..most) {
            self.is_out_of_order |= self.last_ns.replace(arrival.time_ns) > Some(arrival.time_ns);
            self.take(&arrival);
        }
        self.waiting = waiting;
    }

    fn take(&mut self, arrival: &Arrival) {
        let &Arrival { time_ns, device, taken_ns, .. } = arrival;
        let end_ns = time_ns.saturating_add(taken_ns);
        let Queue { ends, busy } = self.queues.entry(device).or_default();
        while ends.peek().is_some_and(|&Reverse(end_ns)| end_ns <= time_ns) {
            ends.pop();
        }
        let depth = power_of_two(1 + ends.len() as i64);
        self.depths.entry((device, depth, fine_bin(taken_ns))).or_default().add(taken_ns);
        if taken_ns > 0 {
            ends.push(Reverse(end_ns));
        }
        match busy {
            Some((_, reached_ns)) if time_ns <= *reached_ns => *reached_ns = end_ns.max(*reached_ns),
            _ => {
                if let Some((from_ns, to_ns)) = busy.replace((time_ns, end_ns)) {
                    note(&mut self.periods, device, true, from_ns, to_ns);
                    note(&mut self.periods, device, false, to_ns, time_ns);
                }
            }
        }
    }
}

fn note(periods: &mut BTreeMap<Period, Taken>, device: i32, is_busy: bool, from_ns: i64, to_ns: i64) {
    let taken_ns = to_ns.saturating_sub(from_ns);
    periods.entry((device, is_busy, power_of_two(taken_ns))).or_default().add(taken_ns);
}
