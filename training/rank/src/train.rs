//! Learns a ranker from mined queries.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use recall_rank::{Judged, JudgedQuery, Parameters, cross_validate, train};

use crate::arguments::TrainArguments;
use crate::report;

type Failure = Box<dyn Error + Send + Sync>;

/// In how many parts the repositories are split to measure what is learnt.
const FOLDS: usize = 5;

/// Reads the mined queries, tells what a ranker of them is worth on repositories that it has not seen, and writes one.
pub(crate) fn run(arguments: &TrainArguments) -> Result<(), Failure> {
    let weights = weights(&arguments.kinds)?;
    let names: Vec<String> = recall_engine::feature_names().iter().map(ToString::to_string).collect();
    let judged = read(&arguments.from, &names, &weights)?;
    let groups: std::collections::BTreeSet<&str> = judged.queries.iter().map(|query| query.group.as_str()).collect();
    report(&format!("{} queries of {} repositories", judged.queries.len(), groups.len()));
    let parameters = Parameters { trees: arguments.trees, seed: arguments.seed, ..Parameters::default() };
    let validation = cross_validate(&judged, &parameters, FOLDS)?;
    report(&format!(
        "nDCG@10 on repositories that were not learnt from: {:.4} (spread over repositories {:.4})",
        validation.mean, validation.spread
    ));
    if arguments.dry_run {
        return Ok(());
    }
    let ranker = train(&judged, &parameters)?.with_calibration(validation.calibration(&judged));
    for (name, gain) in ranker.importance() {
        report(&format!("{gain:>12.1}  {name}"));
    }
    fs::write(&arguments.out, ranker.write())?;
    Ok(())
}

/// `kind=weight` for each kind to learn from.
fn weights(kinds: &[String]) -> Result<BTreeMap<&str, f32>, Failure> {
    let parse = |text: &String| text.split_once('=').and_then(|(_, weight)| weight.parse().ok());
    kinds
        .iter()
        .map(|kind| match (kind.split_once('='), parse(kind)) {
            (Some((name, _)), Some(weight)) => Ok((name, weight)),
            _ => Err(format!("`{kind}` is no kind with its weight: write `commit=1`").into()),
        })
        .collect()
}

/// All mined queries of the kinds, with the features of those names.
fn read(folder: &Path, names: &[String], weights: &BTreeMap<&str, f32>) -> Result<Judged, Failure> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "letor"));
    files.sort_unstable();
    let mut all = Judged { features: names.to_vec(), queries: Vec::new() };
    for file in files {
        let mined =
            Judged::from_letor(&fs::read_to_string(&file)?).map_err(|error| format!("{}: {error}", file.display()))?;
        // What is not computed for a kind of query is missing in its file.
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
