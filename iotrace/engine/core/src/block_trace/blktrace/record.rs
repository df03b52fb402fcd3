//! Records of blktrace: struct blk_io_trace of version 7 (48 bytes) and 8 (64 bytes), in either byte order.

#[cfg(doc)]
use crate::block_trace::letters;
use crate::block_trace::pairing::Action;

const MAGIC: u32 = 0x6561_7400;
pub const MAGIC_BYTES: usize = 4;
/// The bytes of a block's unit.
const BLOCK_BYTES: u64 = 512;
const WRITE: u64 = 1 << 1;
const FLUSH: u64 = 1 << 2;
const SYNC: u64 = 1 << 3;
const PASSTHROUGH: u64 = 1 << 9;
const NOTIFY: u64 = 1 << 10;
const READ_AHEAD: u64 = 1 << 11;
const METADATA: u64 = 1 << 12;
const DISCARD: u64 = 1 << 13;
const FUA: u64 = 1 << 15;
/// Set if the data begin with a control group's number.
const CONTROL_GROUP: u64 = 1 << 8;
const CONTROL_GROUP_BYTES: usize = 8;
/// struct blk_io_trace_remap: the device above, the one below, and the sector above, with the highest byte first.
const REMAP_BYTES: usize = 16;

/// How a version's record is laid out, in one byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    is_second: bool,
    is_big_endian: bool,
}

/// The layout that a record's first four bytes show; None if they are no magic number.
pub fn layout(bytes: &[u8]) -> Option<Layout> {
    let magic: [u8; 4] = bytes.get(..MAGIC_BYTES)?.try_into().ok()?;
    [false, true].into_iter().find_map(|is_big_endian| {
        let number = if is_big_endian { u32::from_be_bytes(magic) } else { u32::from_le_bytes(magic) };
        let version = number & 0xff;
        (number & !0xff == MAGIC && (version == 7 || version == 8))
            .then_some(Layout { is_second: version == 8, is_big_endian })
    })
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub time_ns: u64,
    pub sector: u64,
    pub length: u64,
    /// The event in the low 16 bits, the category above.
    pub word: u64,
    pub pid: u32,
    pub device: u32,
    /// How many bytes of data follow.
    pub data_bytes: usize,
}

impl Layout {
    pub fn size(self) -> usize {
        if self.is_second {
            64
        } else {
            48
        }
    }

    /// Read a record from bytes of at least its size.
    pub fn record(self, bytes: &[u8]) -> Record {
        let word_at = |at| self.number::<4>(bytes, at);
        let long_at = |at| self.number::<8>(bytes, at);
        let (word, pid, device, data_at) = match self.is_second {
            false => (word_at(28), word_at(32), word_at(36), 46),
            true => (long_at(32), word_at(28), word_at(40), 50),
        };
        Record {
            time_ns: long_at(8),
            sector: long_at(16),
            length: word_at(24),
            word,
            pid: pid as u32,
            device: device as u32,
            data_bytes: self.number::<2>(bytes, data_at) as usize,
        }
    }

    /// A number of some bytes.
    pub fn number<const BYTES: usize>(self, bytes: &[u8], at: usize) -> u64 {
        let one = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let bytes = &bytes[at..at + BYTES];
        match self.is_big_endian {
            true => bytes.iter().fold(0, one),
            false => bytes.iter().rev().fold(0, one),
        }
    }
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event of a request; of a split, with what the data say.
    Event(Action),
    /// A process's name.
    Process,
    /// The time of day.
    Time,
    Message,
    /// An event that is of no request.
    NoRequest,
    PassedThrough,
}

impl Record {
    fn category(&self) -> u64 {
        self.word >> 16
    }

    pub fn kind(&self, data: &[u8]) -> Kind {
        let event = self.word & 0xff;
        if self.category() & NOTIFY != 0 {
            return match event {
                0 => Kind::Process,
                1 if data.len() >= 8 => Kind::Time,
                _ => Kind::Message,
            };
        }
        let action = match event {
            1 => Action::Queue,
            2 | 3 => Action::Merge,
            4 => Action::Allocate,
            6 => Action::Requeue,
            7 => Action::Issue,
            8 => Action::Complete,
            12 => Action::Insert,
            13 => Action::Split,
            15 if data.len() >= REMAP_BYTES => Action::Remap,
            _ => return Kind::NoRequest,
        };
        match self.category() & PASSTHROUGH {
            0 => Kind::Event(action),
            _ => Kind::PassedThrough,
        }
    }

    /// The data without a control group's number.
    pub fn data<'d>(&self, data: &'d [u8]) -> &'d [u8] {
        match self.word & CONTROL_GROUP {
            0 => data,
            _ => data.get(CONTROL_GROUP_BYTES..).unwrap_or_default(),
        }
    }

    /// The operation, as blkparse names it, by its place in [`letters::OPERATIONS`]; a flush without data is only that.
    pub fn operation(&self) -> i32 {
        let category = self.category();
        let has_data = self.length > 0;
        if category & FLUSH != 0 && !has_data {
            4
        } else if category & DISCARD != 0 {
            3
        } else if category & WRITE != 0 {
            2
        } else {
            i32::from(has_data)
        }
    }

    /// The flags, a bit for each of [`letters::FLAGS`].
    pub fn flags(&self) -> i32 {
        let bits = [FUA, SYNC, READ_AHEAD, METADATA].into_iter().enumerate();
        bits.map(|(place, bit)| i32::from(self.category() & bit != 0) << place).sum()
    }

    pub fn blocks(&self) -> u64 {
        self.length.div_ceil(BLOCK_BYTES)
    }
}

/// The device that passed a request on, and the sector there, of a remap's data.
pub fn remap_source(data: &[u8]) -> (i32, u64) {
    let device = data.first_chunk::<4>().map_or(0, |bytes| i32::from_be_bytes(*bytes));
    let sector = data.get(8..).and_then(<[u8]>::first_chunk::<8>);
    (device, sector.map_or(0, |bytes| u64::from_be_bytes(*bytes)))
}

/// Where the next magic number is, or the end if there is none.
pub fn next_magic(block: &[u8], start: usize, end: usize) -> usize {
    let end = end.min(block.len());
    if start >= end {
        return end;
    }
    // as bytes.find, a number must lie before the end as a whole
    let windows = block[start..end].windows(MAGIC_BYTES);
    windows.clone().position(|bytes| layout(bytes).is_some()).map_or(end, |place| start + place)
}
