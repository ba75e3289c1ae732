//! Evaluation of the relevance on held-out repositories: success by kind of question, and reliability of the predicted
//! probabilities.

use std::collections::BTreeMap;

use recall_rank::{Calibration, Judged};

use crate::training::arguments::report;

/// The number of bins of the predictions.
const BINS: usize = 10;

/// The kind of the questions without an answer.
const FOREIGN: &str = "foreign";

/// Prints the tables. `scores` are those of the candidates by rankers that were trained without their repositories.
pub(crate) fn tables(judged: &Judged, scores: &[Vec<f32>], calibration: &Calibration) {
    let predicted: Vec<Vec<f32>> =
        scores.iter().map(|of_one| of_one.iter().map(|&score| calibration.probability(score)).collect()).collect();
    places(judged, &predicted);
    bins(judged, &predicted);
    doubts(judged, &predicted);
}

/// The fraction of questions with an answer in first place, and within the first three, among those with an answer
/// among the candidates.
fn places(judged: &Judged, predicted: &[Vec<f32>]) {
    report("\n| questions | number | first | in three |\n|---|---|---|---|");
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (query, predicted) in judged.queries.iter().zip(predicted) {
        let best = query.labels.iter().zip(predicted).filter(|(label, _)| **label > 0.0).map(|(_, one)| *one);
        let Some(best) = best.max_by(f32::total_cmp) else { continue };
        let before = query.labels.iter().zip(predicted).filter(|(label, one)| **label == 0.0 && **one >= best).count();
        let counts = kinds.entry(&query.kind).or_default();
        counts[0] += 1;
        counts[1] += usize::from(before == 0);
        counts[2] += usize::from(before < 3);
    }
    for (kind, [number, first, in_three]) in kinds {
        let share = |count: usize| count as f64 / number as f64;
        report(&format!("| {kind} | {number} | {:.3} | {:.3} |", share(first), share(in_three)));
    }
}

/// The mean prediction and the fraction of relevant candidates, for each kind of document in ten bins.
fn bins(judged: &Judged, predicted: &[Vec<f32>]) {
    let place = |name: &str| judged.features.iter().position(|known| known == name);
    let (Some(is_memory), Some(is_prose)) = (place("is_memory"), place("is_prose")) else { return };
    let mut kinds: BTreeMap<&str, [[f64; 3]; BINS]> = BTreeMap::new();
    for (query, predicted) in judged.queries.iter().zip(predicted) {
        let rows = query.rows.chunks_exact(judged.features.len());
        for ((row, label), &one) in rows.zip(&query.labels).zip(predicted) {
            let kind = match (row[is_memory] > 0.0, row[is_prose] > 0.0) {
                (true, _) => "memory",
                (false, true) => "prose",
                (false, false) => "code",
            };
            let bin = ((one * BINS as f32) as usize).min(BINS - 1);
            let [count, sum, relevant] = &mut kinds.entry(kind).or_default()[bin];
            *count += 1.0;
            *sum += f64::from(one);
            *relevant += f64::from(u8::from(*label > 0.0));
        }
    }
    report("\n| kind | predicted → observed (candidates) |\n|---|---|");
    for (kind, bins) in kinds {
        let cell =
            |[count, sum, relevant]: &[f64; 3]| format!("{:.2} → {:.2} ({count})", sum / count, relevant / count);
        let bins: Vec<String> = bins.iter().filter(|bin| bin[0] > 0.0).map(cell).collect();
        report(&format!("| {kind} | {} |", bins.join(", ")));
    }
}

/// The fraction of questions without a candidate above a threshold: for answered questions, and for those about another
/// repository.
fn doubts(judged: &Judged, predicted: &[Vec<f32>]) {
    report("\n| threshold | doubted of the answered | doubted of another repository's |\n|---|---|---|");
    let most: Vec<(bool, bool, f32)> = judged
        .queries
        .iter()
        .zip(predicted)
        .map(|(query, predicted)| {
            let is_answered = query.labels.iter().any(|&label| label > 0.0);
            (query.kind == FOREIGN, is_answered, predicted.iter().copied().fold(0.0, f32::max))
        })
        .collect();
    for threshold in [0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3] {
        let share = |wanted: &dyn Fn(&(bool, bool, f32)) -> bool| {
            let all: Vec<_> = most.iter().filter(|one| wanted(one)).collect();
            all.iter().filter(|one| one.2 < threshold).count() as f64 / all.len().max(1) as f64
        };
        let (answered, strange) = (share(&|one| one.1), share(&|one| one.0));
        report(&format!("| {threshold} | {answered:.3} | {strange:.3} |"));
    }
}
