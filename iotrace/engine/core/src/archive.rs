//! Tar archives: which files they hold, and where.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::sync::Arc;

const BLOCK: usize = 512;

/// The most files of an archive: the logs of `strace -ff`, one per thread; Linux has at most 2^22 thread ids.
const MOST_FILES: usize = 1 << 22;

/// A file of an archive: a range of a temporary file that holds all of them.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name in the archive.
    pub name: String,
    /// The temporary file.
    pub file: Arc<File>,
    /// Its offset in the temporary file, in bytes.
    pub start: u64,
    /// Its size in bytes.
    pub length: u64,
}

/// What an archive holds.
#[derive(Debug, Clone, Default)]
pub struct Unpacked {
    /// Its regular files. Of several with one name, as `tar -u` appends newer ones, the last.
    pub parts: Vec<Part>,
    /// The names of its links, which are not read.
    pub links: Vec<String>,
    /// The file in which it is cut short, or after which, in the header of the next one.
    pub cut_at: Option<String>,
}

/// Whether a stream with these first bytes is a tar archive (POSIX or GNU).
pub fn is_archive(first_bytes: &[u8]) -> bool {
    first_bytes.get(257..262) == Some(b"ustar")
}

/// Find the regular files of an archive. The archive is copied to a temporary file, because many of its files are read
/// concurrently. Directories and devices are skipped.
///
/// # Errors
/// Errors of the archive's reader and of the temporary file; a sparse file, whose declared size takes no space in the
/// archive; files of more than `most_bytes` in total, including headers and names; more than [`MOST_FILES`] files. A
/// truncated archive yields the files it has, the last one shortened, and says so.
pub fn unpack(mut archive: impl Read, most_bytes: u64) -> io::Result<Unpacked> {
    let file = Arc::new(temporary_file()?);
    let (mut parts, mut links) = (Vec::new(), Vec::new());
    let mut written = 0;
    let mut space = Space { most_bytes, left_bytes: most_bytes };
    let mut next = Attributes::default();
    let mut header = [0; BLOCK];
    let (mut last, mut cut_at) = (String::new(), None);
    loop {
        let read = io::copy(&mut (&mut archive).take(BLOCK as u64), &mut header.as_mut_slice())?;
        if read < BLOCK as u64 {
            if read > 0 || next != Attributes::default() {
                cut_at = Some(last);
            }
            break;
        }
        if header.iter().all(|&byte| byte == 0) {
            break;
        }
        let mut entry = Entry::parse(&header).ok_or_else(damaged)?;
        space.take(BLOCK as u64)?;
        let attributes = match entry.kind {
            Kind::LongName | Kind::Extended => Attributes::default(),
            _ => std::mem::take(&mut next),
        };
        entry.size = attributes.size.unwrap_or(entry.size);
        match entry.kind {
            Kind::Sparse => return Err(sparse(&attributes.name.unwrap_or(entry.name))),
            Kind::File if attributes.is_sparse => return Err(sparse(&attributes.name.unwrap_or(entry.name))),
            Kind::File => {
                space.take(entry.size)?;
                if parts.len() == MOST_FILES {
                    return Err(io::Error::other(format!(
                        "it holds more than {MOST_FILES} files, the largest number of thread ids in Linux"
                    )));
                }
                let kept = io::copy(&mut (&mut archive).take(entry.size), &mut &*file)?;
                last = String::from_utf8_lossy(&attributes.name.unwrap_or(entry.name)).into_owned();
                if kept < entry.size {
                    cut_at = Some(last.clone());
                }
                parts.push(Part {
                    name: last.clone(),
                    file: Arc::clone(&file),
                    start: written,
                    length: kept,
                });
                written += kept;
            }
            Kind::LongName => {
                space.take(entry.size)?;
                next.name = Some(content(&mut archive, entry.size)?);
            }
            Kind::Extended => {
                space.take(entry.size)?;
                next = Attributes::parse(&content(&mut archive, entry.size)?).ok_or_else(damaged)?;
            }
            Kind::Link => {
                let name = attributes.name.unwrap_or(entry.name);
                if links.len() < MOST_FILES {
                    links.push(String::from_utf8_lossy(&name).into_owned());
                }
                entry.size = 0;
            }
            Kind::Other => {
                io::copy(&mut (&mut archive).take(entry.size), &mut io::sink())?;
            }
        }
        let padding = entry.size.wrapping_neg() % BLOCK as u64;
        io::copy(&mut (&mut archive).take(padding), &mut io::sink())?;
    }
    Ok(Unpacked { parts: last_of_each_name(parts), links, cut_at })
}

