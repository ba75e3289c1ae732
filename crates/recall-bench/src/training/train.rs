//! Training of a ranker from mined queries.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use recall_engine::FeatureGroup;
use recall_rank::{
    CrossValidation, Judged, JudgedQuery, Objective, Parameters, Ranker, Start, cross_validate, cross_validate_from,
    train_from,
};

use crate::training::arguments::{TrainArguments, report};
use crate::training::{letor, reliability};

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
        reliability::tables(&judged, &validation.scores, &calibration);
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
