//! Which chunks do these words, names and paths point at?
//!
//! A [`Lexical`] index is a folder of immutable segments beside a store's catalog and derived from it: every commit carries
//! the catalog's generation. A [`LexicalWriter`] replaces whole documents; a [`Searcher`] is one consistent state and answers
//! three questions about it: by words ([`Searcher::lexical`]), by the names of definitions ([`Searcher::symbols`]) and by
//! paths ([`Searcher::paths`]).
//!
//! It deliberately stores no text, reads no query language (terms are built from an understood query), fuses nothing and
//! repairs nothing: a damaged or outdated index is reported, [`set_aside`] by the caller and written again.

mod analysis;
mod chunk_document;
mod clause;
mod closeness;
mod directory;
mod evidence;
mod fields;
mod filter;
mod filtered;
mod format;
mod highlight;
mod imprint;
mod in_flight;
mod index;
mod integrity;
mod kinship;
mod look_ups;
mod merging;
mod names;
mod open;
mod phrase;
mod query_terms;
mod searcher;
mod snapshot;
mod tokenizer;
mod union;
mod wanted;
mod weights;
mod writer;

pub use chunk_document::IndexedDocument;
pub use closeness::{Closeness, ClosenessReader};
pub use evidence::{DocumentEvidence, Evidence, Question};
pub use filter::path_matcher;
pub use highlight::Highlighter;
pub use index::{Lexical, Refreshed};
pub use open::OpenError;
pub use recall_folder::set_aside;
pub use searcher::{Depths, Facets, NearSpellings, Retrieved, SearchError, Searcher};
pub use union::Ties;
pub use weights::FieldWeights;
pub use writer::{LexicalWriter, WriteError, WriterSettings};
