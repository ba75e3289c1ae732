//! The conversion of the engine's answer to messages.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use recall_api::convert::{document, filters, scope, time};
use recall_api::v1;
use recall_core::{DocumentId, Retriever, SearchRequest};
use recall_engine::{Answer, Coverage, Explanation, Facet, Hit, Reranked, Rescorer, RetrieverWeights};
use recall_models::Role;

use crate::service::{ids, memory, warning};

/// The numbers of the stages that rescore.
const PRERANKER: u32 = 1;
const RERANKER: u32 = 2;
const JUDGE: u32 = 3;

/// The models that rescored the first hits.
#[derive(Clone)]
struct Rescorers {
    preranker: Option<String>,
    reranker: Option<String>,
    judge: Option<String>,
}

impl Rescorers {
    fn any(&self) -> bool {
        let Self { preranker, reranker, judge } = self;
        [preranker, reranker, judge].into_iter().any(Option::is_some)
    }
}

/// Converts an answer. `parents` are the whole texts of the hits' documents, if the request wants them.
pub(in crate::service) fn to_proto(
    request: &SearchRequest,
    filter: Option<String>,
    answer: Answer,
    parents: &HashMap<DocumentId, String>,
    took: Duration,
) -> v1::SearchResponse {
    let breakdown = answer.breakdown();
    let (snapshot, documents) = (answer.snapshot(), answer.documents());
    let Answer {
        class,
        translated,
        scope: searched,
        filters: in_force,
        weights,
        confidence,
        is_doubtful,
        did_you_mean,
        hits,
        candidates,
        retrieved,
        best_score: _,
        next_offset,
        facets,
        coverage,
        stale_files,
        stages,
        model,
        preranker,
        reranker,
        judge,
        silent,
        warnings,
    } = answer;
    let rescorers = Rescorers { preranker, reranker, judge };
    let (language, translation) = translated.unwrap_or_default();
    v1::SearchResponse {
        query: Some(v1::QueryEcho {
            text: request.query.clone(),
            rql: String::new(),
            filters: Some(filters::to_proto(&in_force)),
            filter: filter.unwrap_or_default(),
            class: class.as_str().to_owned(),
            limit: request.limit,
            offset: request.offset,
            scope: scope::to_proto(searched).into(),
            weights: Some(weights_in_force(&weights)),
            language: language.to_owned(),
            translation,
        }),
        results: hits.into_iter().map(|found| hit(found, &coverage, &weights, &rescorers, parents)).collect(),
        breakdown: breakdown.into_iter().map(|(kind, count)| (kind.as_str().to_owned(), count as u32)).collect(),
        facets: facets.into_iter().map(facet).collect(),
        stats: Some(v1::SearchStats {
            took_ms: millis(took),
            total_hits: candidates,
            snapshot: snapshot.map(time::to_proto),
            generation: ids::generation(&coverage),
            stages: stages.into_iter().map(|(stage, took)| (stage.as_str().to_owned(), millis(took))).collect(),
            stores: coverage.iter().map(searched_store).collect(),
            candidates: by_retriever(&retrieved),
            reranked: rescorers.any(),
            models: models(model, &rescorers),
            silent: silent.into_iter().map(|stage| stage.as_str().to_owned()).collect(),
            indexing: indexing(&coverage),
            stale_files,
            documents,
        }),
        warnings: warning::to_proto(warnings),
        next_offset,
        confidence,
        low_confidence: is_doubtful,
        did_you_mean,
    }
}

fn facet(facet: Facet) -> (String, v1::Facet) {
    let Facet { name, counts, left_out } = facet;
    (name.to_owned(), v1::Facet { counts: counts.into_iter().collect(), left_out })
}

/// Returns the models that took part, by their roles.
fn models(embed: Option<String>, rescorers: &Rescorers) -> BTreeMap<String, String> {
    let Rescorers { preranker, reranker, judge } = rescorers.clone();
    let named = [(Role::Embed, embed), (Role::Prerank, preranker), (Role::Rerank, reranker), (Role::Judge, judge)];
    named.into_iter().filter_map(|(role, name)| Some((role.as_str().to_owned(), name?))).collect()
}

