//! Cross-validation of a ranker by groups of queries, and the fitting of a calibration to its samples.
//!
//! The calibration is an isotonic regression by pooling adjacent violators (Ayer et al. 1955; for classifiers Zadrozny and Elkan, KDD 2002):
//! the non-decreasing step function closest to the labels. The steps become the points of a piecewise linear function.

use std::collections::BTreeMap;

use oorandom::Rand64;

use crate::ranker::Calibration;
use crate::training::boost::{Start, TrainError, check, train_on};
use crate::training::judged::{self, Judged, JudgedQuery, ndcg_at};
use crate::training::parameters::Parameters;

/// The cutoff of nDCG.
const MEASURED: usize = 10;

/// The scores of queries by rankers that were trained without their groups.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// The scores of each query's candidates, in the order of the judged queries.
    pub scores: Vec<Vec<f32>>,
    /// The fold in which each query was held out.
    pub folds: Vec<usize>,
    /// The nDCG@10 of each group that has a relevant item, sorted by name.
    pub groups: Vec<GroupNdcg>,
    /// The unweighted mean of nDCG@10 over the groups.
    pub mean: f64,
    /// The standard deviation of nDCG@10 over the groups.
    pub spread: f64,
}

/// The result of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupNdcg {
    /// The group's name.
    pub group: String,
    /// The number of its queries that have a relevant item.
    pub queries: usize,
    /// Their mean nDCG@10.
    pub ndcg: f64,
}

/// Trains once per fold on the other folds, and scores the held-out queries.
///
/// Groups are never split. The assignment of groups to folds depends on the seed of the parameters.
///
/// # Errors
/// Fails if the queries or the parameters are invalid, if there are fewer groups than folds, or if the other folds of
/// some fold contain nothing to learn from.
pub fn cross_validate(judged: &Judged, parameters: &Parameters, folds: usize) -> Result<CrossValidation, TrainError> {
    cross_validate_from(Start::Nothing, judged, parameters, folds)
}

/// Like [`cross_validate`], but continues the training of `start`, which must not have seen the queries.
///
/// # Errors
/// As [`cross_validate`]; also if the start has other features than the queries.
pub fn cross_validate_from(
    start: Start<'_>,
    judged: &Judged,
    parameters: &Parameters,
    folds: usize,
) -> Result<CrossValidation, TrainError> {
    check(start, judged, parameters)?;
    let fold_of_query = assign(judged, parameters.seed, folds)?;
    let mut scores = vec![Vec::new(); judged.queries.len()];
    for fold in 0..folds {
        let seen: Vec<&JudgedQuery> =
            judged.queries.iter().zip(&fold_of_query).filter(|(_, of)| **of != fold).map(|(query, _)| query).collect();
        let ranker = train_on(start, &judged.features, &seen, parameters)?;
        for (at, query) in judged.queries.iter().enumerate().filter(|(at, _)| fold_of_query[*at] == fold) {
            ranker.score_rows(&query.rows, &mut scores[at]);
        }
    }
    let groups = by_group(judged, &scores);
    let (mean, spread) = mean_and_spread(&groups);
    Ok(CrossValidation { scores, folds: fold_of_query, groups, mean, spread })
}

impl CrossValidation {
    /// Returns the calibration of a ranker that is trained with the same parameters on all of these queries.
    ///
    /// # Panics
    /// If these are not the queries that were cross-validated.
    pub fn calibration(&self, judged: &Judged) -> Calibration {
        assert_eq!(judged.queries.len(), self.scores.len(), "the same queries are given");
        let samples = judged.queries.iter().zip(&self.scores).flat_map(|(query, scores)| {
            scores.iter().zip(&query.labels).map(|(score, label)| (*score, *label > 0.0, query.weight))
        });
        Calibration::fit(samples)
    }
}

/// Assigns each group, in random order, to the fold with the fewest queries so far.
fn assign(judged: &Judged, seed: u64, folds: usize) -> Result<Vec<usize>, TrainError> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for query in &judged.queries {
        *counts.entry(&query.group).or_default() += 1;
    }
    if folds < 2 || counts.len() < folds {
        return Err(TrainError::Folds { groups: counts.len(), folds });
    }
    let groups: Vec<(&str, usize)> = counts.into_iter().collect();
    let mut queries = vec![0; folds];
    let mut fold_of_group = BTreeMap::new();
    for at in judged::shuffle(&mut Rand64::new(u128::from(seed)), groups.len()) {
        let (group, count) = groups[at];
        let fold = (0..folds).min_by_key(|fold| queries[*fold]).expect("there are at least two folds");
        queries[fold] += count;
        fold_of_group.insert(group, fold);
    }
    Ok(judged.queries.iter().map(|query| fold_of_group[query.group.as_str()]).collect())
}

fn by_group(judged: &Judged, scores: &[Vec<f32>]) -> Vec<GroupNdcg> {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (query, scores) in judged.queries.iter().zip(scores) {
        if let Some(ndcg) = ndcg_at(MEASURED, scores, &query.labels, query.missed) {
            groups.entry(&query.group).or_default().push(ndcg);
        }
    }
    groups
        .into_iter()
        .map(|(group, of_queries)| GroupNdcg {
            group: group.to_owned(),
            queries: of_queries.len(),
            ndcg: of_queries.iter().sum::<f64>() / of_queries.len() as f64,
        })
        .collect()
}

