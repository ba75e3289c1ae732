//! Here is a document's text; what are its chunks, symbols and edges?
//!
//! Knows tree-sitter and its grammars. Source code is cut at definition boundaries, prose at headings, notebooks at
//! cells, everything else in windows of lines. The text arrives decoded; files, encodings and the question whether a
//! file is worth indexing are not asked here, and names are not resolved: an edge carries its target as it is written.

mod chunker;
mod code;
mod cut;
mod document_type;
mod fence;
mod grammar;
mod guard;
mod language;
mod languages;
mod lines;
mod notebook;
mod outline;
mod parse;
mod prose;
mod window;

/// Raised whenever a text may be cut otherwise, other symbols and edges are found in it, or its file is of another kind or read at
/// all: what an older version found is then found anew.
pub const VERSION: u32 = 6;

pub use chunker::{ChunkLimits, Chunker, PARSE_STACK_BYTES};
pub use document_type::document_type_of;
pub use language::language_of;
pub use notebook::notebook_text;
