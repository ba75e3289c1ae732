//! Which questions have known answers?
//!
//! A dataset is a folder with `dataset.toml` and `queries.jsonl`; `docs/evaluation.md` describes both. Whatever is in
//! them that is not known there is an error, and so is an answer that its corpus does not hold: a mistake in the labels
//! would else pass for a weakness of the search.

mod error;
mod manifest;
mod query_line;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

pub use error::{DatasetError, QueryProblem};

use crate::mine::{History, MinedQuery};
use manifest::Manifest;
use query_line::QueryLine;

/// Questions with known answers, and where they are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Under which licence its texts may be used.
    pub licence: String,
    /// Where the questions are asked, by name; at least one.
    pub corpora: BTreeMap<String, Corpus>,
    /// The questions, in the order of the file; at least one.
    pub queries: Vec<Query>,
}

/// Where questions are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// The folder, or the repository.
    pub path: PathBuf,
    /// Which of the two.
    pub kind: CorpusKind,
}

/// What a corpus is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusKind {
    /// A folder of files.
    Folder,
    /// A git repository; each question names the commit in whose tree it is asked.
    Repository,
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What it is known by; unique in its dataset.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// The name of the corpus in which it is asked.
    pub corpus: String,
    /// The commit in whose tree it is asked, where the corpus is a repository.
    pub tree: Option<String>,
    /// What kind of question it is.
    pub category: String,
    /// The language of what answers it, or of the question: whatever the dataset tells apart.
    pub language: Option<String>,
    /// What answers it; at least one, none twice.
    pub relevant: Vec<Relevant>,
}

/// A file, or a part of one, that answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relevant {
    /// The path below the corpus.
    pub path: String,
    /// The lines that answer; `None` for the whole file.
    pub lines: Option<Lines>,
    /// How well it answers: 1, or more for better ones.
    pub grade: u32,
}

/// A range of lines: from 1, the last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub start: u32,
    /// The last line, not before the first.
    pub end: u32,
}

impl Lines {
    /// Whether two ranges have a line in common.
    pub fn overlap(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// The file with what holds for all queries.
const MANIFEST: &str = "dataset.toml";

/// The file with one query a line.
const QUERIES: &str = "queries.jsonl";

impl Dataset {
    /// Reads and checks a dataset.
    ///
    /// The answers of questions in folders are looked for; [`check_relevant`](Self::check_relevant) does that for a tree
    /// of a repository.
    ///
    /// # Errors
    /// A file cannot be read or is not of its format, a line contradicts itself, the manifest or another line, or a
    /// relevant file is not in its corpus.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let manifest = Manifest::read(&folder.join(MANIFEST))?;
        let mut dataset = manifest.into_dataset(folder);
        let path = folder.join(QUERIES);
        let text = read(&path)?;
        let mut ids = HashSet::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let query = QueryLine::read(line).map_err(|source| DatasetError::Line {
                path: path.clone(),
                line: number,
                source,
            })?;
            let refused = |problem| DatasetError::Query { path: path.clone(), line: number, problem };
            let query = query.into_query(&dataset.corpora).map_err(refused)?;
            if !ids.insert(query.id.clone()) {
                return Err(refused(QueryProblem::RepeatedId { id: query.id }));
            }
            let corpus = &dataset.corpora[&query.corpus];
            if corpus.kind == CorpusKind::Folder {
                check_relevant(&query, &corpus.path).map_err(refused)?;
            }
            dataset.queries.push(query);
        }
        if dataset.queries.is_empty() {
            return Err(DatasetError::NoQueries { path });
        }
        Ok(dataset)
    }

    /// Writes the dataset's two files into a folder, which is made where it does not exist.
    ///
    /// # Errors
    /// The folder holds a dataset already, or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let written = |path: &Path, outcome: io::Result<()>| {
            outcome.map_err(|source| DatasetError::Write { path: path.to_owned(), source })
        };
        written(folder, fs::create_dir_all(folder))?;
        let (manifest, queries) = (folder.join(MANIFEST), folder.join(QUERIES));
        if let Some(path) = [&manifest, &queries].into_iter().find(|path| path.exists()) {
            return Err(DatasetError::Exists { path: path.clone() });
        }
        let lines: String = self.queries.iter().map(|query| QueryLine::of(query, &self.corpora).to_line()).collect();
        written(&manifest, fs::write(&manifest, Manifest::of(self).to_text()))?;
        written(&queries, fs::write(&queries, lines))
    }

    /// The queries of a history, each asked in the tree of its commit's parent.
    pub fn of_history(history: &History, queries: Vec<MinedQuery>) -> Self {
        const CORPUS: &str = "repository";
        let git_dir = history.git_dir();
        let folder = if git_dir.ends_with(".git") { git_dir.parent().unwrap_or(git_dir) } else { git_dir };
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let query = |MinedQuery { commit, parent, text, relevant, tests: _ }: MinedQuery| Query {
            id: commit,
            text,
            corpus: CORPUS.to_owned(),
            tree: Some(parent),
            category: "commit".to_owned(),
            language: None,
            relevant: relevant.into_iter().map(|path| Relevant { path, lines: None, grade: 1 }).collect(),
        };
        Self {
            description: format!("What commits of {name} say, asked in the tree before them."),
            name,
            licence: "that of the repository".to_owned(),
            corpora: BTreeMap::from([(
                CORPUS.to_owned(),
                Corpus { path: git_dir.to_owned(), kind: CorpusKind::Repository },
            )]),
            queries: queries.into_iter().map(query).collect(),
        }
    }

    /// Looks whether a folder holds every answer of a question.
    ///
    /// # Errors
    /// A relevant file is not there.
    pub fn check_relevant(query: &Query, folder: &Path) -> Result<(), QueryProblem> {
        check_relevant(query, folder)
    }
}

fn check_relevant(query: &Query, folder: &Path) -> Result<(), QueryProblem> {
    let missing = query.relevant.iter().find(|relevant| !folder.join(&relevant.path).is_file());
    missing.map_or(Ok(()), |relevant| {
        Err(QueryProblem::MissingFile { id: query.id.clone(), path: relevant.path.clone(), folder: folder.to_owned() })
    })
}

fn read(path: &Path) -> Result<String, DatasetError> {
    fs::read_to_string(path).map_err(|source| DatasetError::Read { path: path.to_owned(), source })
}
