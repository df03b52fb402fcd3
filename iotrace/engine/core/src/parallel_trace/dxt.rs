//! Darshan's extended tracing as text (`iotrace.formats.darshan_dxt`).

use super::call::{Call, Layer, Name, Operation, UNKNOWN};
use super::calls::{self, Calls, Reason};
use super::numbers::{are, is_integer, is_space, nanoseconds, whole};
use super::stated::Stated;
use crate::fields::{is_blank, Cursor, NS_PER_S};
use std::borrow::Cow;

/// A log that is being read: what its header says of the rows that follow.
#[derive(Debug, Default)]
pub struct Dxt {
    zero_ns: i128,
    file: Option<String>,
    host: Option<String>,
}

impl Dxt {
    /// Read further complete lines.
    pub fn read(&mut self, block: &[u8]) -> Calls {
        calls::read(block, |calls, line| match line {
            [b'#', ..] => self.take_comment(calls, line),
            _ => self.take_line(calls, line),
        })
    }

    fn take_comment(&mut self, calls: &mut Calls, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let of_file = numbered(&text, "# DXT, file_id: ", ", file_name:");
        if let Some((number, name)) = of_file.filter(|(number, _)| !number.starts_with('-')) {
            self.file = whole(number.as_bytes()).map(|number| match name {
                "" | "(null)" => format!("file_id {number}"),
                _ => name.to_owned(),
            });
        } else if let Some((_, host)) = numbered(&text, "# DXT, rank: ", ", hostname:") {
            let host = host.trim_matches(is_space);
            self.host = (!host.is_empty()).then(|| host.to_owned());
        } else if let Some(seconds) = text.strip_prefix("# start_time: ") {
            let seconds = seconds.trim_end_matches(is_space);
            if are(seconds.as_bytes(), |byte| byte.is_ascii_digit()) {
                self.zero_ns = whole(seconds.as_bytes()).unwrap_or(0) * i128::from(NS_PER_S);
            }
        } else if is_incomplete(&text) {
            let warning = text.trim_start_matches(['#', ' ', '*']).trim_matches(is_space);
            calls.warnings.push(warning.to_owned());
        }
    }

    #[inline]
    fn take_line(&self, calls: &mut Calls, line: &[u8]) {
        // without an early end, which would keep it from comparing many bytes at once
        let is_plain = line.iter().fold(true, |is_plain, &byte| is_plain & (b' '..=b'~').contains(&byte));
        let line = if is_plain { Cow::Borrowed(line) } else { Cow::Owned(spaced(line)) };
        if line.iter().all(|&byte| byte == b' ') {
            return;
        }
        let taken = self.row(&line).and_then(|call| calls.take(&call));
        if let Err(reason) = taken {
            calls.skip(reason);
        }
    }

    /// A row's access; numbers that are none, or of more than 20 digits, are unknown.
    #[inline]
    fn row<'t>(&'t self, line: &[u8]) -> Result<Call<'t>, Reason> {
        let mut words = Words(Cursor::new(line));
        let layer =
            words.next().strip_prefix(b"X_").filter(|name| are(name, |byte| byte.is_ascii_uppercase()));
        let layer = match layer.ok_or(Reason::NoRow)? {
            b"POSIX" => Some(Layer::Posix),
            b"MPIIO" => Some(Layer::Mpiio),
            b"STDIO" => Some(Layer::Stdio),
            _ => None,
        };
        let process = words.integer()?;
        let operation = match words.next() {
            b"read" => Some(Operation::Read),
            b"write" => Some(Operation::Write),
            word if are(word, |byte| byte.is_ascii_lowercase()) => None,
            _ => return Err(Reason::NoRow),
        };
        if !are(words.next(), |byte| byte.is_ascii_digit()) {
            return Err(Reason::NoRow);
        }
        // logs before version 2 of module DXT_MPIIO have -1 for all offsets
        let offset = words.integer()?.filter(|&offset| offset != -1);
        let length = words.integer()?;
        let (start, end) = (words.next(), words.next());
        if end.is_empty() {
            return Err(Reason::NoRow);
        }
        let (start_ns, end_ns) = (nanoseconds(start), nanoseconds(end));
        let thread = words.thread()?;

        let stated = Stated {
            time: start_ns.map(|start_ns| self.zero_ns + start_ns),
            duration: Some(start_ns.zip(end_ns).map(|(start_ns, end_ns)| end_ns - start_ns)),
            process,
            thread,
            offset,
            length,
            ..Stated::default()
        };
        let call = stated.call(operation)?;
        if call.length == UNKNOWN {
            return Err(Reason::NoLength);
        }
        let name = |text: Option<&'t str>| text.map(|text| Name::plain(text.as_bytes()));
        let (file, host) = (name(self.file.as_deref()), name(self.host.as_deref()));
        Ok(Call { layer, file, host, ..call })
    }
}

/// The words of a row, between spaces.
struct Words<'t>(Cursor<'t>);

impl<'t> Words<'t> {
    #[inline]
    fn next(&mut self) -> &'t [u8] {
        self.0.run(is_blank);
        self.0.run(|byte| byte != b' ')
    }

    #[inline]
    fn integer(&mut self) -> Result<Option<i128>, Reason> {
        let word = self.next();
        if is_integer(word) {
            Ok(whole(word))
        } else {
            Err(Reason::NoRow)
        }
    }

    /// Pass the numbers of storage targets, each in brackets, and return the thread's number, if there is one; then the
    /// line ends.
    #[inline]
    fn thread(&mut self) -> Result<Option<i128>, Reason> {
        let mut ahead = self.0;
        loop {
            ahead.run(is_blank);
            if !ahead.passes(b'[') {
                break;
            }
            ahead.run(is_blank);
            ahead.passes(b'-');
            if ahead.run(|byte| byte.is_ascii_digit()).is_empty() || !ahead.passes(b']') {
                break;
            }
            self.0 = ahead;
        }
        let word = self.next();
        self.0.run(is_blank);
        if self.0.is_at_end() {
            Ok(whole(word))
        } else {
            Err(Reason::NoRow)
        }
    }
}

/// Whether a comment says that the log is incomplete.
fn is_incomplete(comment: &str) -> bool {
    let Some(text) = comment.strip_prefix("# ") else { return false };
    let text = text.strip_prefix('*').unwrap_or(text).to_ascii_lowercase();
    let rest = text.strip_prefix("error").or_else(|| text.strip_prefix("warning"));
    rest.is_some_and(|rest| rest.contains("incomplete") || rest.contains("partial"))
}

/// The number and the name in a comment ``BEFORE NUMBER BETWEEN NAME``.
fn numbered<'t>(text: &'t str, before: &str, between: &str) -> Option<(&'t str, &'t str)> {
    let (number, name) = text.strip_prefix(before)?.split_once(between)?;
    is_integer(number.as_bytes()).then(|| (number, name.strip_prefix(' ').unwrap_or(name)))
}

/// The words of a line with single spaces between them.
fn spaced(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ").into_bytes()
}
