//! Recording the requests to disks alone: no program of calls is attached.

use crate::command::{give_up_rights, started, Started};
use crate::plan::{Outcome, Plan, Refusal, Subject};
use crate::programs::{Maps, Met};
use crate::record::{self, Record};
use crate::recording::{text, BlockKind, Writer, REQUESTS_MAGIC};
use crate::ring::Ring;
use crate::session::{greeting_descriptor, now_ns, start_of, why, Run, Taker};
use crate::under_calls::{self, Groups, UnderCalls};
use std::fs::{self, File};
use std::io;
use std::time::Instant;

/// A disk, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The disk as the kernel has it: the major number from bit 20 on.
    pub disk: u64,
    /// The first of its blocks of 512 bytes, and how many there are.
    pub first: u64,
    pub blocks: u64,
}

impl Part {
    /// Whether a request is for it. A flush is for a whole disk: its place, which the kernel does not set, is in no part.
    fn has(&self, disk: u64, sector: u64) -> bool {
        self.disk == disk && (self.is_whole() || sector.wrapping_sub(self.first) < self.blocks)
    }

    fn is_whole(&self) -> bool {
        self.first == 0 && self.blocks == u64::MAX
    }
}

/// Record the requests to parts of disks, or to all disks if none are given.
pub fn record(plan: &Plan, parts: &[Part], file: File) -> Result<Outcome, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    let offsets = under_calls::offsets().map_err(not_here)?;
    let maps = Maps::new(plan.ring_bytes, Met::None).map_err(not_here)?;
    let mut ring = Ring::new(&maps.ring, plan.ring_bytes as usize).map_err(not_here)?;
    let groups = Groups { disks: true, ..Groups::default() };
    let programs = UnderCalls::attach(&maps, &offsets, groups);
    if let Some(why) = programs.missing() {
        return Err(Refusal::NotHere(format!("the kernel refuses it: {why}")));
    }
    let mut writer = Writer::new(file, REQUESTS_MAGIC, now_ns()).map_err(Refusal::Output)?;
    let mut start = start_of(plan);
    programs.describe(&offsets, &mut start);
    for (number, name) in disks() {
        text::write(&mut start, "disk", format!("{number} {name}").as_bytes());
    }
    writer.text(BlockKind::Start, now_ns(), [0; record::LOSSES], &start).map_err(Refusal::Output)?;
    let mut child = Started::default();
    if let Subject::Command(words) = &plan.subject {
        child.child = Some(started(words, plan.user, greeting_descriptor())?);
    }
    give_up_rights(plan.user, &maps);
    let began = Instant::now();
    let mut run = Run { plan, maps: &maps, under_calls: &programs, writer, child, began, failure: None };
    run.until_over(&mut ring, &mut Requests { parts });
    run.finish()
}

/// The disks that there are: their numbers and names.
fn disks() -> Vec<(u64, String)> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let disk = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("dev")).ok()?;
        let (major, minor) = text.trim().split_once(':')?;
        // a / in a name is a ! there
        let name = entry.file_name().to_str()?.replace('!', "/");
        Some((number_of(major.parse().ok()?, minor.parse().ok()?), name))
    };
    entries.filter_map(disk).collect()
}

/// A device's number as the kernel has it.
pub fn number_of(major: u32, minor: u32) -> u64 {
    u64::from(major) << 20 | u64::from(minor)
}

/// Takes the requests to parts of disks.
struct Requests<'p> {
    parts: &'p [Part],
}

impl Taker for Requests<'_> {
    fn take(&mut self, record: &Record<'_>, _: u64, writer: Option<&mut Writer<File>>) {
        let [disk, _, sector, ..] = record.arguments;
        let is_asked_for = self.parts.is_empty() || self.parts.iter().any(|part| part.has(disk, sector));
        if let (true, Some(writer)) = (is_asked_for, writer) {
            writer.push(record, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn a_request_is_for_the_part_in_which_it_begins() {
        let whole = Part { disk: 8, first: 0, blocks: u64::MAX };
        assert!(whole.has(8, 0) && whole.has(8, u64::MAX) && !whole.has(9, 0));
        let part = Part { disk: 8, first: 2048, blocks: 10 };
        let places = [0, 2047, 2048, 2057, 2058, u64::MAX].map(|sector| part.has(8, sector));
        assert_eq!(places, [false, false, true, true, false, false]);
        assert!(!part.has(9, 2048));
    }
}
