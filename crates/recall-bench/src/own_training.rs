//! Training and measuring of a ranker on the project's own history, and where it is kept.
//!
//! Each query of the history runs in the tree before its commit, as it does for measuring, and the daemon returns the
//! ranking features of every candidate file. The trained ranker is measured on held-out parts of the history and
//! compared with the built-in ranker on the same queries.
//!
//! It is stored in the user's data directory and not in the project, because it reflects what the project's people
//! worked on.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::quality::{Comparison, Dataset, Query, compare};
use recall_api::convert::candidates;
use recall_api::{Reason, v1};
use recall_cli::{CliError, CommandContext, Exit, ProgressLine, project_root};
use recall_client::Client;
use recall_core::DocumentType;
use recall_rank::{Judged, JudgedQuery, Parameters, Ranker, Start, cross_validate_from, ndcg_at, train_from};
use tempfile::NamedTempFile;

use crate::error::BenchError;
use crate::evaluation::{add_query_id, replay};

/// The minimum number of queries. With fewer, the noise of the mean nDCG exceeds the gain of any ranker.
pub(crate) const FEWEST_QUERIES: usize = 200;

/// The type of the documents that commits change.
const KIND: &str = "code";

/// The number of contiguous segments that the history is cut into. Neighbouring commits touch the same files, so a
/// segment is never both trained and measured on.
const STRETCHES: usize = 10;

/// The number of cross-validation folds.
const FOLDS: usize = 5;

/// The cutoff of the measured nDCG.
const MEASURED: usize = 10;

/// The number of trees added to the built-in ones. They are trained on a tenth of the queries that the built-in ones
/// were trained on; the same number of trees would overfit.
const ADDED_TREES: usize = 60;

/// A trained ranker with its quality on held-out queries.
#[derive(Debug)]
pub(crate) struct TrainedRanker {
    /// The name of the dataset.
    pub(crate) dataset: String,
    /// The number of queries.
    pub(crate) queries: usize,
    /// The number of queries with both a relevant and an irrelevant candidate.
    pub(crate) usable: usize,
    /// The built-in ranker compared with the one trained on top of it.
    pub(crate) own: Comparison,
    /// The built-in ranker compared with one trained on the history alone.
    pub(crate) alone: Comparison,
    /// The ranker trained on top of the built-in one, on all queries.
    pub(crate) ranker: Ranker,
}

impl TrainedRanker {
    /// Whether the project's ranker is at least as good as the built-in one, on average.
    pub(crate) fn is_no_worse(&self) -> bool {
        self.own.difference >= 0.0
    }
}

/// Runs the queries of a history and trains a ranker on the results.
pub(crate) async fn train_ranker(context: &CommandContext, dataset: &Dataset) -> Result<TrainedRanker, BenchError> {
    let Gathered { judged, built_in } = gather(context, dataset).await?;
    let usable = judged.queries.iter().filter(|query| is_usable(query)).count();
    if usable < FEWEST_QUERIES {
        return Err(too_few(usable).into());
    }
    // Usable queries have candidates, and the first response includes the ranker.
    let built_in = built_in.ok_or_else(no_built_in)?;
    let measured = |scores: &[Vec<f32>]| -> Vec<f64> {
        let of = |(query, scores): (&JudgedQuery, &Vec<f32>)| ndcg_at(MEASURED, scores, &query.labels, query.missed);
        judged.queries.iter().zip(scores).filter_map(of).collect()
    };
    let before = measured(&judged.queries.iter().map(|query| scores(&built_in, query)).collect::<Vec<_>>());
    let (start, parameters) = (Start::Ranker(&built_in), Parameters { trees: ADDED_TREES, ..Parameters::default() });
    let on_top = cross_validate_from(start, &judged, &parameters, FOLDS)?;
    let alone = cross_validate_from(Start::Nothing, &judged, &Parameters::default(), FOLDS)?;
    Ok(TrainedRanker {
        dataset: dataset.name.clone(),
        queries: dataset.queries.len(),
        usable,
        own: compare(&before, &measured(&on_top.scores)),
        alone: compare(&before, &measured(&alone.scores)),
        ranker: train_from(start, &judged, &parameters)?.with_calibration(on_top.calibration(&judged)),
    })
}

/// The training data returned by the daemon.
#[derive(Default)]
struct Gathered {
    judged: Judged,
    built_in: Option<Ranker>,
}

async fn gather(context: &CommandContext, dataset: &Dataset) -> Result<Gathered, BenchError> {
    let bar = ProgressLine::queries(context.output.format, dataset.queries.len() as u64);
    let stretches: HashMap<&str, usize> = dataset
        .queries
        .iter()
        .enumerate()
        .map(|(place, query)| (query.id.as_str(), place * STRETCHES / dataset.queries.len()))
        .collect();
    let mut gathered = Gathered::default();
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        replay(context, corpus, &queries, async |client, context, query| {
            gathered.ask(client, context, query, stretches[query.id.as_str()]).await?;
            bar.step();
            Ok(())
        })
        .await?;
    }
    Ok(gathered)
}

