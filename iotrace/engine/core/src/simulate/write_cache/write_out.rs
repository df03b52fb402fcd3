//! How the dirty blocks of a unit are written: greedily by the next angle over all surfaces, one head at a time.

use crate::simulate::disk::{Access, Drive, Mechanism, Run, Slot};

/// The parts of a disk time; moves of the arm and head switches count as seek.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub overhead_ns: i64,
    pub seek_ns: i64,
    pub rotation_ns: i64,
    pub transfer_ns: i64,
}

impl From<Access> for Parts {
    fn from(Access { overhead_ns, seek_ns, rotation_ns, transfer_ns, .. }: Access) -> Self {
        Parts { overhead_ns, seek_ns, rotation_ns, transfer_ns }
    }
}

impl Parts {
    pub fn sum_ns(&self) -> i64 {
        self.overhead_ns + self.seek_ns + self.rotation_ns + self.transfer_ns
    }

    pub fn are_valid(&self) -> bool {
        [self.overhead_ns, self.seek_ns, self.rotation_ns, self.transfer_ns].iter().all(|&part| part >= 0)
    }

    pub fn add(&mut self, other: &Parts) {
        self.overhead_ns += other.overhead_ns;
        self.seek_ns += other.seek_ns;
        self.rotation_ns += other.rotation_ns;
        self.transfer_ns += other.transfer_ns;
    }
}

/// The deadline of the writes: a read that begins on a track at a given time.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    pub at_ns: i64,
    pub cylinder: u32,
    pub surface: u32,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    block: u64,
    slot: u32,
    /// The track, as (cylinder, surface).
    track: (u32, u32),
    sector: Slot,
    /// Its start after the first angle of the arm, in parts of a sector.
    phase: i64,
}

/// Consecutive blocks on a track, without bad sectors between them.
#[derive(Clone, Copy, Debug)]
struct Known {
    first: u64,
    run: Run,
    sector: Slot,
}

impl Known {
    /// The length of the search for a run, in blocks.
    const MOST: u64 = 64;

    fn at(drive: &Drive, block: u64) -> Self {
        let geometry = &drive.geometry;
        let run = geometry.run(block, Self::MOST.min(geometry.blocks() - block));
        Known { first: block, run, sector: geometry.slot(run.place) }
    }

    fn item(&self, slot: u32, block: u64) -> Option<Item> {
        let ahead = block.wrapping_sub(self.first);
        let follows = ahead < u64::from(self.run.blocks) && self.run.slots == self.run.blocks;
        if ahead > 0 && !follows {
            return None;
        }
        let number = self.sector.number + ahead as u32;
        let wrapped = if number < self.sector.of { 0 } else { self.sector.of };
        Some(Item {
            block,
            slot,
            track: (self.run.place.cylinder, self.run.place.surface),
            sector: Slot { number: number - wrapped, ..self.sector },
            phase: 0,
        })
    }
}

/// A candidate for the next block.
#[derive(Clone, Copy, Debug)]
struct Next {
    /// Its start, in nanoseconds or as a position of the disk.
    start: i64,
    move_ns: i64,
    /// The previous item in the linked list.
    predecessor: usize,
}

/// The unit of angles on a cylinder: parts of a sector, for a number of sectors per revolution.
#[derive(Clone, Copy, Debug)]
struct Scale {
    of: u32,
    parts: i64,
}

impl Scale {
    fn turn(self) -> i64 {
        i64::from(self.of) * self.parts
    }

    /// Where a sector begins, from the angle at time 0.
    fn angle(self, sector: Slot) -> i64 {
        let thousandths = if self.parts == 1 { 0 } else { i64::from(sector.thousandths) };
        i64::from(sector.number) * self.parts + thousandths
    }
}

/// Writes sets of blocks of one unit; reused to keep its memory.
#[derive(Debug, Default)]
pub struct Writer {
    items: Vec<Item>,
    after: Vec<u32>,
    written: Vec<u32>,
}

