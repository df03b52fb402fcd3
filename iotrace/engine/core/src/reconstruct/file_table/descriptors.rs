//! Descriptor tables, and the open-file entries that descriptors refer to.

use rustc_hash::FxHashMap;

use super::files::FileId;
use super::relative::Space;
use crate::syscalls::call::FileKind;

/// An open-file entry's index in [`Opens`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenId(pub u32);

/// One end of a pair of sockets that socketpair made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SocketEnd {
    /// The pair's number.
    pub pair: u32,
    /// Which of the two.
    pub is_second: bool,
}

impl SocketEnd {
    /// The other end of the pair.
    pub fn other(self) -> SocketEnd {
        SocketEnd { is_second: !self.is_second, ..self }
    }
}

/// What is known of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Not mentioned yet: possibly inherited from the table's first process, from before the trace.
    Untouched,
    /// Known to be closed.
    Closed,
    /// Refers to this open-file entry.
    Open {
        /// The entry.
        open: OpenId,
        /// Whether an exec closes it.
        close_on_exec: bool,
    },
}

const DIRECT_SLOTS: i32 = 1024;

/// A process's descriptors.
#[derive(Debug, Clone)]
pub struct DescriptorTable {
    /// The first process of the lineage, from which untouched descriptors are inherited.
    pub lineage: i32,
    /// How many threads share the table.
    pub sharers: u32,
    /// Descriptors from this one on are closed unless mentioned since.
    closed_from: i32,
    low: Vec<Slot>,
    high: FxHashMap<i32, Slot>,
}

impl DescriptorTable {
    /// A table with unknown contents.
    pub fn new(lineage: i32) -> DescriptorTable {
        DescriptorTable {
            lineage,
            sharers: 1,
            closed_from: i32::MAX,
            low: Vec::new(),
            high: FxHashMap::default(),
        }
    }

    /// What is known of a descriptor.
    pub fn get(&self, fd: i32) -> Slot {
        let known = match usize::try_from(fd) {
            Ok(at) if fd < DIRECT_SLOTS => self.low.get(at).copied(),
            _ => self.high.get(&fd).copied(),
        };
        known.unwrap_or_else(|| self.unmentioned(fd))
    }

    fn unmentioned(&self, fd: i32) -> Slot {
        if fd >= self.closed_from {
            Slot::Closed
        } else {
            Slot::Untouched
        }
    }

    /// Set a descriptor; returns what it was.
    pub fn set(&mut self, fd: i32, slot: Slot) -> Slot {
        let before = self.get(fd);
        match usize::try_from(fd) {
            Ok(at) if fd < DIRECT_SLOTS => {
                for next in self.low.len() as i32..=fd {
                    self.low.push(self.unmentioned(next));
                }
                self.low[at] = slot;
            }
            _ => drop(self.high.insert(fd, slot)),
        }
        before
    }

    /// Let every open descriptor of a range be closed by an exec.
    pub fn close_range_on_exec(&mut self, first: i32, last: i32) {
        let low = self.low.iter_mut().enumerate();
        let low = low.map(|(fd, slot)| (fd as i32, slot));
        let high = self.high.iter_mut().map(|(&fd, slot)| (fd, slot));
        for (fd, slot) in low.chain(high) {
            if let (true, Slot::Open { close_on_exec, .. }) = ((first..=last).contains(&fd), slot) {
                *close_on_exec = true;
            }
        }
    }

    /// Close a range; returns the entries that its descriptors referred to. The time does not depend on the range's
    /// width.
    pub fn close_range(&mut self, first: i32, last: i32) -> Vec<OpenId> {
        let (first, range) = (first.max(0), first..=last);
        let mut closed = self.open_slots();
        closed.retain(|(fd, ..)| range.contains(fd));
        if last == i32::MAX {
            self.low.truncate(first as usize);
            self.high.retain(|&fd, _| fd < first);
            self.closed_from = self.closed_from.min(first);
        } else {
            for fd in first..=last.min(DIRECT_SLOTS - 1) {
                self.set(fd, Slot::Closed);
            }
            let high = self.high.iter_mut().filter(|(fd, _)| range.contains(fd));
            high.for_each(|(_, slot)| *slot = Slot::Closed);
        }
        closed.into_iter().map(|(_, open, _)| open).collect()
    }

