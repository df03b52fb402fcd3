//! The parts of a line.
//!
//! ```text
//! perf trace   0.042 ( 0.005 ms): cat/1234 openat(dfd: CWD, filename: "/etc/passwd", flags: RDONLY) = 3
//!              0.042 (         ): cat/1234 read(fd: 3, buf: 0x7ffd, count: 10)                       ...
//!              0.042 ( 9.005 ms): cat/1234  ... [continued]: read())                                 = 10
//! perf script  cat 1234 [001] 52.902721: raw_syscalls:sys_enter: NR 257 (ffffff9c, 7fc1dbae321c, 80000, 0, 0, 0)
//!              cat 1234 [001] 52.902728: raw_syscalls:sys_exit: NR 257 = 3
//!              cat 1234 [001] 53.902740: syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x7fc1 "/a", flags: 0x0
//!              cat 1234 [001] 53.902742: syscalls:sys_exit_openat: 0x4
//! ftrace       cat-1234 [001] ..... 52.902721: sys_enter: NR 257 (ffffff9c, 7fc1dbae321c, 80000, 0, 0, 0)
//!              cat-1234 [001] ..... 52.902728: sys_exit: NR 257 = 3
//!              cat-1234 [001] ..... 53.902740: sys_openat(dfd: 0xffffff9c, filename: 0x7fc1 "/a", flags: 0)
//!              cat-1234 [001] ..... 53.902742: sys_openat -> 0x4
//! ```

use crate::fields::EventLine;
use crate::syscalls::number::{self, digits, NS_PER_SECOND};

/// The most bytes of a line that can be a call: paths have at most 4,096.
const LONGEST_LINE: usize = 1 << 16;
/// The most bytes before a thread's number: the kernel's names of threads have 15.
const LONGEST_NAME: usize = 41;

/// A line with a call, or a part of one.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'t> {
    Trace(Trace<'t>),
    Script(Script<'t>),
}

/// A line of perf trace.
#[derive(Debug, PartialEq)]
pub(super) struct Trace<'t> {
    /// None in a log of one thread.
    pub thread: Option<i32>,
    /// When the call began, in nanoseconds; None if that was before the trace, which has `?`.
    pub begun_ns: Option<i128>,
    pub took_ns: Option<i128>,
    pub name: &'t [u8],
    /// None in a line on the return of a call that others interrupted.
    pub arguments: Option<&'t [u8]>,
    /// None if the call has not returned, and another's line follows.
    pub result: Option<&'t [u8]>,
}

/// A line of perf script, ftrace, or trace-cmd.
#[derive(Debug, PartialEq)]
pub(super) struct Script<'t> {
    pub thread: i32,
    pub time_ns: i128,
    /// How many decimals the time has.
    pub decimals: usize,
    pub call: Tracepoint<'t>,
    pub is_entry: bool,
    /// The arguments or the result.
    pub rest: &'t [u8],
}

/// Which call a tracepoint is of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tracepoint<'t> {
    /// `raw_syscalls`: its number, negative for none.
    Number(i64),
    /// `syscalls`
    Name(&'t [u8]),
    /// The same as ftrace prints it.
    Function(&'t [u8]),
}

/// Read a line; None if it is not of a call.
pub(super) fn read(line: &[u8]) -> Option<Line<'_>> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    script(line).map(Line::Script).or_else(|| trace(line).map(Line::Trace))
}

fn trace(line: &[u8]) -> Option<Trace<'_>> {
    let line = line.trim_ascii_start();
    let (begun_ns, rest) = match line.strip_prefix(b"?") {
        Some(rest) => (None, rest),
        None => {
            let (begun_ns, decimals, rest) = decimal(line, 15, 1_000_000)?;
            (decimals == 3).then_some((Some(begun_ns), rest))?
        }
    };
    let rest = rest.strip_prefix(b" (")?.trim_ascii_start();
    let (took_ns, rest) = match decimal(rest, 14, 1_000_000) {
        Some((took_ns, 1..=6, rest)) => (Some(took_ns), rest.strip_prefix(b" ms")?),
        Some(_) => return None,
        None => (None, rest),
    };
    let rest = rest.trim_ascii_start().strip_prefix(b"): ")?;
    // a thread's name may have slashes and blanks
    let slashes = memchr::memchr_iter(b'/', rest).take_while(|&slash| slash < LONGEST_NAME);
    let of_thread = slashes.filter_map(|slash| {
        let (thread, after) = thread(&rest[slash + 1..])?;
        called(after.strip_prefix(b" ")?.trim_ascii_start()).map(|call| (Some(thread), call))
    });
    let (thread, (name, arguments, result)) =
        of_thread.into_iter().next().or_else(|| called(rest).map(|call| (None, call)))?;
    Some(Trace { thread, begun_ns, took_ns, name, arguments, result })
}

