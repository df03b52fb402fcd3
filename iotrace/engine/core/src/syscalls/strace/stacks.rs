//! The stacks that `strace -k` prints below calls, a line for each frame.

use super::skip::Skip;
use crate::syscalls::call::EventSink;
use crate::syscalls::under_calls::StackFrame;
use rustc_hash::FxHashMap;

/// The beginning of a frame's line.
pub(super) const FRAME: &[u8] = b" > ";

/// The frames of one stack that are kept: strace writes at most 255.
const MOST_FRAMES: usize = 4096;

/// The stacks of a log. Memory: the text of each different stack.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// The number of each stack, by the lines of its frames.
    numbers: FxHashMap<Box<[u8]>, i32>,
    /// The call to which frames on the next lines belong.
    call: Option<i64>,
    /// The lines of its frames so far, and their number.
    text: Vec<u8>,
    frames: usize,
}

impl Stacks {
    /// From here on, frames belong to this call.
    pub fn begin<S: EventSink + ?Sized>(&mut self, seq: i64, sink: &mut S) {
        self.end(sink);
        self.call = Some(seq);
    }

    /// Take a line of a frame; below a signal or an end it belongs to no call.
    pub fn frame(&mut self, line: &[u8]) -> Result<(), Skip> {
        if self.call.is_none() {
            return Ok(());
        }
        if self.frames == MOST_FRAMES {
            return Err(Skip::NotACall);
        }
        self.frames += 1;
        self.text.extend_from_slice(&line[FRAME.len()..]);
        self.text.push(b'\n');
        Ok(())
    }

    /// Emit the stack of the call, if it has one: its frames where it is new.
    pub fn end<S: EventSink + ?Sized>(&mut self, sink: &mut S) {
        let Some(seq) = self.call.take().filter(|_| self.frames > 0) else { return };
        let next = i32::try_from(self.numbers.len()).unwrap_or(i32::MAX);
        match self.numbers.get(self.text.as_slice()) {
            Some(&number) => sink.stack(seq, number, &[]),
            None => {
                self.numbers.insert(self.text.as_slice().into(), next);
                let lines = self.text.split(|&byte| byte == b'\n').take(self.frames);
                let frames: Vec<_> = lines.zip(0..).map(|(line, depth)| frame(line, next, depth)).collect();
                sink.stack(seq, next, &frames);
            }
        }
        self.text.clear();
        self.frames = 0;
    }
}

/// `/lib/libc.so.6(read+0xe) [0xea8de]`, or `/bin/x() [0x10f1]` without a symbol; anything else is an unknown frame. The
/// function may have brackets in its name (C++), the file only those of ` (deleted)`.
fn frame(line: &[u8], stack: i32, depth: i32) -> StackFrame {
    let (module, function) = parts(line).map_or((None, None), |(module, offset, function)| {
        (Some((module.into(), offset)), (!function.is_empty()).then(|| function.into()))
    });
    StackFrame { stack, depth, function, module }
}

fn parts(line: &[u8]) -> Option<(&[u8], i64, &[u8])> {
    let place = memchr::memmem::rfind(line, b") [0x")?;
    let rest = &line[place + b") [0x".len()..];
    let digits = &rest[..memchr::memchr(b']', rest)?];
    let offset = i64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let named = &line[..place];
    let deleted = b" (deleted)";
    let from = memchr::memmem::find(named, deleted).map_or(0, |at| at + deleted.len());
    let open = from + memchr::memchr(b'(', &named[from..])?;
    let symbol = &named[open + 1..];
    let function = memchr::memmem::rfind(symbol, b"+0x").map_or(symbol, |plus| &symbol[..plus]);
    Some((&named[..open], offset, function))
}

#[cfg(test)]
mod tests {
    use super::{frame, parts};

    /// A line, and the file, the place and the function in it.
    type Case = (&'static str, Option<(&'static str, i64, &'static str)>);

    #[test]
    fn frames_have_a_file_a_place_and_a_function() {
        let cases: [Case; 8] = [
            ("/lib/libc.so.6(read+0xe) [0xea8de]", Some(("/lib/libc.so.6", 0xea8de, "read"))),
            ("/bin/x() [0x10f1]", Some(("/bin/x", 0x10f1, ""))),
            ("/bin/x(f(int, g()) const+0x1c) [0x9] x.c:7", Some(("/bin/x", 9, "f(int, g()) const"))),
            ("/tmp/x (deleted)(main+0x1) [0x2]", Some(("/tmp/x (deleted)", 2, "main"))),
            ("/bin/x(operator+(A, B)+0x1) [0x2]", Some(("/bin/x", 2, "operator+(A, B)"))),
            ("unexpected_backtracing_error [0x7f]", None),
            ("/bin/x(main+0x1) [0xfffffffffffffffff]", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let expected = expected.map(|(module, place, name)| (module.as_bytes(), place, name.as_bytes()));
            assert_eq!(parts(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_frame_that_cannot_be_read_is_unknown() {
        let unknown = frame(b"backtracing_error", 3, 4);
        assert_eq!((unknown.function, unknown.module), (None, None));
        assert_eq!((unknown.stack, unknown.depth), (3, 4));
    }
}
