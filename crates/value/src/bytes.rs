//! Encoding of numbers and strings as bytes, and digests of bytes, for files.
//!
//! A file may be damaged or forged. So every read returns `None` on malformed bytes, and no read allocates more memory than the file has bytes.

/// Appends a number in LEB128: seven bits per byte, lowest bits first; the top bit says that another byte follows.
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

    /// Number of bytes that remain.
    pub fn len(&self) -> usize {
        self.0.len()
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

    /// Reads `N` bytes that have no length before them.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
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

/// Length of a key and of a digest.
pub const DIGEST_BYTES: usize = 32;

/// Secret key of a user, for keyed digests.
#[derive(Clone)]
pub struct Key([u8; DIGEST_BYTES]);

impl Key {
    pub fn new(secret: [u8; DIGEST_BYTES]) -> Key {
        Key(secret)
    }

    /// Public identifier of the key; it does not reveal the secret.
    pub fn name(&self) -> [u8; DIGEST_BYTES] {
        blake3::derive_key("abridge name of a key", &self.0)
    }
}

/// Incremental digest of bytes (BLAKE3); it does not depend on the boundaries between the calls of [`Digest::add`]. A keyed digest detects forgery as
/// well as damage, since it cannot be computed without the key.
#[derive(Clone, Debug)]
pub struct Digest(blake3::Hasher);

impl Digest {
    /// Digest without a key: it detects damage, not forgery.
    pub fn open() -> Digest {
        Digest(blake3::Hasher::new())
    }

    pub fn keyed(key: &Key) -> Digest {
        Digest(blake3::Hasher::new_keyed(&key.0))
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn get(&self) -> [u8; DIGEST_BYTES] {
        *self.0.finalize().as_bytes()
    }
}

/// Appends the keyed digest of the bytes in `out`.
pub fn seal(key: &Key, out: &mut Vec<u8>) {
    let mut digest = Digest::keyed(key);
    digest.add(out);
    out.extend_from_slice(&digest.get());
}

/// Content of bytes that were sealed with this key; `None` if the digest does not match.
pub fn unsealed<'b>(key: &Key, bytes: &'b [u8]) -> Option<&'b [u8]> {
    let (content, found) = bytes.split_last_chunk::<DIGEST_BYTES>()?;
    let mut digest = Digest::keyed(key);
    digest.add(content);
    (digest.get() == *found).then_some(content)
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
    fn a_digest_does_not_depend_on_pieces() {
        let (mut whole, mut pieces) = (Digest::open(), Digest::open());
        whole.add(b"abcdefg");
        pieces.add(b"abc");
        pieces.add(b"defg");
        assert_eq!(whole.get(), pieces.get());
        pieces.add(b"\0");
        assert_ne!(whole.get(), pieces.get());
    }

    #[test]
    fn only_the_key_opens_what_it_sealed() {
        let (key, other) = (Key::new([1; DIGEST_BYTES]), Key::new([2; DIGEST_BYTES]));
        let mut bytes = b"content".to_vec();
        seal(&key, &mut bytes);
        assert_eq!(unsealed(&key, &bytes), Some(&b"content"[..]));
        assert_eq!((unsealed(&other, &bytes), unsealed(&key, b"short")), (None, None));
        assert_ne!(key.name(), other.name());
        for idx in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[idx] ^= 1;
            assert_eq!(unsealed(&key, &damaged), None);
        }
    }
}
