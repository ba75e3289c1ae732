//! What speaks, in the words alone, for a document as an answer?
//!
//! Retrievers say which chunks may answer. Of each document that one of them named, the evidence says how well it fits as a
//! whole: its best chunks, all of its chunks together, its names, its comments, its path, and how much of the question they
//! cover. These are the features of a learned ranker; nothing here weighs one against another, except to choose the chunk
//! that stands for its document.

mod gather;
mod slots;
mod tally;

use recall_core::{ChunkRow, DocumentRow, Traits};

use crate::clause::K1;

pub(crate) use gather::gather;

/// What speaks for the documents of a list of candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What is asked.
    pub question: Question,
    /// The documents, each once, ascending by row.
    pub documents: Vec<DocumentEvidence>,
}

/// How a query looks to an index.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Question {
    /// How many distinct terms it has; stop words count only where there is nothing else.
    pub terms: f32,
    /// How many names it may mean.
    pub names: f32,
    /// The sum of its terms' inverse document frequencies: what a document that matches everything covers.
    pub weight: f32,
    /// The inverse document frequency of its rarest term.
    pub rarest: f32,
    /// The part of `weight` that stands on terms which the index does not hold at all, 0 to 1.
    pub unknown: f32,
    /// How many chunks the index holds.
    pub chunks: f32,
}

impl Question {
    /// The BM25 sum of a text that could not match better: every term as often and in as short a text as can be.
    pub fn perfect(&self) -> f32 {
        self.weight * (K1 + 1.0)
    }
}

/// What speaks for one document.
///
/// Scores are BM25 sums over the terms of the question, not normalised. What is called a share or a coverage is from 0 to 1;
/// a coverage weighs each term by its inverse document frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocumentEvidence {
    /// The document.
    pub document: DocumentRow,
    /// The chunk that stands for it: the one that defines what is named, or else fits best over all fields.
    pub chunk: ChunkRow,
    /// What is known of the document.
    pub traits: Traits,
    /// Equal for documents of one directory.
    pub folder: u32,
    /// Equal for documents whose files are named alike.
    pub stem: u32,
    /// How many chunks it has.
    pub chunks: f32,
    /// How many terms its names have.
    pub symbol_tokens: f32,
    /// How many terms its doc comments have.
    pub comment_tokens: f32,
    /// How many terms its text has.
    pub tokens: f32,
    /// How many terms the chunk has.
    pub chunk_tokens: f32,
    /// Where the chunk stands in the document: 0 is the first, 1 the last.
    pub place: f32,
    /// The share of its chunks that hold a term.
    pub matched_chunks: f32,
    /// The text of its best chunk.
    pub body_best: f32,
    /// The texts of its three best chunks, summed.
    pub body_top: f32,
    /// Its text as a whole.
    pub body_whole: f32,
    /// The names of its best chunk, with what encloses them.
    pub symbol_best: f32,
    /// Its names as a whole.
    pub symbol_whole: f32,
    /// The doc comment of its best chunk.
    pub comment_best: f32,
    /// Its doc comments as a whole.
    pub comment_whole: f32,
    /// The weighted sum over the fields of the chunk that stands for it.
    pub chunk_score: f32,
    /// The words of its path.
    pub path: f32,
    /// How much of the question its text covers.
    pub body_coverage: f32,
    /// How much of the question the text of its chunk covers.
    pub chunk_coverage: f32,
    /// How much of the question its names cover.
    pub symbol_coverage: f32,
    /// How much of the question the names of one of its chunks cover, at most.
    pub chunk_symbol_coverage: f32,
    /// The share of the words in one of its chunks' names that the question holds, at most.
    pub symbol_share: f32,
    /// How much of the question its doc comments cover.
    pub comment_coverage: f32,
    /// How much of the question its path covers.
    pub path_coverage: f32,
    /// How much of the question the name of its file covers.
    pub stem_coverage: f32,
    /// The share of the words in its file's name that the question holds.
    pub stem_share: f32,
    /// The share of the words in its directory's name that the question holds.
    pub folder_share: f32,
    /// How many of the named definitions it holds, written as in the question.
    pub names_equal: f32,
    /// How many it holds, whatever their case.
    pub names_folded: f32,
    /// How many it holds whose name only begins so.
    pub names_begun: f32,
    /// How many of the names its file is called by.
    pub names_stem: f32,
    /// How many names that are spelled nearly like the question it defines, or is called by.
    pub names_near: f32,
    /// Whether its title, one of its headings or its first sentence is the question, 0 or 1.
    pub phrase_equal: f32,
    /// How its path answers a question that is a path: 1 if it is that path, 0.5 if it ends so, else 0.
    pub path_equal: f32,
    /// Whether its text holds the rarest term, 0 or 1.
    pub holds_rarest: f32,
}
