//! The text after a call's arguments: ` = result[<name>][ ERROR (text)][ (more)][ <duration>]`.

use super::number::{self, Number};
use super::skip::Skip;
use super::split;

/// How a call returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Outcome<'t> {
    /// None if the log has `?`.
    pub result: Option<i64>,
    pub error: Option<&'t [u8]>,
    /// The log's annotation of a returned descriptor, with the brackets and a mark of deletion.
    pub annotation: Option<&'t [u8]>,
    /// May be negative in the log, which is impossible.
    pub duration_ns: Option<i64>,
}

/// Read the text after the parenthesis that closes the arguments.
pub(super) fn parse(text: &[u8]) -> Result<Outcome<'_>, Skip> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"=").ok_or(Skip::NoResult)?.trim_ascii_start();
    let mut outcome = Outcome { duration_ns: duration(text)?, ..Outcome::default() };
    if let Some(rest) = text.strip_prefix(b"?") {
        outcome.error = error_name(rest);
        return Ok(outcome);
    }
    let (number, length) = number::parse(text);
    let Number::Value { negative, magnitude } = number else {
        return Err(if number == Number::TooLarge { Skip::NumberOutOfRange } else { Skip::NoResult });
    };
    // An address is a bit pattern; its top bit is not a sign.
    let address = text.starts_with(b"0x");
    let result = if address { Some(magnitude as i64) } else { number.signed() };
    outcome.result = Some(result.ok_or(Skip::NumberOutOfRange)?);
    let rest = &text[length..];
    if negative {
        outcome.error = error_name(rest);
    } else if rest.first() == Some(&b'<') {
        let end = split::annotation_end(rest, 0).ok_or(Skip::CutShort)?;
        let deleted = if rest[end..].starts_with(b"(deleted)") { b"(deleted)".len() } else { 0 };
        outcome.annotation = Some(&rest[..end + deleted]);
    }
    Ok(outcome)
}

/// ` ENOENT (...)` or ` (errno 524)`
fn error_name(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b" ")?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if rest.first() == Some(&b'E') {
        return Some(&rest[..length]);
    }
    let inside = rest.strip_prefix(b"(")?;
    let close = memchr::memchr(b')', inside)?;
    inside[..close].starts_with(b"errno ").then(|| &inside[..close])
}

/// Whether a line ends in a duration.
pub(super) fn ends_in_duration(text: &[u8]) -> bool {
    !matches!(duration(text), Ok(None))
}

/// ` <seconds.decimals>` at the end of the line. A name cannot end so, since names escape `<`.
fn duration(text: &[u8]) -> Result<Option<i64>, Skip> {
    let Some(inside) = text.strip_suffix(b">") else {
        return Ok(None);
    };
    let decimals_length = inside.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (head, decimals) = inside.split_at(inside.len() - decimals_length);
    let (seconds, decimals) = match head.strip_suffix(b".") {
        Some(head) => (head, decimals),
        None => (inside, b"".as_slice()),
    };
    let seconds_length = seconds.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (head, seconds) = seconds.split_at(seconds.len() - seconds_length);
    let sign = if head.ends_with(b" <-") { -1 } else { 1 };
    let opens = sign < 0 || head.ends_with(b" <");
    if !opens || seconds.is_empty() {
        return Ok(None);
    }
    let seconds = number::decimal(seconds).and_then(|seconds| i64::try_from(seconds).ok());
    let ns = seconds
        .and_then(|seconds| seconds.checked_mul(number::NS_PER_SECOND))
        .and_then(|ns| ns.checked_add(number::nanoseconds(decimals)));
    ns.map(|ns| Some(sign * ns)).ok_or(Skip::NumberOutOfRange)
}
