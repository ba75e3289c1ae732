//! The order of the candidates in an answer.
//!
//! With rankers, documents are sorted by the probability that they are relevant, which compares across code, prose and
//! memories. Each document is represented by one chunk. Its other chunks follow after all documents. Without rankers, chunks
//! are sorted by their fused scores.

use std::sync::Arc;

use recall_core::{Ablation, QueryClass, Selectable, Weights};
use recall_index::lexical::{DocumentEvidence, QueryStats};
use recall_rank::{Columns, Ranker};
use recall_text::FileKind;
use rustc_hash::FxHashMap;

use super::candidates::{KindCandidates, StoreCandidates};
use super::exact::Names;
use super::fused::FusedChunk;
use super::item_priors::Priors;
use super::nearness::{self, Nearness, NearnessOdds, Texts};
use super::ranked::{Learned, MIN_DEVIATION, Ranked, sort, with_odds};
use super::verdict::Signs;
use crate::error::StoreError;
use crate::ranking::features::covered_share;
use crate::ranking::{ContentKind, Factor, FeatureSet, Rankers, ZScore};
use crate::search::context::Search;
use crate::search::{exact, features, prior};

/// Sorts the candidates, best first. Fusion decides if `rankers` is `None` or lacks a needed ranker, because learned and fused
/// scores do not compare.
///
/// # Errors
/// A store cannot be read.
pub(super) fn order<'a>(
    search: &Search<'_>,
    candidates: &'a [StoreCandidates],
    rankers: Option<&Rankers>,
) -> Result<Vec<Ranked<'a>>, StoreError> {
    let item_priors = Priors::ask(search, candidates);
    let deciding = rankers.and_then(|rankers| Deciding::choose(search, candidates, rankers));
    let mut ranked: Vec<Ranked<'a>> = Vec::new();
    for kind in ContentKind::ALL {
        match &deciding {
            Some(deciding) => ranked.extend(by_rankers(search, candidates, kind, deciding)?),
            None => ranked.extend(fuse_documents(candidates, kind)),
        }
    }
    item_priors.weigh(search, &mut ranked)?;
    exact::add_further_frames(candidates, &mut ranked);
    sort(&mut ranked);
    exact::lift_rare_words(candidates, &mut ranked);
    if deciding.is_some() {
        let mut more: Vec<Ranked<'a>> =
            ContentKind::ALL.into_iter().flat_map(|kind| other_candidates(&ranked, candidates, kind)).collect();
        // The further chunks of all kinds are sorted by score among themselves, and follow after all documents.
        sort(&mut more);
        ranked.extend(more);
    }
    Ok(ranked)
}

/// The rankers that decide on the order of an answer.
struct Deciding<'r> {
    set: FeatureSet,
    rankers: &'r Rankers,
    relevance: &'r Ranker,
    class: QueryClass,
    /// The predicate of the exact matches, which come first.
    named: Option<Names>,
    asked_for: Vec<FileKind>,
    nearness: Nearness,
    /// The number of terms of the question.
    terms: f32,
    /// The greatest share of the question that a document other than a table of data has.
    covered: f32,
}

impl<'r> Deciding<'r> {
    fn choose(search: &Search<'_>, candidates: &[StoreCandidates], rankers: &'r Rankers) -> Option<Self> {
        let set = feature_set(candidates);
        let has_all = ContentKind::ALL.into_iter().all(|kind| rankers.ranker(kind, set).is_some());
        let relevance = rankers.relevance(set).filter(|_| has_all)?;
        let (named, asked_for) =
            (exact::find_names(search.understood, candidates), prior::asked_for(search.understood));
        let class = search.understood.class;
        let nearness = Nearness::compute(candidates, set, class);
        let terms = candidates.iter().map(|of_store| of_store.evidence.query.terms).fold(0.0, f32::max);
        let covered = candidates.iter().map(covered_by_texts).fold(0.0, f32::max);
        Some(Self { set, rankers, relevance, class, named, asked_for, nearness, terms, covered })
    }
}

/// Returns the greatest share of the question that a document of a store has, without tables of data.
fn covered_by_texts(found: &StoreCandidates) -> f32 {
    let texts = found.evidence.documents.iter().filter(|one| !found.known.is_data_table(one.document));
    texts.map(covered_share).fold(0.0, f32::max)
}

