//! Rescoring of the first ranked chunks by cross-encoders, and by a language model.
//!
//! Such a model reads the question and each chunk as one text. It judges a text better than words or embeddings do, but it
//! does not see the ranker's features: the file's role, the graph, the names. The two scores are therefore blended after
//! standardizing. If the model fails or is late, the order is unchanged.

use std::num::NonZero;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use recall_core::{Ablation, ChunkRow, DocumentRow, JudgeUse, QueryClass};
use recall_index::catalog::ChunkedDocument;
use recall_text::error_chain;

use crate::Engine;
use crate::embeddings::ChunkTexts;
use crate::error::StoreError;
use crate::ranking::ZScore;
use crate::search::answer::{Reranked, Rescorer, Stage};
use crate::search::context::{Search, StageClock};
use crate::search::ranked::{MIN_DEVIATION, Ranked, logistic, sort, with_ties};
use crate::settings::{JudgeSettings, RerankSettings, Reranker};

/// The outcomes of the rescorings, in the order in which they run.
pub(super) struct Rescored {
    /// By the small cross-encoder.
    pub(super) prerank: Outcome,
    /// By the cross-encoder.
    pub(super) rerank: Outcome,
    /// By the language model.
    pub(super) judge: Outcome,
}

/// Rescores the first of the ranked chunks by each selected model. Each reads fewer chunks than the one before.
///
/// # Errors
/// A store cannot be read.
pub(super) fn rescore(
    search: &Search<'_>,
    ranked: &mut [Ranked<'_>],
    clock: &mut StageClock,
) -> Result<Rescored, StoreError> {
    let Engine { preranker, reranker, settings, .. } = search.engine;
    let small = RescoreStage::new(Rescorer::Preranker, Stage::Prerank, settings.prerank);
    let large = RescoreStage::new(Rescorer::Reranker, Stage::Rerank, settings.rerank);
    Ok(Rescored {
        prerank: by_cross_encoder(preranker, Ablation::Prerank, &small, search, ranked, clock)?,
        rerank: by_cross_encoder(reranker, Ablation::Rerank, &large, search, ranked, clock)?,
        judge: judge(search, ranked, clock)?,
    })
}

/// The outcome of a rescoring.
pub(super) enum Outcome {
    /// There is no such model, or this query does not use it.
    NotAsked,
    /// The model rescored the chunks.
    Rescored { model: String },
    /// The model failed, and the order is unchanged.
    Failed { reason: String },
}

impl Outcome {
    /// Returns the model that rescored the chunks, if one did.
    pub(super) fn model(self) -> Option<String> {
        match self {
            Self::Rescored { model } => Some(model),
            Self::NotAsked | Self::Failed { .. } => None,
        }
    }

    /// Returns why the model failed, if it did.
    pub(super) fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed { reason } => Some(reason),
            Self::NotAsked | Self::Rescored { .. } => None,
        }
    }
}

/// Rescores the first of the ranked chunks by a cross-encoder. They stay ahead of the rest.
///
/// Queries for a name or a path are not rescored, because the name decides, and neither is a single chunk.
fn by_cross_encoder(
    model: &ArcSwapOption<Reranker>,
    without: Ablation,
    stage: &RescoreStage,
    search: &Search<'_>,
    ranked: &mut [Ranked<'_>],
    clock: &mut StageClock,
) -> Result<Outcome, StoreError> {
    let is_left_out = is_named(search) || search.request.without.contains(&without);
    match model.load_full().filter(|_| !is_left_out) {
        Some(model) => stage.run(&model, search, ranked, clock),
        None => Ok(Outcome::NotAsked),
    }
}

/// Rescores the first of the ranked chunks by the language model, in the same way, for hard questions or if the request says so.
///
/// A question about a relationship or a reason is hard: its words are in many places. So is one whose first chunks are close.
fn judge(search: &Search<'_>, ranked: &mut [Ranked<'_>], clock: &mut StageClock) -> Result<Outcome, StoreError> {
    let is_left_out = search.request.without.contains(&Ablation::Judge);
    let Some(model) = search.engine.judge.load_full().filter(|_| !is_named(search) && !is_left_out) else {
        return Ok(Outcome::NotAsked);
    };
    let JudgeSettings { candidates, wait, weight, close } = search.engine.settings.judge;
    let is_wanted = match search.request.judge {
        JudgeUse::Always => true,
        JudgeUse::WhenHard => {
            matches!(search.understood.class, QueryClass::Relationship | QueryClass::Decision)
                || are_close(ranked, close)
        }
    };
    if !is_wanted {
        return Ok(Outcome::NotAsked);
    }
    let stage = RescoreStage { by: Rescorer::Judge, stage: Stage::Judge, candidates, wait, weight };
    stage.run(&model, search, ranked, clock)
}

fn is_named(search: &Search<'_>) -> bool {
    matches!(search.understood.class, QueryClass::Symbol | QueryClass::Path)
}

