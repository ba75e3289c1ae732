//! The format of an index, and the compressed bitmaps of a split one: EWAH with words of 64 bits.
//!
//! A word of control tells how many words follow that are all zeros or all ones, and then how many literal words are
//! stored after it.

use std::fmt::Write as _;

/// The paths of an index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Index {
    /// The path of each entry, in the order of the file; `None` for an entry that is not a regular file, or has no path of
    /// its own.
    pub(super) paths: Vec<Option<String>>,
    /// The shared index, if this one is split.
    pub(super) link: Option<Link>,
}

/// The shared index of a split index, whose entries come before those of the index itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The hash in the name of its file, as hexadecimal digits.
    pub(super) shared: String,
    /// The places of its entries that are no longer tracked.
    pub(super) deleted: Vec<usize>,
}

/// The length of a hash: that of SHA-1 or of SHA-256. The index does not say which.
const HASH_BYTES: [usize; 2] = [20, 32];

/// The times, the numbers of the file, its mode, its owner and its length.
const STAT_BYTES: usize = 40;

/// The mode within the fields, and the bits that tell the type of a file.
const MODE_AT: usize = 24;
const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// The flag of an entry that has more flags, and the bits of its length.
const EXTENDED: u16 = 0x4000;
const LENGTH_BITS: u16 = 0x0fff;

/// An entry of versions 2 and 3 is padded to a multiple of this.
const ALIGNMENT: usize = 8;

impl Index {
    /// Parses an index; `None` if it is not one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        HASH_BYTES.into_iter().find_map(|hash_bytes| Self::parse_with(bytes, hash_bytes))
    }

    fn parse_with(bytes: &[u8], hash_bytes: usize) -> Option<Self> {
        // The last bytes are the checksum.
        let mut rest = Cursor { bytes: bytes.get(..bytes.len().checked_sub(hash_bytes)?)?, at: 0 };
        if rest.take(4)? != b"DIRC" {
            return None;
        }
        let version = rest.number()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let entries = rest.number()? as usize;
        // A false number reserves no memory: an entry has at least its fields.
        let mut paths = Vec::with_capacity(entries.min(bytes.len() / STAT_BYTES));
        let mut before = Vec::new();
        for _ in 0..entries {
            paths.push(entry(&mut rest, version, hash_bytes, &mut before)?);
        }
        let mut link = None;
        while rest.at < rest.bytes.len() {
            let name = rest.take(4)?;
            let length = rest.number()? as usize;
            let content = rest.take(length)?;
            match name {
                b"link" => link = Some(parse_link(content, hash_bytes)?),
                // The names of extensions that may be ignored begin with a capital letter. `sdir` marks a sparse index, whose
                // directories have no files in the work tree.
                name if name == b"sdir" || name[0].is_ascii_uppercase() => {}
                _ => return None,
            }
        }
        Some(Self { paths, link })
    }
}

/// Reads an entry. `before` is the path of the entry before it, and becomes its own.
#[expect(clippy::option_option, reason = "an entry that cannot be read, and one without a path")]
fn entry(rest: &mut Cursor<'_>, version: u32, hash_bytes: usize, before: &mut Vec<u8>) -> Option<Option<String>> {
    let start = rest.at;
    let fields = rest.take(STAT_BYTES)?;
    let mode = u32::from_be_bytes(fields[MODE_AT..MODE_AT + 4].try_into().ok()?);
    rest.take(hash_bytes)?;
    let flags = rest.short()?;
    if flags & EXTENDED != 0 {
        if version < 3 {
            return None;
        }
        rest.short()?;
    }
    if version == 4 {
        let removed = rest.varint()?;
        before.truncate(before.len().checked_sub(removed)?);
        before.extend_from_slice(rest.until_nul()?);
    } else {
        let path = rest.until_nul()?;
        before.clear();
        before.extend_from_slice(path);
        let length = (rest.at - start).next_multiple_of(ALIGNMENT);
        let padding = rest.take(start + length - rest.at)?;
        if padding.iter().any(|&byte| byte != 0) {
            return None;
        }
    }
    let length = flags & LENGTH_BITS;
    if length < LENGTH_BITS && version < 4 && usize::from(length) != before.len() {
        return None;
    }
    let is_regular = mode & TYPE_BITS == REGULAR && !before.is_empty();
    Some(std::str::from_utf8(before).ok().filter(|_| is_regular).map(str::to_owned))
}

