//! Answers to searches.

use std::collections::BTreeMap;

use crate::v1;
use serde::Serialize;

use crate::json::adopted::Adopted;
use crate::json::document::{Chunk, Document};
use crate::json::memory::Memory;
use crate::json::{Indexing, Warning, answer, non_empty, request_scope, store_scope, timestamp_text, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct Search<'a> {
    query: Option<Query<'a>>,
    results: Vec<Hit<'a>>,
    breakdown: &'a BTreeMap<String, u32>,
    facets: BTreeMap<&'a str, Facet<'a>>,
    stats: Option<Stats<'a>>,
    warnings: Vec<Warning<'a>>,
    next_offset: Option<u32>,
    confidence: Option<f64>,
    low_confidence: bool,
    did_you_mean: &'a [String],
}

/// An answer to a search.
pub fn search(message: &v1::SearchResponse) -> impl Serialize {
    let v1::SearchResponse {
        query,
        results,
        breakdown,
        facets,
        stats,
        warnings: messages,
        next_offset,
        confidence,
        low_confidence,
        did_you_mean,
    } = message;
    answer(Search {
        query: query.as_ref().map(Query::from),
        results: results.iter().map(Hit::from).collect(),
        breakdown,
        facets: facets.iter().map(|(name, facet)| (name.as_str(), Facet::from(facet))).collect(),
        stats: stats.as_ref().map(Stats::from),
        warnings: warnings(messages),
        next_offset: *next_offset,
        confidence: *confidence,
        low_confidence: *low_confidence,
        did_you_mean,
    })
}

#[derive(Debug, Serialize)]
struct Facet<'a> {
    /// By descending frequency, then by name.
    counts: Vec<Count<'a>>,
    left_out: u64,
}

#[derive(Debug, Serialize)]
struct Count<'a> {
    value: &'a str,
    documents: u64,
}

impl<'a> From<&'a v1::Facet> for Facet<'a> {
    fn from(message: &'a v1::Facet) -> Self {
        let v1::Facet { counts, left_out } = message;
        let mut counts: Vec<_> = counts.iter().map(|(value, &documents)| Count { value, documents }).collect();
        // The map of the message is sorted by name, and the sort is stable.
        counts.sort_by_key(|count| std::cmp::Reverse(count.documents));
        Self { counts, left_out: *left_out }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Query<'a> {
    text: &'a str,
    rql: Option<&'a str>,
    filters: Option<Filters<'a>>,
    filter: Option<&'a str>,
    class: &'a str,
    limit: u32,
    offset: u32,
    scope: &'static str,
    weights: Option<Weights>,
    language: Option<&'a str>,
    translation: Option<&'a str>,
}

impl<'a> From<&'a v1::QueryEcho> for Query<'a> {
    fn from(message: &'a v1::QueryEcho) -> Self {
        let v1::QueryEcho { text, rql, filters, filter, class, limit, offset, scope, weights, language, translation } =
            message;
        Self {
            text,
            rql: non_empty(rql),
            filters: filters.as_ref().map(Filters::from),
            filter: non_empty(filter),
            class,
            limit: *limit,
            offset: *offset,
            scope: request_scope(*scope),
            weights: weights.map(Weights::from),
            language: non_empty(language),
            translation: non_empty(translation),
        }
    }
}

#[derive(Debug, Serialize)]
struct Filters<'a> {
    types: &'a [String],
    languages: &'a [String],
    paths: &'a [String],
    tags: &'a [String],
}

impl<'a> From<&'a v1::Filters> for Filters<'a> {
    fn from(message: &'a v1::Filters) -> Self {
        let v1::Filters { types, languages, paths, tags } = message;
        Self { types, languages, paths, tags }
    }
}

#[derive(Debug, Serialize)]
struct Weights {
    vector: Option<f32>,
    bm25: Option<f32>,
}

impl From<v1::Weights> for Weights {
    fn from(message: v1::Weights) -> Self {
        let v1::Weights { vector, bm25 } = message;
        Self { vector, bm25 }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Hit<'a> {
    score: f64,
    doc: Option<Document<'a>>,
    chunk: Option<Chunk<'a>>,
    citation: &'a str,
    staleness: f64,
    also_at: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain<'a>>,
    highlights: Vec<ByteRange>,
    parents: Vec<Parent<'a>>,
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<Adopted<'a>>,
}

impl<'a> From<&'a v1::Hit> for Hit<'a> {
    fn from(message: &'a v1::Hit) -> Self {
        let v1::Hit {
            score,
            doc,
            chunk,
            citation,
            staleness,
            also_at,
            explain,
            highlights,
            parents,
            confidence,
            memory,
            parent_text,
            adopted,
        } = message;
        Self {
            score: *score,
            doc: doc.as_ref().map(Document::from),
            chunk: chunk.as_ref().map(Chunk::from),
            citation,
            staleness: *staleness,
            also_at,
            explain: explain.as_ref().map(Explain::from),
            highlights: highlights.iter().map(ByteRange::from).collect(),
            parents: parents.iter().map(Parent::from).collect(),
            confidence: *confidence,
            memory: memory.as_ref().map(Memory::from),
            parent_text: parent_text.as_deref(),
            adopted: adopted.as_ref().map(Adopted::from),
        }
    }
}

