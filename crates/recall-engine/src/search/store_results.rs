//! What a store returns for a search, with the changes of the past as evidence in the order of code.
//!
//! The changes of the past change the order of the candidates, and add none: of what a history leads to, the words of the question had missed nothing
//! that moved into the first ten.

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{DocumentRow, QueryClass, RankedList, Retriever, Understood};
use recall_index::lexical::{Evidence, Retrieved, SpellingSuggestions};
use rustc_hash::FxHashMap;

use super::answer::Hit;
use super::framed::Framed;
use super::retriever_weights::RetrieverWeights;
use super::semantic::{QueryNearness, SemanticEvidence};
use crate::known::Known;
use crate::links::structure::Structure;
use crate::ranking::ContentKind;
use crate::store::{Precedents, Store};
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

/// The changes of the past that a search takes as evidence.
#[derive(Clone, Copy)]
pub(super) enum PastUse<'a> {
    /// Those of each store, with the weight that was better on its newest changes.
    Adopted,
    /// These, with a weight that is tried.
    OnTrial { precedents: &'a Precedents, weight: f64 },
}

/// How strongly the changes of the past lead from a query to the documents of a store.
#[derive(Debug, Default)]
pub(super) struct PastValues {
    /// By row, above 0 and at most 1.
    values: FxHashMap<i64, f32>,
    /// The weight that the store has adopted.
    weight: f64,
}

impl PastValues {
    /// Finds the documents of a store. Names and paths are found as they are written, so they lead nowhere.
    pub(super) fn find(past: PastUse<'_>, query: &str, understood: &Understood, store: &Store, known: &Known) -> Self {
        if matches!(understood.class, QueryClass::Symbol | QueryClass::Path) {
            return Self::default();
        }
        let text = subject(query, understood);
        match past {
            PastUse::OnTrial { precedents, weight } => Self { values: values(precedents, text, known), weight },
            PastUse::Adopted if store.settings().learns_from_history => {
                let Some(model) = store.facts.history().model() else { return Self::default() };
                let precedents = model.precedents.as_ref();
                let values = precedents.map(|precedents| values(precedents, text, known)).unwrap_or_default();
                Self { values, weight: model.trial.weight }
            }
            PastUse::Adopted => Self::default(),
        }
    }

    /// Returns the factor on the odds of a document among those of its kind. Only code has one: pages are found by their words.
    pub(super) fn odds(&self, past: PastUse<'_>, kind: ContentKind, document: DocumentRow) -> f64 {
        let weight = match past {
            PastUse::Adopted => self.weight,
            PastUse::OnTrial { weight, .. } => weight,
        };
        match self.values.get(&document.0) {
            Some(&value) if kind == ContentKind::Code => (weight * f64::from(value)).exp(),
            _ => 1.0,
        }
    }
}

/// Returns what a query asks in few words: the title of a report, without the names in its prose, which lead to other commits.
fn subject<'a>(query: &'a str, understood: &'a Understood) -> &'a str {
    let title = query.trim_start().lines().next().unwrap_or_default().trim();
    let is_title =
        understood.report.is_some() && !title.is_empty() && understood.text.starts_with(&title.replace('"', " "));
    if is_title { title } else { &understood.text }
}

fn values(precedents: &Precedents, text: &str, known: &Known) -> FxHashMap<i64, f32> {
    let files = precedents.files(text).into_iter();
    files.filter_map(|(path, value)| Some((known.files.get(path)?.document()?.0, value))).collect()
}
