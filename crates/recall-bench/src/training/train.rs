//! Training of a ranker from mined queries, and evaluation of the relevance on held-out repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use recall_engine::FeatureGroup;
use recall_rank::{
    Calibration, CrossValidation, Judged, JudgedQuery, Objective, Parameters, Ranker, Start, cross_validate,
    cross_validate_from, train_from,
};

use crate::training::arguments::{TrainArguments, report};
use crate::training::letor;

type Failure = Box<dyn Error + Send + Sync>;

/// The number of folds of the cross-validation.
const FOLDS: usize = 5;

/// Reads the mined queries, evaluates a ranker on held-out repositories, and trains and writes one.
pub(crate) fn run(arguments: &TrainArguments) -> Result<(), Failure> {
    let weights = weights(&arguments.kinds)?;
    let set = arguments.knows.feature_set();
    let names = if arguments.relevance {
        recall_engine::relevance_feature_names(set)
    } else {
        recall_engine::feature_names(set)
    };
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let without = places(&names, &arguments.without)?;
    let judged = zero(read(&arguments.from, &names, &weights)?, &without);
    let groups: BTreeSet<&str> = judged.queries.iter().map(|query| query.group.as_str()).collect();
    report(&format!("{} queries of {} repositories", judged.queries.len(), groups.len()));
    let objective = if arguments.relevance { Objective::Probability } else { Objective::Order };
    let parameters = Parameters { objective, trees: arguments.trees, seed: arguments.seed, ..Parameters::default() };
    let start = arguments.start.as_deref().map(|file| start(file, &names)).transpose()?;
    let start = start.as_ref().map_or(Start::Nothing, Start::Ranker);
    let validation = cross_validate_from(start, &judged, &parameters, FOLDS)?;
    report(&format!(
        "nDCG@10 on held-out repositories: {:.4} (standard deviation over repositories {:.4})",
        validation.mean, validation.spread
    ));
    let calibration = validation.calibration(&judged);
    if arguments.relevance {
        reliability_tables(&judged, &validation.scores, &calibration);
    }
    if arguments.table {
        return table(&judged, &parameters, &validation);
    }
    let Some(out) = arguments.out.as_ref().filter(|_| !arguments.dry_run) else { return Ok(()) };
    let ranker = train_from(start, &judged, &parameters)?.with_calibration(calibration);
    for (name, gain) in ranker.importance() {
        report(&format!("{gain:>12.1}  {name}"));
    }
    fs::write(out, ranker.write())?;
    Ok(())
}

