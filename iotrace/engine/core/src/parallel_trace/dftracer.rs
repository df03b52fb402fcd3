//! Lines of DFTracer's traces (`iotrace.formats.dftracer`).

use super::call::{Call, Layer, Line, Name, Operation, Whence, UNKNOWN};
use super::json::{Object, Value};
use super::named_calls::{open_flags, NamedCall};

/// The members of an event that matter.
#[derive(Debug, Default)]
struct Event<'t> {
    name: Option<Value<'t>>,
    category: Option<Value<'t>>,
    phase: Option<Value<'t>>,
    process: Option<Value<'t>>,
    thread: Option<Value<'t>>,
    time: Option<Value<'t>>,
    duration: Option<Value<'t>>,
    arguments: Option<Arguments<'t>>,
}

/// The arguments that matter.
#[derive(Debug, Default)]
struct Arguments<'t> {
    result: Option<Value<'t>>,
    file_hash: Option<Value<'t>>,
    file_name: Option<Value<'t>>,
    host_hash: Option<Value<'t>>,
    host_name: Option<Value<'t>>,
    descriptor: Option<Value<'t>>,
    offset: Option<Value<'t>>,
    count: Option<Value<'t>>,
    members: Option<Value<'t>>,
    items: Option<Value<'t>>,
    size: Option<Value<'t>>,
    length: Option<Value<'t>>,
    whence: Option<Value<'t>>,
    flags: Option<Value<'t>>,
    mode: Option<Value<'t>>,
}

pub fn kind_of(line: &[u8]) -> Line<'_> {
    match line {
        [] | [b'[' | b']'] => Line::Silent,
        _ => read(line).unwrap_or(Line::Other),
    }
}

#[inline]
fn read(line: &[u8]) -> Option<Line<'_>> {
    let event = event(line)?;
    let Value::Text(name) = event.name? else {
        return None;
    };
    let arguments = event.arguments?;
    match event.phase? {
        Value::Text(b"X") | Value::Number(b"1") => {}
        // it says something
        Value::Text(b"M") | Value::Number(b"4") => return None,
        _ => return Some(Line::Remark("events that are not calls", b"")),
    }
    let Value::Text(category) = event.category? else {
        return None;
    };
    let layer = match category {
        b"POSIX" => Layer::Posix,
        b"STDIO" => Layer::Stdio,
        _ => return Some(Line::Remark("events of layer ", &category[..category.len().min(40)])),
    };
    let named = match NamedCall::of(name) {
        Some(named) if named.operation != Operation::Barrier => named,
        _ => return Some(Line::Remark("calls that move no bytes", b"")),
    };
    let result = number(arguments.result)?;
    if result.is_some_and(|result| result < 0) {
        return Some(Line::Remark("calls that failed", b""));
    }
    let time = number(event.time)?.filter(|&time| time >= 0)?;
    let call = Call {
        time,
        duration: duration(event.duration)?,
        process: number(event.process)??,
        thread: number(event.thread)?.unwrap_or(UNKNOWN),
        layer: Some(layer),
        file: name_of(arguments.file_hash, arguments.file_name)?,
        host: name_of(arguments.host_hash, arguments.host_name)?,
        ..Call::of(named.operation)
    };
    detailed(call, named, &arguments, result).map(Line::Call)
}

