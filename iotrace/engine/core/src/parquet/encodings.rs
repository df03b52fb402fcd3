//! Parquet's encodings of levels and values.
//!
//! <https://github.com/apache/parquet-format/blob/master/Encodings.md>

use super::bits::{pack, put_varint, width};
use super::thrift::zigzag;
use arrow_buffer::NullBuffer;

/// How the values of a column are stored, if their type allows it; else they are plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    /// Of integers.
    Differences,
    /// Where it is smaller.
    Dictionary,
}

impl Encoding {
    /// Parquet's number of it.
    pub fn number(self) -> i32 {
        match self {
            Encoding::Plain => 0,
            Encoding::Differences => 5,
            Encoding::Dictionary => 8,
        }
    }
}

/// The differences of a block, and of its parts that have a width of their own.
const BLOCK: usize = 128;
const PARTS: usize = 4;
const PART: usize = BLOCK / PARTS;

/// An integer whose differences wrap in its own width.
pub trait Integer: Copy + Ord {
    fn wide(self) -> i64;
    fn minus(self, other: Self) -> Self;
    /// How much it is above another one, which is not larger or has wrapped.
    fn above(self, other: Self) -> u64;
}

impl Integer for i32 {
    fn wide(self) -> i64 {
        i64::from(self)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn above(self, other: Self) -> u64 {
        u64::from(self.wrapping_sub(other) as u32)
    }
}

impl Integer for i64 {
    fn wide(self) -> i64 {
        self
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn above(self, other: Self) -> u64 {
        self.wrapping_sub(other) as u64
    }
}

/// Append numbers as their differences (DELTA_BINARY_PACKED).
pub fn put_differences<T: Integer>(values: &[T], out: &mut Vec<u8>) {
    put_varint(out, BLOCK as u64);
    put_varint(out, PARTS as u64);
    put_varint(out, values.len() as u64);
    let Some(first) = values.first() else {
        out.push(0);
        return;
    };
    put_varint(out, zigzag(first.wide()));
    let mut steps = [*first; BLOCK];
    for start in (1..values.len()).step_by(BLOCK) {
        let end = (start + BLOCK).min(values.len());
        let count = end - start;
        for (step, pair) in steps.iter_mut().zip(values[start - 1..end].windows(2)) {
            *step = pair[1].minus(pair[0]);
        }
        let known = &steps[..count];
        let least = known.iter().copied().fold(known[0], Ord::min);
        let most = known.iter().copied().fold(known[0], Ord::max);
        steps[count..].fill(least);
        put_varint(out, zigzag(least.wide()));
        let widths = out.len();
        out.extend_from_slice(&[0; PARTS]);
        if least == most {
            continue;
        }
        for part in 0..count.div_ceil(PART) {
            let mut above = [0u64; PART];
            for (above, step) in above.iter_mut().zip(&steps[part * PART..]) {
                *above = step.above(least);
            }
            let bits = width(above.iter().fold(0, |bits, above| bits | above));
            out[widths + part] = bits as u8;
            pack(&above, bits, out);
        }
    }
}

/// Append places in a dictionary (RLE_DICTIONARY): one run where all are the same, else bits.
pub fn put_places(places: &[i32], words: usize, out: &mut Vec<u8>) {
    let width = width(words.saturating_sub(1) as u64).max(1);
    out.push(width as u8);
    let Some(first) = places.first() else { return };
    if places.iter().all(|place| place == first) {
        put_varint(out, (places.len() as u64) << 1);
        out.extend_from_slice(&first.to_le_bytes()[..width.div_ceil(8)]);
        return;
    }
    put_varint(out, (places.len().div_ceil(8) as u64) << 1 | 1);
    let start = out.len();
    for chunk in places.chunks(32) {
        let mut wide = [0u64; 32];
        for (wide, place) in wide.iter_mut().zip(chunk) {
            *wide = *place as u64;
        }
        pack(&wide, width, out);
    }
    out.truncate(start + places.len().div_ceil(8) * width);
}

/// Append which of some rows are there, as the definition levels of a page of version 1; None if all are.
pub fn put_levels(rows: usize, nulls: Option<&NullBuffer>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    match nulls {
        Some(nulls) if nulls.null_count() < rows => {
            put_varint(out, (rows.div_ceil(8) as u64) << 1 | 1);
            let bits = nulls.inner().sliced();
            out.extend_from_slice(&bits.as_slice()[..rows.div_ceil(8)]);
            if let (Some(last), used @ 1..) = (out.last_mut(), rows % 8) {
                *last &= (1 << used) - 1;
            }
        }
        _ => {
            put_varint(out, (rows as u64) << 1);
            out.push(u8::from(nulls.is_none()));
        }
    }
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Append bits, the first one in the least bit of the first byte (PLAIN of booleans).
pub fn put_bits(bits: &[bool], out: &mut Vec<u8>) {
    for eight in bits.chunks(8) {
        out.push(eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)));
    }
}

/// Append texts, the length of each before it (PLAIN of byte arrays).
pub fn put_texts<'a>(texts: impl IntoIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for text in texts {
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        out.extend_from_slice(text);
    }
}
