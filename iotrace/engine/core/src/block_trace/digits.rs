//! Numbers of a text in their usual form: digits without a sign.

/// The most digits of a whole number that surely fits 63 bits.
const MOST_DIGITS: usize = 18;

/// Text that is read from its start on.
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

    /// Pass one byte, if it is this one.
    pub fn passes(&mut self, byte: u8) -> bool {
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Pass the bytes that are as wanted, and return them.
    pub fn run(&mut self, is_wanted: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| !is_wanted(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A whole number of 1 to 18 digits.
    pub fn whole(&mut self) -> Option<i64> {
        let start = self.at;
        let mut number = 0_i64;
        while let Some(digits) = self.text.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let Some(eight) = eight_digits(*digits) else {
                break;
            };
            number = number.wrapping_mul(100_000_000).wrapping_add(eight);
            self.at += 8;
        }
        while let Some(digit) = self.digit() {
            number = number.wrapping_mul(10).wrapping_add(digit);
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

/// A number of 8 digits; None if one is none.
///
/// The digits are added in pairs, these in fours, and these in one number, each step for all of them at the same time.
fn eight_digits(text: [u8; 8]) -> Option<i64> {
    let text = u64::from_le_bytes(text);
    let high = text & 0xf0f0_f0f0_f0f0_f0f0;
    let carried = text.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if high != 0x3030_3030_3030_3030 || carried != 0x3030_3030_3030_3030 {
        return None;
    }
    let digits = text & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (digits.wrapping_mul(2561) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(42_949_672_960_001) >> 32) as i64)
}

#[cfg(test)]
mod tests {
    use super::Cursor;

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

    #[test]
    fn decimals_are_cut_off() {
        let decimal = |text: &str| Cursor::new(text.as_bytes()).decimal(1000);
        assert_eq!(decimal("7"), Some(7000));
        assert_eq!(decimal("7."), Some(7000));
        assert_eq!(decimal("7.12399999"), Some(7123));
        assert_eq!(decimal("999999999999999999.5"), None);
    }
}
