//! Ids of memories, events and items.

use std::fmt;
use std::str::FromStr;

use crate::ids::is_lower_hex;
use crate::{ChunkId, DocumentId, MemoryType};
use recall_text::DocPath;

/// The id of a memory: its type and a number. Shown as `<letter>-<8 hexadecimal digits>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId {
    /// The type, shown as the letter.
    pub memory_type: MemoryType,
    /// The number, shown as the digits.
    pub number: u32,
}

impl MemoryId {
    /// Derives an id from parts that identify a memory.
    ///
    /// Equal parts give equal ids. Four bytes are few: among a hundred thousand memories of one type a collision is
    /// likely, so the caller checks whether the id is taken and then adds a part.
    pub fn from_parts(memory_type: MemoryType, parts: &[&[u8]]) -> Self {
        let [a, b, c, d, ..] = digest("recall memory", parts);
        Self { memory_type, number: u32::from_be_bytes([a, b, c, d]) }
    }

    /// Returns the path of the memory's document in its store, which is the id itself. No file is indexed under such a
    /// path.
    ///
    /// # Panics
    /// Never: an id is one plain component.
    pub fn to_path(self) -> DocPath {
        DocPath::new(&self.to_string()).expect("an id is one plain component")
    }

    /// Returns the memory whose document has this path; `None` for the path of a file. Readers of stored rows call it; everything
    /// else has a [`DocumentKey`](crate::DocumentKey) or [`Document::memory`](crate::Document::memory).
    pub fn from_path(path: &str) -> Option<Self> {
        path.parse().ok()
    }

    /// Returns whether a path is that of a memory's document, so that no file can be indexed under it.
    pub fn reserves(path: &DocPath) -> bool {
        Self::from_path(path.as_str()).is_some()
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.memory_type.letter(), self.number)
    }
}

impl FromStr for MemoryId {
    type Err = MemoryIdError;

    fn from_str(text: &str) -> Result<Self, MemoryIdError> {
        let wrong = || MemoryIdError { text: text.to_owned() };
        let (letter, digits) = text.split_once('-').ok_or_else(wrong)?;
        let is_letter = |known: &MemoryType| letter.chars().eq([known.letter()]);
        let memory_type = MemoryType::ALL.into_iter().find(is_letter).ok_or_else(wrong)?;
        if digits.len() != 8 || !is_lower_hex(digits) {
            return Err(wrong());
        }
        Ok(Self { memory_type, number: u32::from_str_radix(digits, 16).map_err(|_| wrong())? })
    }
}

/// The text is not the id of a memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the id of a memory: expected one of the letters D, P, L, F, N, C, then `-` and 8 hexadecimal digits"
)]
pub struct MemoryIdError {
    /// The text as it was given.
    pub text: String,
}

/// The id of an event: two events with the same id are the same event. Shown as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub [u8; 16]);

impl EventId {
    /// Derives an id from parts that identify an event: random bytes, or an idempotency key chosen by the client.
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&digest("recall event", parts)[..16]);
        Self(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for EventId {
    type Err = EventIdError;

    fn from_str(text: &str) -> Result<Self, EventIdError> {
        let wrong = || EventIdError { text: text.to_owned() };
        if text.len() != 32 || !is_lower_hex(text) {
            return Err(wrong());
        }
        Ok(Self(u128::from_str_radix(text, 16).map_err(|_| wrong())?.to_be_bytes()))
    }
}

/// The text is not the id of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of an event: expected 32 hexadecimal digits")]
pub struct EventIdError {
    /// The text as it was given.
    pub text: String,
}

/// The id of an item that can be rated: a memory, a document or a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemId {
    /// A memory, by its letter and number.
    Memory(MemoryId),
    /// A document, by the hash of its path.
    Document(DocumentId),
    /// A chunk, by its document and its position in it.
    Chunk(ChunkId),
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(id) => id.fmt(f),
            Self::Document(id) => id.fmt(f),
            Self::Chunk(id) => id.fmt(f),
        }
    }
}

impl FromStr for ItemId {
    type Err = ItemIdError;

    /// Parses any of the three. Only a memory's id begins with a capital letter, and only a chunk's id has `-` after 16
    /// digits.
    fn from_str(text: &str) -> Result<Self, ItemIdError> {
        let memory = text.parse().map(Self::Memory).ok();
        let document = || text.parse().map(Self::Document).ok();
        let chunk = || text.parse().map(Self::Chunk).ok();
        memory.or_else(document).or_else(chunk).ok_or_else(|| ItemIdError { text: text.to_owned() })
    }
}

/// The text is not the id of a memory, a document or a chunk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of a memory, a document or a chunk")]
pub struct ItemIdError {
    /// The text as it was given.
    pub text: String,
}

/// Hashes each part with its length, so that moving bytes between parts changes the result.
fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(purpose);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parsed_as_they_are_shown() {
        for memory_type in MemoryType::ALL {
            let id = MemoryId::from_parts(memory_type, &[b"a", b"b"]);
            assert_eq!(id.to_string().parse(), Ok(id));
            assert_eq!(id.to_string().parse(), Ok(ItemId::Memory(id)));
        }
        let event = EventId::from_parts(&[b"once"]);
        assert_eq!(event.to_string().parse(), Ok(event));
        assert_eq!(EventId([0; 16]).to_string(), "00000000000000000000000000000000");
    }

    #[test]
    fn a_memory_has_a_path_that_no_file_shares() {
        let id = MemoryId::from_parts(MemoryType::Lesson, &[b"a"]);
        assert_eq!(MemoryId::from_path(id.to_path().as_str()), Some(id));
        assert_eq!(MemoryId::from_path(&format!("docs/{id}")), None);
        assert_eq!(MemoryId::from_path(&format!("{id}.md")), None);
    }

    #[test]
    fn other_text_is_not_an_id() {
        for text in [
            "",
            "D",
            "D-",
            "D-123",
            "D-1234567g",
            "D-123456789",
            "X-12345678",
            "d-12345678",
            "D-+2345678",
            "DD-12345678",
        ] {
            assert!(text.parse::<MemoryId>().is_err(), "{text}");
            assert!(text.parse::<ItemId>().is_err(), "{text}");
            assert!(text.parse::<EventId>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_boundaries_between_parts_are_hashed() {
        assert_ne!(EventId::from_parts(&[b"ab", b"c"]), EventId::from_parts(&[b"a", b"bc"]));
        assert_ne!(
            MemoryId::from_parts(MemoryType::Note, &[b"ab"]),
            MemoryId::from_parts(MemoryType::Note, &[b"a", b"b"])
        );
    }

    #[test]
    fn the_kind_of_an_item_follows_from_its_id() {
        for (text, is_kind) in [
            ("N-0123abcd", (|id| matches!(id, ItemId::Memory(_))) as fn(ItemId) -> bool),
            ("0123456789abcdef", |id| matches!(id, ItemId::Document(_))),
            ("0123456789abcdef-7", |id| matches!(id, ItemId::Chunk(_))),
        ] {
            let id: ItemId = text.parse().expect("an id");
            assert!(is_kind(id), "{text}");
            assert_eq!(id.to_string(), text);
        }
    }
}
