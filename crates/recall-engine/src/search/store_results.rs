//! What a store returns for a search.

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{DocumentRow, RankedList, Retriever};
use recall_index::lexical::{Evidence, Retrieved, SpellingSuggestions};

use super::answer::Hit;
use super::framed::Framed;
use super::precedents::PastValues;
use super::retriever_weights::RetrieverWeights;
use super::semantic::{QueryNearness, SemanticEvidence};
use crate::known::Known;
use crate::links::structure::Structure;
use crate::warning::Warning;

/// The candidates of all retrievers in one store.
pub(super) struct StoreResults {
    /// The lists of words, names and paths, and the semantic one if it was requested.
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// `None` if semantic retrieval was not requested, or the store's embeddings are not up to date.
    pub(super) semantic: Option<SemanticEvidence>,
    /// Near spellings of the query, if nothing has exactly that name.
    pub(super) suggestions: SpellingSuggestions,
    pub(super) links: Links,
    /// The places of a report that are indexed here; empty for a store on a server.
    pub(super) framed: Framed,
    /// What the changes of the past lead to; nothing for a store on a server.
    pub(super) past: PastValues,
    /// The table of the store's documents; empty for a store on a server.
    pub(super) known: Arc<Known>,
}

/// The link graph of a store's documents.
pub(super) enum Links {
    Read(Arc<Structure>),
    /// It will be read soon.
    ToCome,
    /// It is switched off, or the store has none.
    LeftOut,
}

impl Links {
    /// Returns whether a document is a bundle of others, or compiled from one. `false` while the graph is to come.
    pub(super) fn is_copy(&self, document: DocumentRow) -> bool {
        matches!(self, Self::Read(structure) if structure.is_copy(document))
    }
}

impl StoreResults {
    /// Collects what was retrieved. `near` is the model, and the nearness of chunks by it; `None` without semantic retrieval.
    pub(super) fn new(
        retrieved: Retrieved,
        near: Option<QueryNearness<'_>>,
        weights: &RetrieverWeights,
        links: Links,
        known: Arc<Known>,
    ) -> Self {
        let Retrieved { lexical, symbol, path, semantic: nearest, mut evidence, suggestions } = retrieved;
        let list = |retriever, candidates| RankedList { retriever, weight: weights.get(retriever), candidates };
        let mut lists =
            vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
        let semantic = near.map(|near| {
            lists.push(list(Retriever::Semantic, nearest));
            SemanticEvidence::compute(near, &mut lists, &mut evidence)
        });
        Self {
            lists,
            evidence,
            semantic,
            suggestions,
            links,
            framed: Framed::default(),
            past: PastValues::default(),
            known,
        }
    }

    /// Returns the lists of words, names and paths.
    pub(super) fn lexical_lists(&self) -> &[RankedList] {
        // The semantic list is the last one.
        &self.lists[..self.lists.partition_point(|list| list.retriever != Retriever::Semantic)]
    }
}

/// Chunks that were read as hits.
pub(super) enum ChunksRead {
    Read {
        /// Each chunk as a hit without a rank, in order; `None` for a chunk that is gone, or whose file changed.
        hits: Vec<Option<Hit>>,
        /// Files that changed and could not be indexed in time.
        left_out: BTreeSet<String>,
        /// Why the texts could not be read.
        unread: Option<Warning>,
    },
    /// Files had changed and were indexed. The search must restart.
    Overtaken,
}
