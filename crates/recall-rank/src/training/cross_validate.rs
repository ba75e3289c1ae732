//! Cross-validation of a ranker by groups of queries.

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
