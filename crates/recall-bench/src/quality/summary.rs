//! Mean scores of a run by groups of queries.

use std::collections::BTreeMap;

use crate::quality::measure::{Metric, Row, Scores};

/// The mean scores of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The metrics, one per column.
    pub metrics: Vec<Metric>,
    /// The macro average over corpora: every corpus has the same weight, however many queries it has.
    pub corpora_mean: Group,
    /// The mean over all queries.
    pub queries_mean: Group,
    /// The means of each group, by [`Grouping`].
    pub groups: Vec<(Grouping, Vec<Group>)>,
}

/// The mean scores of some queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The common property of the queries; empty for all.
    pub name: String,
    /// The number of queries.
    pub queries: usize,
    /// One mean per metric.
    pub means: Vec<f64>,
}

/// The property that queries are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// The category.
    Category,
    /// The language; queries without one are ignored.
    Language,
    /// The corpus.
    Corpus,
}

impl Grouping {
    /// All groupings, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Category, Self::Language, Self::Corpus];

    /// Returns the grouping's name: `category`, `language`, `corpus`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Language => "language",
            Self::Corpus => "corpus",
        }
    }

    fn name_of(self, row: &Row) -> Option<&str> {
        match self {
            Self::Category => Some(&row.category),
            Self::Language => row.language.as_deref(),
            Self::Corpus => Some(&row.corpus),
        }
    }
}

impl Summary {
    /// Averages scores. Groups are sorted by name, and a grouping with a single group is included.
    pub fn compute(scores: &Scores) -> Self {
        let Scores { metrics, rows } = scores;
        let columns = metrics.len();
        let groups: Vec<_> = Grouping::ALL.map(|grouping| (grouping, groups(grouping, rows, columns))).into();
        let of_corpora: Vec<&[f64]> = groups
            .iter()
            .filter(|(grouping, _)| *grouping == Grouping::Corpus)
            .flat_map(|(_, groups)| groups.iter().map(|group| group.means.as_slice()))
            .collect();
        let of_queries: Vec<&[f64]> = rows.iter().map(|row| row.values.as_slice()).collect();
        let mean =
            |values: &[&[f64]]| Group { name: String::new(), queries: rows.len(), means: means(values, columns) };
        Self { metrics: metrics.clone(), corpora_mean: mean(&of_corpora), queries_mean: mean(&of_queries), groups }
    }

    /// Returns the macro average of one metric; `None` if it was not measured.
    pub fn mean(&self, metric: Metric) -> Option<f64> {
        let at = self.metrics.iter().position(|known| *known == metric)?;
        Some(self.corpora_mean.means[at])
    }
}

fn groups(grouping: Grouping, rows: &[Row], columns: usize) -> Vec<Group> {
    let mut parts: BTreeMap<&str, Vec<&[f64]>> = BTreeMap::new();
    for row in rows {
        if let Some(name) = grouping.name_of(row) {
            parts.entry(name).or_default().push(&row.values);
        }
    }
    let group = |(name, values): (&str, Vec<&[f64]>)| Group {
        name: name.to_owned(),
        queries: values.len(),
        means: means(&values, columns),
    };
    parts.into_iter().map(group).collect()
}

/// The mean of each column; 0 if there are no rows.
fn means(rows: &[&[f64]], columns: usize) -> Vec<f64> {
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>();
    (0..columns).map(|column| sum(column) / rows.len().max(1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(corpus: &str, category: &str, language: Option<&str>, value: f64) -> Row {
        Row {
            query: String::new(),
            corpus: corpus.to_owned(),
            category: category.to_owned(),
            language: language.map(ToOwned::to_owned),
            values: vec![value],
        }
    }

    #[test]
    fn every_corpus_has_the_same_weight() {
        let metric = "ndcg@10".parse().expect("a metric");
        let rows = vec![
            row("large", "symbol", Some("rust"), 0.0),
            row("large", "symbol", None, 0.0),
            row("large", "question", Some("go"), 0.6),
            row("small", "question", Some("rust"), 1.0),
        ];
        let summary = Summary::compute(&Scores { metrics: vec![metric], rows });
        assert!((summary.queries_mean.means[0] - 0.4).abs() < 1e-9);
        assert!((summary.mean(metric).expect("measured") - 0.6).abs() < 1e-9);
        assert_eq!(summary.mean("p@1".parse().expect("a metric")), None);
        let said: Vec<String> = summary
            .groups
            .iter()
            .map(|(grouping, groups)| {
                let groups =
                    groups.iter().map(|group| format!("{} {} {:.1}", group.name, group.queries, group.means[0]));
                format!("{}: {}", grouping.as_str(), groups.collect::<Vec<_>>().join(", "))
            })
            .collect();
        assert_eq!(
            said,
            [
                "category: question 2 0.8, symbol 2 0.0",
                "language: go 1 0.6, rust 2 0.5",
                "corpus: large 3 0.2, small 1 1.0"
            ]
        );
    }
}