/// Returns the feature set that the rankers use: the smallest one among the stores that found something.
pub(super) fn feature_set(candidates: &[StoreCandidates]) -> FeatureSet {
    let found = candidates.iter().filter(|of_store| !of_store.evidence.documents.is_empty());
    let sets = found.map(|of_store| of_store.semantic.as_ref().map_or(FeatureSet::Words, |semantic| semantic.features));
    sets.min().unwrap_or(FeatureSet::Words)
}

/// Ranks the documents of one kind. The kind's ranker gives their order. The relevance ranker reads the first ranker's scores
/// and estimates the probability that a document answers, so that documents of all kinds compare.
fn by_rankers<'a>(
    search: &Search<'_>,
    candidates: &'a [StoreCandidates],
    kind: ContentKind,
    deciding: &Deciding<'_>,
) -> Result<Vec<Ranked<'a>>, StoreError> {
    let stores: Vec<KindCandidates<'a>> = candidates.iter().map(|of_store| of_store.with_kind(kind)).collect();
    let (features, ranked) = score_documents(search, &stores, kind, deciding.set, deciding.rankers)?;
    let features = Arc::new(features);
    let mut log_odds = Vec::new();
    deciding.relevance.score(&features, &mut log_odds);
    let confidences: Vec<f32> = log_odds.iter().map(|&score| deciding.relevance.confidence(score)).collect();
    let documents = || stores.iter().flat_map(|found| found.documents.iter().map(move |document| (found, *document)));
    let demotions = demotions(search, &stores, deciding);
    let rare = exact::rare_word_share(candidates);
    let nearness: Vec<NearnessOdds> = documents()
        .map(|(found, document)| deciding.nearness.odds(kind, found.of_store.semantic.as_ref(), document.document))
        .collect();
    let of_words = stores.iter().flat_map(|found| {
        let question = &found.of_store.evidence.query;
        found.documents.iter().map(move |document| {
            let lacks_word = if lacks_the_word(question, document) { LACKS_THE_WORD } else { 1.0 };
            lacks_word.min(exact::rare_word_factor(rare, question, document))
        })
    });
    let odds: Vec<f64> = demotions
        .iter()
        .zip(of_words)
        .map(|(demotion, of_words)| demotion.map_or(1.0, |factor| factor.value) * of_words)
        .collect();
    let past: Vec<f64> =
        documents().map(|(found, one)| found.of_store.past.odds(search.past, kind, one.document)).collect();
    let weight = nearness::key_weight(deciding.set, deciding.class, kind);
    let multiplied = |factor: fn(&NearnessOdds) -> f64| -> Vec<f64> {
        odds.iter().zip(&nearness).map(|(odds, near)| odds * factor(near)).collect()
    };
    let (mut within, between) = (multiplied(|near| near.within), multiplied(|near| near.between));
    within.iter_mut().zip(past).for_each(|(within, past)| *within *= past);
    let keys = keys(&ranked, features::nearer_than_mean(&features), weight, &within);
    let values = deciding.scores(kind, &keys, &confidences, &between);
    let mut order = Vec::with_capacity(values.len());
    for (store, found) in stores.iter().enumerate() {
        let (question, semantic) = (&found.of_store.evidence.query, found.of_store.semantic.as_ref());
        for ((document, &tie), &best) in found.documents.iter().zip(&found.ties).zip(&found.fused) {
            let (place, is_named) = (order.len(), deciding.named.is_some_and(|names| names(document)));
            // Its text or its name answers the question, even if it lacks other words of the question.
            let is_looked_up = document.framed > 0.0 || document.literal > 0.0 || document.telling > 0.0;
            let confidence = confidences[place];
            order.push(Ranked {
                store,
                document: document.document,
                chunk: document.chunk,
                tie,
                score: if is_named { exact::score(document, values[place]) } else { values[place] },
                fused: best,
                demotion: demotions[place],
                item_priors: Vec::new(),
                reranked: None,
                learned: Some(Learned {
                    set: deciding.set,
                    features: Arc::clone(&features),
                    place,
                    confidence,
                    support: Signs {
                        kind,
                        relevance: confidence,
                        held: covered_share(document),
                        unknown: if is_looked_up { 0.0 } else { question.unknown },
                        rare: question.rare_together * document.holds_rare,
                        terms: question.terms,
                        is_named,
                        cosine: semantic.and_then(|of| of.cosines(document.document)).map(|cosines| cosines.greatest),
                    }
                    .support(),
                }),
            });
        }
    }
    Ok(order)
}

