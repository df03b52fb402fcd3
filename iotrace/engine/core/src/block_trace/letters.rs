//! What Linux's block layer calls operations and their flags.

use crate::recording::{flag_names, FLAGS};

/// The names of operations, by their numbers; the first is of what has none.
pub const OPERATIONS: [&str; 5] = ["", "read", "write", "discard", "flush"];

/// The names of all sets of flags, by their bits.
pub fn all_flags() -> Vec<String> {
    (0..1 << FLAGS.len()).map(flag_names).collect()
}

/// Operation and flags of the letters RWBS, as numbers: D discard (E secure erase), W write, R read, else a leading F a
/// flush; an F that follows is FUA, S synchronous, A read-ahead, M metadata.
pub fn meaning(letters: &[u8]) -> (i32, i32) {
    let place = |wanted: &[u8]| letters.iter().position(|letter| wanted.contains(letter));
    let operation = match letters {
        _ if place(b"DE").is_some() => 3,
        _ if place(b"W").is_some() => 2,
        _ if place(b"R").is_some() => 1,
        [b'F', ..] => 4,
        _ => 0,
    };
    let is_forced = place(b"WRD").is_some_and(|at| letters[at..].contains(&b'F'));
    let flags = [is_forced, place(b"S").is_some(), place(b"A").is_some(), place(b"M").is_some()];
    (operation, flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i32::from(flag)))
}

#[cfg(test)]
mod tests {
    use super::{all_flags, meaning, OPERATIONS};

    #[test]
    fn letters_have_an_operation_and_flags() {
        let flags = all_flags();
        let named = |letters: &[u8]| {
            let (operation, bits) = meaning(letters);
            (OPERATIONS[operation as usize], flags[bits as usize].as_str())
        };
        assert_eq!(named(b"RAM"), ("read", "read_ahead|metadata"));
        assert_eq!(named(b"FWFS"), ("write", "forced|synchronous"));
        assert_eq!(named(b"DS"), ("discard", "synchronous"));
        assert_eq!(named(b"FF"), ("flush", ""));
        assert_eq!(named(b"N"), ("", ""));
    }
}
