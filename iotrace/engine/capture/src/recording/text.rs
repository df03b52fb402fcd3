//! Blocks of text: a line for each fact, `key value`; in a value a newline is `\n` and a backslash `\\`.

/// Append a line.
pub fn write(text: &mut Vec<u8>, key: &str, value: &[u8]) {
    text.extend_from_slice(key.as_bytes());
    text.push(b' ');
    for &byte in value {
        match byte {
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\\' => text.extend_from_slice(b"\\\\"),
            _ => text.push(byte),
        }
    }
    text.push(b'\n');
}

/// The lines of a text.
pub fn read(text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let length = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
            let key = String::from_utf8_lossy(&line[..length]).into_owned();
            (key, plain(line.get(length + 1..).unwrap_or_default()))
        })
        .collect()
}

fn plain(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                Some(&other) => out.push(other),
                None => out.push(b'\\'),
            },
            _ => out.push(byte),
        }
    }
    out
}
