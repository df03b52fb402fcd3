//! JSON as Python reads it: whole numbers have any length, NaN and Infinity are values, and so is half a surrogate pair.

use super::numbers::whole;
use std::borrow::Cow;

/// How many lists and objects may be in one another.
const MOST_DEPTH: usize = 900;

/// A value other than null.
#[derive(Clone, Copy, Debug)]
pub enum Value<'t> {
    /// A whole number as it is written.
    Whole(&'t str),
    /// A number with decimals or an exponent.
    Decimal(&'t str),
    /// Text without escapes.
    Text(&'t str),
    /// Text with escapes, which are still to be read.
    Escaped(&'t str),
    /// A list, an object, true, false, or a number that is not finite.
    Other,
}

impl<'t> Value<'t> {
    #[inline]
    pub fn text(self) -> Option<Cow<'t, str>> {
        match self {
            Value::Text(text) => Some(Cow::Borrowed(text)),
            Value::Escaped(text) => Some(Cow::Owned(unescaped(text))),
            Value::Whole(_) | Value::Decimal(_) | Value::Other => None,
        }
    }

    /// A number, which may be given as text and is rounded; for all beyond 64 bits the first one beyond them.
    #[inline]
    pub fn number(self) -> Option<i128> {
        let number = match self {
            Value::Whole(text) => whole(text.as_bytes()).unwrap_or(match text.starts_with('-') {
                true => i128::MIN,
                false => i128::MAX,
            }),
            Value::Decimal(text) => {
                let number = text.parse::<f64>().ok()?;
                (number.abs() < i64::MAX as f64).then(|| number.round_ties_even() as i128)?
            }
            _ => self.text().filter(|text| !text.starts_with('+')).and_then(|text| whole(text.as_bytes()))?,
        };
        Some(number.clamp(i128::from(i64::MIN) - 1, i128::from(i64::MAX) + 1))
    }
}

/// Text that is read from its start on. Methods give None for what is not JSON.
#[derive(Debug)]
pub struct Json<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Whether a brace was just passed, so that no comma comes before the next member.
    is_fresh: bool,
}

impl<'t> Json<'t> {
    pub fn new(text: &'t str) -> Self {
        Json { text, at: 0, depth: 0, is_fresh: false }
    }

    /// Pass the brace of an object, if one comes next.
    #[inline]
    pub fn enters(&mut self) -> bool {
        self.pass_space();
        self.is_fresh = self.passes(b'{');
        self.is_fresh
    }

    /// Pass the next key of an object; None within at its end.
    #[inline(always)]
    pub fn key(&mut self) -> Option<Option<Cow<'t, str>>> {
        self.pass_space();
        if self.passes(b'}') {
            self.is_fresh = false;
            return Some(None);
        }
        if !self.is_fresh {
            self.passes(b',').then_some(())?;
            self.pass_space();
        }
        self.is_fresh = false;
        let key = self.string()?.text();
        self.pass_space();
        self.passes(b':').then_some(key)
    }

    /// Pass a value; None within for null.
    #[inline(always)]
    pub fn value(&mut self) -> Option<Option<Value<'t>>> {
        self.pass_space();
        match self.next()? {
            b'"' => self.string().map(Some),
            b'0'..=b'9' => self.number().map(Some),
            _ => self.rare_value(),
        }
    }

    fn rare_value(&mut self) -> Option<Option<Value<'t>>> {
        match self.next()? {
            b'{' | b'[' => self.pass_nested().map(|()| Some(Value::Other)),
            _ => self.word().or_else(|| self.number().map(Some)),
        }
    }

    /// Whether nothing follows.
    pub fn is_at_end(&mut self) -> bool {
        self.pass_space();
        self.at == self.text.len()
    }

    fn pass_nested(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        if self.enters() {
            while self.key()?.is_some() {
                self.value()?;
            }
        } else {
            self.pass_list()?;
        }
        self.depth -= 1;
        Some(())
    }

    fn pass_list(&mut self) -> Option<()> {
        self.passes(b'[').then_some(())?;
        self.pass_space();
        if self.passes(b']') {
            return Some(());
        }
        loop {
            self.value()?;
            self.pass_space();
            if self.passes(b']') {
                return Some(());
            }
            self.passes(b',').then_some(())?;
        }
    }

    fn word(&mut self) -> Option<Option<Value<'t>>> {
        const WORDS: [&str; 6] = ["null", "true", "false", "NaN", "Infinity", "-Infinity"];
        let rest = &self.text.as_bytes()[self.at..];
        let word = WORDS.iter().find(|word| rest.starts_with(word.as_bytes()))?;
        self.at += word.len();
        Some((*word != "null").then_some(Value::Other))
    }

    #[inline(always)]
    fn number(&mut self) -> Option<Value<'t>> {
        let start = self.at;
        self.passes(b'-');
        let first = self.next()?;
        let digits = self.pass_digits();
        let end = self.at;
        if digits == 0 || (digits > 1 && first == b'0') || (self.passes(b'.') && self.pass_digits() == 0) {
            return None;
        }
        if self.passes(b'e') || self.passes(b'E') {
            let _ = self.passes(b'-') || self.passes(b'+');
            (self.pass_digits() > 0).then_some(())?;
        }
        let text = self.text.get(start..self.at)?;
        Some(if self.at == end { Value::Whole(text) } else { Value::Decimal(text) })
    }

    #[inline(always)]
    fn string(&mut self) -> Option<Value<'t>> {
        self.passes(b'"').then_some(())?;
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut at = start;
        let mut is_escaped = false;
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => {
                    at = escape_end(bytes, at + 1)?;
                    is_escaped = true;
                }
                b' '.. => at += 1,
                _ => return None,
            }
        }
        self.at = at + 1;
        let text = self.text.get(start..at)?;
        Some(if is_escaped { Value::Escaped(text) } else { Value::Text(text) })
    }

    #[inline(always)]
    fn pass_digits(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += digits;
        digits
    }

    #[inline(always)]
    fn pass_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.next() {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn passes(&mut self, byte: u8) -> bool {
        let is_there = self.next() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }
}

/// Where an escape ends whose backslash was passed.
fn escape_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        byte => br#""\/bfnrt"#.contains(byte).then_some(at + 1),
    }
}

/// Text of which all escapes are valid, without them; half a surrogate pair becomes a question mark.
fn unescaped(text: &str) -> String {
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let plain = match character {
            '\\' => match rest.next().unwrap_or('\\') {
                'u' => {
                    let digits = rest.by_ref().take(4).filter_map(|digit| digit.to_digit(16));
                    units.push(digits.fold(0, |unit, digit| unit << 4 | digit as u16));
                    continue;
                }
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            },
            _ => character,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    char::decode_utf16(units).map(|character| character.unwrap_or('?')).collect()
}
