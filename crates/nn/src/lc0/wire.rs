//! As much of protobuf's wire format as network files use.

use super::Lc0Error;

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub fn bytes(self) -> Result<&'a [u8], Lc0Error> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(Lc0Error::Damaged("a field has the wrong type")),
        }
    }

    pub fn number(self) -> Result<u64, Lc0Error> {
        match self {
            Value::Varint(number) => Ok(number),
            Value::Fixed32(number) => Ok(number.into()),
            Value::Bytes(_) => Err(Lc0Error::Damaged("a field has the wrong type")),
        }
    }

    pub fn float(self) -> Result<f32, Lc0Error> {
        match self {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(Lc0Error::Damaged("a field has the wrong type")),
        }
    }
}

/// Goes through the fields of a message, in the order of the file.
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Lc0Error> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or(Lc0Error::Damaged("it ends in the middle of a field"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Lc0Error> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Lc0Error::Damaged("a number is longer than 64 bits"))
    }

    fn field(&mut self) -> Result<(u64, Option<Value<'a>>), Lc0Error> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Some(Value::Varint(self.varint()?)),
            1 => {
                self.take(8)?;
                None
            }
            2 => {
                let length = self.varint()?;
                let length =
                    usize::try_from(length).map_err(|_| Lc0Error::Damaged("a field is longer than the file"))?;
                Some(Value::Bytes(self.take(length)?))
            }
            5 => {
                let bytes = self.take(4)?;
                Some(Value::Fixed32(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
            }
            _ => return Err(Lc0Error::Damaged("a field has an unknown type")),
        };
        Ok((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Lc0Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.0.is_empty() {
            match self.field() {
                Ok((number, Some(value))) => return Some(Ok((number, value))),
                Ok((_, None)) => {}
                Err(error) => {
                    self.0 = &[];
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// Builds a message.
#[derive(Default)]
pub(crate) struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 128 {
            self.0.push(number as u8 & 127 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn number(mut self, field: u64, number: u64) -> Message {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    pub fn fixed32(mut self, field: u64, bits: u32) -> Message {
        self.varint(field << 3 | 5);
        self.0.extend(bits.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }
}
