//! Full-text search over chunks by words, names and paths, and the patterns of [`exact`] search.
//!
//! A [`Lexical`] index is a folder of immutable segments next to a store's catalog. It is derived from the catalog, and
//! every commit carries the catalog's generation. A [`LexicalWriter`] replaces whole documents. A [`Searcher`] is one
//! consistent state and retrieves chunks by words ([`Searcher::lexical`]), by the names of definitions
//! ([`Searcher::symbols`]) and by paths ([`Searcher::paths`]).
//!
//! Scoring does not use tantivy's collectors but its own `MaxScore` over tantivy's postings. Scores therefore do not
//! depend on how entries are spread over segments or on when segments are merged.
//!
//! The index stores no text, has no query language (terms come from an understood query), does no fusion and repairs
//! nothing. The caller moves a damaged or outdated index away with [`quarantine`] and writes a new one.
//!
//! One entry per chunk, and features per document: a document is more than its best chunk, so [`Evidence`] sums up what each field of
//! it says (ADR 6). Positions are not indexed, since they would double the size; proximity is read from the texts of the best few.
//!
//! Begin with `fields` (what an entry holds), `analysis` (how a word becomes a term), `top_k`, `searcher` and `evidence`. `writer`,
//! `snapshot` and `integrity` are about files; [`exact`], `portable` and `translation` stand beside the index and do not need
//! one.

#![forbid(unsafe_code)]

mod analysis;
mod byte_semaphore;
mod chunk_document;
mod clause;
mod entries;
mod evidence;
pub mod exact;
mod fields;
mod filter;
mod format;
mod index;
mod integrity;
mod names;
mod open;
mod portable;
mod query_term_matcher;
mod query_terms;
mod searcher;
mod shared_index;
mod snapshot;
mod top_k;
mod translation;
mod words;
mod writer;

pub use chunk_document::IndexedDocument;
pub use evidence::rare::JoinedWord;
pub use evidence::{DocumentEvidence, Evidence, QueryStats};
pub use fields::FieldWeights;
pub use filter::{document_matcher, path_matcher};
pub use index::{Lexical, Refreshed};
pub use names::{first_sentence, is_data_member};
pub use open::LexicalOpenError;
pub use portable::{
    ChunkAnalysis, ChunkParts, Lengths, NearSpellings, PortableDocument, PortableQuery, SimilarQuery, SimilarWords,
    Statistics, WeightedKey, document_keys,
};
pub use query_term_matcher::{Closeness, ClosenessReader, Highlighter};
pub use query_terms::{SpellingSuggestions, telling_terms, terms};
pub use recall_os::quarantine;
pub use searcher::{Depths, Facets, LookedUp, Retrieved, SearchError, Searcher};
pub use top_k::TieBreaker;
pub use translation::{KnownWords, Translated, in_english, translate};
pub use writer::{LexicalWriteError, LexicalWriter, WriterSettings};