/// Reads the ranker to continue from.
fn start(file: &Path, names: &[String]) -> Result<Ranker, Failure> {
    let ranker = Ranker::read(&fs::read(file)?).map_err(|error| format!("{}: {error}", file.display()))?;
    ranker.over(names).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Cross-validates without each group of features, and prints the value of each: the mean difference over repositories
/// with its standard error.
fn table(judged: &Judged, parameters: &Parameters, whole: &CrossValidation) -> Result<(), Failure> {
    report("\n| without | nDCG@10 | difference | standard error |\n|---|---|---|---|");
    report(&format!("| nothing | {:.4} | | |", whole.mean));
    for group in FeatureGroup::ALL {
        let names = names_of(group);
        // Skips the groups that the feature set does not have.
        if !names.iter().all(|name| judged.features.contains(name)) {
            continue;
        }
        let without = places(&judged.features, &names)?;
        let validation = cross_validate(&zero(judged.clone(), &without), parameters, FOLDS)?;
        let (difference, error) = difference(whole, &validation);
        report(&format!("| {} | {:.4} | {difference:+.4} | {error:.4} |", group.as_str(), validation.mean));
    }
    Ok(())
}

fn names_of(group: FeatureGroup) -> Vec<String> {
    let features = recall_engine::features().iter().filter(|feature| feature.group == group);
    features.map(|feature| feature.name.to_owned()).collect()
}

/// Returns the mean improvement of the second over the first, over repositories, and its standard error.
fn difference(whole: &CrossValidation, part: &CrossValidation) -> (f64, f64) {
    let pairs = whole.groups.iter().zip(&part.groups);
    let differences: Vec<f64> = pairs.map(|(whole, part)| part.ndcg - whole.ndcg).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Parses `kind=weight` for each kind.
fn weights(kinds: &[String]) -> Result<BTreeMap<&str, f32>, Failure> {
    let parse = |text: &String| text.split_once('=').and_then(|(_, weight)| weight.parse().ok());
    kinds
        .iter()
        .map(|kind| match (kind.split_once('='), parse(kind)) {
            (Some((name, _)), Some(weight)) => Ok((name, weight)),
            _ => Err(format!("`{kind}` is not a kind with its weight; expected for example `commit=1`").into()),
        })
        .collect()
}

/// Returns the indexes of the named features; a trailing `*` matches any suffix.
fn places(names: &[String], patterns: &[String]) -> Result<Vec<usize>, String> {
    let mut places = Vec::new();
    for pattern in patterns {
        let is_meant = |name: &String| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => name == pattern,
        };
        let before = places.len();
        places.extend(names.iter().enumerate().filter(|(_, name)| is_meant(name)).map(|(place, _)| place));
        if places.len() == before {
            return Err(format!("unknown feature `{pattern}`"));
        }
    }
    Ok(places)
}

/// Sets some features to 0 in all rows, so that no tree can split on them.
///
/// The features stay listed, so that rankers with and without them can be compared.
fn zero(mut judged: Judged, places: &[usize]) -> Judged {
    let width = judged.features.len();
    for row in judged.queries.iter_mut().flat_map(|query| query.rows.chunks_exact_mut(width)) {
        for &place in places {
            row[place] = 0.0;
        }
    }
    judged
}

/// Reads all mined queries of the kinds, with the named features.
fn read(folder: &Path, names: &[String], weights: &BTreeMap<&str, f32>) -> Result<Judged, Failure> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "letor"));
    files.sort_unstable();
    let mut all = Judged { features: names.to_vec(), queries: Vec::new() };
    for file in files {
        let mined = letor::read(&fs::read_to_string(&file)?);
        let mined = mined.map_err(|error| format!("{}: {error}", file.display()))?;
        // A feature that is not computed for a kind of query is missing in its file.
        let place = |name: &String| mined.features.iter().position(|found| found == name);
        let places: Vec<Option<usize>> = names.iter().map(place).collect();
        let width = mined.features.len();
        all.queries.extend(mined.queries.into_iter().filter_map(|query| {
            let weight = *weights.get(query.kind.as_str())?;
            let rows = query
                .rows
                .chunks_exact(width)
                .flat_map(|row| places.iter().map(|place| place.map_or(f32::NAN, |place| row[place])))
                .collect();
            Some(JudgedQuery { rows, weight, ..query })
        }));
    }
    Ok(all)
}

/// The number of bins of the predictions.
const BINS: usize = 10;

/// The kind of the questions without an answer.
const FOREIGN: &str = "foreign";

/// Prints the tables. `scores` are those of the candidates by rankers that were trained without their repositories.
pub(crate) fn reliability_tables(judged: &Judged, scores: &[Vec<f32>], calibration: &Calibration) {
    let predicted: Vec<Vec<f32>> =
        scores.iter().map(|of_one| of_one.iter().map(|&score| calibration.probability(score)).collect()).collect();
    place_table(judged, &predicted);
    bins(judged, &predicted);
    doubts(judged, &predicted);
}

