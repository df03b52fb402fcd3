//! Recording the requests to disks alone: no program of calls is attached.

use crate::btf::Offsets;
use crate::clocks::now_ns;
use crate::command::{give_up_rights, greeting_descriptor, started, Started};
use crate::disks::{disks, Part};
use crate::plan::{Outcome, Plan, Refusal, Subject};
use crate::programs::{Maps, Met};
use crate::record::{self, Record};
use crate::recording::{text, Writer, REQUESTS_MAGIC};
use crate::ring::Ring;
use crate::rotation::{Files, Rotating};
use crate::run::{self, lost, start_of, why, Run, Taker};
use crate::under_calls::{self, Groups, UnderCalls};
use std::fs::File;
use std::io;
use std::time::Instant;

/// Record the requests to parts of disks, or to all disks if none are given.
pub fn record(plan: &Plan, parts: &[Part], file: File) -> Result<Outcome, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    let offsets = under_calls::offsets().map_err(not_here)?;
    let maps = Maps::new(plan.ring_bytes, Met::None).map_err(not_here)?;
    let mut ring = Ring::new(&maps.ring, plan.ring_bytes as usize).map_err(not_here)?;
    let groups = Groups { disks: true, ..Groups::default() };
    let programs = UnderCalls::attach(&maps, &offsets, groups, None);
    if let Some(why) = programs.missing() {
        return Err(Refusal::NotHere(format!("the kernel refuses it: {why}")));
    }
    let begun = |file, lost| begun(plan, &offsets, &programs, file, lost);
    let writer = begun(file, [0; record::LOSSES]).map_err(Refusal::Output)?;
    let mut child = Started::default();
    if let Subject::Command(words) = &plan.subject {
        child.child = Some(started(words, plan.user, greeting_descriptor())?);
    }
    give_up_rights(plan.user, &maps);
    let began = Instant::now();
    let mut run = Run { plan, maps: &maps, under_calls: &programs, writer, child, began, failure: None };
    let counted = || (lost(&maps, &programs), programs.cut_requests().0);
    let rotating = plan
        .rotation
        .as_ref()
        .map(|rotation| Rotating::new(Files::new(rotation, plan.user, began), &begun, counted));
    let mut requests = Requests { parts, rotating };
    run.until_over(&mut ring, &mut requests);
    match requests.rotating {
        Some(rotating) => rotating.end(|| run.finish()),
        None => run.finish(),
    }
}

/// Begin a recording in a file, before which this was lost.
fn begun(
    plan: &Plan,
    offsets: &Offsets,
    programs: &UnderCalls,
    file: File,
    lost: [u64; record::LOSSES],
) -> io::Result<Writer<File>> {
    let mut start = start_of(plan);
    programs.describe(offsets, &mut start);
    for (number, name) in disks() {
        text::write(&mut start, "disk", format!("{number} {name}").as_bytes());
    }
    run::begun(file, REQUESTS_MAGIC, now_ns(), lost, &start)
}

/// Takes the requests to parts of disks.
struct Requests<'p, B, C> {
    parts: &'p [Part],
    rotating: Option<Rotating<'p, B, C>>,
}

impl<B, C> Taker for Requests<'_, B, C>
where
    B: Fn(File, [u64; record::LOSSES]) -> io::Result<Writer<File>>,
    C: Fn() -> ([u64; record::LOSSES], u64),
{
    fn take(&mut self, record: &Record<'_>, _: u64, writer: Option<&mut Writer<File>>) {
        let [disk, _, sector, ..] = record.arguments;
        let is_asked_for = self.parts.is_empty() || self.parts.iter().any(|part| part.has(disk, sector));
        if let (true, Some(writer)) = (is_asked_for, writer) {
            let writer = match &mut self.rotating {
                Some(rotating) => rotating.choose(record.start_ns, writer),
                None => Some(writer),
            };
            if let Some(writer) = writer {
                writer.push(record, 0);
            }
        }
    }

    fn add(&mut self, writer: &mut Writer<File>) {
        if let Some(rotating) = &mut self.rotating {
            rotating.turn(writer);
        }
    }

    fn tell(&mut self, _run: &Run<'_>) -> bool {
        self.rotating.as_ref().is_some_and(Rotating::has_failed)
    }
}
