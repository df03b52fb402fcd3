//! Texts of JSON.

use std::fmt::Write;

/// A text as JSON has it; bytes that are not UTF-8 are `\xHH`, as tables of a store show them.
pub fn quoted(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                letter if letter < ' ' => {
                    let _ = write!(out, "\\u{:04x}", letter as u32);
                }
                letter => out.push(letter),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_are_escaped() {
        assert_eq!(super::quoted(b"a\"\\\n\xff"), "\"a\\\"\\\\\\u000a\\\\xff\"");
    }
}
