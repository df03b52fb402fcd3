//! Reads a recording.

use super::block::{self, Block, BlockKind};
use super::encoding::{self, Context};
use super::{text, VERSION};
use crate::record::{Record, LOSSES};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

/// Why a recording, or the rest of it, cannot be read.
#[derive(Debug)]
pub enum Failure {
    /// It does not begin as recordings do.
    NotARecording,
    /// It has this version, of a later release.
    Newer(u32),
    /// The file cannot be read.
    Input(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Input(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(out),
            Failure::NotARecording => out.write_str("is not a recording of iotrace"),
            Failure::Newer(version) => write!(
                out,
                "is a recording of version {version}, of a later iotrace: this one reads up to version {VERSION}"
            ),
        }
    }
}

/// A recording being read.
#[derive(Debug)]
pub struct Reader<R> {
    file: R,
    /// The texts of what was recorded, of processes before it, and of its end.
    start: Vec<(String, Vec<u8>)>,
    processes: Vec<(String, Vec<u8>)>,
    end: Option<Vec<(String, Vec<u8>)>>,
    late: Vec<Block>,
    lost: [u64; LOSSES],
    damage: Option<String>,
    /// Where the whole blocks end.
    whole_bytes: u64,
}

impl<R: Read + Seek> Reader<R> {
    /// Read the texts and the late calls of a recording, whose file begins with `magic`, so that its other records can be
    /// put into order.
    pub fn open(mut file: R, magic: [u8; 8]) -> Result<Reader<R>, Failure> {
        file.seek(SeekFrom::Start(0))?;
        let mut head = [0; 12];
        file.read_exact(&mut head).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Failure::NotARecording,
            _ => Failure::Input(error),
        })?;
        let [begins_with @ .., a, b, c, d] = head;
        if begins_with != magic {
            return Err(Failure::NotARecording);
        }
        let version = u32::from_le_bytes([a, b, c, d]);
        if version == 0 {
            return Err(Failure::NotARecording);
        }
        if version > VERSION {
            return Err(Failure::Newer(version));
        }
        let mut reader = Reader {
            file,
            start: Vec::new(),
            processes: Vec::new(),
            end: None,
            late: Vec::new(),
            lost: [0; LOSSES],
            damage: None,
            whole_bytes: 12,
        };
        if let Err(error) = reader.scan() {
            reader.damage = Some(match error.kind() {
                io::ErrorKind::UnexpectedEof => "ends within a block".to_owned(),
                io::ErrorKind::InvalidData => error.to_string(),
                _ => return Err(Failure::Input(error)),
            });
        }
        reader.file.seek(SeekFrom::Start(12))?;
        Ok(reader)
    }

    /// Read all blocks that are not calls, and skip these.
    fn scan(&mut self) -> io::Result<()> {
        let size = self.file.seek(SeekFrom::End(0))?;
        self.file.seek(SeekFrom::Start(self.whole_bytes))?;
        while let Some((kind, stored)) = block::read_prefix(&mut self.file)? {
            if kind == BlockKind::Calls {
                let next = self.file.seek(SeekFrom::Current(stored as i64))?;
                if next > size {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            } else {
                let block = block::read_block(&mut self.file, kind, stored)?;
                self.note_losses(block.lost);
                match kind {
                    BlockKind::Start => self.start.extend(text::read(&block.contents)),
                    BlockKind::Processes => self.processes.extend(text::read(&block.contents)),
                    BlockKind::End => self.end.get_or_insert_default().extend(text::read(&block.contents)),
                    BlockKind::LateCalls | BlockKind::Calls => self.late.push(block),
                }
            }
            self.whole_bytes = self.file.stream_position()?;
        }
        Ok(())
    }

    /// The next block of calls; None at the end, or where the recording is damaged.
    pub fn next_calls(&mut self) -> io::Result<Option<Block>> {
        while self.file.stream_position()? < self.whole_bytes {
            let read = block::read_prefix(&mut self.file);
            let Some((kind, stored)) = read? else { break };
            if kind != BlockKind::Calls {
                self.file.seek(SeekFrom::Current(stored as i64))?;
                continue;
            }
            match block::read_block(&mut self.file, kind, stored) {
                Ok(block) => {
                    self.note_losses(block.lost);
                    return Ok(Some(block));
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.set_damage(&error.to_string());
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Take the counts of a block; one that was written before others were dropped from the beginning counts fewer.
    fn note_losses(&mut self, lost: [u64; LOSSES]) {
        self.lost.iter_mut().zip(lost).for_each(|(most, lost)| *most = lost.max(*most));
    }

    /// Say that the contents of a block are damaged; nothing that follows is read.
    pub fn set_damage(&mut self, what: &str) {
        self.damage = Some(what.to_owned());
        self.whole_bytes = 0;
    }

    /// The blocks of calls that began before the block before theirs.
    pub fn take_late_calls(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.late)
    }

    /// Why the rest of the recording is missing.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// What was lost up to where it is known, by kind.
    pub fn lost(&self) -> [u64; LOSSES] {
        self.lost
    }

    /// The values of a key in the text of the beginning.
    pub fn start_values<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r [u8]> {
        self.start.iter().filter(move |(of, _)| of == key).map(|(_, value)| value.as_slice())
    }

    /// The text on processes from before the recording.
    pub fn processes(&self) -> &[(String, Vec<u8>)] {
        &self.processes
    }

    /// The text of the beginning.
    pub fn start(&self) -> &[(String, Vec<u8>)] {
        &self.start
    }

    /// The text of the end; None if the recorder did not come to it.
    pub fn end(&self) -> Option<&[(String, Vec<u8>)]> {
        self.end.as_deref()
    }

    /// How far the file is read, in bytes.
    pub fn position(&mut self) -> io::Result<u64> {
        self.file.stream_position()
    }
}

/// The records of a block.
#[derive(Debug)]
pub struct Records<'b> {
    rest: &'b [u8],
    context: Context,
    is_damaged: bool,
}

impl<'b> Records<'b> {
    pub fn new(block: &'b Block) -> Records<'b> {
        Records { rest: &block.contents, context: Context::default(), is_damaged: false }
    }

    /// Whether a record could not be read, and those after it.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }
}

impl<'b> Iterator for Records<'b> {
    type Item = Record<'b>;

    fn next(&mut self) -> Option<Record<'b>> {
        if self.rest.is_empty() {
            return None;
        }
        let read = encoding::read(self.rest, &mut self.context);
        self.is_damaged = read.is_none();
        let (record, rest) = read.unwrap_or((Record::default(), &[]));
        self.rest = rest;
        (!self.is_damaged).then_some(record)
    }
}