/// The name, arguments and result of a call.
type Called<'t> = (&'t [u8], Option<&'t [u8]>, Option<&'t [u8]>);

fn called(text: &[u8]) -> Option<Called<'_>> {
    if let Some(rest) = text.strip_prefix(b"... [continued]: ") {
        let (name, rest) = word(rest)?;
        return outcome(rest.strip_prefix(b"())")?).map(|result| (name, None, result));
    }
    let (name, rest) = word(text)?;
    let rest = rest.strip_prefix(b"(")?;
    memchr::memchr_iter(b')', rest)
        .find_map(|close| outcome(&rest[close + 1..]).map(|result| (name, Some(&rest[..close]), result)))
}

/// What follows a call's arguments: its result, or that it has none yet. None if something else follows.
fn outcome(text: &[u8]) -> Option<Option<&[u8]>> {
    match text.trim_ascii_start() {
        b"..." => Some(None),
        [] => Some(Some(b"")),
        [b'=', result @ ..] => Some(Some(result.trim_ascii_start())),
        _ => None,
    }
}

fn script(line: &[u8]) -> Option<Script<'_>> {
    memchr::memmem::find(line, b"sys_")?;
    let EventLine { thread, time_ns, decimals, event, fields, .. } = EventLine::read(line)?;
    let (call, is_entry, rest) = match event {
        b"sys_enter" | b"sys_exit" => {
            let number = fields.strip_prefix(b"NR ")?;
            let (value, length) = number::parse(number);
            let call = (length > 0).then_some(Tracepoint::Number(value.signed()?))?;
            (call, event == b"sys_enter", &number[length..])
        }
        b"" => {
            let (name, rest) = word(fields.strip_prefix(b"sys_")?)?;
            match rest.strip_prefix(b" -> ") {
                Some(result) => (Tracepoint::Function(name), false, result),
                None => (Tracepoint::Function(name), true, rest.strip_prefix(b"(")?.strip_suffix(b")")?),
            }
        }
        _ => match event.strip_prefix(b"sys_enter_") {
            Some(name) => (Tracepoint::Name(name), true, fields),
            None => (Tracepoint::Name(event.strip_prefix(b"sys_exit_")?), false, fields),
        },
    };
    let thread = i32::try_from(thread).ok()?;
    Some(Script { thread, time_ns: time_ns.into(), decimals, call, is_entry, rest: rest.trim_ascii() })
}

/// The number of a thread that a text begins with, and what follows.
fn thread(text: &[u8]) -> Option<(i32, &[u8])> {
    let digits = digits(text);
    let thread = (digits.len() <= 9).then(|| number::decimal(digits)).flatten()?;
    Some((i32::try_from(thread).ok()?, &text[digits.len()..]))
}

/// The letters, digits and underscores that a text begins with, at least one, and what follows.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    (length > 0).then(|| text.split_at(length))
}

/// A number with decimals that a text begins with, in units of which each has `unit` nanoseconds; how many decimals it
/// has, and what follows.
fn decimal(text: &[u8], most_digits: usize, unit: i128) -> Option<(i128, usize, &[u8])> {
    let whole = digits(text);
    let decimals = digits(text[whole.len()..].strip_prefix(b".")?);
    let is_number = (1..=most_digits).contains(&whole.len()) && !decimals.is_empty();
    let value = is_number.then(|| number::decimal(whole)).flatten()?;
    let part = i128::from(number::nanoseconds(decimals)) * unit / i128::from(NS_PER_SECOND);
    let rest = &text[whole.len() + 1 + decimals.len()..];
    Some((i128::from(value) * unit + part, decimals.len(), rest))
}