/// Returns the prior of each document of a kind.
fn demotions(search: &Search<'_>, stores: &[KindCandidates<'_>], deciding: &Deciding<'_>) -> Vec<Option<Factor>> {
    let documents = stores.iter().flat_map(|found| found.documents.iter().map(move |document| (found, document)));
    documents.map(|(found, document)| demotion(search, found, document, deciding)).collect()
}

/// Returns the prior of a document: by its role in the project, because it is a bundle, by its version, or because it is a table.
fn demotion(
    search: &Search<'_>,
    found: &KindCandidates<'_>,
    document: &DocumentEvidence,
    deciding: &Deciding<'_>,
) -> Option<Factor> {
    let StoreCandidates { links, known, .. } = found.of_store;
    let on_odds = |kind| prior::on_odds(kind, &deciding.asked_for, search.request);
    let by_version =
        || prior::on_odds_of_version(known.older_version(document.document)?, search.understood, search.request);
    // A text that the query writes down may be in a table alone.
    let is_written = document.framed > 0.0 || document.literal > 0.0;
    let of_table = || {
        let is_table = !is_written && deciding.covered >= COVERED_BY_TEXTS && known.is_data_table(document.document);
        is_table.then(|| prior::on_odds_of_table(search.understood, search.request)).flatten()
    };
    on_odds(document.traits.file_kind)
        .or_else(|| on_odds(links.is_copy(document.document).then_some(FileKind::Generated)?))
        .or_else(by_version)
        .or_else(of_table)
}

/// The share of the question that a text must have for tables of data to step back. With less, a table may be the only answer.
const COVERED_BY_TEXTS: f32 = 0.1;

/// Whether a document lacks the only word of a query. If all documents lack it, the factor changes no order.
fn lacks_the_word(query: &QueryStats, document: &DocumentEvidence) -> bool {
    query.terms < 1.5 && covered_share(document) <= 0.0
}

/// The odds factor of a document that lacks the only word of the query. Such a document is a candidate by its embedding alone,
/// and the embedding of a rare word says little. Without the factor, a test that contains the word ranks lower than files of
/// code that do not, because the ranker of code was trained on answers that are not tests. Its logarithm, -9, is more than any
/// two standard scores differ.
const LACKS_THE_WORD: f64 = 1e-4;

impl Deciding<'_> {
    /// Returns the score of each document of one kind: its relevance, adjusted to the order of the [`keys`]. The kind's ranker
    /// is more accurate within its kind; the relevance compares kinds. The prior of a demoted file kind applies to both.
    ///
    /// If the query asks for tests, the relevance decides alone, because the ranker of code was trained on answers that are not
    /// tests.
    fn scores(&self, kind: ContentKind, keys: &[f64], confidences: &[f32], odds: &[f64]) -> Vec<f64> {
        let class_odds = class_odds(self.class, kind) * self.description_odds(kind);
        let relevance_of = |(place, &confidence): (usize, &f32)| {
            with_odds(f64::from(confidence).clamp(MIN_RELEVANCE, MAX_RELEVANCE), odds[place] * class_odds)
        };
        let relevances: Vec<f64> = confidences.iter().enumerate().map(relevance_of).collect();
        if self.asked_for.contains(&FileKind::Test) {
            return relevances;
        }
        isotonic(keys, &relevances)
    }

    /// Returns the factor of a question that describes what code does, such as "redirect following and header handling", on the
    /// odds of a kind. Pages share more of its words than the code does. A heading is found as an exact match, and a question whose
    /// words no candidate contains describes nothing here.
    fn description_odds(&self, kind: ContentKind) -> f64 {
        let describes =
            self.class == QueryClass::Question && self.terms >= DESCRIBES_FROM && self.nearness.is_covered();
        if describes && kind == ContentKind::Prose { DESCRIBED_ODDS } else { 1.0 }
    }
}

