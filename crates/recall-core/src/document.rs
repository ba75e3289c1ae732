//! Documents, the units that are indexed, with their chunks, symbols and edges, and the relations between them, as
//! graph queries name them.

use crate::{ContentHash, DocumentId, DocumentType, MemoryId, Timestamp};
use recall_text::{Definitions, DocPath, FileKind, Language};

/// One indexed file or memory: its identity and its state when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its stable id, derived from `path`.
    pub id: DocumentId,
    /// The path below its store's root. For a memory its id, which no file has as its path.
    pub path: DocPath,
    /// The memory that it represents; `None` for a file.
    pub memory: Option<MemoryId>,
    /// What kind of text it is.
    pub document_type: DocumentType,
    /// The title: the first heading, the front matter's title, or the file name.
    pub title: String,
    /// The language, if one was recognised.
    pub language: Option<Language>,
    /// The hash of the bytes on disk, before any decoding.
    pub hash: ContentHash,
    /// The file's length in bytes.
    pub size_bytes: u64,
    /// The file's modification time.
    pub modified: Timestamp,
    /// The file's role in the project.
    pub file_kind: FileKind,
    /// Labels from the front matter and from the user; sorted, without repetition.
    pub tags: Vec<String>,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
}

impl Document {
    /// Returns what the document represents.
    pub fn key(&self) -> DocumentKey {
        self.memory.map_or_else(|| DocumentKey::File(self.path.clone()), DocumentKey::Memory)
    }
}

/// What a document represents: a file or a memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKey {
    /// The file at a path below the store's root.
    File(DocPath),
    /// A memory of the store.
    Memory(MemoryId),
}

impl DocumentKey {
    /// Returns the path of the document in its store: that of the file, or the id of the memory.
    pub fn to_path(&self) -> DocPath {
        match self {
            Self::File(path) => path.clone(),
            Self::Memory(id) => id.to_path(),
        }
    }
}

/// A range of bytes of a document's text, on character boundaries: `start` inclusive, `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSpan {
    /// The first byte, counted from 0.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl ByteSpan {
    /// Returns the text that the span covers; `None` if the text is shorter or a bound splits a character.
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }
}

/// A range of a document's text, in bytes and in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The same range in bytes.
    pub bytes: ByteSpan,
    /// The line of the first byte, counted from 1.
    pub start_line: u32,
    /// The line of the last byte, counted from 1; never before `start_line`.
    pub end_line: u32,
}

/// A contiguous span of a document that is ranked and returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its index in the document, from 0, in the order of spans.
    pub ordinal: u32,
    /// What it holds, by the definition or the text that fills it.
    pub kind: ChunkKind,
    /// The text that it covers. Chunks of a document do not overlap, except windows by their fixed overlap.
    pub span: Span,
    /// The path of the enclosing definition or heading, outermost first, joined with ` > `: `impl Store > fn open`,
    /// `Storage > Journal`. `None` at the top level.
    pub symbol: Option<String>,
    /// The signature of the definition that it holds or continues: everything before its body, on one line.
    pub signature: Option<String>,
    /// The doc comment of that definition, as a span of the document's text.
    pub doc_comment: Option<ByteSpan>,
    /// The estimated number of tokens; see [`tokens::estimate`](recall_text::tokens::estimate).
    pub tokens: u32,
}

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkKind {
    /// A function that belongs to no type.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A class, structure, enumeration, interface, trait, alias or implementation block.
    Type,
    /// A module, namespace or package body.
    Module,
    /// Several small adjacent definitions or statements.
    Group,
    /// A part of a definition that was too large for one chunk.
    Part,
    /// A section of prose under a heading, or a part of one.
    Section,
    /// A cell of a notebook.
    Cell,
    /// A window of lines of a text that was not parsed.
    Window,
}

impl ChunkKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 9] = [
        Self::Function,
        Self::Method,
        Self::Type,
        Self::Module,
        Self::Group,
        Self::Part,
        Self::Section,
        Self::Cell,
        Self::Window,
    ];

    /// Returns the kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Module => "module",
            Self::Group => "group",
            Self::Part => "part",
            Self::Section => "section",
            Self::Cell => "cell",
            Self::Window => "window",
        }
    }

    /// Returns the kind with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A named definition that the parser found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The bare name: `open`.
    pub name: String,
    /// The names of the enclosing definitions and its own, joined with `::`: `Store::open`. Equal to `name` at the top
    /// level.
    pub qualified: String,
    /// What is defined: a function, a type, a heading and the like.
    pub kind: SymbolKind,
    /// The whole definition, its doc comment included.
    pub span: Span,
    /// The ordinal of the chunk that contains its name.
    pub chunk: u32,
}

/// A definition or heading that encloses a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// Its name, or its first words if it has none (`impl Store`).
    pub name: String,
    /// What encloses the chunk.
    pub kind: SymbolKind,
    /// Its signature on one line; `None` for a heading.
    pub signature: Option<String>,
    /// Its first line, counted from 1.
    pub start_line: u32,
    /// Its last line, counted from 1.
    pub end_line: u32,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function that belongs to no type.
    Function,
    /// A function of a type.
    Method,
    /// A class or record.
    Class,
    /// A structure or union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface, trait, protocol or type class.
    Interface,
    /// A type alias or other named type.
    Type,
    /// A module, namespace, package or object.
    Module,
    /// A constant.
    Constant,
    /// A variable, property or field.
    Variable,
    /// A macro.
    Macro,
    /// A table, view, index or other object created by SQL.
    Table,
    /// A key of configuration or data, or a selector.
    Key,
    /// A heading of prose.
    Heading,
}

