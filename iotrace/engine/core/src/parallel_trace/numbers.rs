//! Numbers of calls in any of their forms, as `iotrace.formats.parallel_io.accesses` reads them.

use crate::fields::{Cursor, NS_PER_S};
use std::borrow::Cow;

/// The most digits of a number that is read.
const MOST_DIGITS: usize = 20;

/// A whole number with or without a sign; None for what is none, or has too many digits.
#[inline]
pub fn whole(text: &[u8]) -> Option<i128> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    let number = unsigned(digits)?;
    Some(if is_negative { -number } else { number })
}

#[inline(always)]
fn unsigned(digits: &[u8]) -> Option<i128> {
    let mut cursor = Cursor::new(digits);
    match cursor.whole() {
        Some(number) if cursor.is_at_end() => Some(i128::from(number)),
        _ => long_unsigned(digits),
    }
}

fn long_unsigned(digits: &[u8]) -> Option<i128> {
    let is_short = digits.len() <= MOST_DIGITS && digits.iter().all(u8::is_ascii_digit);
    is_short.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

/// A decimal number of seconds in nanoseconds: what is finer is cut off, but rounded where the number has an exponent.
#[inline]
pub fn nanoseconds(text: &[u8]) -> Option<i128> {
    let mut cursor = Cursor::new(text);
    if let Some(ns) = cursor.decimal(NS_PER_S).filter(|_| cursor.is_at_end()) {
        return Some(i128::from(ns));
    }
    odd_nanoseconds(std::str::from_utf8(text).ok()?)
}

fn odd_nanoseconds(text: &str) -> Option<i128> {
    let number = text.trim_start_matches(['-', '+']);
    let (units, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_plain = units.len() + fraction.len() > 0
        && units.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_plain || units.len() > MOST_DIGITS {
        let ns = float(text)? * NS_PER_S as f64;
        return (ns.abs() < i64::MAX as f64).then(|| ns.round_ties_even() as i128);
    }
    let units = if units.is_empty() { 0 } else { unsigned(units.as_bytes())? };
    let part = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let ns = part.fold(units, |ns, digit| ns * 10 + i128::from(digit - b'0'));
    Some(if text.starts_with('-') { -ns } else { ns })
}

/// A number as Python reads one: single underscores may stand between digits.
fn float(text: &str) -> Option<f64> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_between = |at: usize| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    if !text.match_indices('_').all(|(at, _)| is_between(at)) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// Whether a word is digits, perhaps after a minus sign.
pub fn is_integer(word: &[u8]) -> bool {
    are(word.strip_prefix(b"-").unwrap_or(word), |byte| byte.is_ascii_digit())
}

/// Whether there are bytes, all of this kind.
pub fn are(word: &[u8], is_of_kind: impl Fn(u8) -> bool) -> bool {
    !word.is_empty() && word.iter().all(|&byte| is_of_kind(byte))
}

/// The text of bytes, with U+FFFD for what is not UTF-8.
#[inline]
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // this is faster than looking for what is to be replaced
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Whether a character is white space, as Python has it.
#[inline]
pub fn is_space(character: char) -> bool {
    !character.is_ascii_graphic() && (character.is_whitespace() || ('\x1c'..='\x1f').contains(&character))
}

#[cfg(test)]
mod tests {
    use super::{nanoseconds, whole};

    #[test]
    fn whole_numbers_have_up_to_twenty_digits() {
        for (text, number) in
            [("007", 7), ("-5", -5), ("+5", 5), ("99999999999999999999", 99_999_999_999_999_999_999)]
        {
            assert_eq!(whole(text.as_bytes()), Some(number), "{text}");
        }
        for refused in ["", "-", "5.0", "1e5", "1_000", "0x10", "100000000000000000000", "--5"] {
            assert_eq!(whole(refused.as_bytes()), None, "{refused}");
        }
    }

    #[test]
    fn seconds_are_cut_to_nanoseconds() {
        for (text, ns) in [
            ("1.5", 1_500_000_000),
            (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("--5", -5_000_000_000),
            ("-0.9999999999", -999_999_999),
            ("2.5e-9", 2),
            ("1_000", 1_000_000_000_000),
            ("99999999999", 99_999_999_999_000_000_000),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), Some(ns), "{text}");
        }
        for refused in ["", ".", "1.2.3", "nan", "inf", "1e30", "_1", "1__0", "0x10", "N/A"] {
            assert_eq!(nanoseconds(refused.as_bytes()), None, "{refused}");
        }
    }
}
