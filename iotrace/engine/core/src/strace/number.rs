//! Numbers as strace writes them.

pub(super) const NS_PER_SECOND: i64 = 1_000_000_000;

/// The decimal digits that `text` begins with.
pub(super) fn digits(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    &text[..length]
}

/// The value of a text that is all decimal digits; None if it is not, or is too large.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    in_base(digits, 10)
}

/// A fraction of a second in nanoseconds; what is finer is dropped.
pub(super) fn nanoseconds(decimals: &[u8]) -> i64 {
    let mut ns = 0;
    for place in 0..9 {
        ns = ns * 10
            + decimals
                .get(place)
                .map_or(0, |digit| i64::from(digit - b'0'));
    }
    ns
}

/// What became of reading a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// A number, its sign apart since unsigned 64-bit values occur.
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
            Number::Value {
                negative: false,
                magnitude,
            } => i64::try_from(magnitude).ok(),
            Number::Value {
                negative: true,
                magnitude,
            } => 0i64.checked_sub_unsigned(magnitude),
            _ => None,
        }
    }
}

/// Read the number that `text` begins with: decimal, `0x` hexadecimal or `0` octal. Also gives its length.
pub(super) fn parse(text: &[u8]) -> (Number, usize) {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative);
    let (base, from) = match &text[sign..] {
        [b'0', b'x', digit, ..] if digit.is_ascii_hexdigit() => (16, sign + 2),
        [b'0', digit, ..] if digit.is_ascii_digit() => (8, sign + 1),
        _ => (10, sign),
    };
    let length = match base {
        16 => text[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count(),
        _ => digits(&text[from..]).len(),
    };
    if length == 0 {
        return (Number::Missing, 0);
    }
    let number = match in_base(&text[from..from + length], base) {
        Some(magnitude) => Number::Value {
            negative,
            magnitude,
        },
        None => Number::TooLarge,
    };
    (number, from + length)
}

fn in_base(digits: &[u8], base: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let mut value = 0u64;
    for &digit in digits {
        let digit = (digit as char).to_digit(base)?;
        value = value
            .checked_mul(u64::from(base))?
            .checked_add(u64::from(digit))?;
    }
    Some(value)
}
