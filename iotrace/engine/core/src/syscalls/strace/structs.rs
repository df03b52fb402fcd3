//! Fields of the structures that strace prints among the arguments.

use super::number;
use super::split;

/// The text of a field of `{name=value, ...}`; None if it is not shown. Only for structures whose values contain
/// neither strings nor structures with the same field names.
pub(super) fn field<'t>(structure: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let mut rest = structure.strip_prefix(b"{")?;
    loop {
        if let Some(value) = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"=")) {
            let end = memchr::memchr2(b',', b'}', value).unwrap_or(value.len());
            return Some(&value[..end]);
        }
        let comma = memchr::memchr(b',', rest)?;
        rest = rest[comma + 1..].trim_ascii_start();
    }
}

/// The string at the start of `text`, and whether it is complete (`"abc"...` is not).
pub(super) fn string(text: &[u8]) -> Option<(&[u8], bool)> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let end = split::string_end(text, 1)?;
    Some((&text[1..end - 1], !text[end..].starts_with(b"...")))
}

/// The sum of an iovec's lengths; None if the array is not shown completely.
pub(super) fn vector_bytes(vector: &[u8]) -> Option<i64> {
    if vector.first() != Some(&b'[') || vector.ends_with(b"...]") {
        return None;
    }
    const LENGTH: &[u8] = b"iov_len=";
    let mut sum = 0i64;
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'i', &vector[at..]) {
        at += found;
        if vector[at] == b'"' {
            at = split::string_end(vector, at + 1)?;
        } else if vector[at..].starts_with(LENGTH) {
            at += LENGTH.len();
            sum = sum.checked_add(number::parse(&vector[at..]).0.signed()?)?;
        } else {
            at += 1;
        }
    }
    Some(sum)
}

/// The two elements of `[3, 4]`, each optionally with a name in angle brackets.
pub(super) fn pair(array: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = array.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let elements = split::arguments(inside, 0);
    Some((elements.get(inside, 0)?, elements.get(inside, 1)?))
}

/// The lists of descriptors that messages pass, each without its brackets.
pub(super) fn passed(message: &[u8]) -> Vec<&[u8]> {
    const RIGHTS: &[u8] = b"SCM_RIGHTS, cmsg_data=[";
    let (mut lists, mut at) = (Vec::new(), 0);
    if memchr::memmem::find(message, RIGHTS).is_none() {
        return lists;
    }
    while let Some(found) = memchr::memchr2(b'"', b'S', &message[at..]) {
        at += found;
        if message[at] == b'"' {
            let Some(end) = split::string_end(message, at + 1) else { break };
            at = end;
        } else if let Some(list) = message[at..].strip_prefix(RIGHTS) {
            let end = memchr::memmem::find(list, b"]}").unwrap_or(list.len());
            lists.push(&list[..end]);
            at += RIGHTS.len() + end;
        } else {
            at += 1;
        }
    }
    lists
}
