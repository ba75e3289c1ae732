//! Candidates: chunks as retrievers find them, before they are fused and ranked, and the selection of those that are
//! shown.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{ChunkRow, DocumentRow, DocumentType};
use recall_text::{FileKind, Form};

/// A source of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Retriever {
    /// BM25 over the fields of the lexical index.
    Lexical,
    /// Nearest neighbours of the query's embedding.
    Semantic,
    /// Definitions whose names the query contains.
    Symbol,
    /// Documents whose paths the query contains.
    Path,
}

impl Retriever {
    /// All retrievers, in declaration order.
    pub const ALL: [Self; 4] = [Self::Lexical, Self::Semantic, Self::Symbol, Self::Path];

    /// The retriever's name, as explanations show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Symbol => "symbol",
            Self::Path => "path",
        }
    }
}

/// A chunk as found by one retriever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The row of the chunk.
    pub chunk: ChunkRow,
    /// The document that contains the chunk.
    pub document: DocumentRow,
    /// The retriever's own score; comparable within one list only.
    pub score: f32,
    /// What the priors need to know of the document.
    pub traits: Traits,
}

/// The properties of a document that priors depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The document's type.
    pub document_type: DocumentType,
    /// The file's role in its project.
    pub file_kind: FileKind,
    /// The purpose of its text.
    pub form: Form,
}

/// The result of one retriever, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedList {
    /// The retriever that made the list.
    pub retriever: Retriever,
    /// The weight of the list; 0 leaves it out.
    pub weight: f64,
    /// The candidates, best first, no chunk twice.
    pub candidates: Vec<Candidate>,
}

/// A ranked chunk that can be selected.
pub trait Selectable {
    /// Identifies the document that contains the chunk.
    type Document: Eq + Hash;

    /// The document that the chunk is a part of.
    fn document(&self) -> Self::Document;
}

/// Keeps at most `per_document` chunks of each document, in their order.
pub fn select<T: Selectable>(ranked: Vec<T>, per_document: usize) -> Vec<T> {
    let mut kept: HashMap<T::Document, usize> = HashMap::new();
    ranked
        .into_iter()
        .filter(|item| {
            let count = kept.entry(item.document()).or_default();
            *count += 1;
            *count <= per_document
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Selectable for (u8, char) {
        type Document = u8;

        fn document(&self) -> u8 {
            self.0
        }
    }

    #[test]
    fn each_document_keeps_its_first_chunks() {
        let ranked = vec![(1, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (3, 'e')];
        assert_eq!(select(ranked.clone(), 2), [(1, 'a'), (1, 'b'), (2, 'c'), (3, 'e')]);
        assert_eq!(select(ranked, 1), [(1, 'a'), (2, 'c'), (3, 'e')]);
    }
}
