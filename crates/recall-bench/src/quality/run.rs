//! Runs: the answers to the queries of a dataset, and the worth of a judge that keeps or drops them, by the known answers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::quality::dataset::{Lines, Relevant};

/// The answers to the queries of a dataset, in the order in which they were asked.
///
/// The file has one JSON object per line: `{"qid": "q1", "results": [{"path": "a.rs", "start": 1, "end": 9}]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    answers: Vec<(String, Vec<Answer>)>,
}

/// A part of a file that was returned.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "AnswerLine", into = "AnswerLine")]
pub struct Answer {
    /// The path below the corpus.
    pub path: String,
    /// Its lines; `None` for the whole file.
    pub lines: Option<Lines>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AnswerLine {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<u32>,
}

impl From<Answer> for AnswerLine {
    fn from(Answer { path, lines }: Answer) -> Self {
        Self { path, start: lines.map(|lines| lines.start), end: lines.map(|lines| lines.end) }
    }
}

impl TryFrom<AnswerLine> for Answer {
    type Error = &'static str;

    fn try_from(AnswerLine { path, start, end }: AnswerLine) -> Result<Self, Self::Error> {
        let lines = match (start, end) {
            (None, None) => None,
            (Some(start), Some(end)) if start <= end => Some(Lines { start, end }),
            _ => return Err("`start` and `end` are a range of lines, or both left out"),
        };
        Ok(Self { path, lines })
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RunLine {
    qid: String,
    results: Vec<Answer>,
}

impl RunLine {
    fn to_text(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers serialise to JSON") + "\n"
    }
}

/// A run cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A line does not have the format.
    #[error("{}:{line}: not a valid line of a run", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The parse error, with its position.
        #[source]
        source: serde_json::Error,
    },
    /// A query is answered twice.
    #[error("{}:{line}: the query `{id}` has already been answered", path.display())]
    Repeated {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The query.
        id: String,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl Run {
    /// Reads a run.
    ///
    /// # Errors
    /// The file cannot be read, a line does not have the format, or a query is answered twice.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = fs::read_to_string(path).map_err(|source| RunError::Read { path: path.to_owned(), source })?;
        let mut run = Self::default();
        let mut ids = HashSet::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let RunLine { qid, results } =
                serde_json::from_str(text).map_err(|source| RunError::Line { path: path.to_owned(), line, source })?;
            if !ids.insert(qid.clone()) {
                return Err(RunError::Repeated { path: path.to_owned(), line, id: qid });
            }
            run.answers.push((qid, results));
        }
        Ok(run)
    }

    /// Writes the run, replacing the contents of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let line = |(qid, results): &(String, Vec<Answer>)| RunLine { qid: qid.clone(), results: results.clone() };
        let text: String = self.answers.iter().map(|answer| line(answer).to_text()).collect();
        fs::write(path, text).map_err(|source| RunError::Write { path: path.to_owned(), source })
    }

    /// Adds the answers to a query, best first. Each query may be answered once.
    pub fn push(&mut self, query: &str, answers: Vec<Answer>) {
        self.answers.push((query.to_owned(), answers));
    }

    /// Returns the queries and their answers, best first.
    pub fn answers(&self) -> impl Iterator<Item = (&str, &[Answer])> {
        self.answers.iter().map(|(query, answers)| (query.as_str(), answers.as_slice()))
    }
}

/// The hits whose precision is compared, before and after.
const SHOWN: usize = 5;

/// A hit with a judge's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The hit.
    pub answer: Answer,
    /// Whether the judge keeps it.
    pub is_kept: bool,
}

/// The worth of a judge over the queries of a dataset. Rates are from 0 to 1; one without a case is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgeWorth {
    /// The queries.
    pub queries: usize,
    /// The share of the kept hits that are relevant.
    pub precision: f64,
    /// The share of the relevant hits that are kept.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
    /// The share of the hits that are dropped.
    pub filtering_rate: f64,
    /// The mean over the queries of the share of the first five hits that are relevant.
    pub raw_precision_at_5: f64,
    /// The same of the first five kept hits.
    pub kept_precision_at_5: f64,
}

