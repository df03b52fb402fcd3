//! Recording: attach the programs, start or follow processes, and write what they do to a file.

use crate::asm::Instruction;
use crate::bpf::{attach, Link};
use crate::btf::Offsets;
use crate::call_rotation::{CallRotation, UnderWay};
use crate::calls::CALLS;
use crate::cgroups::Cgroups;
use crate::clocks::now_ns;
use crate::command::{give_up_rights, greeting_descriptor, started, Started};
use crate::memory::Sampler;
use crate::met::MetProcesses;
use crate::plan::{Outcome, Plan, Refusal, Subject};
use crate::programs::scheduler::Waits;
use crate::programs::{syscalls, threads, Maps, Met, EXCLUDED, RECORDED};
use crate::record::{self, Loss, Record};
use crate::recording::{self, text, BlockKind, Writer};
use crate::requests;
use crate::rights::with_rights;
use crate::ring::Ring;
use crate::rotation::Files;
use crate::run::{begun, ended, lost, start_of, why, Run, Taker};
use crate::snapshot;
use crate::stacks::{with_stack, Stacks};
use crate::totals::Totals;
use crate::under_calls::{self, UnderCalls};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::Child;
use std::time::Instant;

/// Attached programs; they are detached when this is dropped.
struct Attached {
    _links: Vec<Link>,
}

/// Say why recording is not possible here; None if it is.
pub fn refusal() -> Option<String> {
    let tried = || -> io::Result<Link> {
        let offsets = under_calls::offsets()?;
        let maps = Maps::new(1 << 16, Met::None)?;
        attach("sys_exit", &syscalls::call_ends(&maps, &offsets, true, None, None)?)
    };
    tried().err().map(|error| why(&error))
}

/// Record a plan into a file.
pub fn record(plan: &Plan, file: File) -> Result<Outcome, Refusal> {
    match &plan.requests {
        Some(parts) => requests::record(plan, parts, file),
        None => record_calls(plan, file),
    }
}

fn record_calls(plan: &Plan, file: File) -> Result<Outcome, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    let offsets = under_calls::offsets().map_err(not_here)?;
    let maps = Maps::new(plan.ring_bytes, plan.subject.met()).map_err(not_here)?;
    let mut ring = Ring::new(&maps.ring, plan.ring_bytes as usize).map_err(not_here)?;
    let before = look(plan, &maps)?;
    let groups = plan.groups;
    let waits = groups.scheduler.then(|| Waits::new(groups.stacks)).transpose().map_err(not_here)?;
    let attached = attach_all(&maps, &offsets, plan, waits.as_ref()).map_err(not_here)?;
    let under_calls = UnderCalls::attach(&maps, &offsets, groups, waits);
    let begin = Begin { plan, offsets: &offsets, under_calls: &under_calls };
    let mut writer = begin.writer(file, now_ns(), [0; record::LOSSES]).map_err(Refusal::Output)?;
    let mut child = Started::default();
    let mut waiting = HashMap::new();
    let met = MetProcesses::of(&before);
    let mut totals = plan.totals.map(Totals::every);
    if let Subject::Command(words) = &plan.subject {
        child.child = Some(spawn(words, plan.user, &maps, &mut writer)?);
        give_up_rights(plan.user, &maps);
    } else {
        waiting = follow(&plan.subject, before, &maps, &mut writer, &mut totals)?;
    }
    let memory = plan.groups.kernel.then(|| match (&plan.subject, &child.child) {
        (Subject::Processes(processes), _) => Sampler::of_process(processes.first().copied().unwrap_or(0)),
        (Subject::Cgroup(folder), _) => Sampler::of_cgroup(folder),
        (_, Some(child)) => Sampler::of_process(child.id()),
        _ => Sampler::of_machine(),
    });
    let mut calls = Calls {
        begin,
        maps: &maps,
        stacks: Stacks::default(),
        cgroups: Cgroups::default(),
        skips: child.child.is_some(),
        met: (plan.subject.met() != Met::None).then_some(met),
        waiting,
        memory,
        totals,
        keeps: plan.keeps,
        rotation: None,
    };
    let began = Instant::now();
    if let Some(rotation) = &plan.rotation {
        calls.rotation = Some(CallRotation::new(Files::new(rotation, plan.user, began)));
    }
    if let Some(totals) = &mut calls.totals {
        totals.begin(began);
    }
    let under = &under_calls;
    let mut run = Run { plan, maps: &maps, under_calls: under, writer, child, began, failure: None };
    run.until_over(&mut ring, &mut calls);
    if run.failure.is_none() {
        let begun = maps.calls_under_way().unwrap_or_default();
        let begun = begun.into_iter().map(|(thread, number, start_ns)| {
            let rotation = calls.rotation.as_ref();
            (thread, number, rotation.map_or(start_ns, |rotation| rotation.begin_of(start_ns)))
        });
        under_way(&mut run.writer, &maps, begun.chain(listed(&calls.waiting)), now_ns());
        under_calls.under_way(now_ns()).iter().for_each(|record| calls.write(record, 0, &mut run.writer));
        calls.stacks.write(now_ns(), |record| run.writer.push(record, 0));
        run.flush();
    }
    if let (Some(met), None) = (&calls.met, &run.failure) {
        run.failure = met.write(&mut run.writer).err();
    }
    drop(attached);
    if let Some(totals) = &mut calls.totals {
        // who reads them may have ended
        let _ = totals.print(plan, &maps);
    }
    let met = calls.met.map_or(0, |met| met.count());
    run.failure = run.failure.take().or(calls.rotation.as_mut().and_then(|rotation| rotation.failure.take()));
    let outcome = Outcome { met, ..run.finish()? };
    match calls.rotation {
        Some(rotation) => rotation.end(outcome).map_err(Refusal::Output),
        None => Ok(outcome),
    }
}

