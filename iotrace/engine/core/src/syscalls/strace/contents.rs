//! A log without the contents of buffers, as `iotrace record` writes it.
//!
//! What is kept is what iotrace reads, by the table of `roles`: paths, the targets of links and the arguments of
//! programs; and the addresses of sockets. Every other quoted text becomes `""...`, as strace prints it with `-s 0`. A
//! line that is not understood is cut where that is seen.

use super::forms::{call_name, resumed_name};
use super::prefix;
use super::roles::{roles, Role};
use super::split;
use crate::syscalls::call::CallKind;
use crate::syscalls::redaction::Redaction;
use crate::syscalls::text::unescape;

/// Takes a log in blocks of any size, and gives its lines without contents.
#[derive(Debug, Default)]
pub struct ContentsFilter {
    /// Whether the arguments of a program after its name are kept.
    keeps_arguments: bool,
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
}

/// What is kept of the strings of a text.
#[derive(Debug, Clone, Copy)]
enum Kept {
    /// Those with a role that iotrace reads.
    Roles(&'static [Role]),
    /// All: the text is the answer of a call like readlink.
    Answer,
    Nothing,
}

/// A string's part in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Argument,
    Contents,
}

impl ContentsFilter {
    /// A filter that keeps the arguments of programs, or only the first, the program's name.
    pub fn new(keeps_arguments: bool) -> ContentsFilter {
        ContentsFilter { keeps_arguments, begun: Vec::new() }
    }

    /// Append the lines that end in this block.
    pub fn feed(&mut self, block: &[u8], redaction: &mut Option<&mut Redaction>, kept: &mut Vec<u8>) {
        let mut rest = block;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            if self.begun.is_empty() {
                self.line(&rest[..end], redaction, kept);
            } else {
                let mut line = std::mem::take(&mut self.begun);
                line.extend_from_slice(&rest[..end]);
                self.line(&line, redaction, kept);
                line.clear();
                self.begun = line;
            }
            kept.push(b'\n');
            rest = &rest[end + 1..];
        }
        self.begun.extend_from_slice(rest);
    }

    /// Append what is left: the beginning of a line that strace did not end.
    pub fn finish(&mut self, redaction: &mut Option<&mut Redaction>, kept: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.begun);
        self.line(&line, redaction, kept);
    }

    fn line(&self, line: &[u8], redaction: &mut Option<&mut Redaction>, kept: &mut Vec<u8>) {
        let event = prefix::parse(line).map_or(0, |prefix| prefix.length);
        let text = &line[event..];
        let (start, strings) = if let Some((name, rest)) = resumed_name(text) {
            let answers = roles(CallKind::from_name(name)).contains(&Role::Answer);
            (line.len() - rest.len(), if answers { Kept::Answer } else { Kept::Nothing })
        } else {
            let name = call_name(text);
            if text.get(name.len()) == Some(&b'(') {
                (event + name.len() + 1, Kept::Roles(roles(CallKind::from_name(name))))
            } else {
                (event, Kept::Nothing)
            }
        };
        kept.extend_from_slice(&line[..start]);
        self.strings(&line[start..], strings, redaction, kept);
    }

    /// Append a text from its first argument on.
    fn strings(
        &self,
        text: &[u8],
        mut strings: Kept,
        redaction: &mut Option<&mut Redaction>,
        kept: &mut Vec<u8>,
    ) {
        let (mut depth, mut index, mut of_argument) = (0usize, 0usize, 0usize);
        let (mut copied, mut at) = (0, 0);
        while let Some(&byte) = text.get(at) {
            at = match byte {
                b'"' => {
                    kept.extend_from_slice(&text[copied..at]);
                    let Some(end) = split::string_end(text, at + 1) else {
                        kept.extend_from_slice(BLANK);
                        return;
                    };
                    let is_cut = text[end..].starts_with(b"...");
                    let part = self.part(strings, index, of_argument, &text[..at]);
                    keep(&text[at..end], is_cut, part, redaction, kept);
                    of_argument += 1;
                    copied = if is_cut { end + 3 } else { end };
                    copied
                }
                b'<' => {
                    let Some(end) = split::angle_end(text, 0, at) else {
                        break;
                    };
                    if let (Some(names), Some(b'/')) = (redaction.as_deref_mut(), text.get(at + 1)) {
                        let inside = &text[at + 1..end];
                        let length = memchr::memchr2(b'<', b'>', inside).unwrap_or(inside.len());
                        if let Some(redacted) = names.path(&unescaped(&inside[..length])) {
                            kept.extend_from_slice(&text[copied..=at]);
                            escape(&redacted, kept);
                            copied = at + 1 + length;
                        }
                    }
                    end
                }
                b'/' => match split::comment_end(text, at) {
                    Some(end) if !text[at..end].contains(&b'"') => end,
                    _ => at + 1,
                },
                b',' if depth == 0 => {
                    (index, of_argument) = (index + 1, 0);
                    at + 1
                }
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    at + 1
                }
                b')' | b']' | b'}' => {
                    if depth == 0 {
                        strings = Kept::Nothing;
                    }
                    depth = depth.saturating_sub(1);
                    at + 1
                }
                _ => at + 1,
            };
        }
        kept.extend_from_slice(&text[copied..at]);
    }

    fn part(&self, strings: Kept, index: usize, of_argument: usize, before: &[u8]) -> Part {
        let role = match strings {
            Kept::Roles(roles) => roles.get(index).copied().unwrap_or(Role::Other),
            Kept::Answer => Role::Answer,
            Kept::Nothing => Role::Other,
        };
        match role {
            Role::Path | Role::Path2 | Role::Answer => Part::Path,
            Role::Arguments if self.keeps_arguments || of_argument == 0 => Part::Argument,
            _ if ADDRESSES.iter().any(|name| before.ends_with(name)) => Part::Path,
            _ => Part::Contents,
        }
    }
}

