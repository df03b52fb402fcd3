//! Conversion of names from logs to tables.
//!
//! A log escapes the bytes of a name as C does (`\n`, `\"`, `\74`, `\x3c`). A table holds UTF-8. The mapping from a
//! name's bytes to a table's text is injective: different names have different texts.

use std::io::Write;

/// Decode an escaped name of a log to the text shown in tables.
///
/// Borrows `escaped` if nothing has to change; otherwise the result is built in `scratch`. The result is always valid
/// UTF-8. See [`show_name`] for how bytes that are not UTF-8 appear.
pub fn decode_name<'a>(escaped: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if memchr::memchr(b'\\', escaped).is_none() {
        // Without a backslash there is no `\x` either, so UTF-8 is unchanged.
        if escaped.is_ascii() || std::str::from_utf8(escaped).is_ok() {
            return escaped;
        }
        scratch.clear();
        show_name(escaped, scratch);
        return scratch;
    }
    scratch.clear();
    unescape(escaped, scratch);
    if !stands_for_itself(scratch) {
        let bytes = std::mem::take(scratch);
        show_name(&bytes, scratch);
    }
    scratch
}

/// Append the text shown in tables for a name of these bytes.
///
/// UTF-8 is unchanged. In a name with bytes that are not UTF-8, or with the characters `\x`, each such byte is shown
/// as `\xHH` (lower case) and each backslash as two.
pub fn show_name(bytes: &[u8], shown: &mut Vec<u8>) {
    if stands_for_itself(bytes) {
        shown.extend_from_slice(bytes);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            if byte == b'\\' {
                shown.push(b'\\');
            }
            shown.push(byte);
        }
        for byte in chunk.invalid() {
            // Writing to a vector cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
}

/// A log's text for a table: bytes that are not UTF-8 are shown as `\xHH`, others are unchanged. Not injective.
pub fn printable<'a>(raw: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if raw.is_ascii() || std::str::from_utf8(raw).is_ok() {
        return raw;
    }
    scratch.clear();
    for chunk in raw.utf8_chunks() {
        scratch.extend_from_slice(chunk.valid().as_bytes());
        for byte in chunk.invalid() {
            // Writing to a vector cannot fail.
            let _ = write!(scratch, "\\x{byte:02x}");
        }
    }
    scratch
}

/// Append the bytes of a text of [`show_name`].
pub fn name_bytes(shown: &[u8], bytes: &mut Vec<u8>) {
    if memchr::memmem::find(shown, b"\\x").is_none() {
        bytes.extend_from_slice(shown);
        return;
    }
    let mut rest = shown;
    while let Some(&byte) = rest.first() {
        let (value, taken) = match rest {
            [b'\\', b'\\', ..] => (b'\\', 2),
            [b'\\', b'x', high, low, ..] => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, 4),
                _ => (byte, 1),
            },
            _ => (byte, 1),
        };
        bytes.push(value);
        rest = &rest[taken..];
    }
}

/// Append the bytes of a C-escaped text. An escape unknown in C is unchanged.
pub fn unescape(escaped: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        bytes.extend_from_slice(&rest[..at]);
        let (byte, taken) = escape(&rest[at + 1..]);
        bytes.push(byte);
        rest = &rest[at + 1 + taken..];
    }
    bytes.extend_from_slice(rest);
}

/// The byte of the escape after a backslash, and the escape's length in bytes.
fn escape(after: &[u8]) -> (u8, usize) {
    match after.first() {
        Some(b'n') => (b'\n', 1),
        Some(b't') => (b'\t', 1),
        Some(b'r') => (b'\r', 1),
        Some(b'v') => (0x0b, 1),
        Some(b'f') => (0x0c, 1),
        Some(b'a') => (0x07, 1),
        Some(b'b') => (0x08, 1),
        Some(&byte @ (b'"' | b'\\' | b'\'')) => (byte, 1),
        Some(b'x') => {
            match (after.get(1).copied().and_then(hex_digit), after.get(2).copied().and_then(hex_digit)) {
                (Some(high), Some(low)) => (high << 4 | low, 3),
                _ => (b'\\', 0),
            }
        }
        Some(b'0'..=b'7') => octal(after),
        _ => (b'\\', 0),
    }
}

