//! Regions of a log: compressed streams, one after another.

use std::io::{self, Read};

/// The largest size of a decompressed region: a few kilobytes can expand to gigabytes.
pub const LARGEST_REGION_BYTES: u64 = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Zlib,
    Bzip2,
    Uncompressed,
    /// Of formats before 3.00, whose whole file is compressed.
    Gzip,
}

impl Compression {
    pub fn word(self) -> &'static str {
        match self {
            Compression::Zlib => "zlib",
            Compression::Bzip2 => "bzip2",
            Compression::Uncompressed => "none",
            Compression::Gzip => "gzip",
        }
    }

    /// The kind of a file that is compressed as a whole.
    pub fn of_file(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [b'B', b'Z', b'h', ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }

    /// The bytes of a region that can be decompressed, and what is wrong with it.
    pub fn decompressed(self, region: &[u8]) -> (Vec<u8>, Option<String>) {
        self.decompressed_to(region, LARGEST_REGION_BYTES)
    }

    fn decompressed_to(self, region: &[u8], most_bytes: u64) -> (Vec<u8>, Option<String>) {
        if self == Compression::Uncompressed {
            return (region.to_vec(), None);
        }
        let (mut bytes, mut rest) = (Vec::new(), region);
        while !rest.is_empty() {
            let before = rest.len();
            let most = most_bytes - bytes.len() as u64;
            let read = match self {
                Compression::Zlib => read(flate2::bufread::ZlibDecoder::new(&mut rest), most, &mut bytes),
                Compression::Gzip => read(flate2::bufread::GzDecoder::new(&mut rest), most, &mut bytes),
                _ => read(bzip2::bufread::BzDecoder::new(&mut rest), most, &mut bytes),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return (bytes, Some("it is cut short".to_owned()));
                }
                Err(_) => return (bytes, Some("its compressed bytes are damaged".to_owned())),
                Ok(false) => {
                    let why = format!("it is larger than {} MB; the rest is left out", most_bytes >> 20);
                    return (bytes, Some(why));
                }
                Ok(true) if rest.len() == before => break,
                Ok(true) => {}
            }
        }
        (bytes, None)
    }
}

/// Read one stream; false if it has more than the most bytes.
fn read(stream: impl Read, most: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut limited = stream.take(most.saturating_add(1));
    let count = limited.read_to_end(bytes)? as u64;
    if count > most {
        bytes.pop();
    }
    Ok(count <= most)
}

/// A file that is compressed as a whole, decompressed; the file itself if it is not.
pub fn unpacked(file: &[u8]) -> (Option<Compression>, Option<Vec<u8>>, Option<String>) {
    match Compression::of_file(file) {
        None => (None, None, None),
        Some(compression) => {
            let (bytes, damage) = compression.decompressed(file);
            (Some(compression), Some(bytes), damage)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).and_then(|()| writer.finish()).unwrap_or_default()
    }

    #[test]
    fn streams_follow_one_another() {
        let region = [zlib(b"one"), zlib(b"two")].concat();
        assert_eq!(Compression::Zlib.decompressed(&region), (b"onetwo".to_vec(), None));
    }

    #[test]
    fn a_cut_region_has_what_came_before() {
        let region = zlib(&[7; 1000]);
        let (_, damage) = Compression::Zlib.decompressed(&region[..region.len() - 6]);
        assert_eq!(damage.as_deref(), Some("it is cut short"));
    }

    #[test]
    fn a_region_has_a_largest_size() {
        let (bytes, damage) = Compression::Zlib.decompressed_to(&zlib(&[7; 2000]), 1000);
        assert_eq!(bytes.len(), 1000);
        assert!(damage.is_some_and(|why| why.contains("larger")));
        let (bytes, damage) = Compression::Zlib.decompressed_to(&zlib(&[7; 1000]), 1000);
        assert_eq!((bytes.len(), damage), (1000, None));
    }
}