/// Returns 0 for both if there is no group.
fn mean_and_spread(groups: &[GroupNdcg]) -> (f64, f64) {
    let count = groups.len().max(1) as f64;
    let mean = groups.iter().map(|group| group.ndcg).sum::<f64>() / count;
    let variance = groups.iter().map(|group| (group.ndcg - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

/// The minimum number of candidates per step. A smaller step is merged with its neighbour, since its probability is
/// unreliable.
const MIN_CANDIDATES: usize = 20;

/// The maximum number of points: enough for any curve, and half a kilobyte.
const MAX_POINTS: usize = 64;

/// A run of candidates, adjacent by score, with one estimated probability.
#[derive(Debug, Clone, Copy)]
struct CalibrationStep {
    candidates: usize,
    weight: f64,
    /// The weighted sum of the scores.
    score: f64,
    /// The weight of the relevant candidates.
    relevant: f64,
}

impl CalibrationStep {
    fn probability(&self) -> f64 {
        self.relevant / self.weight
    }

    fn merge(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.weight += other.weight;
        self.score += other.score;
        self.relevant += other.relevant;
    }

    /// The increase of the squared error if two steps are merged.
    fn merge_cost(&self, other: &Self) -> f64 {
        let distance = other.probability() - self.probability();
        self.weight * other.weight / (self.weight + other.weight) * distance * distance
    }
}

impl Calibration {
    /// Fits a mapping to samples of a ranker on held-out candidates: score, relevance, positive weight.
    ///
    /// Scores that are not finite are ignored; without any finite score the mapping is empty.
    pub fn fit(samples: impl IntoIterator<Item = (f32, bool, f32)>) -> Self {
        let mut samples: Vec<_> = samples.into_iter().filter(|(score, ..)| score.is_finite()).collect();
        samples.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut steps: Vec<CalibrationStep> = Vec::new();
        for run in samples.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            let mut step = CalibrationStep { candidates: 0, weight: 0.0, score: 0.0, relevant: 0.0 };
            for &(score, is_relevant, weight) in run {
                let weight = f64::from(weight);
                let relevant = if is_relevant { weight } else { 0.0 };
                step.merge(CalibrationStep { candidates: 1, weight, score: weight * f64::from(score), relevant });
            }
            while let Some(last) = steps.pop_if(|last| last.probability() >= step.probability()) {
                step.merge(last);
            }
            steps.push(step);
        }
        merge_small_steps(&mut steps);
        merge_similar_steps(&mut steps);
        let points = steps.iter().map(|step| ((step.score / step.weight) as f32, step.probability() as f32));
        let mut points: Vec<(f32, f32)> = points.collect();
        // The means of two adjacent steps may round to the same 32-bit number.
        points.dedup_by(|next, kept| next.0 <= kept.0);
        Self { points }
    }
}

/// Merges steps, from the highest score down, until each has enough candidates.
fn merge_small_steps(steps: &mut Vec<CalibrationStep>) {
    let mut joined: Vec<CalibrationStep> = Vec::with_capacity(steps.len());
    for step in steps.drain(..).rev() {
        match joined.last_mut() {
            Some(last) if last.candidates < MIN_CANDIDATES => last.merge(step),
            _ => joined.push(step),
        }
    }
    if let Some(last) = joined.pop_if(|last| last.candidates < MIN_CANDIDATES) {
        match joined.last_mut() {
            Some(before) => before.merge(last),
            None => joined.push(last),
        }
    }
    steps.extend(joined.into_iter().rev());
}

/// Merges the two most similar neighbours until the number of steps is within the limit.
fn merge_similar_steps(steps: &mut Vec<CalibrationStep>) {
    while steps.len() > MAX_POINTS {
        let costs = steps.windows(2).map(|pair| pair[0].merge_cost(&pair[1]));
        let (at, _) =
            costs.enumerate().min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are more than two steps");
        let next = steps.remove(at + 1);
        steps[at].merge(next);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn probabilities_are_the_observed_frequencies() {
        let samples = (0..400).map(|at| {
            let is_high = at % 2 == 0;
            (if is_high { 2.0 } else { -2.0 }, at % 8 < if is_high { 5 } else { 2 }, 1.0)
        });
        let calibration = Calibration::fit(samples);
        assert_eq!(calibration.points(), [(-2.0, 0.25), (2.0, 0.75)]);
    }

    #[test]
    fn scores_that_are_not_finite_are_ignored() {
        assert_eq!(Calibration::fit([(f32::NAN, true, 1.0)]), Calibration::default());
    }

    proptest! {
        #[test]
        fn probabilities_never_decrease_and_points_are_valid(
            samples in vec((-3.0..3.0_f32, any::<bool>(), 0.1..2.0_f32), 0..3000),
            mut scores in vec(-4.0..4.0_f32, 2),
        ) {
            let calibration = Calibration::fit(samples);
            prop_assert!(calibration.points().len() <= MAX_POINTS);
            prop_assert_eq!(Calibration::from_points(calibration.points().to_vec()), Some(calibration.clone()));
            scores.sort_by(f32::total_cmp);
            prop_assert!(calibration.probability(scores[0]) <= calibration.probability(scores[1]));
        }
    }
}
