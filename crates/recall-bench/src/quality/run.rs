//! Runs: the answers to the queries of a dataset.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::quality::dataset::Lines;

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
