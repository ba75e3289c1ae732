//! Conditions on documents and on chunks.

use std::ops::Bound;

use recall_core::DocumentId;

/// A column of documents or of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The path of a document.
    Path,
    /// The id of a document: [`ColumnValue::Id`].
    Id,
    /// The type of a document.
    Type,
    /// The language of a document.
    Language,
    /// The source of a document.
    Source,
    /// The title of a document.
    Title,
    /// The hash of a document: [`ColumnValue::Bytes`].
    Hash,
    /// The length of a document.
    Size,
    /// The modification time of a document.
    Modified,
    /// The kind of a chunk.
    Kind,
    /// The symbol of a chunk.
    Symbol,
    /// The first byte of a chunk.
    StartByte,
    /// The number of tokens of a chunk.
    Tokens,
    /// The first line of a chunk.
    StartLine,
    /// The last line of a chunk.
    EndLine,
}

impl Column {
    /// Whether the column is one of chunks.
    pub fn is_of_chunks(self) -> bool {
        matches!(self, Self::Kind | Self::Symbol | Self::StartByte | Self::Tokens | Self::StartLine | Self::EndLine)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Id => "id",
            Self::Type => "type",
            Self::Language => "language",
            Self::Source => "source",
            Self::Title => "title",
            Self::Hash => "hash",
            Self::Size => "size_bytes",
            Self::Modified => "modified",
            Self::Kind => "kind",
            Self::Symbol => "symbol",
            Self::StartByte => "start_byte",
            Self::Tokens => "tokens",
            Self::StartLine => "start_line",
            Self::EndLine => "end_line",
        }
    }

    pub(super) fn may_be_null(self) -> bool {
        matches!(self, Self::Language | Self::Source | Self::Symbol)
    }
}

/// A value that a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValue {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// A number without a fraction.
    Integer(i64),
    /// Bytes, as of a hash.
    Bytes(Vec<u8>),
    /// The id of a document.
    Id(DocumentId),
}

/// A condition on documents, or on chunks. A comparison with a missing value does not hold, and its negation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// The value is one of these.
    Among(Column, Vec<ColumnValue>),
    /// The value is between these bounds.
    Between(Column, Bound<ColumnValue>, Bound<ColumnValue>),
    /// The document has one of these tags.
    Tagged(Vec<String>),
}
