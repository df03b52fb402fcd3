//! Logs that strace wrote to a terminal or to standard error: lines without a thread's number while one thread is
//! traced, and lines split by other output.

use super::prefix::ThreadTime;
use super::roles::makes_child;
use crate::syscalls::call::CallKind;
use rustc_hash::FxHashSet;

/// The thread of lines without a number.
///
/// strace writes `[pid N]` only while it traces more than one thread. The first thread has no number until such a line
/// shows it; to keep it one thread, its number is 0 throughout.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// Whether the log began without numbers.
    began_nameless: bool,
    /// Whether a number in square brackets has been seen; before that there is at most one thread.
    numbered: bool,
    /// The number of the first thread, once known.
    first: Option<i32>,
    /// Threads created by others, by number.
    children: FxHashSet<i32>,
    live: FxHashSet<i32>,
}

/// What a line with a number shows about the first thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstThread {
    /// It has a call pending, and this line is that call's return.
    Returns,
    /// It has a call pending, and this line is another's.
    Waits,
    /// It has no call pending.
    Runs,
}

impl Threads {
    /// A line without a number was parsed.
    pub fn began_nameless(&mut self) {
        self.began_nameless |= !self.numbered;
    }

    /// The thread of a line without a number.
    pub fn nameless(&self) -> i32 {
        if !self.numbered {
            return 0;
        }
        let mut live = self.live.iter();
        match (live.next(), live.next()) {
            (Some(&only), None) => only,
            _ => 0,
        }
    }

    /// The thread of a line with a number in square brackets.
    pub fn named(&mut self, number: i32, first_thread: FirstThread) -> i32 {
        if !self.numbered {
            self.numbered = true;
            if self.began_nameless {
                self.live.insert(0);
            }
        }
        if self.began_nameless && self.first.is_none() && !self.children.contains(&number) {
            match first_thread {
                FirstThread::Returns | FirstThread::Runs => self.first = Some(number),
                FirstThread::Waits => self.made(number),
            }
        }
        let thread = self.known(number);
        self.live.insert(thread);
        thread
    }

    /// The thread of a number in the log.
    pub fn known(&self, number: i32) -> i32 {
        if self.first == Some(number) {
            0
        } else {
            number
        }
    }

    /// A call returned. If it creates a child, its result is not the first thread.
    pub fn result(&mut self, kind: CallKind, result: Option<i64>) {
        if (self.began_nameless || !self.numbered) && makes_child(kind) {
            if let Some(Ok(number)) = result.map(i32::try_from) {
                self.made(number);
            }
        }
    }

    /// A text that may end in `strace: Process N attached`, which then is not the first thread.
    pub fn notice(&mut self, text: &[u8]) {
        if let Some(number) = attached(text) {
            self.made(number);
        }
    }

    fn made(&mut self, number: i32) {
        self.children.insert(number);
    }

    pub fn ended(&mut self, thread: i32) {
        if self.numbered {
            self.live.remove(&thread);
        }
    }

    /// A thread called exec, which ended all others of its group, and continues under the number of the group's first
    /// thread.
    pub fn superseded(&mut self, first: i32, successor: i32) {
        if self.numbered {
            self.live.remove(&successor);
            self.live.insert(first);
        }
    }

    /// The kernel's number of thread 0, once known.
    pub fn first_number(&self) -> Option<i32> {
        self.first
    }
}

/// A line that ended inside a call, in case a later line continues it.
#[derive(Debug)]
pub(super) struct Fragment {
    pub place: ThreadTime,
    /// The line's event.
    pub text: Vec<u8>,
    pub line_number: u64,
    /// Whether the line had no thread's number.
    pub nameless: bool,
    /// The number of lines after it that did not continue it.
    strangers: u32,
}

/// The longest text that is kept.
pub(super) const LONGEST_FRAGMENT: usize = 1 << 16;

/// Lines that do not continue a text after which it is given up.
const MOST_STRANGERS: u32 = 100;

impl Fragment {
    pub fn new(text: &[u8], place: ThreadTime, line_number: u64, nameless: bool) -> Fragment {
        Fragment { place, text: text.to_vec(), line_number, nameless, strangers: 0 }
    }

    /// Count a line that did not continue it; false if the limit is reached.
    pub fn has_patience(&mut self) -> bool {
        self.strangers += 1;
        self.strangers < MOST_STRANGERS
    }

    /// The candidate texts of the call if `line` continues it, the most probable first.
    ///
    /// strace's own notice, or the output of the traced program, may stand at the fragment's end. A notice is
    /// recognized by its words; output is only known to follow the last argument, which is therefore left out.
    pub fn joined(&self, line: &[u8]) -> [Vec<u8>; 2] {
        let kept = match notice(&self.text) {
            Some((at, _)) => without_notice(&self.text, at),
            None => &self.text[..last_comma(&self.text)],
        };
        let mended = mended(&[&self.text, line].concat()).unwrap_or_default();
        [[kept, line].concat(), mended]
    }
}

/// A call without its last argument and the foreign output after that: `write(1, "{", 1{) = 1`.
///
/// Only for a text that does not parse from left to right. If it contains another call, the result belongs to that
/// call.
pub(super) fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let equals = memchr::memmem::rfind(text, b" = ")?;
    let close = text[..equals].trim_ascii_end().len().checked_sub(1)?;
    let last = last_comma(text);
    let left_out = text.get(last..close)?;
    (text[close] == b')' && !begins_a_call(left_out)).then(|| [&text[..last], &text[close..]].concat())
}

/// Whether a text contains ` name(`.
fn begins_a_call(text: &[u8]) -> bool {
    memchr::memchr_iter(b'(', text).any(|open| {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = text[..open].iter().rev().take_while(|byte| word(byte));
        let before = open - name.count();
        before < open && before > 0 && text[before - 1] == b' '
    })
}

/// The thread N of a `strace: Process N attached` at the end of a text.
fn attached(text: &[u8]) -> Option<i32> {
    let (_, notice) = notice(text)?;
    let digits = super::number::digits(notice);
    let number = super::number::decimal(digits)?;
    notice[digits.len()..].starts_with(b" attached").then(|| i32::try_from(number).ok()).flatten()
}

/// Where a notice at the end of the text begins, and what follows the word `Process`.
fn notice(text: &[u8]) -> Option<(usize, &[u8])> {
    const WORDS: &[u8] = b"strace: Process ";
    let at = memchr::memmem::rfind(text, WORDS)?;
    let says = &text[at + WORDS.len()..];
    (says.ends_with(b" attached") || says.ends_with(b" detached")).then_some((at, says))
}

/// The text before the notice that begins at `at`.
fn without_notice(text: &[u8], at: usize) -> &[u8] {
    let text = &text[..at];
    // strace writes the name under which it was called: `/usr/bin/strace: Process 7 attached`.
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/');
    let start = text.iter().rposition(|byte| !is_path(byte)).map_or(0, |before| before + 1);
    let text = match memchr::memchr(b'/', &text[start..]) {
        Some(slash) => &text[..start + slash],
        None => text,
    };
    text.strip_suffix(b"^C").unwrap_or(text)
}

/// After the last comma between arguments, or after the opening parenthesis.
fn last_comma(text: &[u8]) -> usize {
    let open = memchr::memchr(b'(', text).map_or(0, |open| open + 1);
    super::split::last_argument(text, open)
}
