//! The fields of rows: one table of names, objects and types.

use std::fmt;

use recall_text::nearest;

use crate::rql::ast::{Object, Operator};

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text, compared bytewise.
    Text,
    /// A text of many lines. Rows cannot be ordered by it.
    LongText,
    /// A set of texts. A comparison holds if it holds for one of them.
    Set,
    /// A number, compared by size.
    Number,
    /// A point in time.
    Time,
}

impl Kind {
    /// Returns the operators of the type.
    pub fn operators(self) -> &'static [Operator] {
        use Operator::{Equal, Glob, Greater, GreaterOrEqual, In, Less, LessOrEqual, Like, NotEqual};
        match self {
            Self::Text | Self::LongText => {
                &[Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, Like, Glob, In]
            }
            Self::Set => &[Equal, NotEqual, Like, Glob, In],
            Self::Number | Self::Time => &[Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, In],
        }
    }

    /// Returns what a value of the type is, in words.
    pub fn expected_values(self) -> &'static str {
        match self {
            Self::Text | Self::LongText | Self::Set => "a text in quotes",
            Self::Number => "a number",
            Self::Time => "a date in quotes",
        }
    }

    /// Returns a value of the type, as statements write it.
    pub fn example(self) -> &'static str {
        match self {
            Self::Text | Self::LongText | Self::Set => "'text'",
            Self::Number => "10",
            Self::Time => "'2026-01-31'",
        }
    }

    /// Whether rows can be ordered by a field of the type.
    pub fn is_ordered(self) -> bool {
        !matches!(self, Self::LongText | Self::Set)
    }
}

/// Declares the fields and their table.
macro_rules! fields {
    ($($field:ident $object:ident $name:literal $kind:ident $about:literal;)*) => {
        /// A field of a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = $about] $field,)*
        }

        impl Field {
            /// All fields, in the order of `SELECT *`.
            pub const ALL: &'static [Self] = &[$(Self::$field,)*];

            fn row(self) -> (Object, &'static str, Kind, &'static str) {
                match self {
                    $(Self::$field => (Object::$object, $name, Kind::$kind, $about),)*
                }
            }
        }
    };
}

fields! {
    DocId Doc "doc.id" Text "The id of the document; for a memory the memory's id.";
    DocPath Doc "doc.path" Text "The path below the root of the store; for a memory its id.";
    DocMtime Doc "doc.mtime" Time "The modification time of the file.";
    DocHash Doc "doc.hash" Text "The hash of the content, 64 hexadecimal digits.";
    DocTag Doc "doc.tag" Set "The labels.";
    DocSource Doc "doc.source" Text "The source, if one was stated.";
    DocType Doc "doc.type" Text "The type: `code`, `documentation`, `adr`, …";
    DocTitle Doc "doc.title" Text "The title.";
    DocScope Doc "doc.scope" Text "The scope of the store: `project`, `domain`, `global`.";
    DocLanguage Doc "doc.language" Text "The language, if one was recognised.";
    DocSize Doc "doc.size" Number "The length in bytes.";
    DocStaleness Doc "doc.staleness" Number "The age of a memory relative to the threshold, 0 to 1; 0 for a file.";
    ChunkId Chunk "chunk.id" Text "The id of the chunk.";
    ChunkDocId Chunk "chunk.doc_id" Text "The id of its document, derived from the path.";
    ChunkOffset Chunk "chunk.offset" Number "The first byte in the text of the document.";
    ChunkTokens Chunk "chunk.tokens" Number "The estimated number of tokens.";
    ChunkText Chunk "chunk.text" LongText "The text, with secrets masked.";
    ChunkKind Chunk "chunk.kind" Text "The kind: `function`, `method`, `section`, …";
    ChunkSymbol Chunk "chunk.symbol" Text "The enclosing definition or heading, if there is one.";
    ChunkStartLine Chunk "chunk.start_line" Number "The first line, from 1.";
    ChunkEndLine Chunk "chunk.end_line" Number "The last line, from 1.";
    MemoryId Memory "memory.id" Text "The id of the memory.";
    MemoryType Memory "memory.type" Text "The type: `decision`, `lesson`, `pattern`, …";
    MemoryTitle Memory "memory.title" Text "The title.";
    MemoryContent Memory "memory.content" LongText "The text, with secrets masked.";
    MemoryTag Memory "memory.tag" Set "The labels.";
    MemoryScope Memory "memory.scope" Text "The scope of the store.";
    MemoryCreatedAt Memory "memory.created_at" Time "When it was added.";
    MemoryUpdatedAt Memory "memory.updated_at" Time "When it was last added or amended.";
    MemorySession Memory "memory.session" Text "The session in which it was added, if it is known.";
    MemoryUsefulness Memory "memory.usefulness" Number "The share of ratings that found it useful, 0 to 1, if it was rated.";
}

