//! The strace flags of a log, as shown by its lines.

use super::clock::TimeBase;

/// The facts shown by lines so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Numbers of threads (`-f`).
    pub threads: bool,
    /// Durations of calls (`-T`).
    pub durations: bool,
    /// Paths of descriptors (`-y`).
    pub descriptor_paths: bool,
    /// Details of descriptors other than paths: addresses of sockets, numbers of devices (`-yy`).
    pub descriptor_details: bool,
}

impl Seen {
    /// Record a log's annotation of a descriptor.
    pub(super) fn annotation(&mut self, annotation: &[u8]) {
        self.descriptor_paths = true;
        if !self.descriptor_details {
            let device = annotation.starts_with(b"</") && annotation[1..].contains(&b'<');
            self.descriptor_details = device || annotation.get(1).is_some_and(u8::is_ascii_uppercase);
        }
    }

    /// The flags that produce these facts, and such times.
    pub(super) fn flags(self, base: TimeBase, resolution_ns: Option<i64>) -> String {
        let precision = match resolution_ns {
            Some(1_000_000_000) => "s",
            Some(1_000_000) => "ms",
            Some(1_000) => "us",
            _ => "ns",
        };
        let times = match (base, precision) {
            (TimeBase::None, _) => None,
            (TimeBase::OfDay, "s") => Some("-t".to_string()),
            (TimeBase::OfDay, "us") => Some("-tt".to_string()),
            (TimeBase::Epoch, "us") => Some("-ttt".to_string()),
            (TimeBase::Relative, "us") => Some("-r".to_string()),
            (TimeBase::OfDay, _) => Some(format!("--absolute-timestamps=format:time,precision:{precision}")),
            (TimeBase::Epoch, _) => Some(format!("--absolute-timestamps=format:unix,precision:{precision}")),
            (TimeBase::Relative, _) => Some(format!("--relative-timestamps={precision}")),
        };
        let flags = [
            self.threads.then(|| "-f".to_string()),
            times,
            self.durations.then(|| "-T".to_string()),
            (self.descriptor_paths && !self.descriptor_details).then(|| "-y".to_string()),
            self.descriptor_details.then(|| "-yy".to_string()),
        ];
        flags.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}