    /// Every open descriptor with its entry and whether an exec closes it.
    pub fn open_slots(&self) -> Vec<(i32, OpenId, bool)> {
        let low = self.low.iter().enumerate().map(|(fd, slot)| (fd as i32, *slot));
        let high = self.high.iter().map(|(fd, slot)| (*fd, *slot));
        let mut open: Vec<_> = low
            .chain(high)
            .filter_map(|(fd, slot)| match slot {
                Slot::Open { open, close_on_exec } => Some((fd, open, close_on_exec)),
                _ => None,
            })
            .collect();
        open.sort_unstable_by_key(|&(fd, ..)| fd);
        open
    }
}

/// How a use was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mode {
    /// O_APPEND
    pub append: bool,
    /// O_DIRECT
    pub direct: bool,
    /// O_SYNC or O_DSYNC
    pub synchronous: bool,
    /// O_WRONLY, O_RDWR or neither; None for a descriptor from before the trace.
    pub access: Option<Access>,
}

/// What a use may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
    Execute,
}

/// Where the file pointer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// At this offset.
    At(i64),
    /// At this distance from an unknown place.
    Relative(Space, i64),
    /// Unknown.
    Unknown,
}

/// An open-file entry: created by open, shared by dup and fork.
#[derive(Debug)]
pub struct Open {
    /// The file; None for pipes, sockets and other descriptors without a file.
    pub file: Option<FileId>,
    /// Which end of a pair of sockets it is, if it is one.
    pub end: Option<SocketEnd>,
    /// What it is if it is not a file, if that is known.
    pub kind: Option<FileKind>,
    /// Number of descriptors, over all tables, that refer to it.
    pub descriptors: u32,
    /// The file pointer.
    pub pointer: Pointer,
    /// The flags that affect the model.
    pub mode: Mode,
    /// The use's number; None if there is none (O_PATH, not a file).
    pub usage: Option<Usage>,
    /// References before any mapping, which are a loader's if the file is later mapped for execution.
    pub header_reads: Vec<i64>,
    /// Whether it was opened before the trace, or by a call that the trace does not show.
    pub inherited: bool,
    /// Whether it has been mapped for execution.
    pub executable: bool,
    /// Whether the access time was written for this use.
    pub access_noted: bool,
    /// Whether the directory was listed.
    pub listed: bool,
    /// Whether the file was changed through it.
    pub modified: bool,
    /// How often records were lost before its position was known.
    pub losses: u32,
}

/// The data of a row of table `use`.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The use's number.
    pub number: i32,
    /// The process that opened it.
    pub process: i32,
    /// When it was opened.
    pub open_ns: Option<i64>,
    /// Requests that moved data.
    pub references: i64,
    /// Bytes read.
    pub bytes_read: i64,
    /// Bytes written.
    pub bytes_written: i64,
}

/// All open-file entries; indices are reused.
#[derive(Debug, Default)]
pub struct Opens {
    records: Vec<Open>,
    free: Vec<u32>,
    /// How often records were lost.
    pub losses: u32,
}

impl Opens {
    /// Add an entry that one descriptor refers to.
    pub fn add(
        &mut self,
        file: Option<FileId>,
        pointer: Pointer,
        mode: Mode,
        usage: Option<Usage>,
    ) -> OpenId {
        let open = Open {
            file,
            end: None,
            kind: None,
            descriptors: 1,
            pointer,
            mode,
            usage,
            header_reads: Vec::new(),
            inherited: false,
            executable: false,
            access_noted: false,
            listed: false,
            modified: false,
            losses: self.losses,
        };
        if let Some(at) = self.free.pop() {
            self.records[at as usize] = open;
            return OpenId(at);
        }
        self.records.push(open);
        OpenId(self.records.len() as u32 - 1)
    }

    /// Free the index of an entry that no descriptor refers to.
    pub fn release(&mut self, open: OpenId) {
        self.free.push(open.0);
    }

    /// Every entry that some descriptor refers to.
    pub fn live(&self) -> Vec<OpenId> {
        let at = |(at, open): (usize, &Open)| (open.descriptors > 0).then_some(OpenId(at as u32));
        self.records.iter().enumerate().filter_map(at).collect()
    }
}

impl std::ops::Index<OpenId> for Opens {
    type Output = Open;

    fn index(&self, open: OpenId) -> &Open {
        &self.records[open.0 as usize]
    }
}

impl std::ops::IndexMut<OpenId> for Opens {
    fn index_mut(&mut self, open: OpenId) -> &mut Open {
        &mut self.records[open.0 as usize]
    }
}
