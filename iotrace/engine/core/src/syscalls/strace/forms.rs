//! The forms of a line's event other than a plain call.

use super::number;

/// The name that `text` begins with. strace writes `????` for a call that it does not know.
pub(super) fn call_name(text: &[u8]) -> &[u8] {
    let length =
        text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?')).count();
    &text[..length]
}

/// The name in `<... name resumed>`, and what follows.
pub(super) fn resumed_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"<... ")?;
    let name = call_name(inside);
    Some((name, inside[name.len()..].strip_prefix(b" resumed>")?))
}

/// strace's own notices: `strace: Process 7 attached`, `/usr/bin/strace: ...`; in old versions without the name.
pub(super) fn is_notice(text: &[u8]) -> bool {
    match text.first() {
        Some(b's') => text.starts_with(b"strace: "),
        Some(b'/') => {
            let program = text.split(|&byte| byte == b' ').next().unwrap_or_default();
            program.ends_with(b"/strace:")
        }
        Some(b'[') => text.starts_with(b"[ Process PID="),
        Some(b'P') => text.strip_prefix(b"Process ").is_some_and(|rest| {
            let says = &rest[number::digits(rest).len()..];
            says.len() < rest.len() && (says.starts_with(b" attached") || says.starts_with(b" detached"))
        }),
        _ => false,
    }
}