fn hit(
    hit: Hit,
    coverage: &[Coverage],
    weights: &RetrieverWeights,
    rescorers: &Rescorers,
    parents: &HashMap<DocumentId, String>,
) -> v1::Hit {
    let elsewhere = coverage.get(hit.store).filter(|coverage| coverage.is_elsewhere).map(|coverage| &coverage.root);
    let citation = match elsewhere {
        Some(root) => format!("{}/{}", root.display(), hit.citation()),
        None => hit.citation(),
    };
    let Hit {
        id: _,
        scope,
        store: place,
        document: found,
        created,
        chunk: span,
        text,
        highlights,
        score,
        confidence,
        support: _,
        also_at,
        parents: around,
        explanation,
        memory: recalled,
        adopted: of_agents,
    } = hit;
    let recalled = recalled.as_deref();
    let root = elsewhere.map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    let mut doc = v1::Document {
        root,
        created_at: created.map(time::to_proto),
        ..document::to_proto(&found, scope, &ids::store_id_at(place, coverage))
    };
    let mut part = v1::Chunk { doc_id: doc.id.clone(), ..document::chunk_to_proto(&span, found.id, &text) };
    if coverage.get(place).is_some_and(|coverage| coverage.is_shared) {
        ids::name_document(&mut doc);
        ids::name_chunk(&mut part, &doc.path, span.ordinal);
    }
    v1::Hit {
        score,
        chunk: Some(part),
        doc: Some(doc),
        citation,
        staleness: memory::staleness(recalled),
        also_at,
        explain: explanation.map(|explanation| explain(explanation, weights, rescorers)),
        highlights: highlights
            .into_iter()
            .map(|range| v1::ByteRange { start: range.start as u32, end: range.end as u32 })
            .collect(),
        parents: around.into_iter().map(document::enclosing_to_proto).collect(),
        confidence,
        memory: memory::to_proto(recalled, scope),
        parent_text: parents.get(&found.id).cloned(),
        adopted: of_agents.as_deref().map(memory::hit),
    }
}

fn explain(explanation: Explanation, weights: &RetrieverWeights, rescorers: &Rescorers) -> v1::Explain {
    let Explanation { ranks, fused, priors, contributions, reranked } = explanation;
    let retrieved = |retriever| {
        let &(_, rank, score) = ranks.iter().find(|(found, _, _)| *found == retriever)?;
        Some(v1::Retrieved { rank, score: score.into(), weight: weights.get(retriever) })
    };
    v1::Explain {
        lexical: retrieved(Retriever::Lexical),
        semantic: retrieved(Retriever::Semantic),
        symbol: retrieved(Retriever::Symbol),
        path: retrieved(Retriever::Path),
        fused,
        priors: priors.into_iter().map(|factor| (factor.name.to_owned(), factor.value)).collect(),
        rerank: reranked.map(|Reranked { by, score, rank_before }| {
            let (model, stage) = match by {
                Rescorer::Preranker => (&rescorers.preranker, PRERANKER),
                Rescorer::Reranker => (&rescorers.reranker, RERANKER),
                Rescorer::Judge => (&rescorers.judge, JUDGE),
            };
            v1::Reranked { model: model.clone().unwrap_or_default(), stage, score: score.into(), rank_before }
        }),
        contributions: contributions.into_iter().map(|(name, added)| (name.to_owned(), added)).collect(),
    }
}

fn by_retriever(retrieved: &[(Retriever, u64)]) -> BTreeMap<String, u32> {
    retrieved.iter().map(|&(retriever, count)| (retriever.as_str().to_owned(), count as u32)).collect()
}

fn weights_in_force(weights: &RetrieverWeights) -> v1::Weights {
    v1::Weights { vector: Some(weights.semantic as f32), bm25: Some(weights.lexical as f32) }
}

pub(in crate::service) fn searched_store(coverage: &Coverage) -> v1::SearchedStore {
    v1::SearchedStore {
        scope: scope::store_to_proto(coverage.scope).into(),
        id: ids::store_id(&coverage.root),
        name: ids::store_name(&coverage.root),
        generation: coverage.generation.0,
    }
}

/// Returns the combined indexing progress of the searched stores; `None` if no job is running.
pub(in crate::service) fn indexing(coverage: &[Coverage]) -> Option<v1::Indexing> {
    let running = coverage.iter().filter_map(|coverage| coverage.indexing);
    let sum = |sum: v1::Indexing, job: recall_engine::Indexing| v1::Indexing {
        done: sum.done + job.files_done,
        total: sum.total + job.files,
        running: true,
    };
    Some(running.fold(v1::Indexing::default(), sum)).filter(|sum| sum.running)
}

pub(in crate::service) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
