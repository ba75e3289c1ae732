//! Lexical features of candidate documents, and the ranges of their entries in a segment.
//!
//! Retrievers return chunks. For each document that one of them returned, the evidence describes how well the document
//! matches as a whole: its best chunks, all its chunks together, its names, comments and path, and how much of the
//! query they cover. A learned ranker uses these features. This module does not weigh them against each other, except
//! to choose the chunk that represents a document.

pub(crate) mod assemble;
mod collect;
pub(crate) mod rare;

use std::ops::Range;

use recall_core::{ChunkRow, DocumentRow, Traits};
use tantivy::postings::BlockSegmentPostings;
use tantivy::{DocId, TERMINATED};

use crate::lexical::clause::K1;
use crate::lexical::snapshot::Segment;

pub(crate) use collect::collect;

/// The features of the documents in a list of candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The features of the query.
    pub query: QueryStats,
    /// The documents, each once, ascending by row.
    pub documents: Vec<DocumentEvidence>,
}

/// The features of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueryStats {
    /// The number of distinct terms. Stop words count only if there are no other words.
    pub terms: f32,
    /// The number of names that the query may mean.
    pub names: f32,
    /// The sum of the inverse document frequencies of its terms, which is the coverage weight of a document that
    /// contains all.
    pub weight: f32,
    /// The inverse document frequency of its rarest term.
    pub rarest: f32,
    /// The share of `weight` that comes from terms not in the index, 0 to 1.
    pub unknown: f32,
    /// The number of chunks in the index.
    pub chunks: f32,
    /// The share of `weight` of its rarest word as it is written, if very few documents contain that; else 0.
    pub rare: f32,
    /// The same share of all words that few documents contain, a document with the rarest among them.
    pub rare_together: f32,
}

impl QueryStats {
    /// The supremum of the BM25 sum over the query's terms.
    pub fn perfect(&self) -> f32 {
        self.weight * (K1 + 1.0)
    }
}

/// The features of one document.
///
/// Scores are BM25 sums over the terms of the query, not normalised. Shares and coverages are from 0 to 1. A coverage
/// weights each term by its inverse document frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocumentEvidence {
    /// The row of the document.
    pub document: DocumentRow,
    /// The chunk that represents the document: the one that defines a name of the query, or else the best over all
    /// fields.
    pub chunk: ChunkRow,
    /// The traits of the document.
    pub traits: Traits,
    /// A hash of the directory. Equal for documents of one directory.
    pub folder: u32,
    /// A hash of the bare file name. Equal for files with the same name apart from extension and test affixes.
    pub stem: u32,
    /// The number of chunks.
    pub chunks: f32,
    /// The number of terms in its names.
    pub symbol_tokens: f32,
    /// The number of terms in its doc comments.
    pub comment_tokens: f32,
    /// The number of terms in its text.
    pub tokens: f32,
    /// The number of terms in the chunk.
    pub chunk_tokens: f32,
    /// The position of the chunk in the document: 0 is the first, 1 the last.
    pub place: f32,
    /// The share of its chunks whose text contains a term of the query.
    pub matched_chunks: f32,
    /// The score of the text of its best chunk.
    pub body_best: f32,
    /// The sum of the scores of its three best chunks by text.
    pub body_top: f32,
    /// The score of its text as a whole.
    pub body_whole: f32,
    /// The score of the names of its best chunk, enclosing names included.
    pub symbol_best: f32,
    /// The score of its names as a whole.
    pub symbol_whole: f32,
    /// The score of the doc comment of its best chunk.
    pub comment_best: f32,
    /// The score of its doc comments as a whole.
    pub comment_whole: f32,
    /// The weighted sum over the fields of the representing chunk.
    pub chunk_score: f32,
    /// The score of the words of its path.
    pub path: f32,
    /// The coverage of the query by its text.
    pub body_coverage: f32,
    /// The coverage of the query by the text of its chunk.
    pub chunk_coverage: f32,
    /// The coverage of the query by its names.
    pub symbol_coverage: f32,
    /// The largest coverage of the query by the names of one chunk.
    pub chunk_symbol_coverage: f32,
    /// The largest share of the words in one chunk's names that are in the query.
    pub symbol_share: f32,
    /// The coverage of the query by its doc comments.
    pub comment_coverage: f32,
    /// The coverage of the query by its path.
    pub path_coverage: f32,
    /// The coverage of the query by its file name.
    pub stem_coverage: f32,
    /// The share of the words in its file name that are in the query.
    pub stem_share: f32,
    /// The share of the words in its directory's name that are in the query.
    pub folder_share: f32,
    /// The number of names of the query that it defines, in the same case.
    pub names_equal: f32,
    /// The number of names of the query that it defines, in any case.
    pub names_folded: f32,
    /// The number of names of the query that are a prefix of one it defines.
    pub names_begun: f32,
    /// The number of names of the query that are its file name without extension.
    pub names_stem: f32,
    /// The number of spelling suggestions that it defines, or that are its file name or path.
    pub names_near: f32,
    /// 1 if its title, one of its headings or its first sentence equals the query, else 0.
    pub phrase_equal: f32,
    /// 1 if the query is its path, 0.5 if its path ends with the query, else 0.
    pub path_equal: f32,
    /// 1 if its text contains the rarest term, else 0.
    pub holds_rarest: f32,
    /// The share of the query's literals that its text contains, 0 to 1. The index has no texts: the caller fills it in.
    pub literal: f32,
    /// How telling its name is for a question about the project as a whole: 1 for the most telling one, less for each further one, 0
    /// for a file that the question does not expect.
    pub telling: f32,
    /// The value of its place in the report that the query is: 1 where it failed, less for each further file, 0 for a file that the
    /// report does not name. The caller fills it in.
    pub framed: f32,
    /// 1 if its text contains the rare word that [`QueryStats::rare`] is about, as it is written, else 0.
    pub holds_rare: f32,
}

