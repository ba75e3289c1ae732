//! Into what is a document cut, and what is named in it?

/// A range of bytes of a document's text, on character boundaries: `start` inclusive, `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSpan {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl ByteSpan {
    /// The part of the text that the span covers; `None` when the text is shorter or the bounds cut a character.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }
}

/// A range of a document's text, in bytes and in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The bytes.
    pub bytes: ByteSpan,
    /// The line of the first byte, counted from 1.
    pub start_line: u32,
    /// The line of the last byte, counted from 1; never before `start_line`.
    pub end_line: u32,
}

/// A contiguous span of a document that is ranked and returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its place in the document, from 0, in the order of spans.
    pub ordinal: u32,
    /// What it is.
    pub kind: ChunkKind,
    /// What it covers. Chunks of a document do not overlap, except windows by their stated overlap.
    pub span: Span,
    /// The path of the definition or heading that it belongs to, outermost first, joined with ` > `:
    /// `impl Store > fn open`, `Storage > Journal`. `None` at the top level.
    pub symbol: Option<String>,
    /// The signature of the definition that it holds or continues: up to its body, on one line.
    pub signature: Option<String>,
    /// The doc comment of that definition, inside the document's text.
    pub doc_comment: Option<ByteSpan>,
    /// How many tokens its text is estimated to have; see [`tokens::estimate`](crate::tokens::estimate).
    pub tokens: u32,
}

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkKind {
    /// A function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A class, structure, enumeration, interface, trait, alias or implementation block.
    Type,
    /// A module, namespace or package body.
    Module,
    /// Several small definitions or statements side by side.
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
    /// Every kind, in a fixed order.
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

    /// The kind's name, as interfaces and the catalog write it.
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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A named definition that the parser found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The bare name: `open`.
    pub name: String,
    /// The names of what encloses it and its own, joined with `::`: `Store::open`. Equal to `name` at the top level.
    pub qualified: String,
    /// What is defined.
    pub kind: SymbolKind,
    /// The whole definition, its doc comment included.
    pub span: Span,
    /// The chunk in which its name stands.
    pub chunk: u32,
}

/// A definition or heading that stands around a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// Its name; of what has none (`impl Store`), how it begins.
    pub name: String,
    /// What it is.
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
    /// A function.
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
    /// A table, view, index or other thing that SQL creates.
    Table,
    /// A key of configuration or data, or a selector.
    Key,
    /// A heading of prose.
    Heading,
}

impl SymbolKind {
    /// Every kind, in a fixed order.
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

    /// The kind's name, as interfaces and the catalog write it.
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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A relation that starts in a document, with its far end still as the text names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Which relation.
    pub kind: EdgeKind,
    /// The chunk that it starts in.
    pub chunk: u32,
    /// What the text names: a module path, a symbol's name, a relative link, an id. Of a reference the bare name, or the
    /// [qualified](Self::qualified) one where the text tells from which module it is taken.
    pub target: String,
}

impl Edge {
    /// What stands between a module and a name that is taken from it. No bare name holds it.
    const QUALIFIES: char = '.';

    /// The target of a reference to a name of a module, `Data.Map.insert`. The module goes by its own name, whatever the
    /// document calls it.
    pub fn qualified(module: &str, name: &str) -> String {
        format!("{module}{}{name}", Self::QUALIFIES)
    }

    /// The module and the bare name that the target of a reference consists of; no module where it does not tell.
    pub fn unqualified(target: &str) -> (Option<&str>, &str) {
        match target.rsplit_once(Self::QUALIFIES) {
            Some((module, name)) => (Some(module), name),
            None => (None, target),
        }
    }
}

/// Which relation an edge is.
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
    /// Every kind, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Imports, Self::Defines, Self::References, Self::RelatesTo, Self::Supersedes];

    /// The kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::Defines => "defines",
            Self::References => "references",
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A document's text, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedDocument {
    /// The title that the text gives itself: front matter, first heading.
    pub title: Option<String>,
    /// Labels from the front matter.
    pub tags: Vec<String>,
    /// The chunks, in the order of their spans; together they cover all text that is not blank.
    pub chunks: Vec<Chunk>,
    /// The definitions, in the order of their spans.
    pub symbols: Vec<Symbol>,
    /// The relations, sorted, without repetition.
    pub edges: Vec<Edge>,
    /// How the chunks came about.
    pub outcome: ParseOutcome,
}

/// How a document was cut into chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseOutcome {
    /// By its syntax. A text with local syntax errors counts as parsed.
    Parsed,
    /// In windows, because no parser for its language is built in.
    NoParser,
    /// In windows, because parsing failed or ran past a bound; the reason is for a person.
    Failed {
        /// Which bound or failure.
        reason: String,
    },
}
