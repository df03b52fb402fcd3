//! Events of Linux's block layer as text, paired into requests: lines of ftrace, trace-cmd and perf script.
//!
//! The tracepoints are those that blktrace uses (`include/trace/events/block.h`); ftrace's tracer `blk` prints blktrace's
//! letters in their place. Commands of the NVMe driver are requests, too.

mod block;
mod nvme;

use super::letters::{all_flags, meaning, OPERATIONS};
use super::pairing::{Action, Event, EventNames, Pairing, Slot, WAITING_ROWS};
use crate::columns::{named, Named};
use crate::error::Error;
use crate::fields::{is_of_trace_cmd, lost_events, text_of, EventLine, Names};
use arrow_array::RecordBatch;
use block::BlockEvent;
use nvme::{Begun, Command};
use rustc_hash::FxHashMap;

named! {
    /// Why a line was not read.
    enum Skip {
        NotAnEvent = "not a line of an event",
        UnknownForm = "fields of the event are not in a known form",
    }
}

/// What there is to say of the lines read since the last time.
#[derive(Debug, Default)]
pub struct ReadSummary {
    pub lines: u64,
    pub remarks: Vec<(&'static str, u64)>,
    /// Lines that could not be read: the number, the line, and why.
    pub skipped: Vec<(u64, Vec<u8>, &'static str)>,
    /// How many events the trace says were lost, and how often it does not say how many.
    pub lost_events: i64,
    pub losses: u64,
}

/// Which events are requests.
#[derive(Debug)]
enum Layer {
    Block,
    Nvme(Box<Commands>),
}

/// Commands of the NVMe driver that are not complete.
#[derive(Debug)]
struct Commands {
    block_bytes: u64,
    controllers: Names,
    open: FxHashMap<Key, Slot>,
}

/// The number of the controller's name, the queue, and the number in that.
type Key = (i32, u32, u32);

impl Commands {
    fn key(&mut self, key: nvme::Key<'_>) -> Key {
        (self.controllers.number(key.controller), key.queue, key.number)
    }
}

/// The events of a trace being read.
#[derive(Debug)]
pub struct EventText {
    layer: Layer,
    pairing: Pairing,
    devices: Names,
    programs: Names,
    flags: Vec<String>,
    found: ReadSummary,
}

impl EventText {
    /// Read events of the block layer, or the commands of the NVMe driver, whose logical blocks have this many bytes.
    pub fn new(nvme_block_bytes: Option<u64>) -> Self {
        let commands = |block_bytes| {
            Box::new(Commands { block_bytes, controllers: Names::default(), open: FxHashMap::default() })
        };
        EventText {
            layer: nvme_block_bytes.map_or(Layer::Block, |bytes| Layer::Nvme(commands(bytes))),
            pairing: Pairing::new(WAITING_ROWS),
            devices: Names::default(),
            programs: Names::default(),
            flags: all_flags(),
            found: ReadSummary::default(),
        }
    }

    /// Follow the events of complete lines, of which the first has this number.
    pub fn take(&mut self, block: &[u8], first: u64) {
        let lines = block.strip_suffix(b"\n").unwrap_or(block).split(|&byte| byte == b'\n');
        for (number, line) in (first..).zip(lines) {
            self.found.lines += 1;
            let line = line.trim_ascii_end();
            if let Err(why) = self.line(line, number) {
                self.found.skipped.push((number, line.to_vec(), why.name()));
            }
        }
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), Skip> {
        let Some(event) = EventLine::read(line) else {
            return self.no_event(line);
        };
        let kind = match &mut self.layer {
            Layer::Block => match block::read(&event).ok_or(Skip::UnknownForm)? {
                Ok(block) => {
                    self.event(&event, &block, number);
                    return Ok(());
                }
                Err(kind) => kind,
            },
            Layer::Nvme(commands) => {
                match nvme::read(&event, commands.block_bytes).ok_or(Skip::UnknownForm)? {
                    Command::Begun(begun) => {
                        let key = commands.key(begun.key);
                        self.begin(&event, &begun, key, number);
                        return Ok(());
                    }
                    Command::Done(key) => {
                        let key = commands.key(key);
                        match commands.open.remove(&key) {
                            Some(row) => self.pairing.end(row, event.time_ns),
                            None => self.pairing.remarks.add("completions of no request that was seen", 1),
                        }
                        return Ok(());
                    }
                    Command::Other(kind) => kind,
                }
            }
        };
        if !self.takes_loss(line) {
            self.pairing.remarks.add(kind, 1);
        }
        Ok(())
    }

    #[inline]
    fn event(&mut self, line: &EventLine<'_>, block: &BlockEvent<'_>, number: u64) {
        if block.action == Action::Remap {
            self.pairing.remarks.add("events of no request", 1);
        }
        let (operation, flags) = meaning(block.letters);
        let is_flush = block.letters.starts_with(b"F") && block.blocks == 0;
        let event = Event {
            action: block.action,
            device: self.devices.number(block.device),
            operation: if is_flush { 4 } else { operation },
            flags,
            sector: block.sector,
            blocks: block.blocks,
            program: Some(self.programs.number(block.program.unwrap_or(line.program))),
            new_sector: block.new_sector,
            source: block.source.map_or(0, |source| self.devices.number(source)),
            ..at(line, number)
        };
        self.pairing.take(&event);
    }

    fn begin(&mut self, line: &EventLine<'_>, begun: &Begun<'_>, key: Key, number: u64) {
        let Layer::Nvme(commands) = &mut self.layer else { return };
        // one whose number is used again lost its completion
        if let Some(row) = commands.open.remove(&key) {
            self.pairing.give_up(row);
        }
        let (operation, flags) = meaning(begun.letters);
        let row = self.pairing.begin(&Event {
            device: self.devices.number(&begun.device),
            operation,
            flags,
            sector: begun.sector,
            blocks: begun.blocks,
            program: Some(self.programs.number(line.program)),
            ..at(line, number)
        });
        commands.open.insert(key, row);
    }

    fn no_event(&mut self, line: &[u8]) -> Result<(), Skip> {
        let text = line.trim_ascii_start();
        let kind = match text {
            [] => "blank lines",
            [b'#', ..] => "comments",
            _ if self.takes_loss(text) => return Ok(()),
            _ if is_of_stack(text) => "lines of call stacks",
            _ if is_of_trace_cmd(text) => "lines of trace-cmd on its file",
            _ => return Err(Skip::NotAnEvent),
        };
        self.pairing.remarks.add(kind, 1);
        Ok(())
    }

    fn takes_loss(&mut self, line: &[u8]) -> bool {
        let Some(lost) = lost_events(line) else {
            return false;
        };
        self.found.losses += u64::from(lost.is_none());
        self.found.lost_events = self.found.lost_events.saturating_add(lost.unwrap_or(0));
        self.pairing.remarks.add("records of losses", 1);
        true
    }

    /// The requests whose fate is known, if they are many or this is the trace's end, else none.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn requests(&mut self, is_last: bool) -> Result<Option<RecordBatch>, Error> {
        if !self.pairing.advance(is_last) {
            return Ok(None);
        }
        let operations = OPERATIONS.map(str::to_owned);
        let names = EventNames {
            devices: &texts(&self.devices),
            operations: &operations,
            flags: &self.flags,
            programs: &texts(&self.programs),
        };
        self.pairing.requests(names).map(Some)
    }

    /// Which devices lie on which, as [`super::Stacks::named`].
    pub fn stacks(&self) -> Vec<(String, String, u64, u64)> {
        self.pairing.stacks.named(&texts(&self.devices))
    }

    /// What there is to say of the lines read since the last time.
    pub fn found(&mut self) -> ReadSummary {
        ReadSummary { remarks: self.pairing.remarks.take(), ..std::mem::take(&mut self.found) }
    }
}

/// An event of nothing, at a line's time.
fn at(line: &EventLine<'_>, number: u64) -> Event {
    Event {
        time_ns: line.time_ns,
        record: number,
        action: Action::Issue,
        device: 0,
        operation: 0,
        flags: 0,
        sector: 0,
        blocks: 0,
        pid: i64::from(line.thread),
        program: None,
        new_sector: 0,
        source: 0,
    }
}

fn texts(names: &Names) -> Vec<String> {
    names.texts().map(|name| text_of(name).into_owned()).collect()
}

/// Whether a line is of a stack of calls: `=> function` of ftrace, `address function (object)` of perf.
fn is_of_stack(text: &[u8]) -> bool {
    let address = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    text.starts_with(b"=> ") || (address >= 6 && text.get(address) == Some(&b' ') && text.ends_with(b")"))
}

#[cfg(test)]
mod tests;
