//! Commands of the NVMe driver (`drivers/nvme/host/trace.h`).
//!
//! ```text
//! nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=12, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=2048, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
//! nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=12, res=0x0, retries=0, flags=0x0, status=0x0
//! ```
//!
//! Kernels before 4.20 name neither controller nor disk.

use crate::fields::{hexadecimal, is_blank, text_of, Cursor, EventLine};

const SECTOR_BYTES: u64 = 512;
/// Set in the field `ctrl` of a command whose data are to be on the medium before it ends.
const FORCED: i64 = 0x4000;
/// Commands of queue 0.
const ADMINISTRATIVE: &str = "administrative commands";

/// Which of the commands in flight one is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'t> {
    pub controller: &'t [u8],
    pub queue: u32,
    pub number: u32,
}

/// A line of the driver.
#[derive(Debug)]
pub(super) enum Command<'t> {
    Begun(Begun<'t>),
    Done(Key<'t>),
    /// Of no request: its kind.
    Other(&'static str),
}

/// A command that goes to the device.
#[derive(Debug)]
pub(super) struct Begun<'t> {
    pub key: Key<'t>,
    pub device: Vec<u8>,
    /// As those of the block layer, RWBS.
    pub letters: &'static [u8],
    pub sector: u64,
    pub blocks: u64,
}

/// Read the fields of an event; None if their form is not known. Places count in blocks of `block_bytes`.
pub(super) fn read<'t>(line: &EventLine<'t>, block_bytes: u64) -> Option<Command<'t>> {
    match line.event {
        b"nvme_setup_cmd" | b"nvme_setup_nvm_cmd" => begun(line.fields, block_bytes),
        b"nvme_complete_rq" => match key(line.fields)? {
            Key { queue: 0, .. } => Some(Command::Other(ADMINISTRATIVE)),
            key => Some(Command::Done(key)),
        },
        name if name.starts_with(b"nvme_") => Some(Command::Other("events of no request")),
        _ => Some(Command::Other("events of other kinds")),
    }
}

fn begun(fields: &[u8], block_bytes: u64) -> Option<Command<'_>> {
    let key = key(fields)?;
    let at = memchr::memmem::find(fields, b"cmd=(")?;
    let (head, command) = (&fields[..at], fields[at + 5..].strip_suffix(b")")?);
    let end = command.iter().position(|&byte| is_blank(byte)).unwrap_or(command.len());
    let (name, values) = command.split_at(end);
    let letters: &[u8] = match name.strip_prefix(b"nvme_cmd_") {
        _ if key.queue == 0 => return Some(Command::Other(ADMINISTRATIVE)),
        Some(b"read") => b"R",
        Some(b"write" | b"write_zeroes" | b"zone_append") => b"W",
        Some(b"flush") => b"F",
        Some(b"dsm") => return Some(Command::Other("discards, of which the events do not show the place")),
        _ => return Some(Command::Other("commands that are neither reads, writes nor flushes")),
    };
    let device = match value(head, b"disk=") {
        Some(disk) => disk.to_vec(),
        None => {
            [if key.controller.is_empty() { b"nvme" } else { key.controller }, b"n", value(head, b"nsid=")?]
                .concat()
        }
    };
    if letters == b"F" {
        return Some(Command::Begun(Begun { key, device, letters, sector: 0, blocks: 0 }));
    }
    let sectors = block_bytes / SECTOR_BYTES;
    let place = value(values, b"slba=").or_else(|| value(values, b"zslba="));
    let sector = number(place?)?.checked_mul(sectors)?;
    let blocks = (number(value(values, b"len=")?)? + 1).checked_mul(sectors)?;
    let control = value(values, b"ctrl=").and_then(|control| hexadecimal(&text_of(control)));
    let is_forced = control.is_some_and(|control| control & FORCED != 0);
    let letters = if is_forced && letters == b"W" { b"WF" } else { letters };
    Some(Command::Begun(Begun { key, device, letters, sector, blocks }))
}

fn key(fields: &[u8]) -> Option<Key<'_>> {
    let word = fields.iter().position(|&byte| is_blank(byte))?;
    let controller = fields[..word].strip_suffix(b":").unwrap_or_default();
    let part = |name: &[u8]| u32::try_from(number(value(fields, name)?)?).ok();
    Some(Key { controller, queue: part(b"qid=")?, number: part(b"cmdid=")? })
}

/// The value after a name that begins a word.
fn value<'t>(text: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let mut found = memchr::memmem::find_iter(text, name);
    let at = found.find(|&at| at == 0 || is_blank(text[at - 1]))? + name.len();
    let length = text[at..].iter().take_while(|&&byte| byte != b',' && !is_blank(byte)).count();
    Some(&text[at..at + length])
}

fn number(text: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(text);
    let number = cursor.whole()?;
    cursor.is_at_end().then_some(number as u64)
}
