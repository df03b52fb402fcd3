//! Compression, recognized by a stream's first bytes and never by its name.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::GzDecoder;
use liblzma::stream::{Stream, CONCATENATED};

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compression {
    None,
    Gzip,
    Zstandard,
    Xz,
    Bzip2,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstandard => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        })
    }
}

const LONGEST_MAGIC: usize = 6;

/// The largest window that is decompressed: 128 MB, as the zstd program's without `--long`.
const ZSTANDARD_WINDOW_LOG: u32 = 27;

/// The most memory that decompressing a stream may take; `xz -9` needs 65 MB, and no preset more.
const XZ_MEMORY_BYTES: u64 = 256 << 20;

impl Compression {
    /// The compression that a stream's first bytes show. Each signature has a byte that no text log starts with,
    /// except that of bzip2, whose `BZh1` to `BZh9` starts no line of any format that iotrace reads.
    pub fn of(first_bytes: &[u8]) -> Compression {
        match first_bytes {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstandard,
            // A skippable frame, as `pzstd` writes first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstandard,
            [0xfd, b'7', b'z', b'X', b'Z', 0x00, ..] => Compression::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
            _ => Compression::None,
        }
    }
}

/// The decompressed text of a stream. Concatenated members are one text.
pub(super) fn decompress(
    mut reader: impl Read + Send + 'static,
) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    let mut magic = Vec::with_capacity(LONGEST_MAGIC);
    reader.by_ref().take(LONGEST_MAGIC as u64).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let whole = Cursor::new(magic).chain(reader);
    let text: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => {
            Box::new(Gzip { member: Some(GzDecoder::new(BufReader::with_capacity(1 << 16, whole))) })
        }
        Compression::Zstandard => {
            let mut decoder = zstd::Decoder::new(whole)?;
            decoder.window_log_max(ZSTANDARD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_stream(
            BufReader::with_capacity(1 << 16, whole),
            Stream::new_auto_decoder(XZ_MEMORY_BYTES, CONCATENATED)?,
        )),
        Compression::Bzip2 => {
            Box::new(bzip2::bufread::MultiBzDecoder::new(BufReader::with_capacity(1 << 16, whole)))
        }
    };
    Ok((compression, text))
}

/// The text of the members of a gzip file. Zeros after a member are padding, as gzip takes them.
struct Gzip<R> {
    /// The member being read; None once the file has ended.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            skip_zeros(member.get_mut())?;
            let is_last = member.get_mut().fill_buf()?.is_empty();
            self.member =
                self.member.take().filter(|_| !is_last).map(|ended| GzDecoder::new(ended.into_inner()));
        }
        Ok(0)
    }
}

fn skip_zeros(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let ahead = reader.fill_buf()?;
        let zeros = ahead.iter().take_while(|byte| **byte == 0).count();
        if zeros == 0 {
            return Ok(());
        }
        reader.consume(zeros);
    }
}