/// The last of the files with each name, as extraction leaves them.
fn last_of_each_name(parts: Vec<Part>) -> Vec<Part> {
    let names = parts.iter().map(|part| part.name.trim_start_matches("./").to_string());
    let last: HashMap<String, usize> = names.zip(0..).collect();
    let is_last = |(place, part): &(usize, Part)| last.get(part.name.trim_start_matches("./")) == Some(place);
    parts.into_iter().enumerate().filter(is_last).map(|(_, part)| part).collect()
}

/// Bytes that the archive may still take.
struct Space {
    most_bytes: u64,
    left_bytes: u64,
}

impl Space {
    fn take(&mut self, bytes: u64) -> io::Result<()> {
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or_else(|| {
            io::Error::other(format!(
                "its files and their headers take more than {} bytes unpacked; iotrace ingest --max-unpacked SIZE \
                 allows more",
                self.most_bytes
            ))
        })?;
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    /// GNU: the next entry's name.
    LongName,
    /// POSIX: the next entry's attributes, its name and size among them.
    Extended,
    /// GNU: a file of which only the parts that are not zero are in the archive.
    Sparse,
    /// A hard or symbolic link, which has no content.
    Link,
    Other,
}

/// Attributes from the extended headers that precede an entry.
#[derive(Debug, Default, PartialEq, Eq)]
struct Attributes {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

impl Attributes {
    /// Attributes as in `30 path=name\n20 mtime=...\n`; None if they are damaged.
    fn parse(records: &[u8]) -> Option<Attributes> {
        let mut attributes = Attributes::default();
        let mut rest = records;
        while !rest.is_empty() {
            let space = memchr::memchr(b' ', rest)?;
            let length: usize = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
            let record = rest.get(space + 1..length)?;
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(path) = record.strip_prefix(b"path=") {
                attributes.name = Some(path.to_vec());
            } else if let Some(size) = record.strip_prefix(b"size=") {
                attributes.size = Some(std::str::from_utf8(size).ok()?.parse().ok()?);
            }
            attributes.is_sparse |= record.starts_with(b"GNU.sparse.");
            rest = rest.get(length..)?;
        }
        Some(attributes)
    }
}

fn damaged() -> io::Error {
    io::Error::other("the tar archive has a damaged header")
}

fn sparse(name: &[u8]) -> io::Error {
    let name = String::from_utf8_lossy(name);
    io::Error::other(format!("holds {name} as a sparse file, which is not read; pack it without --sparse"))
}

struct Entry {
    name: Vec<u8>,
    size: u64,
    kind: Kind,
}

impl Entry {
    fn parse(header: &[u8; BLOCK]) -> Option<Entry> {
        let until_nul = |field: &[u8]| field.split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
        let name = until_nul(&header[..100]);
        let directory = until_nul(&header[345..500]);
        // GNU keeps other things where POSIX has the directory.
        let posix = &header[257..263] == b"ustar\0";
        let name = if directory.is_empty() || !posix { name } else { [directory, name].join(&b'/') };
        let kind = match header[156] {
            0 | b'0' | b'7' => Kind::File,
            b'L' => Kind::LongName,
            b'x' => Kind::Extended,
            b'S' => Kind::Sparse,
            b'1' | b'2' => Kind::Link,
            _ => Kind::Other,
        };
        Some(Entry { name, size: size(&header[124..136])?, kind })
    }
}

/// Octal digits, or big-endian binary marked by the top bit.
fn size(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        return field[4..]
            .iter()
            .try_fold(0u64, |size, &byte| size.checked_mul(256)?.checked_add(u64::from(byte)));
    }
    let digits = field.iter().filter(|byte| !matches!(byte, b' ' | 0));
    let mut size = 0u64;
    for digit in digits {
        let digit = (*digit as char).to_digit(8)?;
        size = size.checked_mul(8)?.checked_add(u64::from(digit))?;
    }
    Some(size)
}

/// The longest name or list of attributes that is accepted.
const LONGEST_CONTENT: u64 = 1 << 20;

fn content(archive: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    if size > LONGEST_CONTENT {
        return Err(damaged());
    }
    let mut content = Vec::new();
    archive.take(size).read_to_end(&mut content)?;
    while content.last() == Some(&0) {
        content.pop();
    }
    Ok(content)
}

/// A file without a name, removed when it is closed.
pub(crate) fn temporary_file() -> io::Result<File> {
    let directory = std::env::temp_dir();
    for attempt in 0..1000 {
        let path = directory.join(format!("iotrace-{}-{attempt}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("cannot find an unused name for a temporary file"))
}
