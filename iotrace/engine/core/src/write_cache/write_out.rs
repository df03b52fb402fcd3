//! How the dirty blocks of a unit are written: greedily by the next angle over all surfaces, one head at a time.

use crate::disk::{Drive, Mechanism, Place};

/// Of what a time at the disk consists; moves of the arm and switches of the head are its seek.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub overhead_ns: i64,
    pub seek_ns: i64,
    pub rotation_ns: i64,
    pub transfer_ns: i64,
}

impl Parts {
    pub fn sum_ns(&self) -> i64 {
        self.overhead_ns + self.seek_ns + self.rotation_ns + self.transfer_ns
    }

    pub fn are_valid(&self) -> bool {
        [
            self.overhead_ns,
            self.seek_ns,
            self.rotation_ns,
            self.transfer_ns,
        ]
        .iter()
        .all(|&part| part >= 0)
    }

    pub fn add(&mut self, other: &Parts) {
        self.overhead_ns += other.overhead_ns;
        self.seek_ns += other.seek_ns;
        self.rotation_ns += other.rotation_ns;
        self.transfer_ns += other.transfer_ns;
    }
}

/// Before what the writing must end: a read that begins on a track at a time.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    pub at_ns: i64,
    pub cylinder: u32,
    pub surface: u32,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    /// When it first comes under its head, which gives the order by angle.
    angle_ns: i64,
    block: u64,
    place: Place,
    /// Its place among so many around the track, skew included.
    sector: u32,
    sectors: u32,
    slot: u32,
}

impl Item {
    fn starts_ns(&self, drive: &Drive, from_ns: i64) -> i64 {
        drive
            .rotation
            .slot_starts_ns(self.sector, self.sectors, from_ns)
    }

    fn ends_ns(&self, drive: &Drive, start_ns: i64) -> i64 {
        drive.rotation.slots_end_ns(start_ns, 1, self.sectors)
    }
}

/// Writes sets of blocks of one cylinder; kept for its memory.
#[derive(Debug, Default)]
pub struct Writer {
    items: Vec<Item>,
    after: Vec<u32>,
    is_one_cylinder: bool,
    written: Vec<u32>,
}

impl Writer {
    /// Take a set of (slot, block) to write.
    pub fn take(&mut self, drive: &Drive, blocks: impl Iterator<Item = (u32, u64)>) {
        self.items.clear();
        self.items.extend(blocks.map(|(slot, block)| {
            let place = drive.geometry.place(block);
            let (sector, sectors) = drive.geometry.slot(place);
            Item {
                angle_ns: 0,
                block,
                place,
                sector,
                sectors,
                slot,
            }
        }));
        let cylinder = |item: &Item| item.place.cylinder;
        self.is_one_cylinder = self
            .items
            .windows(2)
            .all(|pair| cylinder(&pair[0]) == cylinder(&pair[1]));
    }

    /// The slots that were written last time, in the order of writing.
    pub fn written(&self) -> &[u32] {
        &self.written
    }

    /// When the first of the blocks would begin to be written.
    pub fn first_start_ns(&self, drive: &Drive, arm: &Mechanism, now_ns: i64) -> Option<i64> {
        let starts = self.items.iter().map(|item| {
            let from = (arm.cylinder, arm.surface);
            let to = (item.place.cylinder, item.place.surface);
            let there_ns = now_ns + drive.reposition_ns(from, to, true);
            item.starts_ns(drive, there_ns)
        });
        starts.min()
    }

    /// Write the blocks taken, all or until the deadline; returns what the time from `now_ns` on consists of. Each
    /// time the block that comes first is next; the lowest among those that come at once. With a deadline, the
    /// schedule ends before the first block after which the read's track would be reached too late.
    pub fn write(
        &mut self,
        drive: &Drive,
        arm: &mut Mechanism,
        now_ns: i64,
        deadline: Option<Deadline>,
    ) -> Parts {
        self.written.clear();
        let mut parts = Parts::default();
        let Some(first) = self.items.first() else {
            return parts;
        };
        let cylinder = first.place.cylinder;
        let mut now_ns = now_ns;
        let mut moves = Moves::from(drive, arm, cylinder);
        self.order_by_angle(drive, now_ns + moves.same_ns.min(moves.other_ns));
        let turn_ns = self.turn_ns(drive);
        let mut before = self.items.len() - 1;
        let mut last: Option<usize> = None;
        for left in (1..=self.items.len()).rev() {
            let next = self.next(drive, now_ns, &moves, before, left, last, turn_ns);
            let Next {
                start_ns,
                move_ns,
                predecessor,
            } = next;
            let chosen = self.after[predecessor] as usize;
            let item = self.items[chosen];
            let end_ns = item.ends_ns(drive, start_ns);
            let there = (item.place.cylinder, item.place.surface);
            if let Some(read) = deadline {
                let back_ns = drive.reposition_ns(there, (read.cylinder, read.surface), false);
                if end_ns + back_ns > read.at_ns {
                    break;
                }
            }
            parts.seek_ns += move_ns;
            parts.rotation_ns += start_ns - now_ns - move_ns;
            parts.transfer_ns += end_ns - start_ns;
            now_ns = end_ns;
            (arm.cylinder, arm.surface) = there;
            moves = Moves::from(drive, arm, cylinder);
            self.written.push(item.slot);
            self.after[predecessor] = self.after[chosen];
            before = predecessor;
            last = Some(chosen);
        }
        parts
    }

