//! Numbers in few bits.

use arrow_buffer::ToByteSlice;

pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// How many bits a number needs.
pub fn width(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()) as usize
}

/// Append 32 numbers of `width` bits each, the least bits first; numbers must fit.
pub fn pack(values: &[u64; 32], width: usize, out: &mut Vec<u8>) {
    PACK[width](values, out);
}

type Pack = fn(&[u64; 32], &mut Vec<u8>);

/// One function for each width, so that the compiler unrolls its loop.
fn pack_by<const WIDTH: usize>(values: &[u64; 32], out: &mut Vec<u8>) {
    let mut words = [0u64; 32];
    for (place, value) in values.iter().enumerate() {
        let bit = place * WIDTH;
        let (word, shift) = (bit / 64, bit % 64);
        if WIDTH > 0 {
            words[word] |= value << shift;
        }
        if shift + WIDTH > 64 {
            words[word + 1] |= value >> (64 - shift);
        }
    }
    out.extend_from_slice(&words.map(u64::to_le).to_byte_slice()[..4 * WIDTH]);
}

macro_rules! pack_by_each {
    ($($width:literal)*) => { [$(pack_by::<$width>),*] };
}

static PACK: [Pack; 65] = pack_by_each!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
    33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
);
