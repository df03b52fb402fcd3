//! JSON in its usual form: objects without spaces, of whole numbers and of text without escapes.

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'t> {
    /// Its digits, perhaps after a sign.
    Number(&'t [u8]),
    Text(&'t [u8]),
}

impl Value<'_> {
    /// A number, perhaps as text; None within for other text, and None for more than 18 digits.
    #[inline]
    pub fn number(self) -> Option<Option<i64>> {
        let (Value::Number(text) | Value::Text(text)) = self;
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Some(None);
        }
        if digits.len() > 18 {
            return None;
        }
        let number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
        Some(Some(if digits.len() < text.len() { -number } else { number }))
    }
}

/// An object that is read from its start on; all methods give None for what is not in the usual form.
#[derive(Debug)]
pub struct Object<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether a brace was just passed, so that no comma comes before the next member.
    is_fresh: bool,
}

impl<'t> Object<'t> {
    pub fn new(text: &'t [u8]) -> Option<Self> {
        let mut object = Object { text, at: 0, is_fresh: true };
        object.enter()?;
        Some(object)
    }

    /// Pass the brace of an object.
    pub fn enter(&mut self) -> Option<()> {
        self.is_fresh = true;
        self.passes(b'{').then_some(())
    }

    /// Pass the next key; None within at the end of the object.
    #[inline]
    pub fn key(&mut self) -> Option<Option<&'t [u8]>> {
        if self.passes(b'}') {
            self.is_fresh = false;
            return Some(None);
        }
        if !self.is_fresh && !self.passes(b',') {
            return None;
        }
        self.is_fresh = false;
        let key = self.string()?;
        self.passes(b':').then_some(Some(key))
    }

    #[inline]
    pub fn value(&mut self) -> Option<Value<'t>> {
        if self.text.get(self.at) == Some(&b'"') {
            return self.string().map(Value::Text);
        }
        let start = self.at;
        self.passes(b'-');
        let digits = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        let is_whole = self.at == digits + 1 || (self.at > digits && self.text[digits] != b'0');
        is_whole.then(|| Value::Number(&self.text[start..self.at]))
    }

    /// Whether nothing follows but commas.
    pub fn is_at_end(&self) -> bool {
        self.text[self.at..].iter().all(|&byte| byte == b',')
    }

    #[inline]
    fn string(&mut self) -> Option<&'t [u8]> {
        if !self.passes(b'"') {
            return None;
        }
        let start = self.at;
        let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
        while self.text.get(self.at).is_some_and(|&byte| is_plain(byte)) {
            self.at += 1;
        }
        self.passes(b'"').then(|| &self.text[start..self.at - 1])
    }

    #[inline]
    fn passes(&mut self, byte: u8) -> bool {
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }
}
