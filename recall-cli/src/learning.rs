//! What would a ranker be worth that learns from the project's own history?
//!
//! Each query of the history is asked in the tree before its commit, as it is for measuring; the daemon tells what its
//! rankers see of every file that may answer. What is learnt is measured on parts of the history that it was not learnt
//! from, beside the built-in ranker on the same queries.

use std::collections::{BTreeSet, HashMap};

use recall_client::Client;
use recall_core::DocumentType;
use recall_eval::{Comparison, Dataset, Query, compare};
use recall_proto::convert::candidates;
use recall_proto::{Reason, v1};
use recall_rank::{Judged, JudgedQuery, Parameters, Ranker, Start, cross_validate_from, ndcg_at, train_from};

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::evaluation::{of_query, replay};
use crate::invocation::Invocation;
use crate::progress::QueryBar;

/// Fewer queries say nothing: their mean nDCG then differs by chance by more than a ranker can be worth.
pub(crate) const FEWEST_QUERIES: usize = 200;

/// The kind of document that commits speak about.
const KIND: &str = "code";

/// In how many stretches the history is cut. Neighbouring commits are about the same files, so a stretch is never both
/// learnt from and measured on.
const STRETCHES: usize = 10;

/// In how many parts the stretches are held out in turn.
const FOLDS: usize = 5;

/// The ranks that are measured.
const MEASURED: usize = 10;

/// How many trees are added to the built-in ones. They learn from a tenth of the queries that those learnt from; as many
/// trees would learn the queries by heart.
const ADDED_TREES: usize = 60;

/// A ranker that was learnt, and what it is worth on queries that it was not learnt from.
#[derive(Debug)]
pub(crate) struct Learnt {
    /// The name of the dataset.
    pub(crate) dataset: String,
    /// How many queries were asked.
    pub(crate) queries: usize,
    /// How many of them have an answer among their candidates, and something else.
    pub(crate) usable: usize,
    /// The built-in ranker, and the one that was learnt on top of it.
    pub(crate) own: Comparison,
    /// The built-in ranker, and one that was learnt from nothing but the history.
    pub(crate) alone: Comparison,
    /// The ranker that was learnt on top of the built-in one, from all queries.
    pub(crate) ranker: Ranker,
}

impl Learnt {
    /// Whether the own ranker answers no worse than the built-in one, in the mean.
    pub(crate) fn is_no_worse(&self) -> bool {
        self.own.difference >= 0.0
    }
}

/// Asks the queries of a history and learns from the answers.
pub(crate) async fn learn(invocation: &Invocation, dataset: &Dataset) -> Result<Learnt, CommandError> {
    let Gathered { judged, built_in } = gather(invocation, dataset).await?;
    let usable = judged.queries.iter().filter(|query| is_usable(query)).count();
    if usable < FEWEST_QUERIES {
        return Err(too_few(usable).into());
    }
    // Usable queries have candidates, and the first answer brings the ranker.
    let built_in = built_in.ok_or_else(no_built_in)?;
    let measured = |scores: &[Vec<f32>]| -> Vec<f64> {
        let of = |(query, scores): (&JudgedQuery, &Vec<f32>)| ndcg_at(MEASURED, scores, &query.labels, query.missed);
        judged.queries.iter().zip(scores).filter_map(of).collect()
    };
    let before = measured(&judged.queries.iter().map(|query| scores(&built_in, query)).collect::<Vec<_>>());
    let (start, parameters) = (Start::Ranker(&built_in), Parameters { trees: ADDED_TREES, ..Parameters::default() });
    let on_top = cross_validate_from(start, &judged, &parameters, FOLDS)?;
    let alone = cross_validate_from(Start::Nothing, &judged, &Parameters::default(), FOLDS)?;
    Ok(Learnt {
        dataset: dataset.name.clone(),
        queries: dataset.queries.len(),
        usable,
        own: compare(&before, &measured(&on_top.scores)),
        alone: compare(&before, &measured(&alone.scores)),
        ranker: train_from(start, &judged, &parameters)?.with_calibration(on_top.calibration(&judged)),
    })
}

/// What the daemon told.
#[derive(Default)]
struct Gathered {
    judged: Judged,
    built_in: Option<Ranker>,
}

async fn gather(invocation: &Invocation, dataset: &Dataset) -> Result<Gathered, CommandError> {
    let bar = QueryBar::new(invocation.output.format, dataset.queries.len() as u64);
    let stretches: HashMap<&str, usize> = dataset
        .queries
        .iter()
        .enumerate()
        .map(|(place, query)| (query.id.as_str(), place * STRETCHES / dataset.queries.len()))
        .collect();
    let mut gathered = Gathered::default();
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        replay(invocation, corpus, &queries, async |client, context, query| {
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
    ) -> Result<(), CommandError> {
        let types = vec![DocumentType::Code.as_str().to_owned()];
        let request = v1::CandidatesRequest {
            context: Some(context.clone()),
            query: query.text.clone(),
            scope: v1::Scope::Project.into(),
            filters: Some(v1::Filters { types, ..v1::Filters::default() }),
            rankers: self.built_in.is_none(),
        };
        let answer = client.candidates(request).await.map_err(|status| of_query(query, status))?;
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

/// A query with its candidates, labelled; `None` where nothing was found.
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

/// Whether there is something to learn from the query.
fn is_usable(query: &JudgedQuery) -> bool {
    query.labels.iter().any(|label| *label > 0.0) && query.labels.contains(&0.0)
}

fn scores(ranker: &Ranker, query: &JudgedQuery) -> Vec<f32> {
    let mut scores = Vec::new();
    ranker.score_rows(&query.rows, &mut scores);
    scores
}

/// Of a history that is too short to learn from.
pub(crate) fn too_few(usable: usize) -> Complaint {
    let message =
        format!("the history yields {usable} usable queries; a ranker is learnt from {FEWEST_QUERIES} at least");
    Complaint::new(Exit::Refused, Reason::NotFound, message).with_hint(
        "take more of the history with `--queries`, or stay with the built-in ranker; a query is a commit whose message \
         says what one to five code files are about, and it is usable when the search finds one of them",
    )
}

fn no_built_in() -> Complaint {
    Complaint::new(Exit::Refused, Reason::Unsupported, "the daemon has no built-in ranker that this command can read")
        .with_hint("install `recall` and `recalld` of one version")
}

#[cfg(test)]
mod tests {
    use recall_core::DocPath;
    use recall_eval::Relevant;

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
