//! Lines of DFTracer's traces (`iotrace.formats.dftracer`).

use super::call::{Call, Layer, Name, Operation, Whence};
use super::calls::{self, Calls, Reason};
use super::json::{Json, Value};
use super::named_calls::{open_flags, NamedCall};
use super::numbers::{is_space, text_of};
use super::stated::Stated;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Units of times by their names, in nanoseconds.
const UNITS: [(&str, i128); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("sec", 1_000_000_000)];
/// A first time after this, September 2001, counts from 1970.
const EPOCH_NS: i128 = 1_000_000_000_000_000_000;
/// The most characters of a layer's name in a remark.
const MOST_SHOWN: usize = 40;

/// A trace that is being read: what its events say of others.
#[derive(Debug)]
pub struct Dftracer {
    /// Names of files and machines by their hashes.
    names: FxHashMap<String, String>,
    /// At the first line, and now.
    first_unit_ns: i128,
    unit_ns: i128,
    is_since_epoch: Option<bool>,
}

impl Default for Dftracer {
    fn default() -> Self {
        Dftracer::in_unit(1_000)
    }
}

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
    arguments: Arguments<'t>,
}

/// The arguments that matter.
#[derive(Debug, Default)]
struct Arguments<'t> {
    name: Option<Value<'t>>,
    value: Option<Value<'t>>,
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

impl Dftracer {
    fn in_unit(unit_ns: i128) -> Self {
        Dftracer { names: FxHashMap::default(), first_unit_ns: unit_ns, unit_ns, is_since_epoch: None }
    }

    /// A reader of further lines alone, perhaps before others.
    pub fn fork(&self) -> Self {
        Dftracer::in_unit(self.unit_ns)
    }

    /// Take what a fork learned of the lines that come next; false, and nothing is taken, if it read them in another unit
    /// than is known now.
    pub fn merge(&mut self, next: &mut Dftracer) -> bool {
        if next.first_unit_ns != self.unit_ns {
            return false;
        }
        self.names.extend(next.names.drain());
        self.unit_ns = next.unit_ns;
        self.is_since_epoch = self.is_since_epoch.or(next.is_since_epoch);
        true
    }

    /// Read further complete lines.
    pub fn read(&mut self, block: &[u8]) -> Calls {
        calls::read(block, |calls, line| self.take_line(calls, &text_of(line)))
    }

    /// The name that the trace gives for a hash, so far.
    pub fn name(&self, hash: &str) -> Option<&str> {
        self.names.get(hash).map(String::as_str)
    }

    /// Whether times count from 1970; None before the first call.
    pub fn is_since_epoch(&self) -> Option<bool> {
        self.is_since_epoch
    }

    #[inline]
    fn take_line(&mut self, calls: &mut Calls, line: &str) {
        let text = line.trim_matches(is_space).trim_end_matches(',');
        if matches!(text, "" | "[" | "]") {
            return;
        }
        let text = text.strip_suffix(']').filter(|text| text.ends_with('}')).unwrap_or(text);
        let taken = event(text).and_then(|event| self.take(calls, &event));
        if let Err(reason) = taken {
            calls.skip(reason);
        }
    }

    fn take(&mut self, calls: &mut Calls, event: &Event<'_>) -> Result<(), Reason> {
        let name = text(event.name).ok_or(Reason::NoEvent)?;
        if is_phase(event.phase, "M", "4") {
            self.learn(&name, &event.arguments);
            return Ok(());
        }
        if !is_phase(event.phase, "X", "1") {
            calls.remark("events that are not calls", "");
            return Ok(());
        }
        let layer = match text(event.category).as_deref() {
            Some("POSIX") => Layer::Posix,
            Some("STDIO") => Layer::Stdio,
            Some(other) => {
                let end = other.char_indices().nth(MOST_SHOWN).map_or(other.len(), |(end, _)| end);
                calls.remark("events of layer ", &other[..end]);
                return Ok(());
            }
            None => {
                calls.remark("events of no layer", "");
                return Ok(());
            }
        };
        let moving = NamedCall::of(name.as_bytes()).filter(|named| named.operation != Operation::Barrier);
        let named = moving.unwrap_or_else(|| NamedCall::of_names(name.as_bytes()));
        self.take_call(calls, event, layer, named)
    }

    /// Take a name, or the unit of times.
    fn learn(&mut self, kind: &str, given: &Arguments<'_>) {
        let Some(name) = text(given.name) else { return };
        if let ("FH" | "HH", Some(hash)) = (kind, hash(given.value)) {
            self.names.insert(hash.into_owned(), name.into_owned());
        } else if let ("CM", "time_metric", Some(stated)) = (kind, &*name, text(given.value)) {
            let unit = UNITS.iter().find(|(unit, _)| stated.eq_ignore_ascii_case(unit));
            self.unit_ns = unit.map_or(self.unit_ns, |&(_, unit_ns)| unit_ns);
        }
    }

