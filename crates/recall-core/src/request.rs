//! What is asked?

use crate::{Ablation, DocumentType, Language, Scope};

/// A search, checked: the query is not empty and within its limit, the limit is within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRequest {
    /// The text as it was given, inline filters included.
    pub query: String,
    /// Which stores are searched.
    pub scope: Scope,
    /// What a hit must satisfy, beside the filters written inside the query.
    pub filters: Filters,
    /// The most hits, at least 1.
    pub limit: u32,
    /// How many hits are passed over first.
    pub offset: u32,
    /// Weights that replace those of the query's class.
    pub weights: Weights,
    /// Whether each hit says why it ranks where it does.
    pub explain: Explain,
    /// Whether the matching documents are counted by what they are.
    pub facets: Facets,
    /// Stages that are left out, to measure what each is worth. Empty for an answer.
    pub without: Vec<Ablation>,
}

impl SearchRequest {
    /// A search that asks for nothing beyond its text: no filter, the first page, the query's own weights, nothing told beside.
    pub fn new(query: impl Into<String>, scope: Scope, limit: u32) -> Self {
        Self {
            query: query.into(),
            scope,
            filters: Filters::default(),
            limit,
            offset: 0,
            weights: Weights::default(),
            explain: Explain::Off,
            facets: Facets::Off,
            without: Vec::new(),
        }
    }

    /// Whether the stage of that name is left out.
    pub fn leaves_out(&self, stage: &str) -> bool {
        self.without.iter().any(|ablation| ablation.as_str() == stage)
    }
}

/// Whether hits are explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explain {
    /// No explanation.
    #[default]
    Off,
    /// Ranks, scores and factors of every stage with each hit.
    On,
}

/// Whether the documents that match are counted by type, language, directory and tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facets {
    /// No counts.
    #[default]
    Off,
    /// Counts with the answer.
    On,
}

/// What a hit must satisfy. An empty list demands nothing; several entries of one list are alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The document's type is one of these.
    pub types: Vec<DocumentType>,
    /// The document's language is one of these.
    pub languages: Vec<Language>,
    /// The document's path matches one of these.
    pub paths: Vec<PathFilter>,
    /// The document carries every one of these tags.
    pub tags: Vec<String>,
}

impl Filters {
    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        let Self { types, languages, paths, tags } = self;
        types.is_empty() && languages.is_empty() && paths.is_empty() && tags.is_empty()
    }
}

/// A pattern for paths: with `*`, `?` or `[` a glob over the whole path, otherwise a path or a directory above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFilter(pub String);

impl PathFilter {
    /// Whether the pattern is a glob.
    pub fn is_glob(&self) -> bool {
        self.0.contains(['*', '?', '['])
    }
}

/// The weights of the retrievers in the fusion; `None` takes that of the query's class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// The weight of nearest neighbours.
    pub vector: Option<f32>,
    /// The weight of BM25.
    pub bm25: Option<f32>,
    /// The weight of the structural prior.
    pub ppr: Option<f32>,
}