impl Field {
    /// Returns the object that the field belongs to. A chunk's row has the fields of its document too.
    pub fn object(self) -> Object {
        self.row().0
    }

    /// Returns the qualified name: `doc.path`.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    /// Returns the name without the object: `path`.
    pub fn bare_name(self) -> &'static str {
        let name = self.as_str();
        name.split_once('.').map_or(name, |(_, bare)| bare)
    }

    /// Returns the type, which decides about operators and values.
    pub fn kind(self) -> Kind {
        self.row().2
    }

    /// Returns what the field is, in one sentence.
    pub fn about(self) -> &'static str {
        self.row().3
    }

    /// Returns the field with that qualified name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|field| field.as_str() == name)
    }

    /// Returns the field with a name that may lack its object, which is then one of `objects`, the first first.
    pub fn resolve(name: &str, objects: &[Object]) -> Option<Self> {
        let here = |object: Object| Self::ALL.iter().copied().filter(move |field| field.object() == object);
        let mut all = objects.iter().flat_map(|&object| here(object));
        all.find(|field| field.as_str() == name || field.bare_name() == name)
    }

    /// Returns the field of one of `objects` whose name is most like an unknown name; `None` if no name is similar.
    pub fn nearest(name: &str, objects: &[Object]) -> Option<Self> {
        if let Some(field) = Self::resolve(name, objects) {
            return Some(field);
        }
        let bare = name.rsplit('.').next().unwrap_or(name);
        if let Some(field) = Self::resolve(bare, objects).filter(|_| bare != name) {
            return Some(field);
        }
        let visible = |field: &&Self| objects.contains(&field.object());
        let qualified = Self::ALL.iter().filter(visible).map(|field| field.as_str());
        let bare_names = Self::ALL.iter().filter(visible).map(|field| field.bare_name());
        let near = nearest(&name.to_lowercase(), qualified);
        near.or_else(|| nearest(&bare.to_lowercase(), bare_names)).and_then(|name| Self::resolve(name, objects))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name in `SELECT` that is not a field of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredField {
    /// The name as written.
    pub name: String,
    /// The field with the most similar name; `None` if no name is similar.
    pub near: Option<Field>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_name() {
        for &field in Field::ALL {
            assert_eq!(Field::from_name(field.as_str()), Some(field));
            assert_eq!(Field::resolve(field.bare_name(), &[field.object()]), Some(field));
            assert!(field.as_str().starts_with(field.object().as_str()));
        }
    }

    #[test]
    fn the_nearest_field_is_suggested() {
        for (name, objects, expected) in [
            ("doc.pth", Object::Chunk.visible(), Some(Field::DocPath)),
            ("path", Object::Chunk.visible(), Some(Field::DocPath)),
            ("chunk.path", Object::Chunk.visible(), Some(Field::DocPath)),
            ("id", Object::Chunk.visible(), Some(Field::ChunkId)),
            ("langauge", Object::Doc.visible(), Some(Field::DocLanguage)),
            ("DOC.PATH", Object::Doc.visible(), Some(Field::DocPath)),
            ("memory.update", Object::Memory.visible(), Some(Field::MemoryUpdatedAt)),
            ("zebra", Object::Doc.visible(), None),
        ] {
            assert_eq!(Field::nearest(name, objects), expected, "{name}");
        }
    }
}
