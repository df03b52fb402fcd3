//! Numbers as strace writes them.

pub(super) const NS_PER_SECOND: i64 = 1_000_000_000;

/// The decimal digits that `text` begins with.
pub(super) fn digits(text: &[u8]) -> &[u8] {
    leading(text, u8::is_ascii_digit)
}

/// The value of a text of decimal digits; None for other texts, or if it is too large.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut value = 0u64;
    let (safe, last) = digits.split_at(digits.len().min(19));
    for &digit in safe {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    for &digit in last {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        value = value.checked_mul(10)?.checked_add(digit).filter(|_| digit <= 9)?;
    }
    Some(value)
}

/// The decimal number that `text` begins with, and how many digits it has; None if it has too many.
pub(super) fn leading_decimal(text: &[u8]) -> (Option<u64>, usize) {
    let mut value = 0u64;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    // Up to 19 digits cannot have wrapped.
    let value = if length <= 19 { Some(value) } else { decimal(&text[..length]) };
    (value.filter(|_| length > 0), length)
}

/// A fraction of a second, given by its decimal digits, in nanoseconds; further decimals are dropped.
pub(super) fn nanoseconds(decimals: &[u8]) -> i64 {
    const SCALE: [i64; 10] =
        [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    let decimals = &decimals[..decimals.len().min(9)];
    let value = decimals.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    value * SCALE[decimals.len()]
}

/// The result of reading a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// A number, with a separate sign since unsigned 64-bit values occur.
    Value { negative: bool, magnitude: u64 },
    /// The text does not begin with a number.
    Missing,
    /// A number of more than 64 bits.
    TooLarge,
}

impl Number {
    /// As a signed number: a decimal must fit.
    pub fn signed(self) -> Option<i64> {
        match self {
            Number::Value { negative: false, magnitude } => i64::try_from(magnitude).ok(),
            Number::Value { negative: true, magnitude } => 0i64.checked_sub_unsigned(magnitude),
            _ => None,
        }
    }
}

/// Read the number that `text` begins with: decimal, `0x` hexadecimal or `0` octal. Also gives its length.
pub(super) fn parse(text: &[u8]) -> (Number, usize) {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative);
    let unsigned = &text[sign..];
    let (start, digits, magnitude) = match unsigned {
        [b'0', b'x', digit, ..] if digit.is_ascii_hexdigit() => {
            let digits = leading(&unsigned[2..], u8::is_ascii_hexdigit);
            (2, digits, in_bits(digits, 4))
        }
        [b'0', digit, ..] if digit.is_ascii_digit() => {
            let digits = digits(&unsigned[1..]);
            (1, digits, in_bits(digits, 3))
        }
        _ => {
            let (value, length) = leading_decimal(unsigned);
            (0, &unsigned[..length], value)
        }
    };
    if digits.is_empty() {
        return (Number::Missing, 0);
    }
    let number = match magnitude {
        Some(magnitude) => Number::Value { negative, magnitude },
        None => Number::TooLarge,
    };
    (number, sign + start + digits.len())
}

fn leading(text: &[u8], is_digit: impl Fn(&u8) -> bool) -> &[u8] {
    let length = text.iter().position(|byte| !is_digit(byte));
    &text[..length.unwrap_or(text.len())]
}

/// The value of digits of `bits` bits each.
fn in_bits(digits: &[u8], bits: u32) -> Option<u64> {
    let mut value = 0u64;
    for &digit in digits {
        let digit = (digit as char).to_digit(1 << bits)?;
        if value.leading_zeros() < bits {
            return None;
        }
        value = value << bits | u64::from(digit);
    }
    Some(value)
}
