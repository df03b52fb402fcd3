//! Thrift's compact protocol, in which headers of pages and footers are written.
//!
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

use super::bits::put_varint;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// The length of a list that is written apart.
const LONG: u8 = 15;
/// How deep structures may lie in one another; those of Parquet are six deep.
const DEEPEST: usize = 16;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    I32(i32),
    I64(i64),
    Binary(Vec<u8>),
    List(Vec<Value>),
    Struct(Struct),
}

/// The fields of a structure by their numbers, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct(pub Vec<(i16, Value)>);

impl Struct {
    pub fn with(mut self, number: i16, value: Value) -> Self {
        self.0.push((number, value));
        self
    }

    pub fn i32(self, number: i16, value: i32) -> Self {
        self.with(number, Value::I32(value))
    }

    pub fn i64(self, number: i16, value: u64) -> Self {
        self.with(number, Value::I64(value as i64))
    }

    pub fn bytes(self, number: i16, value: &[u8]) -> Self {
        self.with(number, Value::Binary(value.to_vec()))
    }

    pub fn put(&self, out: &mut Vec<u8>) {
        let mut last = 0;
        for (number, value) in &self.0 {
            match u8::try_from(number - last) {
                Ok(step @ 1..16) => out.push(step << 4 | value.kind()),
                _ => {
                    out.push(value.kind());
                    put_zigzag(out, i64::from(*number));
                }
            }
            last = *number;
            value.put(out);
        }
        out.push(0);
    }

    /// A structure from its bytes; None where they are none, or have types that Parquet's footers do not.
    pub fn read(bytes: &[u8]) -> Option<Struct> {
        Reader { left: bytes, depth: 0 }.fields()
    }

    fn get(&self, number: i16) -> Option<&Value> {
        self.0.iter().find(|(of, _)| *of == number).map(|(_, value)| value)
    }

    pub fn number(&self, number: i16) -> Option<i64> {
        match self.get(number)? {
            Value::I32(value) => Some(i64::from(*value)),
            Value::I64(value) => Some(*value),
            _ => None,
        }
    }

    pub fn binary(&self, number: i16) -> Option<&[u8]> {
        match self.get(number)? {
            Value::Binary(value) => Some(value),
            _ => None,
        }
    }

    pub fn list(&self, number: i16) -> Option<&[Value]> {
        match self.get(number)? {
            Value::List(values) => Some(values),
            _ => None,
        }
    }

    pub fn part(&self, number: i16) -> Option<&Struct> {
        self.get(number)?.fields()
    }
}

impl Value {
    pub fn fields(&self) -> Option<&Struct> {
        match self {
            Value::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Value::Bool(true) => TRUE,
            Value::Bool(false) => FALSE,
            Value::I32(_) => I32,
            Value::I64(_) => I64,
            Value::Binary(_) => BINARY,
            Value::List(_) => LIST,
            Value::Struct(_) => STRUCT,
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Value::Bool(_) => {}
            Value::I32(value) => put_zigzag(out, i64::from(*value)),
            Value::I64(value) => put_zigzag(out, *value),
            Value::Binary(bytes) => {
                put_varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            Value::List(values) => {
                let kind = values.first().map_or(STRUCT, Value::kind);
                match u8::try_from(values.len()) {
                    Ok(count @ 0..LONG) => out.push(count << 4 | kind),
                    _ => {
                        out.push(LONG << 4 | kind);
                        put_varint(out, values.len() as u64);
                    }
                }
                values.iter().for_each(|value| value.put(out));
            }
            Value::Struct(fields) => fields.put(out),
        }
    }
}

fn put_zigzag(out: &mut Vec<u8>, value: i64) {
    put_varint(out, zigzag(value));
}

/// Small numbers of either sign as small numbers.
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

struct Reader<'a> {
    left: &'a [u8],
    depth: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, left) = self.left.split_first()?;
        self.left = left;
        Some(*byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn fields(&mut self) -> Option<Struct> {
        self.depth += 1;
        let mut fields = Struct::default();
        let mut number: i16 = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                self.depth -= 1;
                return Some(fields);
            }
            number = match head >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                step => number.checked_add(i16::from(step))?,
            };
            let value = self.value(head & 15)?;
            fields.0.push((number, value));
        }
    }

    fn value(&mut self, kind: u8) -> Option<Value> {
        if self.depth > DEEPEST {
            return None;
        }
        Some(match kind {
            TRUE => Value::Bool(true),
            FALSE => Value::Bool(false),
            I32 => Value::I32(i32::try_from(self.zigzag()?).ok()?),
            I64 => Value::I64(self.zigzag()?),
            BINARY => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, left) = self.left.split_at_checked(length)?;
                self.left = left;
                Value::Binary(bytes.to_vec())
            }
            LIST => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    LONG => self.varint()?,
                    count => u64::from(count),
                };
                // each value of these kinds takes at least a byte, so that a false count ends with the bytes
                if matches!(head & 15, TRUE | FALSE) {
                    return None;
                }
                self.depth += 1;
                let values = (0..count).map(|_| self.value(head & 15)).collect::<Option<_>>()?;
                self.depth -= 1;
                Value::List(values)
            }
            STRUCT => Value::Struct(self.fields()?),
            _ => return None,
        })
    }
}
