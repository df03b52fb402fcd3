//! A pass over requests to disks, and how they follow each other: queries `continued_request` and `following_write`.

use super::block_accesses::{BlockAccesses, BlockSettings};
use super::disk_arrivals::{Arrival, Arrivals};
use super::disk_seeks::Seeks;
use super::requests::{in_order, Cells};
use super::tables::Named;
use super::ways::Way;
use crate::columns::{column, table, whole_column};
use crate::error::Error;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::thread;

/// How many requests ago one may have ended where another starts.
const MOST_BACK: usize = 32;

/// Requests, what they move, and how long those took that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub requests: i64,
    pub blocks: i64,
    pub latency_ns: Option<i64>,
}

impl Amount {
    fn add(&mut self, blocks: i64, latency_ns: Option<i64>) {
        self.requests += 1;
        self.blocks = self.blocks.saturating_add(blocks);
        if let Some(latency_ns) = latency_ns {
            self.latency_ns = Some(self.latency_ns.unwrap_or(0).saturating_add(latency_ns));
        }
    }
}

/// The last requests of a disk, and how all of them followed each other.
#[derive(Debug)]
struct Disk {
    /// Where the last requests ended, the very last at `next - 1`.
    ends: [i64; MOST_BACK],
    next: usize,
    write_end: Option<i64>,
    /// By how many requests ago the one ended that they continue, 0 for none.
    continued: [Amount; MOST_BACK + 1],
    /// By size, and whether they start where the write before ended.
    writes: FxHashMap<(i64, bool), Amount>,
}

impl Default for Disk {
    fn default() -> Self {
        Disk {
            ends: [NOWHERE; MOST_BACK],
            next: 0,
            write_end: None,
            continued: [Amount::default(); MOST_BACK + 1],
            writes: FxHashMap::default(),
        }
    }
}

/// No request starts there.
const NOWHERE: i64 = i64::MIN;

impl Disk {
    fn push(&mut self, lbn: i64, blocks: i64, writes: bool, latency_ns: Option<i64>) {
        let end = lbn.saturating_add(blocks);
        self.continued[self.back_to(lbn)].add(blocks, latency_ns);
        self.ends[self.next] = end;
        self.next = (self.next + 1) % MOST_BACK;
        if writes {
            let follows = self.write_end.replace(end) == Some(lbn);
            self.writes.entry((blocks, follows)).or_default().add(blocks, latency_ns);
        }
    }

    /// How many requests ago the last one ended at `lbn`; 0 for none.
    fn back_to(&self, lbn: i64) -> usize {
        let mut found = 0u32;
        for (place, &end) in self.ends.iter().enumerate() {
            found |= u32::from(end == lbn) << place;
        }
        // the last one at the highest bit
        let found = found.rotate_right(self.next as u32);
        if found == 0 {
            0
        } else {
            found.leading_zeros() as usize + 1
        }
    }
}

/// What a pass over requests to disks follows.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSettings {
    /// Gives `continued_request` and `following_write`.
    #[serde(default)]
    pub streams: bool,
    /// Gives `disk_seek`.
    #[serde(default)]
    pub seeks: bool,
    /// Gives `arrival_depth` and `disk_period`.
    #[serde(default)]
    pub arrivals: bool,
    /// Gives `block_reaccess`, `block_age` and `block_popularity`, and `block_distance` where distances are followed.
    #[serde(default)]
    pub blocks: Option<BlockSettings>,
    /// Whether its parts may run side by side.
    #[serde(default)]
    pub on_threads: bool,
}

/// How reads and writes of disks follow each other.
#[derive(Debug, Default)]
struct Streams(BTreeMap<i32, Disk>);

/// A pass over the requests to disks, in their order.
#[derive(Debug, Default)]
pub struct DiskStreams {
    rows: u64,
    last_seq: Option<i64>,
    on_threads: bool,
    streams: Option<Streams>,
    seeks: Option<Seeks>,
    arrivals: Option<Arrivals>,
    blocks: Option<BlockAccesses>,
}

impl DiskStreams {
    pub fn new(settings: DiskSettings) -> Self {
        DiskStreams {
            on_threads: settings.on_threads,
            streams: settings.streams.then(Streams::default),
            seeks: settings.seeks.then(Seeks::default),
            arrivals: settings.arrivals.then(Arrivals::default),
            blocks: settings.blocks.map(BlockAccesses::new),
            ..DiskStreams::default()
        }
    }