impl Writer {
    /// Take a set of (slot, block) to write.
    pub fn take(&mut self, drive: &Drive, blocks: impl Iterator<Item = (u32, u64)>) {
        let mut known: Option<Known> = None;
        self.items.clear();
        self.items.extend(blocks.filter_map(|(slot, block)| {
            let found = known.and_then(|known| known.item(slot, block));
            found.or_else(|| known.insert(Known::at(drive, block)).item(slot, block))
        }));
    }

    /// The slots written last, in the order of writing.
    pub fn written(&self) -> &[u32] {
        &self.written
    }

    /// The time at which the first block can begin to be written.
    pub fn first_start_ns(&self, drive: &Drive, arm: &Mechanism, now_ns: i64) -> Option<i64> {
        let from = (arm.cylinder, arm.surface);
        let starts = self.items.iter().map(|item| {
            let there_ns = now_ns + drive.reposition_ns(from, item.track, true);
            drive.rotation.slot_starts_ns(item.sector, there_ns)
        });
        starts.min()
    }

    /// Write the given blocks, all or until the deadline; returns the parts of the time from `now_ns` on. The next
    /// block is always the one that can be started first; the lowest among equals. With a deadline, the schedule ends
    /// before the first block after which the read's track would be reached too late.
    pub fn write(
        &mut self,
        drive: &Drive,
        arm: &mut Mechanism,
        now_ns: i64,
        deadline: Option<Deadline>,
    ) -> Parts {
        self.written.clear();
        let mut parts = Parts::default();
        if self.items.is_empty() {
            return parts;
        }
        let scale = self.scale();
        if let Some(scale) = scale {
            self.order_by_phase(drive, arm, now_ns, scale);
        }
        let count = self.items.len() as u32;
        self.after.clear();
        self.after.extend((1..count).chain([0]));
        let mut now_ns = now_ns;
        let mut before = self.items.len() - 1;
        let mut last: Option<(i64, i64)> = None;
        for left in (1..=self.items.len()).rev() {
            let next = match scale {
                Some(scale) => self.next_by_phase(drive, arm, now_ns, before, left, last, scale),
                None => self.next_of_all(drive, arm, now_ns, before, left),
            };
            let chosen = self.after[next.predecessor] as usize;
            let item = self.items[chosen];
            let (start_ns, end_ns) = match scale {
                Some(Scale { of, parts }) => (
                    drive.rotation.position_ns(next.start, of, parts),
                    drive.rotation.position_ns(next.start + parts, of, parts),
                ),
                None => (next.start, drive.rotation.slots_end_ns(next.start, 1, item.sector)),
            };
            if let Some(read) = deadline {
                let back = (read.cylinder, read.surface);
                if end_ns + drive.reposition_ns(item.track, back, false) > read.at_ns {
                    break;
                }
            }
            parts.seek_ns += next.move_ns;
            parts.rotation_ns += start_ns - now_ns - next.move_ns;
            parts.transfer_ns += end_ns - start_ns;
            now_ns = end_ns;
            (arm.cylinder, arm.surface) = item.track;
            self.written.push(item.slot);
            self.after[next.predecessor] = self.after[chosen];
            before = next.predecessor;
            last = Some((item.phase, next.start));
        }
        parts
    }

    /// The unit of the blocks' angles; None if they are not all on one cylinder.
    fn scale(&self) -> Option<Scale> {
        let first = self.items[0];
        let mut is_whole = true;
        for item in &self.items {
            if item.track.0 != first.track.0 {
                return None;
            }
            is_whole &= item.sector.thousandths == 0;
        }
        Some(Scale { of: first.sector.of, parts: if is_whole { 1 } else { 1000 } })
    }

