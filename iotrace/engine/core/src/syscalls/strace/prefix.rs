//! The text before the event of a line: `[pid] [security context] [time] [(+relative)] [call number] [address]`.

use super::number;
use super::skip::Skip;

/// A line's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The thread's number, if the line has one.
    pub thread: Option<i32>,
    /// Whether that number is in square brackets, as strace writes it on standard error.
    pub bracketed: bool,
    /// The time stamp.
    pub stamp: Stamp,
    /// Where the event begins.
    pub length: usize,
}

/// A time stamp as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    None,
    /// Since 1970 (`-ttt`).
    Epoch(Reading),
    /// Since midnight (`-t`, `-tt`).
    OfDay(Reading),
    /// Since the previous line (`-r`), which strace fills up with spaces to six digits of seconds.
    Relative(Reading),
    /// One that is not filled up, and too small for the present day: a clock that has not been set (`-ttt`), or `-r`
    /// without its spaces; see `SmallStamps`.
    Small(Reading),
}

/// A number of seconds with its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub ns: i64,
    /// The number of decimals.
    pub decimals: u8,
}

/// The thread and time of a line's prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadTime {
    pub thread: i32,
    pub time_ns: Option<i64>,
}

/// With at least this many digits a whole number is seconds since 1970 and not a pid.
const EPOCH_DIGITS: usize = 10;

const NOTHING: Prefix = Prefix { thread: None, bracketed: false, stamp: Stamp::None, length: 0 };

/// Read the prefix of `line`.
pub(super) fn parse(line: &[u8]) -> Result<Prefix, Skip> {
    let mut prefix = NOTHING;
    parse_into(line, &mut prefix)?;
    Ok(prefix)
}

/// The time stamp of a line that may have no event and an incomplete prefix.
pub(super) fn leading_stamp(line: &[u8]) -> Stamp {
    let mut prefix = NOTHING;
    // The prefix has the fields read before an error.
    let _ = parse_into(line, &mut prefix);
    prefix.stamp
}

#[inline(always)]
fn parse_into(line: &[u8], prefix: &mut Prefix) -> Result<(), Skip> {
    loop {
        let spaces = line[prefix.length..].iter().take_while(|&&byte| byte == b' ').count();
        let at = prefix.length + spaces;
        match line.get(at) {
            Some(b'0'..=b'9') => number_field(line, at, spaces > 0, prefix)?,
            Some(b'[') if !bracket_field(line, at, prefix)? => return Ok(()),
            Some(b'[') => {}
            // The delta after an absolute time is redundant.
            Some(b'(') if line.get(at + 1) == Some(&b'+') && prefix.stamp != Stamp::None => {
                let Some(close) = memchr::memchr(b')', &line[at..]) else {
                    return Ok(());
                };
                prefix.length = after_space(line, at + close + 1);
            }
            _ => {
                // Without a field, leading spaces belong to what follows (` <unfinished ...>`, ` => {...}`).
                if prefix.length > 0 {
                    prefix.length = at;
                }
                return Ok(());
            }
        }
        if line.get(prefix.length).is_some_and(|byte| byte.is_ascii_lowercase()) {
            return Ok(());
        }
    }
}

/// A field that begins with a digit: a pid, or a time.
fn number_field(line: &[u8], at: usize, indented: bool, prefix: &mut Prefix) -> Result<(), Skip> {
    let (value, digits) = number::leading_decimal(&line[at..]);
    let end = at + digits;
    match line.get(end) {
        Some(b'.') => {
            let decimals = number::digits(&line[end + 1..]);
            let reading = reading(value, decimals)?;
            prefix.stamp = match digits < EPOCH_DIGITS {
                true if indented => Stamp::Relative(reading),
                true => Stamp::Small(reading),
                false => Stamp::Epoch(reading),
            };
            prefix.length = after_space(line, end + 1 + decimals.len());
        }
        Some(b':') => return time_of_day(line, at, prefix),
        Some(b'<') => {
            prefix.thread = Some(pid(value)?);
            let name = comm_end(line, end).ok_or(Skip::NotACall)?;
            prefix.length = after_space(line, name);
        }
        Some(b' ') if digits >= EPOCH_DIGITS => {
            prefix.stamp = Stamp::Epoch(reading(value, b"")?);
            prefix.length = end + 1;
        }
        Some(b' ') if prefix.stamp != Stamp::None => return Err(Skip::NotACall),
        Some(b' ') if prefix.thread.is_some() || indented => {
            prefix.stamp = Stamp::Relative(reading(value, b"")?);
            prefix.length = end + 1;
        }
        Some(b' ') => {
            prefix.thread = Some(pid(value)?);
            prefix.length = end + 1;
        }
        _ => return Err(Skip::NotACall),
    }
    Ok(())
}