/// The entries of one document. They are adjacent, because a document is added in one batch.
#[derive(Clone, Debug)]
struct DocumentRange {
    /// The entries, in the order of the chunks.
    entries: Range<DocId>,
    /// The index of its first entry among the entries of all ranges of the segment.
    base: usize,
}

impl DocumentRange {
    /// The index of an entry among the entries of all ranges of the segment.
    fn local(&self, entry: DocId) -> usize {
        self.base + (entry - self.entries.start) as usize
    }

    /// The indexes of its entries among the entries of all ranges of the segment.
    fn locals(&self) -> Range<usize> {
        self.base..self.base + self.entries.len()
    }
}

/// The most entries taken on either side of a candidate. Longer documents are taken in part.
const MAX_ENTRIES_PER_SIDE: DocId = 4_096;

/// The ranges of the documents that contain the entries, ascending, without duplicates.
fn document_ranges(segment: &Segment, mut entries: Vec<DocId>) -> Vec<DocumentRange> {
    entries.sort_unstable();
    let mut ranges: Vec<DocumentRange> = Vec::new();
    let mut base = 0;
    for entry in entries {
        if ranges.last().is_some_and(|range| range.entries.contains(&entry)) {
            continue;
        }
        let Range { start, end } = segment.entries_of_document(entry);
        let first = start.max(entry.saturating_sub(MAX_ENTRIES_PER_SIDE));
        let range = DocumentRange { entries: first..end.min(entry.saturating_add(MAX_ENTRIES_PER_SIDE)), base };
        base += range.entries.len();
        ranges.push(range);
    }
    ranges
}

/// Calls `found` with each posting inside a range, ascending: the range's index, the entry and its frequency.
fn each_within(mut postings: BlockSegmentPostings, ranges: &[DocumentRange], mut found: impl FnMut(usize, DocId, u32)) {
    let mut place = 0;
    while let Some(range) = ranges.get(place) {
        let mut at = postings.seek(range.entries.start);
        loop {
            if at >= postings.block_len() {
                postings.advance();
                at = 0;
                if postings.block_len() == 0 {
                    return;
                }
            }
            let entry = postings.doc(at);
            if entry == TERMINATED {
                return;
            }
            while ranges.get(place).is_some_and(|range| range.entries.end <= entry) {
                place += 1;
            }
            match ranges.get(place) {
                None => return,
                Some(range) if entry < range.entries.start => break,
                Some(_) => found(place, entry, postings.freq(at)),
            }
            at += 1;
        }
    }
}