/// Returns the sort keys of the documents of one kind, the greatest first: the standard score of the document's ranker score,
/// plus its weighted standard score of nearness, plus the logarithm of the odds factor.
fn keys(ranked: &[f32], nearness: &[f32], weight: f64, odds: &[f64]) -> Vec<f64> {
    let standard = ZScore::<f64>::compute(ranked).with_min_deviation(MIN_DEVIATION);
    let documents = ranked.iter().zip(nearness).zip(odds);
    documents
        .map(|((&score, &nearness), odds)| {
            // A document without an embedding gets the mean.
            let nearness = if nearness.is_nan() { 0.0 } else { f64::from(nearness) };
            standard.score(score) + weight * nearness + odds.ln()
        })
        .collect()
}

/// Returns the features of the documents of one kind, including those of its ranker's scores, and these scores.
///
/// # Errors
/// A store cannot be read.
pub(super) fn score_documents(
    search: &Search<'_>,
    stores: &[KindCandidates<'_>],
    kind: ContentKind,
    set: FeatureSet,
    rankers: &Rankers,
) -> Result<(Columns, Vec<f32>), StoreError> {
    let texts = Texts::read(search, stores);
    let mut features = features::compute(search.understood, search.request, stores, texts)?;
    let mut by_kind = Vec::new();
    if let Some(ranker) = rankers.ranker(kind, set) {
        ranker.score(&features, &mut by_kind);
        features::add_ranked(&mut features, &by_kind);
    }
    Ok((features, by_kind))
}

/// Returns the factor of a query class on the odds of a kind. The relevance was trained on commits and headings, which do not
/// ask why something is so or how it is done.
fn class_odds(class: QueryClass, kind: ContentKind) -> f64 {
    match (class, kind) {
        (QueryClass::Decision | QueryClass::Docs, ContentKind::Prose | ContentKind::Memory)
        | (QueryClass::Relationship, ContentKind::Code) => CLASS_ODDS,
        _ => 1.0,
    }
}

/// The factor of [`class_odds`].
const CLASS_ODDS: f64 = 40.0;

/// The number of terms from which on a question describes something.
const DESCRIBES_FROM: f32 = 3.0;

/// The odds factor of pages for a question that describes what code does. At .6, half of the gain is left.
const DESCRIBED_ODDS: f64 = 0.4;

/// The bounds of a document's relevance.
const MIN_RELEVANCE: f64 = 1e-6;
pub(super) const MAX_RELEVANCE: f64 = 0.998;

/// Returns the values nearest to the relevances that do not increase along the order of descending keys. Equal keys get equal
/// values.
///
/// Isotonic regression by pooling adjacent violators (Ayer et al. 1955): neighbours whose relevances contradict the order get
/// their mean.
fn isotonic(keys: &[f64], relevances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(relevances[a].total_cmp(&relevances[b])));
    let runs: Vec<&[usize]> = order.chunk_by(|&a, &b| keys[a].total_cmp(&keys[b]).is_eq()).collect();
    // For each pool: the sum of the relevances, their number, and the number of runs of equal keys.
    let mut pools: Vec<(f64, usize, usize)> = Vec::with_capacity(runs.len());
    for run in &runs {
        let (mut sum, mut count, mut of_runs) = (run.iter().map(|&place| relevances[place]).sum::<f64>(), run.len(), 1);
        while let Some((more, of, runs)) = pools.pop_if(|(before, of, _)| *before / *of as f64 <= sum / count as f64) {
            (sum, count, of_runs) = (sum + more, count + of, of_runs + runs);
        }
        pools.push((sum, count, of_runs));
    }
    let pooled = pools.into_iter().flat_map(|(sum, count, runs)| std::iter::repeat_n(sum / count as f64, runs));
    let mut values = vec![0.0; keys.len()];
    for ((rank, run), pooled) in runs.iter().enumerate().zip(pooled) {
        for &place in *run {
            // A small step keeps the order within a pool.
            values[place] = pooled * (1.0 - POOL_STEP * rank as f64);
        }
    }
    values
}

/// The relative step between neighbours within a pool: too small to change the order between kinds.
const POOL_STEP: f64 = 1e-7;

/// Returns the chunks of one kind with their fused scores.
fn fuse_documents(candidates: &[StoreCandidates], kind: ContentKind) -> Vec<Ranked<'_>> {
    let here = move |chunk: &&FusedChunk| ContentKind::from_traits(chunk.traits) == kind;
    let stores = candidates.iter().enumerate();
    stores
        .flat_map(|(store, found)| found.chunks.iter().filter(here).map(move |chunk| from_chunk(store, found, chunk)))
        .collect()
}

