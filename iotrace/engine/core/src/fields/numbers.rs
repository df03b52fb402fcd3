//! Numbers in any of their forms, of a text that is nothing else.

use super::Cursor;
use std::borrow::Cow;

/// A whole number with or without a sign; None for other text, and beyond 64 bits.
pub fn whole(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A decimal number, in units of which each has `unit` parts, a power of 10: those parts, and what is finer cut off.
///
/// With an exponent the number is read as a double, which is exact to 53 bits only.
pub fn decimal(text: &str, unit: i64) -> Option<i64> {
    exact(text, unit).or_else(|| with_exponent(text, unit))
}

fn exact(text: &str, unit: i64) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut cursor = Cursor::new(digits.as_bytes());
    let number = cursor.decimal(unit).filter(|_| cursor.is_at_end())?;
    Some(if digits.len() < text.len() { -number } else { number })
}

fn with_exponent(text: &str, unit: i64) -> Option<i64> {
    if !text.contains(['e', 'E']) {
        return None;
    }
    let parts = (text.parse::<f64>().ok()? * unit as f64).round_ties_even();
    (parts.abs() < i64::MAX as f64 / 2.0).then_some(parts as i64)
}

/// A number of hexadecimal digits, with or without 0x.
pub fn hexadecimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    i64::from_str_radix(digits, 16).ok()
}

/// Bytes as text; those that are not UTF-8 become `\xHH`.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::{decimal, hexadecimal, text_of, whole};

    #[test]
    fn whole_numbers_have_digits_and_perhaps_a_sign() {
        for (text, number) in [("+5", 5), ("-0007", -7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(whole(text), Some(number));
        }
        for refused in ["", "-", "5.0", "1e5", "1_000", " 5", "0x10", "\u{663}", "9223372036854775808"] {
            assert_eq!(whole(refused), None, "{refused}");
        }
    }

    #[test]
    fn decimals_are_cut_off_and_those_with_an_exponent_rounded() {
        for (text, parts) in [
            ("-1.5", -1500),
            ("7.", 7000),
            ("-0.0009", 0),
            ("1.5e-3", 2),
            ("2.5E-3", 2),
            ("+.5e1", 5000),
            ("-2e0", -2000),
        ] {
            assert_eq!(decimal(text, 1000), Some(parts), "{text}");
        }
        for refused in ["", ".5", "+1.5", "1.5.", "--1", "1e", "1e999", "nan", "infinity", "9223372036854776"]
        {
            assert_eq!(decimal(refused, 1000), None, "{refused}");
        }
    }

    #[test]
    fn hexadecimal_numbers_may_have_a_prefix() {
        for text in ["1F", "0x1f", "0X1F", "+1f"] {
            assert_eq!(hexadecimal(text), Some(31), "{text}");
        }
        for refused in ["", "0x", "g", "0x0x1", "-0x1", "8000000000000000"] {
            assert_eq!(hexadecimal(refused), None, "{refused}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown() {
        assert_eq!(text_of("k\u{e4}se".as_bytes()), "k\u{e4}se");
        assert_eq!(text_of(b"a\xff\xe4b\xf0\x9f"), "a\\xff\\xe4b\\xf0\\x9f");
    }
}