/// Reads which index is shared, and which of its entries are deleted. Those that are replaced keep their paths.
fn parse_link(content: &[u8], hash_bytes: usize) -> Option<Link> {
    let (hash, bitmaps) = content.split_at_checked(hash_bytes)?;
    let shared = hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let deleted = if bitmaps.is_empty() { Vec::new() } else { places_in_bitmap(bitmaps)? };
    Some(Link { shared, deleted })
}

/// A position in the bytes of an index.
struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Reads a number of variable length, in which each byte but the last has its highest bit set and counts one more.
    fn varint(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = self.take(1)?[0];
            value = value.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(0x80)?;
        }
    }

    /// Reads up to a NUL, which is passed.
    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let length = self.bytes.get(self.at..)?.iter().position(|&byte| byte == 0)?;
        let found = self.take(length)?;
        self.at += 1;
        Some(found)
    }
}

const WORD_BITS: usize = 64;

/// Returns the places of the ones in the first bitmap of `bytes`; `None` if it is damaged.
pub(super) fn places_in_bitmap(bytes: &[u8]) -> Option<Vec<usize>> {
    let (bits, rest) = bytes.split_first_chunk::<4>()?;
    let (words, rest) = rest.split_first_chunk::<4>()?;
    let (bits, words) = (u32::from_be_bytes(*bits) as usize, u32::from_be_bytes(*words) as usize);
    let stored = rest.get(..words.checked_mul(WORD_BITS / 8)?)?;
    let mut stored = stored.chunks_exact(WORD_BITS / 8).map(|word| word.try_into().map_or(0, u64::from_be_bytes));
    let mut places = Vec::new();
    let mut at = 0_usize;
    while let Some(control) = stored.next() {
        let run = ((control >> 1) & 0xffff_ffff) as usize;
        let run_end = at.checked_add(run.checked_mul(WORD_BITS)?)?;
        if control & 1 == 1 {
            // A run ends with the bitmap, but for the rest of its last word.
            places.extend(at..run_end.min(bits));
        }
        at = run_end;
        for _ in 0..control >> 33 {
            let word = stored.next()?;
            places.extend((0..WORD_BITS).filter(|bit| (word >> bit) & 1 == 1).map(|bit| at + bit));
            at = at.checked_add(WORD_BITS)?;
        }
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(bits: u32, words: &[u64]) -> Vec<u8> {
        let mut bytes = [bits.to_be_bytes(), (words.len() as u32).to_be_bytes()].concat();
        bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        bytes
    }

    #[test]
    fn runs_and_literal_words_are_places() {
        let literals = |count: u64| count << 33;
        assert_eq!(places_in_bitmap(&bitmap(64, &[literals(1), 0b101])), Some(vec![0, 2]));
        let run_of_zeros = 2 << 1;
        assert_eq!(places_in_bitmap(&bitmap(200, &[run_of_zeros | literals(1), 1])), Some(vec![128]));
        let run_of_ones = 1 | (1 << 1);
        assert_eq!(places_in_bitmap(&bitmap(70, &[run_of_ones | literals(1), 1])), Some((0..65).collect()));
        assert_eq!(places_in_bitmap(&bitmap(3, &[run_of_ones])), Some(vec![0, 1, 2]), "no further than the bitmap");
    }

    #[test]
    fn a_damaged_bitmap_has_no_places() {
        assert_eq!(places_in_bitmap(&[]), None);
        assert_eq!(places_in_bitmap(&bitmap(64, &[5 << 33, 1])), None, "literal words are missing");
        assert_eq!(places_in_bitmap(&bitmap(64, &[1])[..10]), None);
        assert_eq!(places_in_bitmap(&bitmap(u32::MAX, &[1])), Some(Vec::new()), "an empty run");
    }
}