/// What a recording of calls begins with.
#[derive(Clone, Copy)]
struct Begin<'u> {
    plan: &'u Plan,
    offsets: &'u Offsets,
    under_calls: &'u UnderCalls,
}

impl Begin<'_> {
    /// Begin a recording in a file at a time, before which this was lost.
    fn writer(&self, file: File, began_ns: u64, lost: [u64; record::LOSSES]) -> io::Result<Writer<File>> {
        let mut start = start_text(self.plan);
        self.under_calls.describe(self.offsets, &mut start);
        begun(file, recording::MAGIC, began_ns, lost, &start)
    }
}

/// Calls, and what is under them.
struct Calls<'u> {
    begin: Begin<'u>,
    maps: &'u Maps,
    stacks: Stacks,
    cgroups: Cgroups,
    /// Whether the child is not yet the command: what it did before is the recorder's.
    skips: bool,
    met: Option<MetProcesses>,
    /// The calls that threads are in from before the recording.
    waiting: UnderWay,
    memory: Option<Sampler>,
    totals: Option<Totals>,
    keeps: bool,
    rotation: Option<CallRotation<'u>>,
}

impl Calls<'_> {
    /// End the recording under way, and begin the next, where that is due and all that was in the ring was taken.
    fn turn(&mut self, writer: &mut Writer<File>) -> io::Result<()> {
        let Some(rotation) = &mut self.rotation else { return Ok(()) };
        let Some(mut change) = rotation.take_change() else {
            rotation.prepare(self.maps);
            return Ok(());
        };
        let begun = listed(&change.under_way)
            .map(|(thread, number, start_ns)| (thread, number, rotation.begin_of(start_ns)));
        under_way(writer, self.maps, begun.chain(listed(&self.waiting)), change.cut_ns);
        for (_, since_ns) in self.waiting.values_mut() {
            *since_ns = change.cut_ns;
        }
        let met = self.met.as_ref().map_or(0, MetProcesses::count);
        if let Some(met) = &self.met {
            met.write(writer)?;
        }
        let lost = lost(self.maps, self.begin.under_calls);
        writer.lose(lost[Loss::Calls as usize], now_ns());
        let outcome = Outcome { met, ..ended(writer, lost, (0, 0), 0)? };
        let file = rotation.files.create()?;
        *writer = self.begin.writer(file, change.cut_ns, lost)?;
        let processes = change.processes(self.maps);
        let mut text = Vec::new();
        snapshot::write(&mut text, &processes);
        writer.text(BlockKind::Processes, now_ns(), lost, &text)?;
        self.met = self.met.as_ref().map(|_| MetProcesses::of(&processes));
        self.cgroups = Cgroups::default();
        rotation.begin_next(change, outcome)
    }

    fn has_failed(&self) -> bool {
        self.rotation.as_ref().is_some_and(|rotation| rotation.failure.is_some())
    }

    /// Write a record; one of a wait with its stack.
    fn write(&mut self, record: &Record<'_>, lost_calls: u64, writer: &mut Writer<File>) {
        if record.number == record::OFF_PROCESSOR {
            let under_calls = self.begin.under_calls;
            let record = with_stack(record, &mut self.stacks, |number| under_calls.stack(number));
            writer.push(&record, lost_calls);
            return;
        }
        if !record::is_under_calls(record.number) {
            self.cgroups.see(record, |cgroup| writer.push(cgroup, lost_calls));
        }
        let is_last_exit = record.number == record::EXIT && record.arguments[1] == 0;
        if record.number == record::EXEC || is_last_exit {
            self.stacks.forget(record.process);
        }
        writer.push(&with_rights(record, &mut Vec::new()), lost_calls);
    }
}

