//! Numbers and texts in the byte order of a log.

/// A region of a log that is read from its start on.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'b> {
    left: &'b [u8],
    is_big_endian: bool,
}

impl<'b> Bytes<'b> {
    pub fn new(bytes: &'b [u8], is_big_endian: bool) -> Self {
        Bytes { left: bytes, is_big_endian }
    }

    /// How many bytes are left.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// The next bytes; None, and nothing is taken, if there are fewer.
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, left) = self.left.split_at_checked(count)?;
        self.left = left;
        Some(taken)
    }

    /// The next bytes as a region that is read by itself.
    pub fn part(&mut self, count: usize) -> Option<Bytes<'b>> {
        self.take(count).map(|bytes| Bytes { left: bytes, ..*self })
    }

    fn word<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut word: [u8; N] = self.take(N)?.try_into().ok()?;
        if self.is_big_endian {
            word.reverse();
        }
        Some(word)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.word().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.word().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> Option<i64> {
        self.word().map(i64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Option<f64> {
        self.word().map(f64::from_le_bytes)
    }

    /// A text in a field of this many bytes, of which those after the first zero do not count.
    pub fn text(&mut self, count: usize) -> Option<String> {
        self.take(count).map(text_of)
    }

    /// The bytes before the next zero, which is taken too.
    pub fn until_zero(&mut self) -> Option<&'b [u8]> {
        let end = memchr::memchr(0, self.left)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

/// A count that is not negative, of things of this size that the bytes left can hold.
pub fn count(stored: i64, size: usize, left: usize) -> Option<usize> {
    usize::try_from(stored).ok().filter(|&count| count <= left / size)
}

/// The text before the first zero; bytes that are not UTF-8 become U+FFFD.
pub fn text_of(bytes: &[u8]) -> String {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
