//! Lines of events as ftrace, `trace-cmd report` and `perf script` print them.
//!
//! ```text
//! ftrace       app-911     [001] d..1.   100.000000: block_bio_queue: 8,0 R 1000 + 8 [app]
//!              app-911     (  911) [001] d..1.   100.000000: block_bio_queue: 8,0 R 1000 + 8 [app]
//! trace-cmd    app-911   [001]   100.000000: block_bio_queue:      8,0 R 1000 + 8 [app]
//! perf script  app   911/911 [001]   100.000000:  1   block:block_bio_queue: 8,0 R 1000 + 8 [app]
//! ```

use super::{is_blank, Cursor, NS_PER_S};
use std::ops::RangeInclusive;

/// The kernel's names of threads have 15 bytes; bytes that are not printed as such take four.
const LONGEST_NAME: usize = 61;
/// Digits of the seconds and of their decimals.
const SECONDS: RangeInclusive<usize> = 1..=10;
const DECIMALS: RangeInclusive<usize> = 1..=9;
/// ftrace's letters on interrupts and preemption.
const LONGEST_FLAGS: usize = 8;

/// A line of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLine<'t> {
    /// The thread's name.
    pub program: &'t [u8],
    pub thread: u32,
    pub time_ns: u64,
    /// How many decimals its seconds have.
    pub decimals: usize,
    /// The event's name without its system; empty where the line has none.
    pub event: &'t [u8],
    pub fields: &'t [u8],
}

impl<'t> EventLine<'t> {
    /// Read a line; None if it is not of an event.
    #[inline]
    pub fn read(line: &'t [u8]) -> Option<Self> {
        memchr::memchr_iter(b':', line).find_map(|colon| {
            if !line.get(colon + 1).is_none_or(|&byte| is_blank(byte)) {
                return None;
            }
            let (start, decimals) = time_start(&line[..colon])?;
            let time_ns = Cursor::new(&line[start..colon]).decimal(NS_PER_S)?;
            let (program, thread) = task(&line[..start])?;
            let (event, fields) = event(&line[colon + 1..]);
            Some(EventLine { program, thread, time_ns: time_ns as u64, decimals, event, fields })
        })
    }
}

/// Where the time begins that ends a text, and its decimals.
fn time_start(text: &[u8]) -> Option<(usize, usize)> {
    let decimals = digits_at_end(text);
    let seconds = text[..text.len() - decimals].strip_suffix(b".")?;
    let digits = digits_at_end(seconds);
    let start = seconds.len() - digits;
    let is_time = DECIMALS.contains(&decimals) && SECONDS.contains(&digits);
    (is_time && start > 0 && is_blank(text[start - 1])).then_some((start, decimals))
}

/// The name and number of the thread, of what is before the time.
fn task(text: &[u8]) -> Option<(&[u8], u32)> {
    let text = text.trim_ascii_end();
    let (before, last) = last_word(text);
    let text = if is_processor(last) {
        before
    } else {
        match last_word(before) {
            (text, processor) if is_processor(processor) => text,
            _ if last.len() <= LONGEST_FLAGS && digits_at_end(last) == 0 => before,
            _ => text,
        }
    };
    // the process, where ftrace prints it
    let text = match text.strip_suffix(b")") {
        Some(inside) => inside[..memchr::memrchr(b'(', inside)?].trim_ascii_end(),
        None => text,
    };
    let digits = digits_at_end(text);
    let (name, number) = text.split_at(text.len() - digits);
    let name = match name {
        [name @ .., b'/'] => &name[..name.len() - digits_at_end(name)],
        [name @ .., b'-' | b' ' | b'\t'] => name,
        [] => name,
        _ => return None,
    };
    let thread = Cursor::new(number).whole().and_then(|thread| u32::try_from(thread).ok())?;
    let name = name.trim_ascii();
    (name.len() <= LONGEST_NAME).then_some((name, thread))
}

fn is_processor(word: &[u8]) -> bool {
    word.len() > 2 && word.starts_with(b"[") && digits_at_end(&word[..word.len() - 1]) == word.len() - 2
}

/// The name and the fields of an event; perf may print how many it counted before the name.
fn event(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = match text.get(digits) {
        Some(&byte) if digits > 0 && is_blank(byte) => text[digits..].trim_ascii_start(),
        _ => text,
    };
    let word = text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len());
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:-".contains(byte);
    match text[..word].strip_suffix(b":").filter(|name| name.iter().all(is_of_name)) {
        Some(name) => {
            let name = memchr::memrchr(b':', name).map_or(name, |colon| &name[colon + 1..]);
            (name, text[word..].trim_ascii_start())
        }
        None => (b"", text),
    }
}