impl SymbolKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 14] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Type,
        Self::Module,
        Self::Constant,
        Self::Variable,
        Self::Macro,
        Self::Table,
        Self::Key,
        Self::Heading,
    ];

    /// Returns the kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Macro => "macro",
            Self::Table => "table",
            Self::Key => "key",
            Self::Heading => "heading",
        }
    }

    /// Returns the kind with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A relation that starts in a document. Its target is the text as written and not yet resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Which relation the text states.
    pub kind: EdgeKind,
    /// The ordinal of the chunk that it starts in.
    pub chunk: u32,
    /// The target as written: a module path, a symbol's name, a relative link, an id. A reference has a bare name, or a
    /// [qualified](Self::qualify) one if the text shows which module the name comes from.
    pub target: String,
}

impl Edge {
    /// Separates a module from a name. No bare name contains it.
    const QUALIFIES: char = '.';

    /// Returns the target of a reference to a name in a module, such as `Data.Map.insert`. The module is named in full,
    /// not by the alias that the document gives it.
    pub fn qualify(module: &str, name: &str) -> String {
        format!("{module}{}{name}", Self::QUALIFIES)
    }

    /// Splits the target of a reference into the module, if it has one, and the bare name.
    pub fn split_qualifier(target: &str) -> (Option<&str>, &str) {
        match target.rsplit_once(Self::QUALIFIES) {
            Some((module, name)) => (Some(module), name),
            None => (None, target),
        }
    }
}

/// The relations that a text can state. The direction is from the document that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The document imports a module or file.
    Imports,
    /// The document defines a symbol. Derived from [`Symbol`]s, never stored twice.
    Defines,
    /// The chunk calls or names a symbol defined elsewhere.
    References,
    /// The document links to, or declares a relation with, another.
    RelatesTo,
    /// The document replaces another.
    Supersedes,
}

impl EdgeKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Imports, Self::Defines, Self::References, Self::RelatesTo, Self::Supersedes];

    /// Returns the kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::Defines => "defines",
            Self::References => "references",
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
        }
    }

    /// Returns the kind with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// The result of parsing a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedDocument {
    /// The title that the text gives itself: front matter, first heading.
    pub title: Option<String>,
    /// Labels from the front matter.
    pub tags: Vec<String>,
    /// The chunks, in the order of their spans. Together they cover all text that is not blank.
    pub chunks: Vec<Chunk>,
    /// The definitions, in the order of their spans.
    pub symbols: Vec<Symbol>,
    /// The relations, sorted, without repetition.
    pub edges: Vec<Edge>,
    /// How the chunks were made.
    pub outcome: ParseOutcome,
}

impl ParsedDocument {
    /// Returns the role of the file that the text is of.
    pub fn file_kind(&self, path: &DocPath, language: Option<&Language>, text: &str) -> FileKind {
        let definitions = if self.only_re_exports() { Definitions::ReExported } else { Definitions::Own };
        FileKind::from_text(path, language, text, definitions)
    }

    /// Whether the text has imports, no references, and no definitions except modules and names between double underscores,
    /// such as Python's `__all__`.
    fn only_re_exports(&self) -> bool {
        let is = |kind| move |edge: &Edge| edge.kind == kind;
        self.outcome == ParseOutcome::Parsed
            && self.edges.iter().any(is(EdgeKind::Imports))
            && !self.edges.iter().any(is(EdgeKind::References))
            && self.symbols.iter().all(|symbol| {
                symbol.kind == SymbolKind::Module || symbol.name.starts_with("__") && symbol.name.ends_with("__")
            })
    }
}

/// How a document was cut into chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseOutcome {
    /// By its syntax. A text with local syntax errors counts as parsed.
    Parsed,
    /// In windows, because no parser for its language exists.
    NoParser,
    /// In windows, because parsing failed or exceeded a limit.
    Failed {
        /// The failure or the limit, as text for a person.
        reason: String,
    },
}

/// A relation that a graph query follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The documents that a document imports.
    Imports,
    /// The documents that import it.
    ImportedBy,
    /// The documents that a document links to or declares a relation with, in both directions.
    RelatesTo,
    /// The documents that a document supersedes, and those that supersede it.
    Supersedes,
    /// The definitions that something uses by name, and the uses of a definition.
    References,
    /// The symbols that a document defines, and the documents that define a symbol.
    Defines,
}

impl Relation {
    /// All relations, in the order in which neighbours are returned.
    pub const ALL: [Self; 6] =
        [Self::Imports, Self::ImportedBy, Self::RelatesTo, Self::Supersedes, Self::References, Self::Defines];

    /// The relation's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
            Self::References => "references",
            Self::Defines => "defines",
        }
    }

    /// Returns the relation with that name; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == name)
    }

    /// Returns the kind of the edges to follow.
    pub fn edge_kind(self) -> EdgeKind {
        match self {
            Self::Imports | Self::ImportedBy => EdgeKind::Imports,
            Self::RelatesTo => EdgeKind::RelatesTo,
            Self::Supersedes => EdgeKind::Supersedes,
            Self::References => EdgeKind::References,
            Self::Defines => EdgeKind::Defines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_is_found_by_its_name() {
        for relation in Relation::ALL {
            assert_eq!(Relation::from_name(relation.as_str()), Some(relation));
        }
        assert_eq!(Relation::from_name("uses"), None);
    }
}