/// `HH:MM:SS[.decimals]`
fn time_of_day(line: &[u8], at: usize, prefix: &mut Prefix) -> Result<(), Skip> {
    let &[h1, h2, b':', m1, m2, b':', s1, s2] = line.get(at..at + 8).ok_or(Skip::NotACall)? else {
        return Err(Skip::NotACall);
    };
    let two = |high: u8, low: u8| match (high, low) {
        (b'0'..=b'9', b'0'..=b'9') => Ok(i64::from(high - b'0') * 10 + i64::from(low - b'0')),
        _ => Err(Skip::NotACall),
    };
    let (hours, minutes, seconds) = (two(h1, h2)?, two(m1, m2)?, two(s1, s2)?);
    if hours > 23 || minutes > 59 || seconds > 60 {
        return Err(Skip::NumberOutOfRange);
    }
    let decimals = match line.get(at + 8) {
        Some(b'.') => number::digits(&line[at + 9..]),
        _ => b"",
    };
    let fraction = number::nanoseconds(decimals);
    let ns = ((hours * 60 + minutes) * 60 + seconds) * number::NS_PER_SECOND + fraction;
    let length = if decimals.is_empty() { 8 } else { 9 + decimals.len() };
    prefix.stamp = Stamp::OfDay(Reading { ns, decimals: decimals.len().min(9) as u8 });
    prefix.length = after_space(line, at + length);
    Ok(())
}

/// `[pid N] `, or a field that is skipped: a security context, a call's number, an instruction's address. False if no
/// such field is here.
fn bracket_field(line: &[u8], at: usize, prefix: &mut Prefix) -> Result<bool, Skip> {
    let Some(close) = memchr::memmem::find(&line[at..], b"] ").map(|close| at + close) else {
        return Ok(false);
    };
    if line[at + 1..].starts_with(b"pid") {
        let inside = line[at + 4..close].trim_ascii_start();
        let (number, digits) = number::leading_decimal(inside);
        if digits == 0 {
            return Err(Skip::NotACall);
        }
        prefix.thread = Some(pid(number)?);
        prefix.bracketed = true;
        // A command's name (--decode-pids=comm) may itself hold "] ".
        let start = close - inside.len();
        if inside.get(digits) == Some(&b'<') {
            let end = comm_end(line, start + digits).ok_or(Skip::NotACall)?;
            prefix.length = after_space(line, end + 1);
            return Ok(true);
        }
    }
    prefix.length = close + 2;
    Ok(true)
}

/// Where `<name>` at `open` ends. strace escapes the brackets that a name holds.
fn comm_end(line: &[u8], open: usize) -> Option<usize> {
    memchr::memchr(b'>', &line[open..]).map(|close| open + close + 1)
}

fn pid(number: Option<u64>) -> Result<i32, Skip> {
    number.and_then(|number| i32::try_from(number).ok()).ok_or(Skip::NumberOutOfRange)
}

fn reading(seconds: Option<u64>, decimals: &[u8]) -> Result<Reading, Skip> {
    let seconds = seconds.ok_or(Skip::NumberOutOfRange)?;
    let ns = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| seconds.checked_mul(number::NS_PER_SECOND))
        .and_then(|ns| ns.checked_add(number::nanoseconds(decimals)))
        .ok_or(Skip::NumberOutOfRange)?;
    Ok(Reading { ns, decimals: decimals.len().min(9) as u8 })
}

fn after_space(line: &[u8], at: usize) -> usize {
    if line.get(at) == Some(&b' ') {
        at + 1
    } else {
        at.min(line.len())
    }
}
