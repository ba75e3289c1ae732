//! Chunks, symbols and edges of a document's text.
//!
//! Knows tree-sitter and its grammars. Cuts source code at definition boundaries, prose at headings, notebooks at
//! cells, and everything else in windows of lines.
//!
//! Does not read files, detect encodings or decide whether a file is worth indexing: the text arrives decoded. Does not
//! resolve names: an edge carries its target as written.
//!
//! Each language is a table of node kinds, and one walker reads all tables: a new language is a table, not a program. Grammars are C
//! that reads untrusted text. So texts that are known to crash one are rejected first (`guard`), the depth and the time of a parse
//! are bounded (`parse`), and the daemon runs this crate's parsers in child processes (`CodeParser` is the port, ADR 26). A text
//! that cannot be parsed is still cut, in windows of lines, so a file is never missing for its syntax.
//!
//! Macros of C and C++ that a grammar cannot expand are hidden from it (`macros`), and a header in C++ is read as C++ (`c_words`).
//!
//! Begin with `chunker`, `outline`, `languages` and `cut`; `embedded` is code in other texts (ADR 55).

mod c_words;
mod chunker;
mod code;
mod codec;
mod cut;
mod document_type;
mod embedded;
mod grammar;
mod guard;
mod languages;
mod lines;
mod macros;
mod notebook;
mod outline;
mod parse;
mod parts;
mod prose;
mod window;

/// The version of the chunker's output.
///
/// Raised by every change that may cut a text differently, find other symbols or edges in it, or change whether and as
/// what kind of document a file is indexed. Documents processed by an older version are processed again.
pub const VERSION: u32 = 10;

pub use chunker::{ChunkLimits, Chunker, CodeParser, CodeParserError, PARSE_STACK_BYTES};
pub use codec::{DecodeError, decode, encode};
pub use document_type::document_type_of;
pub use notebook::{notebook_text, read_notebook};
