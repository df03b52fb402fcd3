//! The offsets of members of the kernel's structures, from the description that it carries (BTF).

use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Where the kernel shows its description.
pub const PLACE: &str = "/sys/kernel/btf/vmlinux";

const MAGIC: u16 = 0xeb9f;
const KIND_STRUCT: u32 = 4;
const KIND_UNION: u32 = 5;
const KIND_ENUM: u32 = 6;
const KIND_TYPEDEF: u32 = 8;
/// How deep anonymous structures may be nested.
const DEEPEST: u32 = 8;

/// Offsets in bytes, by structure and member; values, by enumeration and name; and the numbers of arguments of events.
#[derive(Debug, Default)]
pub struct Offsets {
    offsets: HashMap<(&'static str, &'static str), i32>,
    arguments: HashMap<&'static str, usize>,
}

impl Offsets {
    /// Look up members, values and events in the running kernel's description.
    ///
    /// # Errors
    /// The description is missing or damaged.
    pub fn of_kernel(
        members: &[(&'static str, &'static str)],
        events: &[&'static str],
    ) -> io::Result<Offsets> {
        let bytes = std::fs::read(Path::new(PLACE))?;
        Offsets::read(&bytes, members, events).ok_or_else(|| damaged("is not a whole description"))
    }

    /// The offset of a member of a structure, or the value of a name of an enumeration.
    ///
    /// # Errors
    /// The kernel has no such member or name.
    pub fn get(&self, structure: &'static str, member: &'static str) -> io::Result<i32> {
        let found = self.offsets.get(&(structure, member)).copied();
        found.ok_or_else(|| damaged(&format!("has no {structure}.{member}")))
    }

    /// How many arguments the programs of an event get; None if the kernel has no such event.
    pub fn arguments(&self, event: &'static str) -> Option<usize> {
        self.arguments.get(event).copied()
    }

    fn read(
        bytes: &[u8],
        members: &[(&'static str, &'static str)],
        events: &[&'static str],
    ) -> Option<Offsets> {
        let types = Types::read(bytes)?;
        let mut found = Offsets::default();
        for &at in &types.places {
            let kind = types.kind(at)?;
            if !matches!(kind, KIND_STRUCT | KIND_ENUM | KIND_TYPEDEF) {
                continue;
            }
            let name = types.name(at)?;
            if kind == KIND_TYPEDEF {
                if let Some(event) = events.iter().find(|event| event.as_bytes() == name) {
                    // a pointer to the prototype, whose first argument is not the program's
                    let arguments = types.count(types.target(types.target(at)?)?)?;
                    found.arguments.insert(event, arguments);
                }
                continue;
            }
            for &(of, member) in members {
                if of.as_bytes() == name && !found.offsets.contains_key(&(of, member)) {
                    let value = match kind {
                        KIND_STRUCT => types.member(at, member.as_bytes(), 0).map(|bits| bits / 8),
                        _ => types.enumerator(at, member.as_bytes()),
                    };
                    if let Some(value) = value {
                        found.offsets.insert((of, member), i32::try_from(value).ok()?);
                    }
                }
            }
        }
        Some(found)
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{PLACE} {what}"))
}

/// The types of a description.
struct Types<'b> {
    bytes: &'b [u8],
    strings: usize,
    /// Where each type stands, by number less 1.
    places: Vec<usize>,
}

impl<'b> Types<'b> {
    fn read(bytes: &'b [u8]) -> Option<Types<'b>> {
        if bytes.get(..2)? != MAGIC.to_le_bytes() {
            return None;
        }
        let mut types = Types { bytes, strings: 0, places: Vec::new() };
        let header = types.word(4)?;
        let (first, length) = (header + types.word(8)?, types.word(12)?);
        types.strings = header + types.word(16)?;
        let mut at = first;
        while at < first + length {
            types.places.push(at);
            at += 12 + types.extra(at)?;
        }
        Some(types)
    }

    fn word(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    }

    fn kind(&self, at: usize) -> Option<u32> {
        Some(self.word(at + 4)? as u32 >> 24 & 31)
    }

    fn count(&self, at: usize) -> Option<usize> {
        Some(self.word(at + 4)? & 0xffff)
    }

    /// The bytes of a type after its first 12 (`Documentation/bpf/btf.rst`).
    fn extra(&self, at: usize) -> Option<usize> {
        let count = self.count(at)?;
        Some(match self.kind(at)? {
            1 | 14 | 17 => 4,
            3 => 12,
            4 | 5 | 15 | 19 => 12 * count,
            6 | 13 => 8 * count,
            _ => 0,
        })
    }

    fn text(&self, offset: usize) -> Option<&'b [u8]> {
        let text = self.bytes.get(self.strings + offset..)?;
        Some(&text[..text.iter().position(|&byte| byte == 0)?])
    }

    fn name(&self, at: usize) -> Option<&'b [u8]> {
        self.text(self.word(at)?)
    }

    /// Where the type stands to which a pointer, or another name, refers.
    fn target(&self, at: usize) -> Option<usize> {
        self.places.get(self.word(at + 8)?.checked_sub(1)?).copied()
    }

    /// The value of a name of an enumeration of 32 bits.
    fn enumerator(&self, at: usize, wanted: &[u8]) -> Option<usize> {
        let mut places = (0..self.count(at)?).map(|number| at + 12 + 8 * number);
        let place = places.find(|&place| self.name(place) == Some(wanted))?;
        self.word(place + 4)
    }

    /// The offset in bits of a member, also of one in an anonymous structure.
    fn member(&self, at: usize, wanted: &[u8], depth: u32) -> Option<usize> {
        if depth > DEEPEST || !matches!(self.kind(at)?, KIND_STRUCT | KIND_UNION) {
            return None;
        }
        let has_bit_fields = self.word(at + 4)? >> 31 == 1;
        for number in 0..self.count(at)? {
            let place = at + 12 + 12 * number;
            let offset = self.word(place + 8)?;
            let bits = if has_bit_fields { offset & 0xff_ffff } else { offset };
            let name = self.name(place)?;
            if name == wanted {
                return Some(bits);
            }
            if name.is_empty() {
                let inner = *self.places.get(self.word(place + 4)?.checked_sub(1)?)?;
                if let Some(within) = self.member(inner, wanted, depth + 1) {
                    return Some(bits + within);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_running_kernel_are_found() {
        if !Path::new(PLACE).exists() {
            return;
        }
        let members =
            [("task_struct", "pid"), ("task_struct", "tgid"), ("inode", "i_ino"), ("file", "f_inode")];
        let offsets = Offsets::of_kernel(&members, &[]);
        let offsets = offsets.unwrap_or_default();
        let pid = offsets.get("task_struct", "pid").unwrap_or_default();
        // the two numbers stand side by side in every kernel with BTF
        assert_eq!(offsets.get("task_struct", "tgid").unwrap_or_default(), pid + 4);
        assert!(offsets.get("inode", "i_size").is_err());
    }

    #[test]
    fn damaged_descriptions_are_refused() {
        assert!(Offsets::read(b"", &[], &[]).is_none());
        assert!(
            Offsets::read(&[0x9f, 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0], &[], &[]).is_none()
        );
    }
}