/// A call with where it goes, and how much it moves.
#[inline]
fn detailed<'t>(
    call: Call<'t>,
    named: NamedCall<'t>,
    given: &Arguments<'t>,
    result: Option<i64>,
) -> Option<Call<'t>> {
    let descriptor = number(given.descriptor)?.unwrap_or(UNKNOWN);
    let offset = number(given.offset)?;
    match named.operation {
        Operation::Open => {
            let mode = if let Some(Value::Text(mode)) = given.mode { mode } else { b"" };
            let flags = open_flags(number(given.flags)?, mode);
            let descriptor = if named.is_of_stream() { None } else { result };
            Some(Call { descriptor: descriptor.unwrap_or(UNKNOWN), flags, ..call })
        }
        Operation::Seek => {
            let whence = number(given.whence)?.unwrap_or(0);
            let (offset, whence) = match result {
                Some(result) if named.name == b"lseek" => (Some(result), Whence::Start),
                _ => (offset, Whence::of(whence)),
            };
            Some(Call { descriptor, offset: offset.unwrap_or(UNKNOWN), whence: Some(whence), ..call })
        }
        Operation::Read | Operation::Write => {
            let size = if named.is_of_stream() { number(given.size)? } else { Some(1) };
            let requested = first([given.count, given.members, given.items])?;
            let bytes = |items: Option<i64>| match (items, size) {
                (Some(items), Some(size)) => items.checked_mul(size).filter(|&bytes| bytes >= 0),
                _ => Some(UNKNOWN),
            };
            let is_placed = named.has_offset() || named.is_of_stream();
            Some(Call {
                descriptor,
                offset: offset.filter(|_| is_placed).unwrap_or(UNKNOWN),
                length: bytes(result.or(requested))?,
                requested: bytes(requested)?,
                ..call
            })
        }
        Operation::Truncate => {
            let length = first([given.length, given.size, given.offset])?;
            Some(Call { descriptor, offset: length.unwrap_or(UNKNOWN), ..call })
        }
        _ => Some(Call { descriptor, ..call }),
    }
}

/// The first that is a number.
fn first(values: [Option<Value<'_>>; 3]) -> Option<Option<i64>> {
    let mut first = None;
    for value in values {
        first = first.or(number(value)?);
    }
    Some(first)
}

/// A number, perhaps as text; None within for what is none, and None for one that is too long.
#[inline]
fn number(value: Option<Value<'_>>) -> Option<Option<i64>> {
    value.map_or(Some(None), |value| value.number())
}

/// How long a call took, UNKNOWN where the event does not say; None if the value is not a number or is negative.
#[inline]
fn duration(value: Option<Value<'_>>) -> Option<i64> {
    value.map_or(Some(UNKNOWN), |value| value.number()?.filter(|&duration| duration >= 0))
}

/// A name by its hash, or else as it is; None within if there is none.
#[inline]
fn name_of<'t>(hash: Option<Value<'t>>, name: Option<Value<'t>>) -> Option<Option<Name<'t>>> {
    Some(match (hash, name) {
        (Some(Value::Number([b'-', ..])), _) => return None,
        (Some(Value::Number(text) | Value::Text(text)), _) => Some(Name { is_hash: true, text }),
        (None, Some(Value::Text(text))) => Some(Name::plain(text)),
        (None, _) => None,
    })
}

/// An object with its arguments; None if it has anything but numbers and plain text.
#[inline]
fn event(line: &[u8]) -> Option<Event<'_>> {
    let mut event = Event::default();
    let mut object = Object::new(line)?;
    while let Some(key) = object.key()? {
        let place = match key {
            b"name" => &mut event.name,
            b"cat" => &mut event.category,
            b"ph" => &mut event.phase,
            b"pid" => &mut event.process,
            b"tid" => &mut event.thread,
            b"ts" => &mut event.time,
            b"dur" => &mut event.duration,
            b"args" => {
                object.enter()?;
                event.arguments = Some(arguments(&mut object)?);
                continue;
            }
            _ => {
                object.value()?;
                continue;
            }
        };
        *place = Some(object.value()?);
    }
    object.is_at_end().then_some(event)
}

#[inline]
fn arguments<'t>(object: &mut Object<'t>) -> Option<Arguments<'t>> {
    let mut given = Arguments::default();
    while let Some(key) = object.key()? {
        let value = Some(object.value()?);
        match key {
            b"ret" => given.result = value,
            b"fhash" => given.file_hash = value,
            b"fname" => given.file_name = value,
            b"hhash" => given.host_hash = value,
            b"hostname" => given.host_name = value,
            b"fd" => given.descriptor = value,
            b"offset" => given.offset = value,
            b"count" => given.count = value,
            b"nmemb" => given.members = value,
            b"nitems" => given.items = value,
            b"size" => given.size = value,
            b"length" => given.length = value,
            b"whence" => given.whence = value,
            b"flags" => given.flags = value,
            b"mode" => given.mode = value,
            _ => {}
        }
    }
    Some(given)
}