    #[inline]
    fn take_call(
        &mut self,
        calls: &mut Calls,
        event: &Event<'_>,
        layer: Layer,
        named: NamedCall<'_>,
    ) -> Result<(), Reason> {
        let given = &event.arguments;
        let result = number(given.result);
        if result.is_some_and(|result| result < 0) && !named.operation.is_of_names() {
            calls.remark("calls that failed", "");
            return Ok(());
        }
        let in_ns = |steps: i128| steps * self.unit_ns;
        let time = number(event.time).map(in_ns);
        self.is_since_epoch = self.is_since_epoch.or(time.map(|time_ns| time_ns >= EPOCH_NS));
        let stated = Stated {
            time,
            duration: event.duration.map(|duration| duration.number().map(in_ns)),
            process: number(event.process),
            thread: number(event.thread),
            ..detailed(named, given, result)
        };
        let call = stated.call(Some(named.operation))?;
        let whence = call.whence.map(|start| match is_placed_seek(named, result) {
            true => start,
            false => Whence::of(number(given.whence).unwrap_or(0)),
        });
        let flags = match named.operation {
            Operation::Open => {
                open_flags(number(given.flags), text(given.mode).unwrap_or_default().as_bytes())
            }
            _ => call.flags,
        };
        let file = FileOrHost::of(given.file_hash, given.file_name);
        let host = FileOrHost::of(given.host_hash, given.host_name);
        let (file, host) = (file.as_ref().map(FileOrHost::name), host.as_ref().map(FileOrHost::name));
        calls.take_of_any_file(&Call { layer: Some(layer), whence, flags, file, host, ..call })
    }
}

/// Where a call goes, and how much it moves.
#[inline]
fn detailed(named: NamedCall<'_>, given: &Arguments<'_>, result: Option<i128>) -> Stated {
    let (descriptor, offset) = (number(given.descriptor), number(given.offset));
    match named.operation {
        Operation::Open if named.is_of_stream() => Stated::default(),
        Operation::Open => Stated { descriptor: result, ..Stated::default() },
        Operation::Seek if is_placed_seek(named, result) => {
            Stated { descriptor, offset: result, ..Stated::default() }
        }
        Operation::Seek => Stated { descriptor, offset, ..Stated::default() },
        Operation::Read | Operation::Write => {
            let size = if named.is_of_stream() { number(given.size) } else { Some(1) };
            let requested = first([given.count, given.members, given.items]);
            let bytes = |items: Option<i128>| Some(items? * size?);
            let is_placed = named.has_offset() || named.is_of_stream();
            Stated {
                descriptor,
                offset: offset.filter(|_| is_placed),
                length: bytes(result.or(requested)),
                requested: bytes(requested),
                ..Stated::default()
            }
        }
        Operation::Truncate => Stated {
            descriptor,
            offset: first([given.length, given.size, given.offset]),
            ..Stated::default()
        },
        _ => Stated { descriptor, ..Stated::default() },
    }
}

/// Whether a seek's result is where the file pointer stands.
fn is_placed_seek(named: NamedCall<'_>, result: Option<i128>) -> bool {
    named.name == b"lseek" && result.is_some()
}

/// What a file or a machine is called.
struct FileOrHost<'t> {
    is_hash: bool,
    text: Cow<'t, str>,
}

impl<'t> FileOrHost<'t> {
    #[inline]
    fn of(stated: Option<Value<'t>>, name: Option<Value<'t>>) -> Option<Self> {
        let hash = hash(stated).map(|text| FileOrHost { is_hash: true, text });
        hash.or_else(|| text(name).map(|text| FileOrHost { is_hash: false, text }))
    }

    fn name(&self) -> Name<'_> {
        Name { is_hash: self.is_hash, text: self.text.as_bytes() }
    }
}

fn text(value: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    value?.text()
}

#[inline]
fn number(value: Option<Value<'_>>) -> Option<i128> {
    value?.number()
}

/// The first that is a number.
fn first(values: [Option<Value<'_>>; 3]) -> Option<i128> {
    values.into_iter().find_map(number)
}

/// A hash, which is a whole number or text.
fn hash(value: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    match value? {
        Value::Whole("-0") => Some(Cow::Borrowed("0")),
        Value::Whole(text) => Some(Cow::Borrowed(text)),
        value => value.text(),
    }
}

fn is_phase(phase: Option<Value<'_>>, letter: &str, number: &str) -> bool {
    match phase {
        Some(Value::Whole(text)) => text == number,
        Some(Value::Decimal(text)) => text.parse::<f64>() == number.parse(),
        phase => text(phase).is_some_and(|text| text == letter),
    }
}

/// The event of a line.
///
/// # Errors
/// Why there is none.
#[inline]
fn event(text: &str) -> Result<Event<'_>, Reason> {
    let mut json = Json::new(text);
    let is_object = json.enters();
    let event = if is_object { members(&mut json) } else { json.value().map(|_| Event::default()) };
    event.filter(|_| json.is_at_end()).ok_or(Reason::NoJson)
}

#[inline]
fn members<'t>(json: &mut Json<'t>) -> Option<Event<'t>> {
    let mut event = Event::default();
    while let Some(key) = json.key()? {
        let place = match key.as_bytes() {
            b"name" => &mut event.name,
            b"cat" => &mut event.category,
            b"ph" => &mut event.phase,
            b"pid" => &mut event.process,
            b"tid" => &mut event.thread,
            b"ts" => &mut event.time,
            b"dur" => &mut event.duration,
            b"args" => {
                event.arguments = arguments(json)?;
                continue;
            }
            _ => {
                json.value()?;
                continue;
            }
        };
        *place = json.value()?;
    }
    Some(event)
}

/// The arguments: none if they are not an object.
#[inline]
fn arguments<'t>(json: &mut Json<'t>) -> Option<Arguments<'t>> {
    let mut given = Arguments::default();
    if !json.enters() {
        return json.value().map(|_| given);
    }
    while let Some(key) = json.key()? {
        let value = json.value()?;
        match key.as_bytes() {
            b"name" => given.name = value,
            b"value" => given.value = value,
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
