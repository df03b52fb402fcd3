//! Pages: compressed values behind their header.

use super::thrift::{Struct, Value};
use crate::error::Error;

/// How pages are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    Lz4,
    Zstd,
}

impl Codec {
    pub fn number(self) -> i32 {
        match self {
            Codec::Zstd => 6,
            Codec::Lz4 => 7,
        }
    }
}

const ZSTD_LEVEL: i32 = 1;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const DATA: i32 = 0;
const DICTIONARY: i32 = 2;

/// Bytes of a page with its header: as they are stored, and before compression.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub stored_bytes: u64,
    pub plain_bytes: u64,
}

/// Compresses pages, one after the other.
pub struct Pages {
    zstd: zstd::bulk::Compressor<'static>,
    compressed: Vec<u8>,
    pub out: Vec<u8>,
}

impl Pages {
    pub fn new() -> Result<Self, Error> {
        let zstd = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|error| Error::of(error.to_string()))?;
        Ok(Pages { zstd, compressed: Vec::new(), out: Vec::new() })
    }

    /// Append a page of values with their levels; `encoding` is Parquet's number.
    pub fn put_data(
        &mut self,
        page: &[u8],
        values: usize,
        encoding: i32,
        codec: Codec,
    ) -> Result<Size, Error> {
        let header = Struct::default().i32(1, whole(values)?).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        self.put(page, DATA, (5, header), codec)
    }

    /// Append the page of a dictionary's words.
    pub fn put_dictionary(&mut self, page: &[u8], words: usize, codec: Codec) -> Result<Size, Error> {
        let header = Struct::default().i32(1, whole(words)?).i32(2, PLAIN);
        self.put(page, DICTIONARY, (7, header), codec)
    }

    fn put(&mut self, page: &[u8], kind: i32, of: (i16, Struct), codec: Codec) -> Result<Size, Error> {
        let compressed = &mut self.compressed;
        compressed.clear();
        match codec {
            Codec::Lz4 => {
                compressed.resize(lz4_flex::block::get_maximum_output_size(page.len()), 0);
                let length = lz4_flex::block::compress_into(page, compressed)
                    .map_err(|error| Error::of(error.to_string()))?;
                compressed.truncate(length);
            }
            Codec::Zstd => {
                compressed.reserve(zstd::zstd_safe::compress_bound(page.len()));
                self.zstd
                    .compress_to_buffer(page, compressed)
                    .map_err(|error| Error::of(error.to_string()))?;
            }
        }
        let start = self.out.len();
        let (number, header) = of;
        Struct::default()
            .i32(1, kind)
            .i32(2, whole(page.len())?)
            .i32(3, whole(compressed.len())?)
            .with(number, Value::Struct(header))
            .put(&mut self.out);
        let header_bytes = self.out.len() - start;
        self.out.extend_from_slice(compressed);
        Ok(Size {
            stored_bytes: (self.out.len() - start) as u64,
            plain_bytes: (header_bytes + page.len()) as u64,
        })
    }
}

/// A number of a page, which has 31 bits.
fn whole(number: usize) -> Result<i32, Error> {
    i32::try_from(number).map_err(|_| Error::of("a page of a Parquet file can hold 2 GiB at most"))
}