    /// Take rows of the query `ordered_disk_request` that follow those before.
    ///
    /// # Errors
    /// If a column is missing or of another type, or a row is not in the order of `seq`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let seq = whole_column::<PrimitiveArray<Int64Type>>(batch, "seq")?;
        in_order(seq, &mut self.last_seq, self.rows)?;
        self.rows += batch.num_rows() as u64;
        let device = whole_column::<PrimitiveArray<Int32Type>>(batch, "device")?.values();
        let moves = whole_column::<BooleanArray>(batch, "moves")?;
        let writes = column::<BooleanArray>(batch, "writes")?;
        let time_ns = Cells::<Int64Type>::of(batch, "time_ns")?;
        let lbn = Cells::<Int64Type>::of(batch, "lbn")?;
        let blocks = Cells::<Int64Type>::of(batch, "blocks")?;
        let latency_ns = Cells::<Int64Type>::of(batch, "latency_ns")?;
        let taken_ns = Cells::<Int64Type>::of(batch, "taken_ns")?;
        let rows = 0..batch.num_rows();
        let moved = |row: usize| match (moves.value(row), lbn.at(row), blocks.at(row)) {
            (true, Some(lbn), Some(blocks @ 1..)) => {
                let writes = writes.is_valid(row).then(|| writes.value(row));
                Some((device[row], writes, lbn, blocks))
            }
            _ => None,
        };
        let DiskStreams { streams, seeks, arrivals, blocks: accesses, .. } = self;
        let mut of_blocks = || {
            if let Some(accesses) = accesses {
                for (row, (device, writes, lbn, blocks)) in
                    rows.clone().filter_map(|row| Some((row, moved(row)?)))
                {
                    accesses.push(device, Way::of(writes), lbn, blocks, time_ns.at(row));
                }
            }
        };
        let has_others = streams.is_some() || seeks.is_some() || arrivals.is_some();
        let mut others = || {
            for row in rows.clone() {
                if let (Some(arrivals), Some(time_ns), Some(taken_ns @ 0..)) =
                    (arrivals.as_mut(), time_ns.at(row), taken_ns.at(row))
                {
                    arrivals.push(Arrival { time_ns, seq: seq.value(row), device: device[row], taken_ns });
                }
                let Some((device, writes, lbn, blocks)) = moved(row) else {
                    continue;
                };
                if let Some(seeks) = seeks {
                    seeks.push(device, Way::of(writes), lbn, blocks);
                }
                if let (Some(Streams(disks)), Some(writes)) = (streams.as_mut(), writes) {
                    disks.entry(device).or_default().push(lbn, blocks, writes, latency_ns.at(row));
                }
            }
        };
        if !has_others {
            of_blocks();
        } else if self.on_threads {
            thread::scope(|scope| {
                scope.spawn(&mut of_blocks);
                others();
            });
        } else {
            of_blocks();
            others();
        }
        Ok(())
    }

    /// The tables by their queries' names. Those of arrivals are left out where requests are far from the order of time,
    /// those of blocks where requests touch too many.
    ///
    /// # Errors
    /// If Arrow rejects a table.
    pub fn finish(self) -> Result<Vec<Named>, Error> {
        let mut made = Vec::new();
        if let Some(streams) = self.streams {
            made.extend(streams.finish()?);
        }
        if let Some(seeks) = self.seeks {
            made.push(seeks.finish()?);
        }
        if let Some(arrivals) = self.arrivals {
            made.extend(arrivals.finish()?);
        }
        if let Some(blocks) = self.blocks {
            made.extend(blocks.finish()?);
        }
        Ok(made)
    }
}

impl Streams {
    fn finish(self) -> Result<Vec<Named>, Error> {
        let continued = self.0.iter().flat_map(|(&device, disk)| {
            let back = (0..).map(|back| (back > 0).then_some(back));
            let amounts = back.zip(&disk.continued).filter(|(_, amount)| amount.requests > 0);
            amounts.map(move |(back, amount)| (device, back, *amount))
        });
        let writes = self.0.iter().flat_map(|(&device, disk)| {
            disk.writes.iter().map(move |(&(blocks, follows), amount)| (device, blocks, follows, *amount))
        });
        tables(&continued.collect::<Vec<_>>(), &writes.collect::<Vec<_>>())
    }
}

/// Requests by device and by how many requests ago the one ended that they continue; writes by device, size and
/// whether they follow the one before.
fn tables(
    continued: &[(i32, Option<i64>, Amount)],
    writes: &[(i32, i64, bool, Amount)],
) -> Result<Vec<Named>, Error> {
    let continued = table!(continued.iter(), |(device, back, amount)| {
        device: i32 = *device,
        requests_back: Option<i64> = *back,
        requests: i64 = amount.requests,
        blocks: i64 = amount.blocks,
        latency_ns: Option<i64> = amount.latency_ns,
    });
    let writes = table!(writes.iter(), |(device, blocks, follows, amount)| {
        device: i32 = *device,
        blocks: i64 = *blocks,
        follows: bool = *follows,
        writes: i64 = amount.requests,
        latency_ns: Option<i64> = amount.latency_ns,
    });
    Ok(vec![("continued_request", continued.batch()?), ("following_write", writes.batch()?)])
}
