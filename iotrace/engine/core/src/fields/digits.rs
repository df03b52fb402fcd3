//! Numbers of a text in their usual form: digits without a sign.

use super::is_blank;

/// The most digits of a whole number that surely fits 63 bits.
const MOST_DIGITS: usize = 18;

/// Lines that are read from the start of one on.
#[derive(Clone, Copy)]
pub struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Cursor { text, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Where the next line begins, if nothing is left of this one but carriage returns.
    pub fn line_end(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        let returns = rest.iter().take_while(|&&byte| byte == b'\r').count();
        match rest.get(returns) {
            None => Some(self.text.len()),
            Some(b'\n') => Some(self.at + returns + 1),
            Some(_) => None,
        }
    }

    /// Pass one byte, if it is this one.
    pub fn passes(&mut self, byte: u8) -> bool {
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Pass the bytes that are as wanted, and return them; an end of a line must not be wanted.
    pub fn run(&mut self, is_wanted: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| !is_wanted(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Pass the blanks before the next field; None if there are none.
    #[inline]
    pub fn field(&mut self) -> Option<&mut Self> {
        (!self.run(is_blank).is_empty()).then_some(self)
    }

    /// A whole number of 1 to 18 digits.
    pub fn whole(&mut self) -> Option<i64> {
        let start = self.at;
        let mut number = 0_i64;
        loop {
            let Some(chunk) = self.text.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) else {
                while let Some(digit) = self.digit() {
                    number = number.wrapping_mul(10).wrapping_add(digit);
                }
                break;
            };
            let (value, digits) = leading_digits(*chunk);
            number = number.wrapping_mul(POWERS[digits]).wrapping_add(value);
            self.at += digits;
            if digits < 8 {
                break;
            }
        }
        (1..=MOST_DIGITS).contains(&(self.at - start)).then_some(number)
    }

    fn digit(&mut self) -> Option<i64> {
        let digit = self.text.get(self.at)?.wrapping_sub(b'0');
        let is_one = digit <= 9;
        self.at += usize::from(is_one);
        is_one.then_some(i64::from(digit))
    }

    /// A number with or without decimals, in units of which each has `unit` parts, a power of 10: those parts, and
    /// what is finer cut off.
    pub fn decimal(&mut self, unit: i64) -> Option<i64> {
        let whole = self.whole()?;
        let mut parts = 0;
        if self.passes(b'.') {
            let mut place = unit;
            while let Some(digit) = self.digit() {
                place /= 10;
                parts += digit * place;
            }
        }
        (whole < i64::MAX / unit).then(|| whole * unit + parts)
    }

    /// The lowest bit of a number of 1 to 8 hexadecimal digits.
    pub fn hexadecimal_is_odd(&mut self) -> Option<bool> {
        let digits = self.run(|byte| byte.is_ascii_hexdigit());
        let last = char::from(*digits.last()?).to_digit(16)?;
        (digits.len() <= 8).then_some(last % 2 == 1)
    }
}

const POWERS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number that a text begins with, and its digits: 0 to 8.
///
/// The digits are added in pairs, these in fours, and these in one number, each step for all of them at the same time.
fn leading_digits(text: [u8; 8]) -> (i64, usize) {
    let text = u64::from_le_bytes(text);
    // a byte is a digit if its upper half is 3 and adding 6 leaves that; carries change only what follows no digit
    let upper = (text & 0xf0f0_f0f0_f0f0_f0f0) ^ 0x3030_3030_3030_3030;
    let carried = (text.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0) ^ 0x3030_3030_3030_3030;
    let digits = (upper | carried).trailing_zeros() as usize / 8;
    if digits == 0 {
        return (0, 0);
    }
    // zeros in front in place of what follows the digits, which are in the lowest bytes
    let digits_only = (text << (64 - 8 * digits)) & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (digits_only.wrapping_mul(2561) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
    ((fours.wrapping_mul(42_949_672_960_001) >> 32) as i64, digits)
}

#[cfg(test)]
mod tests {
    use super::Cursor;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_digits_only() {
        let whole = |text: &str| Cursor::new(text.as_bytes()).whole();
        assert_eq!(whole("0042,"), Some(42));
        assert_eq!(whole("999999999999999999"), Some(999_999_999_999_999_999));
        for number in [12_345_678, 1_234_567_890_123_456, 98_765_432_109] {
            assert_eq!(whole(&format!("{number},9")), Some(number));
        }
        for refused in ["", "-1", "+1", " 1", "1000000000000000000", "x", ":2345678", "/2345678"] {
            assert_eq!(whole(refused), None, "{refused}");
        }
    }

    proptest! {
        #[test]
        fn numbers_end_where_digits_do(text in "[0-9]{0,20}[ -~\\x80-\u{ff}\n]{0,12}") {
            let mut cursor = Cursor::new(text.as_bytes());
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let expected = text[..digits].parse::<i64>().ok().filter(|_| digits <= 18);
            prop_assert_eq!(cursor.whole(), expected);
            prop_assert_eq!(cursor.at(), digits);
        }
    }

    #[test]
    fn decimals_are_cut_off() {
        let decimal = |text: &str| Cursor::new(text.as_bytes()).decimal(1000);
        assert_eq!(decimal("7"), Some(7000));
        assert_eq!(decimal("7."), Some(7000));
        assert_eq!(decimal("7.12399999"), Some(7123));
        assert_eq!(decimal("999999999999999999.5"), None);
    }
}