/// One to three octal digits, as many as still make a byte.
fn octal(digits: &[u8]) -> (u8, usize) {
    let mut value = 0u8;
    let mut taken = 0;
    for &digit in digits.iter().take(3) {
        if !(b'0'..=b'7').contains(&digit) {
            break;
        }
        let Some(next) = value.checked_mul(8) else {
            break;
        };
        value = next | (digit - b'0');
        taken += 1;
    }
    (value, taken)
}

fn hex_digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

/// Whether a name of these bytes is shown as they are.
pub(super) fn stands_for_itself(bytes: &[u8]) -> bool {
    (bytes.is_ascii() || std::str::from_utf8(bytes).is_ok()) && memchr::memmem::find(bytes, b"\\x").is_none()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(escaped: &[u8]) -> Vec<u8> {
        let mut scratch = b"left over".to_vec();
        decode_name(escaped, &mut scratch).to_vec()
    }

    fn shown(bytes: &[u8]) -> Vec<u8> {
        let mut shown = Vec::new();
        show_name(bytes, &mut shown);
        shown
    }

    /// strace's own quoting: minimal octal, three digits if a digit follows.
    fn quote(bytes: &[u8]) -> Vec<u8> {
        let mut quoted = Vec::new();
        for (at, &byte) in bytes.iter().enumerate() {
            let digit_follows = bytes.get(at + 1).is_some_and(|next| (b'0'..=b'7').contains(next));
            match byte {
                b'"' | b'\\' => quoted.extend([b'\\', byte]),
                b'\n' => quoted.extend(b"\\n"),
                b' '..=b'~' => quoted.push(byte),
                _ if digit_follows => quoted.extend(format!("\\{byte:03o}").bytes()),
                _ => quoted.extend(format!("\\{byte:o}").bytes()),
            }
        }
        quoted
    }

    #[test]
    fn plain_names_are_borrowed() {
        let mut scratch = Vec::new();
        let name = b"/usr/lib/libc.so.6";
        assert!(std::ptr::eq(decode_name(name, &mut scratch).as_ptr(), name.as_ptr()));
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(decoded(br#"we\"ird\n\74name\76\303\251.bin"#), "we\"ird\n<name>é.bin".as_bytes());
        assert_eq!(decoded(br"\x2f\x65\x74\x63"), b"/etc");
        assert_eq!(decoded(br"\0011\1"), b"\x011\x01");
        assert_eq!(decoded(br"\t\r\v\f\\"), b"\t\r\x0b\x0c\\");
        assert_eq!(decoded(br"\777"), b"?7");
        assert_eq!(decoded(br"end\"), br"end\");
        assert_eq!(decoded(br"\q\x1"), br"\\q\\x1");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown() {
        assert_eq!(decoded(br"a\377b"), br"a\xffb");
        assert_eq!(decoded(b"a\xffb"), br"a\xffb");
        assert_eq!(decoded(br"a\377\\b"), br"a\xff\\b");
        assert_eq!(decoded(br"a\\xff"), br"a\\xff");
        assert_eq!(decoded(br"a\\b"), br"a\b");
    }

    proptest! {
        #[test]
        fn showing_is_injective(bytes in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'f'), any::<u8>()], 0..24)) {
            let shown = shown(&bytes);
            prop_assert!(std::str::from_utf8(&shown).is_ok());
            let mut back = Vec::new();
            name_bytes(&shown, &mut back);
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn decoding_undoes_quoting(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            prop_assert_eq!(decoded(&quote(&bytes)), shown(&bytes));
        }

        #[test]
        fn any_text_decodes_to_utf8(escaped in prop::collection::vec(prop_oneof![Just(b'\\'), any::<u8>()], 0..40)) {
            prop_assert!(std::str::from_utf8(&decoded(&escaped)).is_ok());
        }
    }
}