const BLANK: &[u8] = b"\"\"...";
/// What strace prints before the address of a socket.
const ADDRESSES: [&[u8]; 5] =
    [b"sun_path=", b"sun_path=@", b"inet_addr(", b"inet_pton(AF_INET, ", b"inet_pton(AF_INET6, "];

/// Append a string with its quotes, and the dots if strace has cut it.
fn keep(quoted: &[u8], is_cut: bool, part: Part, redaction: &mut Option<&mut Redaction>, kept: &mut Vec<u8>) {
    let inside = &quoted[1..quoted.len() - 1];
    let redacted = match (part, redaction.as_deref_mut()) {
        (Part::Contents, _) if inside.is_empty() && !is_cut => None,
        (Part::Contents, _) => return kept.extend_from_slice(BLANK),
        (_, None) => None,
        // what is cut may be the end of a name that matches
        (_, Some(_)) if is_cut => return kept.extend_from_slice(BLANK),
        (Part::Path, Some(names)) => names.path(&unescaped(inside)),
        (Part::Argument, Some(names)) => names.argument(&unescaped(inside)),
    };
    match redacted {
        Some(name) => {
            kept.push(b'"');
            escape(&name, kept);
            kept.push(b'"');
        }
        None => kept.extend_from_slice(quoted),
    }
    if is_cut {
        kept.extend_from_slice(b"...");
    }
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    unescape(text, &mut bytes);
    bytes
}