/// The last word of a text that ends in none but letters, and what is before it without blanks.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let start = text.iter().rposition(|&byte| is_blank(byte)).map_or(0, |blank| blank + 1);
    let (before, word) = text.split_at(start);
    (before.trim_ascii_end(), word)
}

fn digits_at_end(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
}

/// How many events a line says are lost: of ftrace, trace-cmd, or perf script. Some say only that there are any.
pub fn lost_events(line: &[u8]) -> Option<Option<i64>> {
    let after = |word: &[u8]| memchr::memmem::find(line, word).map(|at| &line[at + word.len()..]);
    let number = |text: &[u8]| Cursor::new(text.trim_ascii_start()).whole();
    if line.starts_with(b"CPU:") {
        let text = after(b"[")?;
        let text = text.strip_prefix(b"LOST ").unwrap_or(text);
        let is_loss = line.ends_with(b"EVENTS]") || line.ends_with(b"EVENTS DROPPED]");
        return is_loss.then(|| number(text));
    }
    after(b"PERF_RECORD_LOST").map(|text| {
        let lost = memchr::memmem::find(text, b"lost").map(|at| &text[at + 4..]);
        lost.and_then(|text| number(text.strip_prefix(b":").unwrap_or(text)))
    })
}

/// Whether `trace-cmd report` says something of its file in a line.
pub fn is_of_trace_cmd(line: &[u8]) -> bool {
    let is_empty = line.starts_with(b"CPU ") && line.ends_with(b" is empty");
    is_empty || line.starts_with(b"cpus=") || line.starts_with(b"version = ")
}

#[cfg(test)]
mod tests {
    use super::{lost_events, EventLine};

    fn read(line: &str) -> Option<(String, u32, u64, String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        EventLine::read(line.as_bytes())
            .map(|line| (text(line.program), line.thread, line.time_ns, text(line.event), text(line.fields)))
    }

    #[test]
    fn each_tool_prints_the_same_event() {
        let expected =
            Some(("a b".to_owned(), 911, 100_000_002_000, "block_getrq".to_owned(), "8,0 R".to_owned()));
        for line in [
            "             a b-911     [001] d..1.   100.000002: block_getrq: 8,0 R",
            "             a b-911     (    900) [001] .....   100.000002: block_getrq: 8,0 R",
            "             a b-911     (-------) [001]   100.000002: block_getrq: 8,0 R",
            "             a b-911   [001]   100.000002000: block_getrq:          8,0 R",
            "a b   911 [001]   100.000002:         block:block_getrq: 8,0 R",
            "a b   900/911 [001]   100.000002:          1         block:block_getrq: 8,0 R",
            "a b   911   100.000002:  block:block_getrq: 8,0 R",
            "a b   911 d..1.   100.000002:  block:block_getrq: 8,0 R",
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        let nameless = read("911   100.000002:  block:block_getrq: 8,0 R");
        assert_eq!(nameless.map(|line| (line.0, line.1)), Some((String::new(), 911)));
        let kworker = read("   kworker/0:1H-44  [000] ..s..  1.5: block_plug: [kworker/0:1H]");
        assert_eq!(
            kworker.map(|line| (line.0, line.1, line.2)),
            Some(("kworker/0:1H".to_owned(), 44, 1_500_000_000))
        );
        let tracer = read(" app-911 [001] d..1. 100.000000:   8,0    Q   R 1000 + 8 [app]");
        assert_eq!(
            tracer.map(|line| (line.3, line.4)),
            Some((String::new(), "8,0    Q   R 1000 + 8 [app]".to_owned()))
        );
    }

    #[test]
    fn other_lines_are_of_no_event() {
        for line in [
            "",
            "# tracer: nop",
            "cpus=2",
            "1.5: x: y",
            "app [001] 1.5: x: y",
            "app-1 [001] 15: x: y",
            "a-1 1.5x: y",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn losses_are_counted() {
        assert_eq!(lost_events(b"CPU:1 [LOST 123 EVENTS]"), Some(Some(123)));
        assert_eq!(lost_events(b"CPU:1 [123 EVENTS DROPPED]"), Some(Some(123)));
        assert_eq!(lost_events(b"CPU:1 [EVENTS DROPPED]"), Some(None));
        assert_eq!(lost_events(b"a 1 [000] 2.5: PERF_RECORD_LOST lost 4"), Some(Some(4)));
        assert_eq!(lost_events(b"a 1 [000] 2.5: PERF_RECORD_LOST_SAMPLES lost: 4"), Some(Some(4)));
        assert_eq!(lost_events(b"CPU:1 is fine"), None);
    }
}