/// Returns whether the scores of the first three chunks are within a distance.
fn are_close(ranked: &[Ranked<'_>], distance: f64) -> bool {
    matches!(ranked, [first, _, third, ..] if first.score - third.score < distance)
}

/// A pass of a model over the first chunks.
struct RescoreStage {
    by: Rescorer,
    stage: Stage,
    candidates: NonZero<usize>,
    wait: Duration,
    weight: f64,
}

impl RescoreStage {
    fn new(by: Rescorer, stage: Stage, settings: RerankSettings) -> Self {
        let RerankSettings { candidates, wait, weight } = settings;
        Self { by, stage, candidates, wait, weight }
    }

    fn run(
        &self,
        model: &Reranker,
        search: &Search<'_>,
        ranked: &mut [Ranked<'_>],
        clock: &mut StageClock,
    ) -> Result<Outcome, StoreError> {
        // All chunks with equal scores are rescored, because their order depends on how the store was filled.
        let first = with_ties(ranked, self.candidates.get());
        if first < 2 {
            return Ok(Outcome::NotAsked);
        }
        // A search that restarts has only the remaining time.
        let deadline = Instant::now() + self.wait.saturating_sub(clock.spent(self.stage));
        let build = if model.cross_encoder.is_remote() { ChunkTexts::with_masks } else { ChunkTexts::new };
        let texts = texts(search, &ranked[..first], build)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let outcome = match model.cross_encoder.scores(&search.understood.text, &texts, Some(deadline)) {
            Ok(scores) => {
                blend(ranked, &scores, self.by, self.weight);
                Outcome::Rescored { model: model.name.clone() }
            }
            Err(error) => {
                let reason = error_chain(&error);
                tracing::warn!(model = model.name, reason, "the first chunks are not rescored");
                Outcome::Failed { reason }
            }
        };
        clock.lap(self.stage);
        Ok(outcome)
    }
}

/// Blends the model's scores into those of the first chunks, keeps them above all chunks that follow, and sorts them.
fn blend(ranked: &mut [Ranked<'_>], scores: &[f32], by: Rescorer, weight: f64) {
    let floor = ranked.get(scores.len()).map_or(0.0, |next| next.score);
    let before: Vec<f32> = ranked[..scores.len()].iter().map(|one| log_odds(one.score) as f32).collect();
    let standard = |scores: &[f32]| ZScore::<f64>::compute(scores).with_min_deviation(MIN_DEVIATION);
    let (by_rank, by_model) = (standard(&before), standard(scores));
    let first = &mut ranked[..scores.len()];
    for (place, ((one, &before), &score)) in first.iter_mut().zip(&before).zip(scores).enumerate() {
        let both = (1.0 - weight) * by_rank.score(before) + weight * by_model.score(score);
        one.score = floor + (1.0 - floor) * logistic(both);
        one.reranked = Some(Reranked { by, score, rank_before: place as u32 + 1 });
    }
    sort(first);
}

/// Converts a score to log odds: the inverse of the logistic function, which gave the rankers' scores.
fn log_odds(score: f64) -> f64 {
    let score = score.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
    (score / (1.0 - score)).ln()
}

/// Returns the text of each chunk for the model. A chunk that is being replaced gives an empty text: the expansion notices it
/// and the search restarts.
fn texts(
    search: &Search<'_>,
    ranked: &[Ranked<'_>],
    build: fn(&ChunkedDocument) -> ChunkTexts,
) -> Result<Vec<String>, StoreError> {
    let mut texts = vec![String::new(); ranked.len()];
    for (number, store) in search.searched.iter().enumerate() {
        let here: Vec<usize> = (0..ranked.len()).filter(|&place| ranked[place].store == number).collect();
        let chunks: Vec<(DocumentRow, ChunkRow)> =
            here.iter().map(|&place| (ranked[place].document, ranked[place].chunk)).collect();
        for (place, text) in here.into_iter().zip(store.model_texts(&chunks, build)?) {
            texts[place] = text;
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(scores: &[f64]) -> Vec<Ranked<'static>> {
        let one = |(row, &score)| Ranked {
            store: 0,
            document: DocumentRow(row),
            chunk: ChunkRow(row),
            tie: 0,
            score,
            fused: None,
            learned: None,
            demotion: None,
            item_priors: Vec::new(),
            reranked: None,
        };
        (1..).zip(scores).map(one).collect()
    }

    fn order(ranked: &[Ranked<'_>]) -> Vec<i64> {
        ranked.iter().map(|one| one.chunk.0).collect()
    }

    #[test]
    fn both_orders_count_by_the_weight_and_the_rest_stays_after() {
        let check = |scores: &[f32], weight, expected: &[i64]| {
            let mut found = ranked(&[0.99, 0.95, 0.9, 0.8, 0.7]);
            blend(&mut found, scores, Rescorer::Reranker, weight);
            assert_eq!(order(&found), expected, "{scores:?} {weight}");
            assert!(found.is_sorted_by(|one, next| one.score >= next.score && one.score < 1.0), "{found:?}");
        };
        check(&[-4.0, 1.0, 3.0], 1.0, &[3, 2, 1, 4, 5]);
        check(&[-4.0, 1.0, 3.0], 0.0, &[1, 2, 3, 4, 5]);
        check(&[0.0, 0.0, 0.0], 0.5, &[1, 2, 3, 4, 5]);
        check(&[-9.0, 3.0, -8.0], 0.5, &[2, 1, 3, 4, 5]);
        check(&[1.0, 2.0, 3.0, 4.0, 5.0], 1.0, &[5, 4, 3, 2, 1]);
    }

    #[test]
    fn the_model_score_and_the_rank_before_are_reported() {
        let mut found = ranked(&[0.9, 0.8, 0.7]);
        blend(&mut found, &[-1.0, 2.5], Rescorer::Reranker, 1.0);
        let scores: Vec<_> =
            found.iter().map(|one| one.reranked.map(|scores| (scores.score, scores.rank_before))).collect();
        assert_eq!(scores, [Some((2.5, 2)), Some((-1.0, 1)), None]);
    }

    #[test]
    fn fused_scores_are_rescored_too() {
        let mut found = ranked(&[0.033, 0.032, 0.016]);
        blend(&mut found, &[0.0, 0.1, 9.0], Rescorer::Judge, 1.0);
        assert_eq!(order(&found), [3, 2, 1]);
    }
}
