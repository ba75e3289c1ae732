//! Datasets of queries with known answers.
//!
//! A dataset is a folder with `dataset.toml` and `queries.jsonl`; `docs/evaluation.md` describes both. Unknown fields
//! are errors, and so are relevant files that the corpus does not have: a wrong label would otherwise look like a
//! weakness of the search.

mod error;
mod format;
mod types;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::{fs, io};

pub use error::{DatasetError, QueryProblem};
pub use types::{Corpus, CorpusKind, Dataset, Lines, Query, Relevant};

use crate::quality::mine::{History, MinedQuery};
use format::{Manifest, QueryLine, read};

/// The file with the properties of the dataset.
const MANIFEST: &str = "dataset.toml";

/// The file with one query per line.
const QUERIES: &str = "queries.jsonl";

impl Dataset {
    /// Reads and validates a dataset.
    ///
    /// The relevant files of queries in folders must exist. For the tree of a repository, see
    /// [`check_relevant`](Self::check_relevant).
    ///
    /// # Errors
    /// A file cannot be read or does not have the format, a line is invalid by itself or conflicts with the manifest or
    /// another line, or a relevant file does not exist.
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

    /// Writes the two files of the dataset into a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// The folder already has a dataset, or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let written = |path: &Path, outcome: io::Result<()>| {
            outcome.map_err(|source| DatasetError::Write { path: path.to_owned(), source })
        };
        written(folder, fs::create_dir_all(folder))?;
        let (manifest, queries) = (folder.join(MANIFEST), folder.join(QUERIES));
        if let Some(path) = [&manifest, &queries].into_iter().find(|path| path.exists()) {
            return Err(DatasetError::Exists { path: path.clone() });
        }
        let lines: String = self.queries.iter().map(|query| QueryLine::new(query, &self.corpora).to_line()).collect();
        written(&manifest, fs::write(&manifest, Manifest::new(self).to_text()))?;
        written(&queries, fs::write(&queries, lines))
    }

    /// Builds a dataset of mined queries, each asked in the tree of its commit's parent.
    pub fn from_history(history: &History, queries: Vec<MinedQuery>) -> Self {
        const CORPUS: &str = "repository";
        let git_dir = history.git_dir();
        let folder = if git_dir.ends_with(".git") { git_dir.parent().unwrap_or(git_dir) } else { git_dir };
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let query = |MinedQuery { commit, parent, text, body: _, relevant, tests: _ }: MinedQuery| Query {
            id: commit,
            text,
            corpus: CORPUS.to_owned(),
            tree: Some(parent),
            category: "commit".to_owned(),
            language: None,
            relevant: relevant.into_iter().map(|path| Relevant { path, lines: None, grade: 1 }).collect(),
        };
        Self {
            description: format!("Commit messages of {name}, each asked in the tree of the commit's parent."),
            name,
            licence: "that of the repository".to_owned(),
            corpora: BTreeMap::from([(
                CORPUS.to_owned(),
                Corpus { path: git_dir.to_owned(), kind: CorpusKind::Repository },
            )]),
            queries: queries.into_iter().map(query).collect(),
        }
    }

    /// Checks that a folder has all relevant files of a query.
    ///
    /// # Errors
    /// A relevant file does not exist.
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
