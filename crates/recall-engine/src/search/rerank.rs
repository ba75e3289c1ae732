//! Do the first of the ranked chunks answer the question, read together with it?
//!
//! A cross-encoder reads the question and each chunk as one text. It says more of a text than the words or the meaning do, and
//! knows nothing of what the ranker saw: the file's role, the graph, the names. So both count, each by how far a chunk stands
//! out among the others. Where the model cannot be asked in time, the order stays what it was.

use std::time::Instant;

use recall_core::{Ablation, ChunkRow, ModelError, QueryClass, error_chain};

use crate::embeddings::Texts;
use crate::error::StoreError;
use crate::search::answer::{Reranked, Stage};
use crate::search::context::{Search, StageClock};
use crate::search::ranked::{Ranked, Standard, logistic, sort, with_ties};
use crate::settings::Reranker;

/// What became of asking a cross-encoder.
pub(super) enum Outcome {
    /// None is used, or it was not to be asked.
    NotAsked,
    /// This one has had its say.
    Told { model: String },
    /// It has not answered, for this reason.
    PassedOver { reason: String },
}

/// Rescores the first of the ranked chunks, which stay the first ones.
///
/// Not asked are questions for a thing by its name, which names the answer; and by one chunk there is no order to change.
///
/// # Errors
/// A store cannot be read.
pub(super) fn rerank(
    search: &Search<'_>,
    ranked: &mut [Ranked<'_>],
    clock: &mut StageClock,
) -> Result<Outcome, StoreError> {
    let is_named = matches!(search.understood.class, QueryClass::Symbol | QueryClass::Path);
    let is_left_out = search.request.without.contains(&Ablation::Rerank);
    let Some(reranker) = search.engine.reranker.load_full().filter(|_| !is_named && !is_left_out) else {
        return Ok(Outcome::NotAsked);
    };
    let settings = search.engine.settings.rerank;
    // Which of equally good ones comes first depends on how the store was filled.
    let first = with_ties(ranked, settings.candidates.get());
    if first < 2 {
        return Ok(Outcome::NotAsked);
    }
    // A search that begins anew has the time that is left.
    let deadline = Instant::now() + settings.wait.saturating_sub(clock.spent(Stage::Rerank));
    let texts = texts(search, &ranked[..first])?;
    let told = scores(&reranker, &search.understood.text, &texts, deadline);
    let outcome = match told {
        Ok(told) => {
            rescore(ranked, &told, settings.weight);
            Outcome::Told { model: reranker.name.clone() }
        }
        Err(error) => {
            let reason = error_chain(&error);
            tracing::warn!(model = reranker.name, reason, "a cross-encoder does not rescore");
            Outcome::PassedOver { reason }
        }
    };
    clock.lap(Stage::Rerank);
    Ok(outcome)
}

fn scores(reranker: &Reranker, query: &str, texts: &[String], deadline: Instant) -> Result<Vec<f32>, ModelError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    reranker.cross_encoder.scores(query, &texts, Some(deadline))
}

/// Gives the first chunks the scores that they have with what was told of them, above all that follow, and sorts them.
fn rescore(ranked: &mut [Ranked<'_>], told: &[f32], weight: f64) {
    let floor = ranked.get(told.len()).map_or(0.0, |next| next.score);
    let before: Vec<f32> = ranked[..told.len()].iter().map(|one| log_odds(one.score) as f32).collect();
    let (by_rank, by_model) = (Standard::of(&before), Standard::of(told));
    let first = &mut ranked[..told.len()];
    for (place, ((one, &before), &score)) in first.iter_mut().zip(&before).zip(told).enumerate() {
        let both = (1.0 - weight) * by_rank.of_score(before) + weight * by_model.of_score(score);
        one.score = floor + (1.0 - floor) * logistic(both);
        one.reranked = Some(Reranked { score, rank_before: place as u32 + 1 });
    }
    sort(first);
}

/// How far a score speaks for a chunk: those of rankers are the logistic of that, and so they are taken back.
fn log_odds(score: f64) -> f64 {
    let score = score.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
    (score / (1.0 - score)).ln()
}

/// What the model reads of each chunk. Of one that is being replaced it reads nothing: what is expanded later notices, and the
/// search begins anew.
fn texts(search: &Search<'_>, ranked: &[Ranked<'_>]) -> Result<Vec<String>, StoreError> {
    let mut texts = vec![String::new(); ranked.len()];
    for (number, store) in search.stores.iter().enumerate() {
        let mut here: Vec<usize> = (0..ranked.len()).filter(|&place| ranked[place].store == number).collect();
        here.sort_unstable_by_key(|&place| ranked[place].document);
        for of_one in here.chunk_by(|&one, &other| ranked[one].document == ranked[other].document) {
            let Some(chunked) = store.read(|snapshot| snapshot.chunked(ranked[of_one[0]].document))? else { continue };
            let document = Texts::of(&chunked);
            for &place in of_one {
                let row: ChunkRow = ranked[place].chunk;
                texts[place] = document.joined(row).unwrap_or_default();
            }
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use recall_core::DocumentRow;

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
            stepping_back: None,
            item_priors: Vec::new(),
            reranked: None,
        };
        (1..).zip(scores).map(one).collect()
    }

    fn order(ranked: &[Ranked<'_>]) -> Vec<i64> {
        ranked.iter().map(|one| one.chunk.0).collect()
    }

    #[test]
    fn both_orders_count_by_the_weight_and_what_follows_stays_behind() {
        let check = |told: &[f32], weight, expected: &[i64]| {
            let mut found = ranked(&[0.99, 0.95, 0.9, 0.8, 0.7]);
            rescore(&mut found, told, weight);
            assert_eq!(order(&found), expected, "{told:?} {weight}");
            assert!(found.is_sorted_by(|one, next| one.score >= next.score && one.score < 1.0), "{found:?}");
        };
        check(&[-4.0, 1.0, 3.0], 1.0, &[3, 2, 1, 4, 5]);
        check(&[-4.0, 1.0, 3.0], 0.0, &[1, 2, 3, 4, 5]);
        check(&[0.0, 0.0, 0.0], 0.5, &[1, 2, 3, 4, 5]);
        check(&[-9.0, 3.0, -8.0], 0.5, &[2, 1, 3, 4, 5]);
        check(&[1.0, 2.0, 3.0, 4.0, 5.0], 1.0, &[5, 4, 3, 2, 1]);
    }

    #[test]
    fn what_was_said_is_told_with_the_rank_before() {
        let mut found = ranked(&[0.9, 0.8, 0.7]);
        rescore(&mut found, &[-1.0, 2.5], 1.0);
        let told: Vec<_> = found.iter().map(|one| one.reranked.map(|told| (told.score, told.rank_before))).collect();
        assert_eq!(told, [Some((2.5, 2)), Some((-1.0, 1)), None]);
    }

    #[test]
    fn scores_of_fusion_are_rescored_as_well() {
        let mut found = ranked(&[0.033, 0.032, 0.016]);
        rescore(&mut found, &[0.0, 0.1, 9.0], 1.0);
        assert_eq!(order(&found), [3, 2, 1]);
    }
}