/// Append a name as a log has it: what is special in one is an octal number.
fn escape(name: &[u8], text: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'"' | b'\\' | b'<' | b'>' | 0..=31 | 127.. => {
                let octal = |shift: u8| b'0' + (byte >> shift & 7);
                text.extend_from_slice(&[b'\\', octal(6), octal(3), octal(0)]);
            }
            _ => text.push(byte),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn filtered(log: &str, keeps_arguments: bool, globs: &[&str], step: usize) -> String {
        let mut names = Redaction::new(globs.iter().map(|glob| glob.as_bytes().to_vec()));
        let mut names = (!globs.is_empty()).then_some(&mut names);
        let mut filter = ContentsFilter::new(keeps_arguments);
        let mut kept = Vec::new();
        for block in log.as_bytes().chunks(step) {
            filter.feed(block, &mut names, &mut kept);
        }
        filter.finish(&mut names, &mut kept);
        String::from_utf8(kept).unwrap()
    }

    /// Lines before and after.
    const LINES: &[(&str, &str)] = &[
        (r#"read(3</a>, "x\"y, SECRET"..., 99) = 99 <0.1>"#, r#"read(3</a>, ""..., 99) = 99 <0.1>"#),
        (r#"write(1</b"c>, "SECRET", 6) = 6"#, r#"write(1</b"c>, ""..., 6) = 6"#),
        (r#"write(1, "", 0) = 0"#, r#"write(1, "", 0) = 0"#),
        (r#"<... read resumed>"SECRET", 5) = 5"#, r#"<... read resumed>""..., 5) = 5"#),
        (
            r#"writev(1, [{iov_base="SECRET", iov_len=6}], 1) = 6"#,
            r#"writev(1, [{iov_base=""..., iov_len=6}], 1) = 6"#,
        ),
        (
            r#"sendto(3, "SECRET", 6, 0, {sa_family=AF_INET, sin_addr=inet_addr("127.0.0.1")}, 16) = 6"#,
            r#"sendto(3, ""..., 6, 0, {sa_family=AF_INET, sin_addr=inet_addr("127.0.0.1")}, 16) = 6"#,
        ),
        (
            r#"connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 9) = 0"#,
            r#"connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 9) = 0"#,
        ),
        (r#"setxattr("/a", "user.SECRET", "SECRET", 6, 0) = 0"#, r#"setxattr("/a", ""..., ""..., 6, 0) = 0"#),
        (r#"ioctl(3, TIOCSTI, "SECRET") = 0"#, r#"ioctl(3, TIOCSTI, ""...) = 0"#),
        (r#"readlink("l", "to/x"..., 4) = 4"#, r#"readlink("l", "to/x"..., 4) = 4"#),
        (r#"<... readlinkat resumed>"to", 99) = 2"#, r#"<... readlinkat resumed>"to", 99) = 2"#),
        (r#"getcwd("/a", 99) = 3"#, r#"getcwd("/a", 99) = 3"#),
        (
            r#"execve("/a", ["a", "b"], 0x7 /* 2 vars */) = 0"#,
            r#"execve("/a", ["a", "b"], 0x7 /* 2 vars */) = 0"#,
        ),
        (r#"execve("/a", ["a"], ["KEY=SECRET"]) = 0"#, r#"execve("/a", ["a"], [""...]) = 0"#),
        (r#"prctl(PR_SET_NAME, "SECRET") = 0"#, r#"prctl(PR_SET_NAME, ""...) = 0"#),
        (r#"read(3, "SECRET"#, r#"read(3, ""..."#),
        (r#"what is "SECRET" here"#, r#"what is ""... here"#),
        (
            r#"futex(0x1, FUTEX_WAIT, 2, NULL <unfinished ...>"#,
            r#"futex(0x1, FUTEX_WAIT, 2, NULL <unfinished ...>"#,
        ),
    ];

    #[test]
    fn contents_go_and_names_stay() {
        for prefix in ["", "77 ", "77 1700000000.123456 "] {
            for (before, after) in LINES {
                for step in [1, 7, 4096] {
                    assert_eq!(
                        filtered(&format!("{prefix}{before}\n"), true, &[], step),
                        format!("{prefix}{after}\n")
                    );
                }
                assert_eq!(filtered(&format!("{prefix}{before}"), true, &[], 9), format!("{prefix}{after}"));
            }
        }
    }

    #[test]
    fn without_arguments_only_the_program_is_named() {
        let line = r#"execveat(3</d>, "a", ["a", "-p", "SECRET"], 0x7 /* 2 vars */, 0) = 0"#;
        let after = r#"execveat(3</d>, "a", ["a", ""..., ""...], 0x7 /* 2 vars */, 0) = 0"#;
        assert_eq!(filtered(line, false, &[], 99), after);
    }

    #[test]
    fn names_that_match_are_replaced_everywhere() {
        let line = concat!(
            r#"openat(AT_FDCWD</home/SECRET>, "../SECRET/k\303\251.key", O_RDONLY) = 3</home/SECRET/k\303\251.key>"#,
            "\n",
            r#"execve("/bin/sh", ["sh", "-c", "cat SECRET", "cut off"...], 0x7 /* 2 vars */) = 0"#,
            "\n",
            r#"readlink("l", "SECRET/x", 99) = 8"#,
        );
        let after = concat!(
            r#"openat(AT_FDCWD</home/redacted-1>, "../redacted-1/redacted-2", O_RDONLY) = 3</home/redacted-1/redacted-2>"#,
            "\n",
            r#"execve("/bin/sh", ["sh", "-c", "cat redacted-1", ""...], 0x7 /* 2 vars */) = 0"#,
            "\n",
            r#"readlink("l", "redacted-1/x", 99) = 8"#,
        );
        assert_eq!(filtered(line, true, &["SECRET", "k?.key"], 99), after);
    }

    /// strace is killed in the middle of a line.
    #[test]
    fn no_beginning_of_a_line_shows_what_is_in_a_buffer() {
        for (line, _) in LINES {
            for length in 0..line.len() {
                let kept = filtered(&line[..length], true, &[], 64);
                assert!(!kept.contains("SEC"), "{kept}");
            }
        }
    }
}