    /// Order by angle, from the first position that the arm can reach.
    fn order_by_phase(&mut self, drive: &Drive, arm: &Mechanism, now_ns: i64, scale: Scale) {
        let is_here = |item: &&Item| item.track.1 == arm.surface;
        let nearest = self.items.iter().find(is_here).unwrap_or(&self.items[0]);
        let from = (arm.cylinder, arm.surface);
        let there_ns = now_ns + drive.reposition_ns(from, nearest.track, true);
        let first = drive.rotation.position_from(there_ns, scale.of, scale.parts);
        let (turn, angle) = (scale.turn(), first.rem_euclid(scale.turn()));
        for item in &mut self.items {
            let ahead = scale.angle(item.sector) - angle;
            item.phase = if ahead < 0 { ahead + turn } else { ahead };
        }
        self.items.sort_unstable_by_key(|item| (item.phase, item.block));
    }

    /// The block of one cylinder that can be started first. The blocks are checked in the order of angle, from the
    /// last one written on. The first that can be started when it passes is selected; those that began to pass while
    /// the last one was written pass again one revolution later.
    #[allow(clippy::too_many_arguments)]
    fn next_by_phase(
        &self,
        drive: &Drive,
        arm: &Mechanism,
        now_ns: i64,
        before: usize,
        left: usize,
        last: Option<(i64, i64)>,
        scale: Scale,
    ) -> Next {
        let turn = scale.turn();
        // on the same surface and on another: the time to get there, and the first position then
        let mut reached: [Option<(i64, i64)>; 2] = [None, None];
        let mut best: Option<(u64, Next)> = None;
        let mut predecessor = before;
        for _ in 0..left {
            let at = self.after[predecessor] as usize;
            let item = &self.items[at];
            let reached = &mut reached[usize::from(item.track.1 != arm.surface)];
            let (move_ns, earliest) = *reached.get_or_insert_with(|| {
                let from = (arm.cylinder, arm.surface);
                let move_ns = drive.reposition_ns(from, item.track, true);
                let there_ns = now_ns + move_ns;
                let position = match last {
                    Some((_, start)) if move_ns == 0 => start + scale.parts,
                    _ => drive.rotation.position_from(there_ns, scale.of, scale.parts),
                };
                (move_ns, position)
            });
            let (passes, is_late) = match last {
                Some((phase, start)) => {
                    let ahead = item.phase - phase;
                    let ahead = if ahead < 0 { ahead + turn } else { ahead };
                    let is_late = ahead < scale.parts;
                    (start + ahead + if is_late { turn } else { 0 }, is_late)
                }
                None => {
                    let ahead = scale.angle(item.sector) - earliest.rem_euclid(turn);
                    let ahead = if ahead < 0 { ahead + turn } else { ahead };
                    (earliest + ahead, false)
                }
            };
            let mut start = passes;
            while start < earliest {
                start += turn;
            }
            let is_better =
                best.as_ref().is_none_or(|(block, best)| (start, item.block) < (best.start, *block));
            if is_better {
                let next = Next { start, move_ns, predecessor };
                best = Some((item.block, next));
            }
            if start == passes && !is_late && last.is_some() {
                break;
            }
            predecessor = at;
        }
        found(best, before)
    }

    /// The same if some of the blocks are remapped to another cylinder, by a full search.
    fn next_of_all(&self, drive: &Drive, arm: &Mechanism, now_ns: i64, before: usize, left: usize) -> Next {
        let mut best: Option<(u64, Next)> = None;
        let mut predecessor = before;
        for _ in 0..left {
            let at = self.after[predecessor] as usize;
            let item = &self.items[at];
            let move_ns = drive.reposition_ns((arm.cylinder, arm.surface), item.track, true);
            let start = drive.rotation.slot_starts_ns(item.sector, now_ns + move_ns);
            let is_better =
                best.as_ref().is_none_or(|(block, best)| (start, item.block) < (best.start, *block));
            if is_better {
                let next = Next { start, move_ns, predecessor };
                best = Some((item.block, next));
            }
            predecessor = at;
        }
        found(best, before)
    }
}

fn found(best: Option<(u64, Next)>, before: usize) -> Next {
    let none = Next { start: 0, move_ns: 0, predecessor: before };
    best.map_or(none, |(_, next)| next)
}