impl JudgeWorth {
    /// Rates decisions. Each query has its hits in the order without the judge, and its known answers.
    pub fn compute(queries: &[(Vec<Decision>, &[Relevant])]) -> Self {
        let (mut kept, mut relevant, mut both, mut all) = (0_usize, 0_usize, 0_usize, 0_usize);
        let (mut raw, mut after) = (0.0, 0.0);
        for (decisions, known) in queries {
            let labelled: Vec<(bool, bool)> =
                decisions.iter().map(|one| (one.is_kept, is_relevant(&one.answer, known))).collect();
            all += labelled.len();
            kept += labelled.iter().filter(|(is_kept, _)| *is_kept).count();
            relevant += labelled.iter().filter(|(_, is_relevant)| *is_relevant).count();
            both += labelled.iter().filter(|(is_kept, is_relevant)| *is_kept && *is_relevant).count();
            raw += share(labelled.iter().map(|(_, is_relevant)| *is_relevant));
            after += share(labelled.iter().filter(|(is_kept, _)| *is_kept).map(|(_, is_relevant)| *is_relevant));
        }
        let (precision, recall) = (ratio(both, kept), ratio(both, relevant));
        let sum = precision + recall;
        let mean = |sum: f64| if queries.is_empty() { 0.0 } else { sum / queries.len() as f64 };
        Self {
            queries: queries.len(),
            precision,
            recall,
            f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 },
            filtering_rate: ratio(all - kept, all),
            raw_precision_at_5: mean(raw),
            kept_precision_at_5: mean(after),
        }
    }

    /// Returns by how much the kept hits are better than the raw ones.
    pub fn improvement(&self) -> f64 {
        self.kept_precision_at_5 - self.raw_precision_at_5
    }
}

/// Returns the share of relevant hits among the first that are shown.
fn share(relevant: impl Iterator<Item = bool>) -> f64 {
    let shown: Vec<bool> = relevant.take(SHOWN).collect();
    ratio(shown.iter().filter(|is_relevant| **is_relevant).count(), shown.len())
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns whether a hit has a line of a known answer.
fn is_relevant(answer: &Answer, known: &[Relevant]) -> bool {
    known.iter().filter(|relevant| relevant.path == answer.path).any(|relevant| match (answer.lines, relevant.lines) {
        (Some(hit), Some(known)) => hit.start <= known.end && known.start <= hit.end,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::dataset::Lines;

    fn decision(path: &str, is_kept: bool) -> Decision {
        Decision { answer: Answer { path: path.to_owned(), lines: Some(Lines { start: 1, end: 9 }) }, is_kept }
    }

    fn relevant(path: &str, lines: Option<Lines>) -> Relevant {
        Relevant { path: path.to_owned(), lines, grade: 1 }
    }

    #[test]
    fn kept_and_relevant_hits_are_counted_over_all_queries() {
        let known = [relevant("a", None), relevant("b", Some(Lines { start: 9, end: 12 }))];
        let hits = vec![decision("a", true), decision("b", false), decision("c", true), decision("d", false)];
        let other = [relevant("e", Some(Lines { start: 10, end: 12 }))];
        let worth = JudgeWorth::compute(&[(hits, &known), (vec![decision("e", true)], &other)]);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{worth:?}");
        near(worth.precision, 1.0 / 3.0);
        near(worth.recall, 0.5);
        near(worth.f1, 0.4);
        near(worth.filtering_rate, 0.4);
        near(worth.raw_precision_at_5, 0.25);
        near(worth.kept_precision_at_5, 0.25);
        near(worth.improvement(), 0.0);
    }

    #[test]
    fn a_judge_that_drops_everything_has_no_precision() {
        let known = [relevant("a", None)];
        let worth = JudgeWorth::compute(&[(vec![decision("a", false)], &known)]);
        assert_eq!((worth.precision, worth.recall, worth.f1, worth.filtering_rate), (0.0, 0.0, 0.0, 1.0));
        assert_eq!(JudgeWorth::compute(&[]), JudgeWorth::default());
    }
}