/// The fraction of questions with an answer in first place, and within the first three, among those with an answer
/// among the candidates.
fn place_table(judged: &Judged, predicted: &[Vec<f32>]) {
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

#[cfg(test)]
mod tests {
    use recall_engine::FeatureSet;

    use super::*;

    /// The first two columns of the table of features in the README: names and groups.
    fn documented_features() -> Vec<(&'static str, &'static str)> {
        let (_, features) = include_str!("../../../../training/rank/README.md")
            .split_once("\n## The features\n")
            .expect("the README has the section");
        let rows = features.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| {
            let mut cells = row.split(" | ");
            let name = cells.next().and_then(|name| name.strip_suffix('`'));
            (
                name.unwrap_or_else(|| panic!("no name: {row}")),
                cells.next().unwrap_or_else(|| panic!("no group: {row}")),
            )
        })
        .collect()
    }

    #[test]
    fn the_recipe_describes_every_feature_with_its_group() {
        let width = recall_engine::feature_names(FeatureSet::Semantic).len();
        let features = recall_engine::features()[..width].iter();
        let features: Vec<_> = features.map(|feature| (feature.name, feature.group.as_str())).collect();
        assert_eq!(documented_features(), features);
    }

    #[test]
    fn every_feature_is_in_a_group_that_is_left_out_in_turn() {
        let mut grouped: Vec<String> = FeatureGroup::ALL.into_iter().flat_map(names_of).collect();
        let mut known = recall_engine::all_feature_names();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    fn names() -> Vec<String> {
        ["path", "path_rank", "kin"].map(str::to_owned).to_vec()
    }

    #[test]
    fn features_are_ignored_by_name_or_prefix() {
        for (pattern, expected) in [("path", &[0][..]), ("path*", &[0, 1]), ("*", &[0, 1, 2]), ("kin", &[2])] {
            assert_eq!(places(&names(), &[pattern.to_owned()]).as_deref(), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn an_unknown_feature_cannot_be_ignored() {
        for pattern in ["pat", "kind*", ""] {
            let refused = places(&names(), &[pattern.to_owned()]);
            assert_eq!(refused, Err(format!("unknown feature `{pattern}`")));
        }
    }

    /// Queries of five repositories whose relevant candidate is determined by the first feature alone.
    fn determined_by_the_first() -> Judged {
        let query = |number: usize| {
            let labels: Vec<f32> = (0..20).map(|row| f32::from(u8::from(row == number * number % 19))).collect();
            JudgedQuery {
                group: format!("repository {}", number % 5),
                kind: "commit".to_owned(),
                weight: 1.0,
                rows: labels.iter().enumerate().flat_map(|(row, label)| [*label, (row % 3) as f32]).collect(),
                labels,
                missed: 0,
            }
        };
        Judged { features: vec!["first".to_owned(), "second".to_owned()], queries: (0..200).map(query).collect() }
    }

    #[test]
    fn an_ignored_feature_is_listed_but_not_used() {
        let parameters = Parameters { trees: 20, min_rows: 20, feature_fraction: 1.0, ..Parameters::default() };
        let whole = recall_rank::train(&determined_by_the_first(), &parameters).expect("there is something to learn");
        assert!(
            whole.importance().iter().any(|&(name, gain)| name == "first" && gain > 0.0),
            "{:?}",
            whole.importance()
        );
        let part = recall_rank::train(&zero(determined_by_the_first(), &[0]), &parameters)
            .expect("there is something to learn");
        assert_eq!(part.features(), whole.features());
        assert!(part.importance().contains(&("first", 0.0)));
    }

    #[test]
    fn the_difference_is_the_value_of_the_ignored_features() {
        let parameters = Parameters { trees: 20, min_rows: 20, feature_fraction: 1.0, ..Parameters::default() };
        let validate = |judged: &Judged| cross_validate(judged, &parameters, FOLDS).expect("the queries are valid");
        let whole = validate(&determined_by_the_first());
        let part = validate(&zero(determined_by_the_first(), &[0]));
        let (mean, error) = difference(&whole, &part);
        assert!((mean - (part.mean - whole.mean)).abs() < 1e-12 && mean < -0.3, "{mean}");
        assert!(error.is_finite() && error > 0.0, "{error}");
        assert_eq!(difference(&whole, &whole), (0.0, 0.0));
    }
}