fn from_chunk<'a>(store: usize, found: &StoreCandidates, chunk: &'a FusedChunk) -> Ranked<'a> {
    Ranked {
        store,
        document: chunk.document,
        chunk: chunk.chunk,
        tie: found.tie(chunk.document),
        score: chunk.score,
        fused: Some(chunk),
        learned: None,
        demotion: None,
        item_priors: Vec::new(),
        reranked: None,
    }
}

/// Returns the further chunks of the ranked documents, with scores below all documents, in the order of their documents.
fn other_candidates<'a>(
    ranked: &[Ranked<'a>],
    candidates: &'a [StoreCandidates],
    kind: ContentKind,
) -> Vec<Ranked<'a>> {
    let places: FxHashMap<(usize, i64), usize> =
        ranked.iter().enumerate().map(|(place, ranked)| (ranked.document(), place)).collect();
    let least = ranked.last().map_or(1.0, |last| last.score);
    let mut others: Vec<(usize, Ranked<'a>)> = fuse_documents(candidates, kind)
        .into_iter()
        .filter_map(|other| {
            let place = *places.get(&other.document())?;
            (ranked[place].chunk != other.chunk).then_some((place, other))
        })
        .collect();
    others.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.score.total_cmp(&a.1.score)).then(a.1.chunk.cmp(&b.1.chunk)));
    let count = others.len() as f64;
    let mut score = least;
    others
        .into_iter()
        .map(|(place, other)| {
            score -= least / (count + 1.0);
            let best = &ranked[place];
            Ranked {
                score,
                learned: best.learned.clone(),
                demotion: best.demotion,
                item_priors: best.item_priors.clone(),
                ..other
            }
        })
        .collect()
}

/// Returns whether the rankers decide: not if the request or the store sets weights, or an ablation turns them off.
pub(super) fn is_learned(search: &Search<'_>, given: &Weights) -> bool {
    *given == Weights::default() && !search.request.without.contains(&Ablation::Ranker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevances_that_contradict_the_order_get_their_mean() {
        let check = |keys: &[f64], relevances: &[f64], expected: &[f64]| {
            let values = isotonic(keys, relevances);
            assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{values:?}");
        };
        check(&[3.0, 2.0, 1.0], &[0.9, 0.5, 0.1], &[0.9, 0.5, 0.1]);
        check(&[1.0, 3.0, 2.0], &[0.1, 0.9, 0.5], &[0.1, 0.9, 0.5]);
        check(&[3.0, 2.0, 1.0], &[0.2, 0.6, 0.1], &[0.4, 0.4, 0.1]);
        check(&[3.0, 2.0, 1.0], &[0.1, 0.2, 0.6], &[0.3, 0.3, 0.3]);
        check(&[], &[], &[]);
    }

    #[test]
    fn nearness_is_added_to_the_ranker_score_by_its_weight() {
        let check = |nearness: &[f32], weight, expected: &[f64]| {
            let keys = keys(&[3.0, 1.0], nearness, weight, &[1.0, 1.0]);
            assert!(keys.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{keys:?}");
        };
        check(&[-1.0, 1.0], 0.0, &[1.0, -1.0]);
        check(&[-1.0, 1.0], 1.5, &[-0.5, 0.5]);
        check(&[f32::NAN, 1.0], 1.5, &[1.0, 0.5]);
        let keys = keys(&[3.0, 1.0], &[0.0, 0.0], 1.0, &[0.5, 1.0]);
        assert!((keys[0] - 1.0 - 0.5_f64.ln()).abs() < 1e-6, "{keys:?}");
    }

    proptest::proptest! {
        #[test]
        fn the_order_of_a_kind_is_kept(pairs in proptest::collection::vec((-9.0..9.0_f64, 0.0..1.0_f64), 0..60)) {
            let (keys, relevances): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let values = isotonic(&keys, &relevances);
            for (a, b) in (0..keys.len()).flat_map(|a| (0..keys.len()).map(move |b| (a, b))) {
                proptest::prop_assert!(keys[a] <= keys[b] || values[a] >= values[b]);
            }
            let sum = |all: &[f64]| all.iter().sum::<f64>();
            proptest::prop_assert!((sum(&values) - sum(&relevances)).abs() < 1e-3);
        }
    }
}
