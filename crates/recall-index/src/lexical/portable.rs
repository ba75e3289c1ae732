//! Analyses of chunks that can be stored anywhere, and retrieval over the documents that another store returned.
//!
//! A shared store has no tantivy index. It stores each chunk's [`ChunkAnalysis`] as bytes and each term as a number
//! ([`ChunkAnalysis::keys`]), and finds chunks by these numbers. [`PortableQuery`] says which numbers a query needs and how
//! much each counts; given the documents that came back and the statistics of the whole store, it computes the same lists and
//! the same [`Evidence`](crate::lexical::Evidence) as a [`Searcher`](crate::lexical::Searcher) does from its postings.
//!
//! It has no spelling suggestions: they need a dictionary of all names.

mod chunk_analysis;
mod portable_query;
mod read;

use recall_core::{ChunkRow, DocumentRow, Traits};
use recall_text::DocPath;
use rustc_hash::FxHashMap;

pub use chunk_analysis::{ChunkAnalysis, ChunkParts, Lengths, document_keys};
pub use portable_query::{PortableQuery, WeightedKey};

/// The statistics of a whole store that scores depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of chunks.
    pub chunks: u64,
    /// The number of documents.
    pub documents: u64,
    /// The number of terms in each field, over all chunks and documents.
    pub lengths: Lengths,
    /// In how many chunks, or documents for fields of documents, each key occurs. A key that is missing occurs in none.
    pub counts: FxHashMap<u32, u64>,
}

/// A document with its chunks, as a shared store returns it.
#[derive(Clone, Debug)]
pub struct PortableDocument {
    /// A number that is unique among the documents of one query.
    pub row: DocumentRow,
    /// The number of its first chunk. The others follow without gaps.
    pub first_chunk: ChunkRow,
    /// Its path, on which its words and its siblings depend.
    pub path: DocPath,
    /// The tags of the document.
    pub tags: Vec<String>,
    /// What the priors and the kinds of ranking depend on.
    pub traits: Traits,
    /// Its chunks, in order; at least one.
    pub chunks: Vec<ChunkAnalysis>,
}
