//! The arguments of a call, found in one pass from left to right with the state of brackets, quotes and names in angle
//! brackets. Nothing else distinguishes `) = 7` in a file's name from the end of a call.

/// The most arguments that are split; no supported call has more.
pub(super) const MOST_ARGUMENTS: usize = 8;

/// The arguments of a call and how they end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments {
    spans: [(u32, u32); MOST_ARGUMENTS],
    count: usize,
    /// How the arguments end.
    pub end: End,
}

/// How the arguments of a call end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With a closing parenthesis; the position after it.
    Closed(usize),
    /// With ` <unfinished ...>` at the end of the line; the position of its beginning.
    Unfinished(usize),
    /// With ` <unfinished ...>) = ?`: the process was killed.
    Killed,
    /// With ` <detached ...>`.
    Detached,
    /// The line ends first.
    Open,
}

impl Arguments {
    /// The text of an argument, without surrounding spaces; None if there is no such argument, or it is empty.
    pub fn get<'t>(&self, text: &'t [u8], index: usize) -> Option<&'t [u8]> {
        if index >= self.count {
            return None;
        }
        let (start, end) = self.spans[index];
        let argument = text[start as usize..end as usize].trim_ascii();
        (!argument.is_empty()).then_some(argument)
    }

    fn push(&mut self, start: usize, end: usize) {
        if self.count < MOST_ARGUMENTS {
            // A line is never longer than `input::LONGEST_LINE`.
            self.spans[self.count] = (start as u32, end as u32);
            self.count += 1;
        }
    }
}

/// The start of the last argument found.
pub(super) fn last_argument(text: &[u8], start: usize) -> usize {
    let found = arguments(text, start);
    let commas = found.spans[..found.count].iter().map(|&(_, end)| end as usize);
    commas.filter(|&end| text.get(end) == Some(&b',')).max().map_or(start, |comma| comma + 1)
}

const PLAIN: u8 = 0;
const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const QUOTE: u8 = 3;
const COMMA: u8 = 4;
const ANGLE: u8 = 5;
const SLASH: u8 = 6;

static CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'(' as usize] = OPEN;
    class[b'[' as usize] = OPEN;
    class[b'{' as usize] = OPEN;
    class[b')' as usize] = CLOSE;
    class[b']' as usize] = CLOSE;
    class[b'}' as usize] = CLOSE;
    class[b'"' as usize] = QUOTE;
    class[b',' as usize] = COMMA;
    class[b'<' as usize] = ANGLE;
    class[b'/' as usize] = SLASH;
    class
};

/// Split the arguments that begin at `start`, after the opening parenthesis.
pub(super) fn arguments(text: &[u8], start: usize) -> Arguments {
    let mut found = Arguments { spans: [(0, 0); MOST_ARGUMENTS], count: 0, end: End::Open };
    let mut depth = 0usize;
    let mut from = start;
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        match CLASS[byte as usize] {
            PLAIN => at += 1,
            QUOTE => match string_end(text, at + 1) {
                Some(end) => at = end,
                None => break,
            },
            COMMA => {
                if depth == 0 {
                    found.push(from, at);
                    from = at + 1;
                }
                at += 1;
            }
            OPEN => {
                depth += 1;
                at += 1;
            }
            CLOSE if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            CLOSE => {
                if byte == b')' {
                    found.push(from, at);
                    found.end = End::Closed(at + 1);
                }
                return found;
            }
            ANGLE => {
                if let Some(end) = broken_off(text, at) {
                    found.push(from, at);
                    found.end = end;
                    return found;
                }
                match angle_end(text, start, at) {
                    Some(end) => at = end,
                    None => break,
                }
            }
            _ => match comment_end(text, at) {
                Some(end) => at = end,
                None => break,
            },
        }
    }
    found.push(from, text.len());
    found
}

/// The position after the quote that closes the string whose text begins at `from`.
pub(super) fn string_end(text: &[u8], from: usize) -> Option<usize> {
    let mut search = from;
    loop {
        let quote = search + memchr::memchr(b'"', &text[search..])?;
        let escapes = text[from..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if escapes % 2 == 0 {
            return Some(quote + 1);
        }
        search = quote + 1;
    }
}

/// ` <unfinished ...>`, ` <detached ...>` or, if a thread that is not its group's first calls exec in a separate log,
/// ` <pid changed to 7 ...>`, if one of these begins with the `<` at `at`.
fn broken_off(text: &[u8], at: usize) -> Option<End> {
    let mark = &text[at..];
    let space = usize::from(at > 0 && text[at - 1] == b' ');
    if let Some(after) = mark.strip_prefix(b"<unfinished ...>") {
        if after.is_empty() {
            return Some(End::Unfinished(at - space));
        }
        return after.starts_with(b")").then_some(End::Killed);
    }
    if mark.starts_with(b"<pid changed to ") && mark.ends_with(b" ...>") {
        return Some(End::Unfinished(at - space));
    }
    mark.starts_with(b"<detached ...>").then_some(End::Detached)
}

/// The position after the name that begins with the `<` at `at`, after a descriptor or a pid; or after the `<` if it
/// begins no name (`1<<CAP_CHOWN`). None if the line ends inside it.
pub(super) fn angle_end(text: &[u8], start: usize, at: usize) -> Option<usize> {
    if text.get(at + 1) == Some(&b'<') {
        return Some(at + 2);
    }
    let before = &text[start..at];
    let is_name = before.last().is_some_and(u8::is_ascii_alphanumeric) || before.ends_with(b"*/");
    if !is_name {
        return Some(at + 1);
    }
    annotation_end(text, at)
}

/// The position after the `>` that closes the annotation beginning with the `<` at `open`.
///
/// A file's path escapes both brackets, so the first raw one ends it, except for the part that -yy adds to a device:
/// `</dev/null<char 1:3>>`. Addresses of sockets have `->` inside their square brackets, and may have quoted names.
pub(super) fn annotation_end(text: &[u8], open: usize) -> Option<usize> {
    let inside = open + 1;
    if text.get(inside) == Some(&b'/') {
        let at = inside + memchr::memchr2(b'<', b'>', &text[inside..])?;
        if text[at] == b'>' {
            return Some(at + 1);
        }
        let device = at + memchr::memchr(b'>', &text[at..])? + 1;
        return (text.get(device) == Some(&b'>')).then_some(device + 1);
    }
    bracketed_end(text, inside).or_else(|| memchr::memchr(b'>', &text[inside..]).map(|at| inside + at + 1))
}

/// The longest annotation with brackets; a bound, so that damaged lines take only linear time.
const LONGEST_BRACKETED: usize = 1024;

fn bracketed_end(text: &[u8], inside: usize) -> Option<usize> {
    let text = &text[..text.len().min(inside + LONGEST_BRACKETED)];
    let mut depth = 0usize;
    let mut at = inside;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'"' if depth > 0 => {
                at = string_end(text, at + 1)?;
                continue;
            }
            b'>' if depth == 0 => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The position after the comment that begins with the `/` at `at`, or after the `/`.
pub(super) fn comment_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at + 1) != Some(&b'*') {
        return Some(at + 1);
    }
    memchr::memmem::find(&text[at + 2..], b"*/").map(|end| at + 2 + end + 2)
}
