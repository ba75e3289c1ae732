//! The scores of all answers of a run.

use std::collections::HashMap;

use crate::quality::dataset::{Dataset, Query};
use crate::quality::measure::Metric;
use crate::quality::run::{Answer, Run};

/// The scores of a run by query.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The metrics, one per column.
    pub metrics: Vec<Metric>,
    /// One row per query, in the order of the dataset.
    pub rows: Vec<Row>,
}

/// The scores of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The query.
    pub query: String,
    /// Its corpus.
    pub corpus: String,
    /// Its category.
    pub category: String,
    /// Its language.
    pub language: Option<String>,
    /// One value per metric.
    pub values: Vec<f64>,
}

/// The run answers a query that the dataset does not have, so it belongs to another dataset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run answers the query `{id}`, which is not in the dataset")]
pub struct ForeignQuery {
    /// The query.
    pub id: String,
}

impl Scores {
    /// Scores a run. A query without an answer counts as having no results.
    ///
    /// # Errors
    /// The run belongs to another dataset.
    pub fn compute(dataset: &Dataset, run: &Run, metrics: &[Metric]) -> Result<Self, ForeignQuery> {
        let mut answers: HashMap<&str, &[Answer]> = run.answers().collect();
        let rows = dataset.queries.iter().map(|query| {
            let answers = answers.remove(query.id.as_str()).unwrap_or_default();
            row(query, answers, metrics)
        });
        let scores = Self { metrics: metrics.to_vec(), rows: rows.collect() };
        match answers.into_keys().min() {
            Some(id) => Err(ForeignQuery { id: id.to_owned() }),
            None => Ok(scores),
        }
    }

    /// Returns the values of one metric, in the order of the rows; `None` if it was not measured.
    pub fn column(&self, metric: Metric) -> Option<Vec<f64>> {
        let at = self.metrics.iter().position(|known| *known == metric)?;
        Some(self.rows.iter().map(|row| row.values[at]).collect())
    }
}

fn row(query: &Query, answers: &[Answer], metrics: &[Metric]) -> Row {
    Row {
        query: query.id.clone(),
        corpus: query.corpus.clone(),
        category: query.category.clone(),
        language: query.language.clone(),
        values: metrics.iter().map(|metric| metric.compute(answers, &query.relevant)).collect(),
    }
}