#[derive(Debug, Serialize)]
struct ByteRange {
    start: u32,
    end: u32,
}

impl From<&v1::ByteRange> for ByteRange {
    fn from(message: &v1::ByteRange) -> Self {
        let v1::ByteRange { start, end } = *message;
        Self { start, end }
    }
}

#[derive(Debug, Serialize)]
struct Parent<'a> {
    name: &'a str,
    kind: &'a str,
    signature: Option<&'a str>,
    start_line: u32,
    end_line: u32,
}

impl<'a> From<&'a v1::Parent> for Parent<'a> {
    fn from(message: &'a v1::Parent) -> Self {
        let v1::Parent { name, kind, signature, start_line, end_line } = message;
        Self { name, kind, signature: non_empty(signature), start_line: *start_line, end_line: *end_line }
    }
}

#[derive(Debug, Serialize)]
struct Explain<'a> {
    lexical: Option<Retrieved>,
    semantic: Option<Retrieved>,
    symbol: Option<Retrieved>,
    path: Option<Retrieved>,
    fused: f64,
    priors: &'a BTreeMap<String, f64>,
    rerank: Option<Reranked<'a>>,
    contributions: &'a BTreeMap<String, f64>,
}

impl<'a> From<&'a v1::Explain> for Explain<'a> {
    fn from(message: &'a v1::Explain) -> Self {
        let v1::Explain { lexical, semantic, symbol, path, fused, priors, rerank, contributions } = message;
        Self {
            lexical: lexical.map(Retrieved::from),
            semantic: semantic.map(Retrieved::from),
            symbol: symbol.map(Retrieved::from),
            path: path.map(Retrieved::from),
            fused: *fused,
            priors,
            rerank: rerank.as_ref().map(Reranked::from),
            contributions,
        }
    }
}

#[derive(Debug, Serialize)]
struct Retrieved {
    rank: u32,
    score: f64,
    weight: f64,
}

impl From<v1::Retrieved> for Retrieved {
    fn from(message: v1::Retrieved) -> Self {
        let v1::Retrieved { rank, score, weight } = message;
        Self { rank, score, weight }
    }
}

#[derive(Debug, Serialize)]
struct Reranked<'a> {
    model: &'a str,
    stage: u32,
    score: f64,
    rank_before: u32,
}

impl<'a> From<&'a v1::Reranked> for Reranked<'a> {
    fn from(message: &'a v1::Reranked) -> Self {
        let v1::Reranked { model, stage, score, rank_before } = message;
        Self { model, stage: *stage, score: *score, rank_before: *rank_before }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Stats<'a> {
    took_ms: f64,
    total_hits: u64,
    /// Empty if the store is empty.
    snapshot: String,
    generation: u64,
    stages: &'a BTreeMap<String, f64>,
    stores: Vec<SearchedStore<'a>>,
    candidates: &'a BTreeMap<String, u32>,
    reranked: bool,
    models: &'a BTreeMap<String, String>,
    indexing: Option<Indexing>,
    stale_files: u64,
    documents: u64,
}

impl<'a> From<&'a v1::SearchStats> for Stats<'a> {
    fn from(message: &'a v1::SearchStats) -> Self {
        let v1::SearchStats {
            took_ms,
            total_hits,
            snapshot,
            generation,
            stages,
            stores,
            candidates,
            reranked,
            models,
            indexing,
            stale_files,
            documents,
            // Only relevant for cursors.
            silent: _,
        } = message;
        Self {
            took_ms: *took_ms,
            total_hits: *total_hits,
            snapshot: timestamp_text(snapshot.as_ref()).unwrap_or_default(),
            generation: *generation,
            stages,
            stores: stores.iter().map(SearchedStore::from).collect(),
            candidates,
            reranked: *reranked,
            models,
            indexing: indexing.map(Indexing::from),
            stale_files: *stale_files,
            documents: *documents,
        }
    }
}

#[derive(Debug, Serialize)]
struct SearchedStore<'a> {
    scope: Option<&'static str>,
    id: &'a str,
    name: &'a str,
    generation: u64,
}

impl<'a> From<&'a v1::SearchedStore> for SearchedStore<'a> {
    fn from(message: &'a v1::SearchedStore) -> Self {
        let v1::SearchedStore { scope, id, name, generation } = message;
        Self { scope: store_scope(*scope), id, name, generation: *generation }
    }
}
