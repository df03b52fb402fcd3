//! The fields of an event of the block layer.
//!
//! ```text
//! block_bio_queue    8,0 R 1000 + 8 [app]
//! block_rq_issue     8,0 R 4096 () 1000 + 8 be,0,4 [app]
//! block_rq_complete  8,0 R () 1000 + 8 be,0,4 [0]
//! block_split        8,0 R 1000 / 1004 [app]
//! block_bio_remap    8,0 R 1000 + 8 <- (253,2) 0
//! (tracer blk)       8,0    Q   R 1000 + 8 [app]
//! ```

use crate::block_trace::pairing::Action;
use crate::fields::{Cursor, EventLine};

/// What the kernel prints as the sector of a request that has none.
const NO_SECTOR: &[u8] = b"18446744073709551615";

/// An event of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEvent<'t> {
    pub action: Action,
    pub device: &'t [u8],
    /// RWBS.
    pub letters: &'t [u8],
    pub sector: u64,
    pub blocks: u64,
    pub new_sector: u64,
    pub source: Option<&'t [u8]>,
    /// The name in brackets; at a completion the brackets have an error's number.
    pub program: Option<&'t [u8]>,
}

const NO_REQUEST: &str = "events of no request";

/// Read the event of a line; an error is the kind of an event that is not of a request. None if its fields are unknown.
#[inline]
pub(super) fn read<'t>(line: &EventLine<'t>) -> Option<Result<BlockEvent<'t>, &'static str>> {
    let action = match line.event {
        b"block_bio_queue" => Action::Queue,
        b"block_getrq" => Action::Allocate,
        b"block_rq_insert" => Action::Insert,
        b"block_rq_issue" => Action::Issue,
        b"block_rq_complete" | b"block_bio_complete" => Action::Complete,
        b"block_bio_backmerge" | b"block_bio_frontmerge" | b"block_rq_merge" => Action::Merge,
        b"block_rq_requeue" => Action::Requeue,
        b"block_split" => Action::Split,
        b"block_bio_remap" | b"block_rq_remap" => Action::Remap,
        b"" | b"blktrace" => return of_tracer(line.fields),
        name if name.starts_with(b"block_") || name.starts_with(b"blk") => return Some(Err(NO_REQUEST)),
        _ => return Some(Err("events of other kinds")),
    };
    let mut fields = Cursor::new(line.fields);
    let device = device(&mut fields)?;
    fields.field()?;
    request(line.fields, fields, device, action)
}

/// Read blktrace's letters.
fn of_tracer(text: &[u8]) -> Option<Result<BlockEvent<'_>, &'static str>> {
    let mut fields = Cursor::new(text);
    let Some(device) = device(&mut fields) else {
        return Some(Err("events of other kinds"));
    };
    fields.field()?;
    let action = match fields.run(|byte| byte.is_ascii_alphabetic()) {
        b"Q" => Action::Queue,
        b"G" => Action::Allocate,
        b"I" => Action::Insert,
        b"D" => Action::Issue,
        b"C" => Action::Complete,
        b"M" | b"F" => Action::Merge,
        b"R" => Action::Requeue,
        b"X" => Action::Split,
        b"A" => Action::Remap,
        b"" => return None,
        _ => return Some(Err(NO_REQUEST)),
    };
    fields.field()?;
    request(text, fields, device, action)
}

/// `major,minor`.
fn device<'t>(fields: &mut Cursor<'t>) -> Option<&'t [u8]> {
    let device = fields.run(|byte| byte.is_ascii_digit() || byte == b',');
    let (major, minor) = device.split_at(memchr::memchr(b',', device)?);
    (!major.is_empty() && minor.len() > 1 && !minor[1..].contains(&b',')).then_some(device)
}

/// Read what follows the device, and the action where there is one.
fn request<'t>(
    text: &'t [u8],
    mut fields: Cursor<'t>,
    device: &'t [u8],
    action: Action,
) -> Option<Result<BlockEvent<'t>, &'static str>> {
    let letters = fields.run(|byte| byte.is_ascii_uppercase());
    fields.field().filter(|_| !letters.is_empty())?;
    let mut is_command = letters.starts_with(b"N");
    let mut event = BlockEvent {
        action,
        device,
        letters,
        sector: 0,
        blocks: 0,
        new_sector: 0,
        source: None,
        program: None,
    };
    let next = text.get(fields.at())?;
    if next.is_ascii_digit() {
        event.sector = sector(&mut fields)?;
        fields.field();
    }
    // a flush of ftrace's tracer has its program here
    if fields.passes(b'(') {
        is_command |= passes_command(&mut fields)?;
        event.sector = sector(&mut fields)?;
    } else if !next.is_ascii_digit() && *next != b'[' {
        return None;
    }
    if is_command {
        return Some(Err("events of passed-through commands"));
    }
    fields.run(|byte| byte == b' ');
    if fields.passes(b'+') {
        event.blocks = fields.field()?.whole()? as u64;
    } else if action == Action::Split && fields.passes(b'/') {
        event.new_sector = fields.field()?.whole()? as u64;
    }
    // the flush of a write, which the kernel ends like a write without data
    if action == Action::Complete && event.blocks == 0 && letters.starts_with(b"W") {
        return Some(Err(NO_REQUEST));
    }
    let rest = &text[fields.at()..];
    if action == Action::Remap {
        (event.source, event.new_sector) = remap(rest)?;
        return Some(Ok(event));
    }
    let brackets = rest.strip_suffix(b"]")?;
    let name = &brackets[memchr::memchr(b'[', brackets)? + 1..];
    if !matches!(action, Action::Complete | Action::Requeue) {
        event.program = Some(name);
    }
    Some(Ok(event))
}

/// Pass a command's bytes behind the opening parenthesis; returns whether there are any.
fn passes_command(fields: &mut Cursor<'_>) -> Option<bool> {
    let command = fields.run(|byte| byte != b')');
    fields.passes(b')').then_some(())?;
    fields.field()?;
    Some(!command.is_empty())
}

fn sector(fields: &mut Cursor<'_>) -> Option<u64> {
    let mut number = *fields;
    if fields.run(|byte| byte.is_ascii_digit()) == NO_SECTOR {
        return Some(0);
    }
    Some(number.whole()? as u64)
}

/// Where a remapped request comes from: `<- (253,2) 0`.
fn remap(text: &[u8]) -> Option<(Option<&[u8]>, u64)> {
    let text = text.trim_ascii_start().strip_prefix(b"<- (")?;
    let mut fields = Cursor::new(text);
    let source = device(&mut fields)?;
    fields.passes(b')').then_some(())?;
    Some((Some(source), sector(fields.field()?)?))
}