impl Gathered {
    async fn ask(
        &mut self,
        client: &Client,
        context: &v1::RequestContext,
        query: &Query,
        stretch: usize,
    ) -> Result<(), BenchError> {
        let types = vec![DocumentType::Code.as_str().to_owned()];
        let request = v1::CandidatesRequest {
            context: Some(context.clone()),
            query: query.text.clone(),
            scope: v1::Scope::Project.into(),
            filters: Some(v1::Filters { types, ..v1::Filters::default() }),
            rankers: self.built_in.is_none(),
        };
        let answer = client.candidates(request).await.map_err(|status| add_query_id(query, status))?;
        let v1::CandidatesResponse { features, documents, rankers } = answer;
        if let Some(bytes) = rankers.get(KIND) {
            self.built_in = Some(Ranker::read(bytes).map_err(|_| no_built_in())?);
        }
        let names = features.len();
        let found = documents.into_iter().filter_map(|document| candidates::document_from_proto(document, names));
        self.judged.features = features;
        self.judged.queries.extend(judge(query, stretch, found.filter(|seen| seen.kind == KIND)));
        Ok(())
    }
}

/// Labels the candidates of a query; `None` if there are none.
fn judge(
    query: &Query,
    stretch: usize,
    found: impl Iterator<Item = candidates::DocumentFeatures>,
) -> Option<JudgedQuery> {
    let relevant: BTreeSet<&str> = query.relevant.iter().map(|relevant| relevant.path.as_str()).collect();
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for seen in found {
        labels.push(f32::from(u8::from(relevant.contains(seen.path.as_str()))));
        rows.extend(seen.features);
    }
    let hit = labels.iter().filter(|label| **label > 0.0).count();
    (!labels.is_empty()).then(|| JudgedQuery {
        group: format!("stretch {stretch}"),
        kind: query.category.clone(),
        weight: 1.0,
        rows,
        labels,
        missed: u32::try_from(relevant.len().saturating_sub(hit)).unwrap_or(u32::MAX),
    })
}

/// Whether the query is usable for training.
fn is_usable(query: &JudgedQuery) -> bool {
    query.labels.iter().any(|label| *label > 0.0) && query.labels.contains(&0.0)
}

fn scores(ranker: &Ranker, query: &JudgedQuery) -> Vec<f32> {
    let mut scores = Vec::new();
    ranker.score_rows(&query.rows, &mut scores);
    scores
}

/// Reports a history that is too short to train on.
pub(crate) fn too_few(usable: usize) -> CliError {
    let message =
        format!("the history yields {usable} usable queries; a ranker is learnt from {FEWEST_QUERIES} at least");
    CliError::new(Exit::Refused, Reason::NotFound, message).with_hint(
        "take more of the history with `--queries`, or stay with the built-in ranker; a query is a commit whose message \
         says what one to five code files are about, and it is usable when the search finds one of them",
    )
}

fn no_built_in() -> CliError {
    CliError::new(Exit::Refused, Reason::Unsupported, "the daemon has no built-in ranker that this command can read")
        .with_hint("install `recall` and `recalld` of one version")
}

/// Returns the path that the daemon loads the ranker of a project from.
pub(crate) fn ranker_place(root: &Path, context: &CommandContext) -> Result<PathBuf, BenchError> {
    project_root::check(root, context)?;
    let resolved = dunce::canonicalize(root);
    let resolved = resolved.map_err(|error| CliError::refusal(format!("cannot read {}", root.display()), &error))?;
    Ok(context.dirs().code_ranker(&resolved))
}

/// Writes a ranker atomically. Creates the folder if it does not exist.
pub(crate) fn keep_ranker(ranker: &Ranker, path: &Path) -> Result<(), BenchError> {
    let written = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&ranker.write())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| CliError::refusal(format!("cannot write {}", path.display()), &error).into())
}

/// Removes a ranker; returns whether there was one.
pub(crate) fn forget_ranker(path: &Path) -> Result<bool, BenchError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(CliError::refusal(format!("cannot remove {}", path.display()), &error).into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::quality::Relevant;
    use recall_text::DocPath;

    use super::*;

    fn judged(relevant: &[&str], found: &[&str]) -> Option<JudgedQuery> {
        let answer = |path: &&str| Relevant { path: (*path).to_owned(), lines: None, grade: 1 };
        let query = Query {
            id: "q".to_owned(),
            text: "open the store".to_owned(),
            corpus: "repository".to_owned(),
            tree: None,
            category: "commit".to_owned(),
            language: None,
            relevant: relevant.iter().map(answer).collect(),
        };
        let seen = |path: &&str| candidates::DocumentFeatures {
            path: DocPath::new(path).expect("plain"),
            lines: (1, 2),
            kind: KIND.to_owned(),
            features: vec![1.0, f32::NAN],
        };
        judge(&query, 3, found.iter().map(seen))
    }

    #[test]
    fn changed_files_are_labelled_and_missed_ones_counted() {
        let query = judged(&["a.rs", "gone.rs"], &["b.rs", "a.rs"]).expect("something was found");
        assert_eq!((query.labels.as_slice(), query.missed), (&[0.0, 1.0][..], 1));
        assert_eq!((query.rows.len(), query.group.as_str()), (4, "stretch 3"));
        assert!(is_usable(&query));
    }

    #[test]
    fn a_query_without_a_choice_teaches_nothing() {
        assert_eq!(judged(&["a.rs"], &[]), None);
        for found in [&["a.rs"][..], &["b.rs"]] {
            assert!(!judged(&["a.rs"], found).is_some_and(|query| is_usable(&query)), "{found:?}");
        }
    }
}