impl Taker for Calls<'_> {
    fn take(&mut self, record: &Record<'_>, lost_calls: u64, writer: Option<&mut Writer<File>>) {
        let within = self.rotation.as_mut().map(|rotation| rotation.within(record));
        let record = within.as_ref().unwrap_or(record);
        if record.number == record::EXEC {
            self.skips = false;
        }
        if let (false, true, Some(writer)) = (self.skips, self.keeps, writer) {
            self.write(record, lost_calls, writer);
        }
        if let Some(totals) = &mut self.totals {
            totals.live.see(record);
        }
        if let Some(met) = &mut self.met {
            met.see(record);
        }
        if !self.waiting.is_empty() {
            self.waiting.remove(&record.thread);
        }
    }

    fn add(&mut self, writer: &mut Writer<File>) {
        if let Some(sample) = self.memory.as_mut().and_then(|memory| memory.due(now_ns())) {
            writer.push(&sample, 0);
        }
        // a full writer has not taken all that is in the ring
        if !writer.is_full() && !self.has_failed() {
            let turned = self.turn(writer);
            if let (Some(rotation), Err(error)) = (&mut self.rotation, turned) {
                rotation.failure = Some(error);
            }
        }
    }

    fn tell(&mut self, run: &Run<'_>) -> bool {
        if self.has_failed() {
            return true;
        }
        let due = self.totals.as_mut().filter(|totals| totals.is_due(run.plan, run.began));
        due.is_some_and(|totals| totals.print(run.plan, run.maps).is_err())
    }
}

/// Calls under way: thread, number, and when each began.
fn listed(calls: &UnderWay) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
    calls.iter().map(|(&thread, &(number, start_ns))| (thread, number, start_ns))
}

/// Record the calls that had not returned at a time.
fn under_way(
    writer: &mut Writer<File>,
    maps: &Maps,
    calls: impl Iterator<Item = (u32, u32, u64)>,
    now_ns: u64,
) {
    for (thread, number, start_ns) in calls {
        let process = snapshot::process_of(thread).filter(|&process| maps.processes.get(process).is_ok());
        if let Some(process) = process {
            let record = Record {
                number: record::UNDER_WAY,
                thread,
                process,
                start_ns,
                has_start: true,
                duration_ns: now_ns.saturating_sub(start_ns),
                arguments: [u64::from(number), 0, 0, 0, 0, 0],
                ..Record::default()
            };
            writer.push(&record, 0);
        }
    }
}

fn attach_all(maps: &Maps, offsets: &Offsets, plan: &Plan, waits: Option<&Waits>) -> io::Result<Attached> {
    let points: [(&str, Vec<Instruction>); 4] = [
        ("sched_process_fork", threads::thread_begins(maps, offsets)?),
        ("sched_process_exec", threads::program_begins(maps, offsets, plan.arguments)?),
        ("sched_process_exit", threads::thread_ends(maps, offsets)?),
        ("sys_exit", syscalls::call_ends(maps, offsets, plan.durations, plan.sample, waits)?),
    ];
    let mut links = Vec::new();
    for (point, code) in &points {
        links.push(attach(point, code)?);
    }
    if plan.durations {
        links.push(attach("sys_enter", &syscalls::call_begins(maps, offsets, plan.sample)?)?);
    }
    Ok(Attached { _links: links })
}

