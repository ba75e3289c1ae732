//! The objects that statements select.

use std::fmt;

/// What a statement selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// Documents: files and memories.
    Doc,
    /// Chunks of documents.
    Chunk,
    /// Memories alone, with what was recorded about them.
    Memory,
}

impl Object {
    /// All objects, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::Doc, Self::Chunk, Self::Memory];

    /// Returns the object's name, as statements write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Doc => "doc",
            Self::Chunk => "chunk",
            Self::Memory => "memory",
        }
    }

    /// Returns the object that statements write like this, in lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|object| object.as_str() == name)
    }

    /// Returns the objects whose fields a row of this object has, its own first. A chunk has the fields of its document.
    pub fn visible(self) -> &'static [Self] {
        match self {
            Self::Doc => &[Self::Doc],
            Self::Chunk => &[Self::Chunk, Self::Doc],
            Self::Memory => &[Self::Memory],
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
