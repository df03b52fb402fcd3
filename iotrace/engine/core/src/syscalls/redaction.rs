//! Names of files replaced by numbers, the same name by the same number.
//!
//! A path is redacted name by name, not as a whole: a relative path, a directory, a link's target and an absolute path
//! to the same file then still lead to the same file.

use rustc_hash::FxHashMap;

const PLACEHOLDER: &[u8] = b"redacted-";
/// How the kernel marks the path of a file that is no longer there.
const DELETED: &[u8] = b" (deleted)";

/// Which names to replace, and those replaced so far.
#[derive(Debug, Default)]
pub struct Redaction {
    globs: Vec<Vec<u8>>,
    numbers: FxHashMap<Vec<u8>, usize>,
    names: Vec<Vec<u8>>,
}

impl Redaction {
    /// Replace names that match one of these globs: `*` is any text, `?` one character. A name that looks like a
    /// replacement is replaced, too, so that no two names become one.
    pub fn new(globs: impl IntoIterator<Item = Vec<u8>>) -> Redaction {
        Redaction { globs: globs.into_iter().collect(), ..Redaction::default() }
    }

    /// The path with each name that matches replaced; None if none does.
    pub fn path(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        self.replaced(path, |_| false)
    }

    /// The same for a program's argument, in which a name may also be next to a space or a mark (`--file=NAME`).
    pub fn argument(&mut self, argument: &[u8]) -> Option<Vec<u8>> {
        self.replaced(argument, |byte| byte.is_ascii_whitespace() || b"=:,;|&<>()'\"`@+".contains(&byte))
    }

    /// The path that `path` made this one.
    pub fn original(&self, redacted: &[u8]) -> Vec<u8> {
        let names = redacted.split(|&byte| byte == b'/').map(|name| {
            let number = name.strip_prefix(PLACEHOLDER).and_then(|digits| std::str::from_utf8(digits).ok());
            let found = number.and_then(|digits| digits.parse::<usize>().ok()?.checked_sub(1));
            found.and_then(|index| self.names.get(index)).map_or(name, Vec::as_slice)
        });
        names.collect::<Vec<_>>().join(&b'/')
    }

    fn replaced(&mut self, text: &[u8], separates: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
        let mut redacted = Vec::with_capacity(text.len());
        let mut any = false;
        for (index, part) in text.split(|&byte| byte == b'/').enumerate() {
            if index > 0 {
                redacted.push(b'/');
            }
            if self.name(part, &mut redacted) {
                any = true;
                continue;
            }
            let mut rest = part;
            while !rest.is_empty() {
                let length = rest.iter().position(|&byte| separates(byte)).unwrap_or(rest.len());
                // the part as a whole has not matched
                if length == part.len() || !self.name(&rest[..length], &mut redacted) {
                    redacted.extend_from_slice(&rest[..length]);
                } else {
                    any = true;
                }
                let mark = rest.get(length..=length).unwrap_or_default();
                redacted.extend_from_slice(mark);
                rest = &rest[length + mark.len()..];
            }
        }
        any.then_some(redacted)
    }

    /// Append what replaces the name; false if nothing does.
    fn name(&mut self, name: &[u8], redacted: &mut Vec<u8>) -> bool {
        let (bare, mark) = name.strip_suffix(DELETED).map_or((name, &b""[..]), |bare| (bare, DELETED));
        let is_placeholder = bare.strip_prefix(PLACEHOLDER).is_some_and(|rest| !rest.is_empty());
        let may_match = !matches!(bare, b"" | b"." | b"..");
        if !(may_match && (is_placeholder || self.globs.iter().any(|glob| matches(glob, bare)))) {
            return false;
        }
        let next = self.names.len() + 1;
        let number = *self.numbers.entry(bare.to_vec()).or_insert(next);
        if number == next {
            self.names.push(bare.to_vec());
        }
        redacted.extend_from_slice(PLACEHOLDER);
        redacted.extend_from_slice(number.to_string().as_bytes());
        redacted.extend_from_slice(mark);
        true
    }
}

/// Whether a glob matches a name. Each `*` first takes nothing; where the rest fails, the last `*` takes a byte more.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of_glob) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at < name.len() {
        match glob.get(of_glob) {
            Some(b'*') => {
                last_star = Some((of_glob, at));
                of_glob += 1;
            }
            Some(b'?') => {
                of_glob += 1;
                at += 1 + name[at + 1..].iter().take_while(|&&byte| byte & 0xc0 == 0x80).count();
            }
            Some(&byte) if byte == name[at] => {
                of_glob += 1;
                at += 1;
            }
            _ => match last_star {
                Some((star, taken)) => {
                    last_star = Some((star, taken + 1));
                    (of_glob, at) = (star + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    glob[of_glob..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn redaction(globs: &[&str]) -> Redaction {
        Redaction::new(globs.iter().map(|glob| glob.as_bytes().to_vec()))
    }

    #[test]
    fn globs_match_as_in_a_shell() {
        for (glob, name) in
            [("*.key", "a.key"), ("a*b*c", "axxbyybzc"), ("?", "é"), ("*", "x"), ("[x]", "[x]")]
        {
            assert!(matches(glob.as_bytes(), name.as_bytes()), "{glob} {name}");
        }
        for (glob, name) in [("*.key", "a.keys"), ("a*b*c", "axxbyybz"), ("?", "ab"), ("[x]", "x"), ("a", "")]
        {
            assert!(!matches(glob.as_bytes(), name.as_bytes()), "{glob} {name}");
        }
    }

    #[test]
    fn a_name_has_one_number_wherever_it_is() {
        let mut names = redaction(&["alice", "*.key"]);
        assert_eq!(names.path(b"/home/alice/a.key").unwrap(), b"/home/redacted-1/redacted-2");
        assert_eq!(names.path(b"a.key").unwrap(), b"redacted-2");
        assert_eq!(names.path(b"../b.key (deleted)").unwrap(), b"../redacted-3 (deleted)");
        assert_eq!(names.path(b"/usr/lib"), None);
        assert_eq!(names.original(b"/home/redacted-1/redacted-2"), b"/home/alice/a.key");
        assert_eq!(names.original(b"/redacted-9/x"), b"/redacted-9/x");
    }

    #[test]
    fn an_argument_has_names_between_its_marks() {
        let mut names = redaction(&["alice", "*.key"]);
        assert_eq!(
            names.argument(b"cat /home/alice/x >a.key; echo --to=alice").unwrap(),
            b"cat /home/redacted-1/x >redacted-2; echo --to=redacted-1"
        );
    }

    #[test]
    fn no_two_names_become_one_and_dots_stay() {
        let mut names = redaction(&["*"]);
        assert_eq!(names.path(b"/./x/..//y").unwrap(), b"/./redacted-1/..//redacted-2");
        let mut names = redaction(&["b"]);
        assert_eq!(names.path(b"redacted-1/b").unwrap(), b"redacted-1/redacted-2");
        let mut names = redaction(&["b"]);
        assert_eq!(names.path(b"b/redacted-1").unwrap(), b"redacted-1/redacted-2");
    }
}
