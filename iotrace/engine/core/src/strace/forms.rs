//! The forms that a line's event has beside a plain call.

use super::number;

/// The name that `text` begins with. strace writes `????` for a call that it does not know.
pub(super) fn call_name(text: &[u8]) -> &[u8] {
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?'))
        .count();
    &text[..length]
}

/// The name in `<... name resumed>`, and what follows.
pub(super) fn resumed_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"<... ")?;
    let name = call_name(inside);
    Some((name, inside[name.len()..].strip_prefix(b" resumed>")?))
}

/// What strace says of itself: `strace: Process 7 attached`, in old versions without the name.
pub(super) fn is_notice(text: &[u8]) -> bool {
    if text.starts_with(b"strace: ") {
        return true;
    }
    text.strip_prefix(b"Process ").is_some_and(|rest| {
        let digits = number::digits(rest);
        let says = &rest[digits.len()..];
        !digits.is_empty() && (says.starts_with(b" attached") || says.starts_with(b" detached"))
    })
}
