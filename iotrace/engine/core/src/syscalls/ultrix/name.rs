//! Percent-encoded names.

/// The longest encoding of a byte.
const ESCAPE_LENGTH: usize = 3;

/// Append a name: absent, empty, or its bytes with ambiguous ones escaped.
pub fn encode(name: Option<&[u8]>, out: &mut Vec<u8>) {
    match name {
        None => out.push(b'-'),
        Some(b"") => out.extend_from_slice(b"\"\""),
        Some(b"-") => out.extend_from_slice(b"%2D"),
        Some(name) => name.iter().for_each(|&byte| encode_byte(byte, out)),
    }
}

fn encode_byte(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if byte.is_ascii_alphanumeric() || b"_./+,:@~|-".contains(&byte) {
        out.push(byte);
    } else {
        out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

/// Decode in place: the name's new length, or None if a `%` is not followed by two hexadecimal digits.
pub fn decode_in_place(text: &mut [u8]) -> Option<usize> {
    if text == b"\"\"" {
        return Some(0);
    }
    let Some(first) = memchr::memchr(b'%', text) else {
        return Some(text.len());
    };
    let (mut from, mut to) = (first, first);
    while from < text.len() {
        if text[from] == b'%' {
            let high = hexadecimal(*text.get(from + 1)?)?;
            let low = hexadecimal(*text.get(from + 2)?)?;
            text[to] = high << 4 | low;
            from += ESCAPE_LENGTH;
        } else {
            text[to] = text[from];
            from += 1;
        }
        to += 1;
    }
    Some(to)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
