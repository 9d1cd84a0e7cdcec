//! Encoding of numbers and strings as bytes, for files.
//!
//! A file may be damaged, so every read returns `None` on malformed bytes and never allocates more than the file can fill.

/// Appends a number: seven bits per byte, the lowest first; the top bit marks that more follow.
pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a length and the bytes.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Cursor over bytes that remain to be read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Reader(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number that fits a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    pub fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.small::<usize>()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Reads a length and as many items.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Reader<'b>) -> Option<T>) -> Option<Vec<T>> {
        let len = self.small::<usize>()?;
        // An item takes at least one byte, which bounds the length.
        let mut items = Vec::with_capacity(len.min(self.0.len()));
        for _ in 0..len {
            items.push(item(self)?);
        }
        Some(items)
    }
}

/// FNV-1a checksum with 64 bits. It detects damage, not malice, and does not depend on how the bytes are split into pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum(u64);

impl Checksum {
    pub fn new() -> Self {
        Checksum(0xcbf2_9ce4_8422_2325)
    }

    /// Continues from a value of [`Checksum::get`].
    pub fn from(sum: u64) -> Self {
        Checksum(sum)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }

    pub fn get(self) -> u64 {
        self.0
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Checksum::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_bad_ones_do_not() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut out = Vec::new();
        numbers.iter().for_each(|number| put_number(&mut out, *number));
        put_bytes(&mut out, "naïve".as_bytes());
        let mut reader = Reader::new(&out);
        assert!(numbers.iter().all(|number| reader.number() == Some(*number)));
        assert_eq!((reader.text(), reader.is_empty()), (Some("naïve"), true));
        assert_eq!(Reader::new(&[0xff; 20]).number(), None);
        assert_eq!(Reader::new(&[0x80]).number(), None);
        assert_eq!(Reader::new(&[200, 1, 7]).bytes(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 0x03]).list(Reader::number), None);
        assert_eq!(Reader::new(&[0xac, 0x02]).small::<u8>(), None);
    }

    #[test]
    fn a_checksum_does_not_depend_on_pieces() {
        let (mut whole, mut pieces) = (Checksum::new(), Checksum::new());
        whole.add(b"abcdefg");
        pieces.add(b"abc");
        let mut pieces = Checksum::from(pieces.get());
        pieces.add(b"defg");
        assert_eq!(whole, pieces);
        pieces.add(b"\0");
        assert_ne!(whole, pieces);
    }
}