    fn order_by_angle(&mut self, drive: &Drive, from_ns: i64) {
        for item in &mut self.items {
            item.angle_ns = item.starts_ns(drive, from_ns);
        }
        self.items
            .sort_unstable_by_key(|item| (item.angle_ns, item.block));
        let count = self.items.len() as u32;
        self.after.clear();
        self.after.extend((1..count).chain([0]));
    }

    /// A turn of the disk, give or take a nanosecond.
    fn turn_ns(&self, drive: &Drive) -> i64 {
        let item = &self.items[0];
        item.starts_ns(drive, item.angle_ns + 1) - item.angle_ns
    }

    /// The block that can be begun first. They are looked at in the order of angle from the last one written on. The
    /// first that can be begun when it passes is the one, except that those that passed while the last one was
    /// written come a turn later. (Where some of
    /// the blocks live on another cylinder, all are looked at.)
    #[allow(clippy::too_many_arguments)]
    fn next(
        &self,
        drive: &Drive,
        now_ns: i64,
        moves: &Moves,
        before: usize,
        left: usize,
        last: Option<usize>,
        turn_ns: i64,
    ) -> Next {
        let passed_until_ns = last.map_or(i64::MIN, |last| {
            let item = &self.items[last];
            item.ends_ns(drive, item.angle_ns) + 2
        });
        let mut best: Option<(i64, u64, Next)> = None;
        let mut predecessor = before;
        for _ in 0..left {
            let at = self.after[predecessor] as usize;
            let item = &self.items[at];
            let wrapped = last.is_some_and(|last| at < last);
            let angle_ns = item.angle_ns + if wrapped { turn_ns } else { 0 };
            let has_passed = angle_ns <= passed_until_ns;
            let move_ns = moves.to(drive, &item.place);
            let passes_ns = item.starts_ns(drive, now_ns + moves.least_ns().min(move_ns));
            let in_time = passes_ns >= now_ns + move_ns;
            let start_ns = if in_time {
                passes_ns
            } else {
                item.starts_ns(drive, now_ns + move_ns)
            };
            if best
                .as_ref()
                .is_none_or(|best| (start_ns, item.block) < (best.0, best.1))
            {
                let next = Next {
                    start_ns,
                    move_ns,
                    predecessor,
                };
                best = Some((start_ns, item.block, next));
            }
            if self.is_one_cylinder && in_time && !has_passed {
                break;
            }
            predecessor = at;
        }
        best.map_or(
            Next {
                start_ns: now_ns,
                move_ns: 0,
                predecessor: before,
            },
            |best| best.2,
        )
    }
}

#[derive(Clone, Copy, Debug)]
struct Next {
    start_ns: i64,
    move_ns: i64,
    /// The item before it in the order of angle.
    predecessor: usize,
}

/// How long it takes from where the arm is to the surfaces of a cylinder.
struct Moves {
    from: (u32, u32),
    cylinder: u32,
    same_ns: i64,
    other_ns: i64,
}

impl Moves {
    fn from(drive: &Drive, arm: &Mechanism, cylinder: u32) -> Self {
        let from = (arm.cylinder, arm.surface);
        let another = u32::from(arm.surface == 0);
        Moves {
            from,
            cylinder,
            same_ns: drive.reposition_ns(from, (cylinder, arm.surface), true),
            other_ns: drive.reposition_ns(from, (cylinder, another), true),
        }
    }

    fn to(&self, drive: &Drive, place: &Place) -> i64 {
        if place.cylinder != self.cylinder {
            drive.reposition_ns(self.from, (place.cylinder, place.surface), true)
        } else if place.surface == self.from.1 {
            self.same_ns
        } else {
            self.other_ns
        }
    }

    fn least_ns(&self) -> i64 {
        self.same_ns.min(self.other_ns)
    }
}