/// Start the command; it says which process it is, and is recorded from then on.
fn spawn(
    words: &[OsString],
    user: Option<u32>,
    maps: &Maps,
    writer: &mut Writer<File>,
) -> Result<Child, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    let descriptor = greeting_descriptor();
    let greeting =
        attach("sys_enter", &threads::hello(maps, descriptor).map_err(not_here)?).map_err(not_here)?;
    let inherited = snapshot::inherited();
    let child = started(words, user, descriptor)?;
    drop(greeting);
    let known_as = maps.greeted().map_err(not_here)?;
    if known_as == 0 {
        return Err(Refusal::NotHere("the kernel did not show the command to the programs".to_owned()));
    }
    let mut processes = Vec::new();
    snapshot::write_inherited(&mut processes, known_as, &inherited);
    writer.text(BlockKind::Processes, now_ns(), [0; record::LOSSES], &processes).map_err(Refusal::Output)?;
    Ok(child)
}

/// The processes that are there, with their descriptors before they are recorded. The recorder and the program that
/// started it are never those of the system.
fn look(plan: &Plan, maps: &Maps) -> Result<Vec<snapshot::Process>, Refusal> {
    let mut processes = plan.subject.processes();
    if let Subject::System = plan.subject {
        let own = [std::process::id(), std::os::unix::process::parent_id()];
        for process in own {
            maps.processes.set(process, &[EXCLUDED]).map_err(|error| Refusal::NotHere(why(&error)))?;
        }
        processes.retain(|process| !own.contains(process));
    }
    let mut there = Vec::new();
    for process in processes {
        let folder = PathBuf::from(format!("/proc/{process}"));
        if !snapshot::threads(&folder).is_empty() {
            let before = snapshot::descriptors(&folder);
            there.push(snapshot::Process { folder, known_as: process, before });
        }
    }
    match &plan.subject {
        Subject::Processes(named) if there.is_empty() => {
            let named: Vec<String> = named.iter().map(u32::to_string).collect();
            Err(Refusal::NoProcess(format!("there is no process {}", named.join(", "))))
        }
        _ => Ok(there),
    }
}

/// Record running processes from now on; returns the calls that their threads are in, and since when that is known.
fn follow(
    subject: &Subject,
    followed: Vec<snapshot::Process>,
    maps: &Maps,
    writer: &mut Writer<File>,
    totals: &mut Option<Totals>,
) -> Result<UnderWay, Refusal> {
    let not_here = |error: io::Error| Refusal::NotHere(why(&error));
    for process in &followed {
        let set = maps.processes.set(process.known_as, &[RECORDED]);
        // the calls of a process that does not fit into the map are counted as lost
        if subject.met() == Met::None {
            set.map_err(not_here)?;
        }
    }
    if let Subject::Cgroup(folder) = subject {
        let opened = File::open(folder)
            .map_err(|error| Refusal::NoProcess(format!("{}: {error}", folder.display())))?;
        maps.cgroup.set(0, &opened.as_raw_fd().to_ne_bytes()).map_err(not_here)?;
    }
    let mut processes = Vec::new();
    snapshot::write(&mut processes, &followed);
    if let Some(totals) = totals {
        totals.live.know(&processes);
    }
    writer.text(BlockKind::Processes, now_ns(), [0; record::LOSSES], &processes).map_err(Refusal::Output)?;
    let threads = followed.iter().flat_map(|process| snapshot::threads(&process.folder));
    Ok(threads.filter_map(|thread| Some((thread, (snapshot::call_under_way(thread)?, now_ns())))).collect())
}

fn start_text(plan: &Plan) -> Vec<u8> {
    let mut start = start_of(plan);
    if let Some(sample) = plan.sample {
        text::write(&mut start, "sampled_files_per_million", sample.per_million.to_string().as_bytes());
    }
    for call in CALLS {
        let call = format!("{} {} {:x}", call.number, call.name, call.shape.word());
        text::write(&mut start, "call", call.as_bytes());
    }
    start
}
