//! Files of a set that are read alternately, without a descriptor or a large buffer for each.

use super::{compression, Blocks, InputError, Lines, Progress};
use crate::archive::Part;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The buffer of a file in a set.
const MEMBER_BLOCK: usize = 1 << 16;

/// A file of a set.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name, for error messages and for the information in the name.
    pub name: String,
    pub(super) place: MemberLocation,
}

/// Where a member's bytes are.
#[derive(Debug, Clone)]
pub(super) enum MemberLocation {
    File(PathBuf),
    Part(Part),
}

impl Member {
    /// A file of a set.
    pub fn file(path: &Path) -> Member {
        Member { name: path.display().to_string(), place: MemberLocation::File(path.to_path_buf()) }
    }

    /// A file of an archive.
    pub fn part(part: Part) -> Member {
        Member { name: part.name.clone(), place: MemberLocation::Part(part) }
    }

    /// The folder in which it is.
    pub fn folder(&self) -> PathBuf {
        let folder = Path::new(&self.name).parent().unwrap_or(Path::new("")).to_path_buf();
        match &self.place {
            MemberLocation::File(_) => Path::new(".").join(&folder).canonicalize().unwrap_or(folder),
            MemberLocation::Part(_) => folder,
        }
    }

    /// The member's lines, decompressed if its first bytes say so.
    pub fn open(&self) -> Result<Lines, InputError> {
        let failed = |cause| InputError::Open { path: PathBuf::from(&self.name), cause };
        let source = Source { place: self.place.clone(), offset: 0 };
        let (compression, text) = compression::decompress(source).map_err(failed)?;
        let path = PathBuf::from(&self.name);
        Ok(Lines::new(Blocks::new(text, compression, path, Progress::default(), MEMBER_BLOCK)))
    }

    /// The member's size as stored, in bytes.
    pub fn stored_bytes(&self) -> u64 {
        match &self.place {
            MemberLocation::File(path) => path.metadata().map_or(0, |metadata| metadata.len()),
            MemberLocation::Part(part) => part.length,
        }
    }
}

/// Reads a member from where it stopped, reopening its file each time.
struct Source {
    place: MemberLocation,
    offset: u64,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &self.place {
            MemberLocation::File(path) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(self.offset))?;
                file.read(buffer)?
            }
            MemberLocation::Part(Part { file, start, length, .. }) => {
                let left = usize::try_from(length.saturating_sub(self.offset)).unwrap_or(usize::MAX);
                let wanted = buffer.len().min(left);
                file.read_at(&mut buffer[..wanted], start + self.offset)?
            }
        };
        self.offset += count as u64;
        Ok(count)
    }
}
