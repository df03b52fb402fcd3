//! The fields of a line, one after the other.

use super::form::Form;
use crate::fields::{self, is_blank, Cursor};

/// Fields that are passed one after the other. Numbers are None where a field is none.
pub trait Fields<'t> {
    fn whole(&mut self) -> Option<i64>;

    /// As [`fields::decimal`].
    fn decimal(&mut self, unit: i64) -> Option<i64>;

    /// Whether the lowest bit of a hexadecimal number is set.
    fn hexadecimal_is_odd(&mut self) -> Option<bool>;

    fn text(&mut self) -> &'t [u8];

    /// Pass the next field if it is empty.
    fn passes_empty(&mut self) -> bool;
}

/// Fields in the form that nearly all have: numbers are a few digits, and names graphic ASCII.
pub struct PlainFields<'t> {
    cursor: Cursor<'t>,
    is_blank_separated: bool,
    is_first: bool,
    is_plain: bool,
}

impl<'t> PlainFields<'t> {
    /// The fields of a text's first line.
    #[inline]
    pub fn new(text: &'t [u8], form: &Form) -> Self {
        let is_blank_separated = form.is_blank_separated;
        let mut cursor = Cursor::new(text);
        if is_blank_separated {
            cursor.run(is_blank);
        }
        PlainFields { cursor, is_blank_separated, is_first: true, is_plain: true }
    }

    /// Where the next line begins; None if some field was in another form, or the line has more or fewer.
    #[inline]
    pub fn line_end(mut self) -> Option<usize> {
        if self.is_blank_separated {
            self.cursor.run(is_blank);
        }
        self.cursor.line_end().filter(|_| self.is_plain)
    }

    #[inline]
    fn begin(&mut self) {
        if self.is_first {
            self.is_first = false;
        } else if self.is_blank_separated {
            self.is_plain &= self.cursor.field().is_some();
        } else {
            self.is_plain &= self.cursor.passes(b',');
        }
    }

    #[inline]
    fn number<T>(&mut self, read: impl FnOnce(&mut Cursor<'t>) -> Option<T>) -> Option<T> {
        self.begin();
        let number = read(&mut self.cursor);
        self.is_plain &= number.is_some();
        number
    }
}

impl<'t> Fields<'t> for PlainFields<'t> {
    #[inline]
    fn whole(&mut self) -> Option<i64> {
        self.number(Cursor::whole)
    }

    #[inline]
    fn decimal(&mut self, unit: i64) -> Option<i64> {
        self.number(|cursor| cursor.decimal(unit))
    }

    #[inline]
    fn hexadecimal_is_odd(&mut self) -> Option<bool> {
        self.number(Cursor::hexadecimal_is_odd)
    }

    #[inline]
    fn text(&mut self) -> &'t [u8] {
        self.begin();
        let text = self.cursor.run(|byte| byte.is_ascii_graphic() && byte != b',' && byte != b'"');
        self.is_plain &= !(text.is_empty() && self.is_blank_separated);
        text
    }

    #[inline]
    fn passes_empty(&mut self) -> bool {
        let mut ahead = self.cursor;
        let is_empty = ahead.passes(b',') && (ahead.passes(b',') || ahead.line_end().is_some());
        if is_empty {
            self.begin();
        }
        is_empty
    }
}

/// Fields in any form.
pub struct AnyFields<'t> {
    texts: std::slice::Iter<'t, String>,
}

impl<'t> AnyFields<'t> {
    pub fn new(texts: &'t [String]) -> Self {
        AnyFields { texts: texts.iter() }
    }

    /// The next field; those that a line lacks are empty.
    fn next(&mut self) -> &'t str {
        self.texts.next().map_or("", String::as_str)
    }
}

impl<'t> Fields<'t> for AnyFields<'t> {
    fn whole(&mut self) -> Option<i64> {
        fields::whole(self.next())
    }

    fn decimal(&mut self, unit: i64) -> Option<i64> {
        fields::decimal(self.next(), unit)
    }

    fn hexadecimal_is_odd(&mut self) -> Option<bool> {
        Some(fields::hexadecimal(self.next())? & 1 == 1)
    }

    fn text(&mut self) -> &'t [u8] {
        self.next().as_bytes()
    }

    fn passes_empty(&mut self) -> bool {
        let is_empty = self.texts.as_slice().first().is_none_or(String::is_empty);
        if is_empty {
            self.next();
        }
        is_empty
    }
}

/// The fields of a line, without white space around them.
pub fn split(line: &str, form: &Form) -> Vec<String> {
    if form.is_blank_separated {
        return line.split_whitespace().map(|field| without_quotes(field).to_owned()).collect();
    }
    let fields = line.split(',');
    if form.is_unspaced {
        return fields.map(|field| field.split_whitespace().collect()).collect();
    }
    fields.map(|field| field.trim().to_owned()).collect()
}

fn without_quotes(field: &str) -> &str {
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}
