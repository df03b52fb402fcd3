//! Processes with their descriptors and folders.

use super::files::{File, Kind};
use super::totals::Totals;
use crate::record::Record;
use std::rc::Rc;

/// Descriptors beyond this are not followed.
const MOST_DESCRIPTORS: usize = 1 << 20;

/// What a descriptor refers to.
#[derive(Debug, Clone)]
pub struct Slot {
    /// None of what has no path.
    pub file: Option<Rc<File>>,
    /// None if it is not known.
    pub kind: Option<Kind>,
    pub closes_on_exec: bool,
    /// When it was known to refer to this.
    pub since_ns: u64,
    /// What it referred to before, if no call has closed that yet.
    pub former: Option<Box<Slot>>,
}

/// A process.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// The name of its program.
    pub name: Rc<str>,
    /// Its working directory; empty if that is not known.
    pub folder: Rc<[u8]>,
    /// The file that it executed last.
    pub program: Box<[u8]>,
    pub(super) slots: Vec<Option<Slot>>,
    /// Of the calls that are, or may be, on storage, since the last interval.
    pub totals: Box<Totals>,
    /// How long its calls waited for others, since the last interval.
    pub waiting_ns: u64,
}

impl Process {
    /// A process that this one made.
    pub fn child(&self) -> Process {
        Process {
            name: Rc::clone(&self.name),
            folder: Rc::clone(&self.folder),
            slots: self.slots.clone(),
            ..Process::default()
        }
    }

    /// The process executes a file.
    pub fn execute(&mut self, program: &[u8]) {
        self.name = name_of(program);
        self.program = program.into();
        for slot in &mut self.slots {
            if slot.as_ref().is_some_and(|slot| slot.closes_on_exec) {
                *slot = None;
            }
        }
    }

    /// What a descriptor refers to; None if that is not known.
    pub fn slot(&self, descriptor: i32) -> Option<&Slot> {
        self.slots.get(usize::try_from(descriptor).ok()?)?.as_ref()
    }

    /// What a descriptor referred to as a call began.
    pub fn slot_of_call(&self, descriptor: i32, record: &Record<'_>) -> Option<&Slot> {
        let slot = self.slot(descriptor)?;
        let slot = if slot.since_ns <= record.start_ns { slot } else { slot.former.as_deref()? };
        (slot.since_ns <= record.start_ns).then_some(slot)
    }

    /// A call made a descriptor refer to something else. What it replaces is still closed by a call that has not returned,
    /// or was closed by this one.
    pub fn set(&mut self, descriptor: i32, mut slot: Option<Slot>) {
        let Ok(number) = usize::try_from(descriptor) else { return };
        if number >= MOST_DESCRIPTORS {
            return;
        }
        if number >= self.slots.len() {
            self.slots.resize(number + 1, None);
        }
        if let (Some(slot), Some(before)) = (&mut slot, self.slots[number].take()) {
            slot.former = Some(Box::new(Slot { former: None, ..before }));
        }
        self.slots[number] = slot;
    }

    /// A call closed these descriptors, but not those that others opened after it had freed the number.
    pub fn close(&mut self, first: usize, last: usize, record: &Record<'_>) {
        let end = last.saturating_add(1).min(self.slots.len());
        for slot in self.slots.get_mut(first..end).into_iter().flatten() {
            match slot {
                Some(slot) if slot.since_ns > record.start_ns => slot.former = None,
                _ => *slot = None,
            }
        }
    }

    pub fn close_on_exec(&mut self, first: usize, last: usize, closes: bool) {
        let end = last.saturating_add(1).min(self.slots.len());
        for slot in self.slots.get_mut(first..end).into_iter().flatten().flatten() {
            slot.closes_on_exec = closes;
        }
    }
}

/// The name of a program, of its path.
fn name_of(program: &[u8]) -> Rc<str> {
    let name = program.rsplit(|&byte| byte == b'/').next().unwrap_or(program);
    String::from_utf8_lossy(name).into()
}
