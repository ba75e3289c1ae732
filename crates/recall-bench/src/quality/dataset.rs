//! Datasets of queries with known answers.
//!
//! A dataset is a folder with `dataset.toml` and `queries.jsonl`; `docs/evaluation.md` describes both. Unknown fields
//! are errors, and so are relevant files that the corpus does not have: a wrong label would otherwise look like a
//! weakness of the search.

mod error;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use recall_text::DocPath;
use serde::{Deserialize, Serialize};

pub use error::{DatasetError, QueryProblem};

use crate::quality::mine::{History, MinedQuery};

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

/// A line of `queries.jsonl`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct QueryLine {
    id: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    corpus: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    category: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    relevant: Vec<RelevantLine>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RelevantLine {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<u32>,
}

impl QueryLine {
    fn read(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Validates a line against the corpora of its dataset, without checking that the files exist.
    fn into_query(self, corpora: &BTreeMap<String, Corpus>) -> Result<Query, QueryProblem> {
        let Self { id, text, corpus, tree, category, language, relevant } = self;
        for (field, value) in [("id", &id), ("text", &text), ("category", &category)] {
            if value.trim().is_empty() {
                return Err(QueryProblem::Empty { field });
            }
        }
        let corpus = match corpus {
            Some(corpus) => corpus,
            None if corpora.len() == 1 => corpora.keys().next().cloned().unwrap_or_default(),
            None => return Err(QueryProblem::NoCorpus),
        };
        let Some(known) = corpora.get(&corpus) else { return Err(QueryProblem::UnknownCorpus { corpus }) };
        match (known.kind, &tree) {
            (CorpusKind::Repository, None) => return Err(QueryProblem::NoTree { corpus }),
            (CorpusKind::Folder, Some(_)) => return Err(QueryProblem::TreeOfFolder { corpus }),
            (CorpusKind::Repository, Some(_)) | (CorpusKind::Folder, None) => {}
        }
        let mut checked: Vec<Relevant> = Vec::with_capacity(relevant.len());
        for relevant in relevant {
            let relevant = relevant.into_relevant()?;
            let is_there = |other: &Relevant| other.path == relevant.path && other.lines == relevant.lines;
            if checked.iter().any(is_there) {
                return Err(QueryProblem::RepeatedRelevant { path: relevant.path });
            }
            checked.push(relevant);
        }
        if checked.is_empty() {
            return Err(QueryProblem::NothingRelevant);
        }
        Ok(Query { id, text, corpus, tree, category, language, relevant: checked })
    }

    fn new(query: &Query, corpora: &BTreeMap<String, Corpus>) -> Self {
        let Query { id, text, corpus, tree, category, language, relevant } = query;
        Self {
            id: id.clone(),
            text: text.clone(),
            corpus: (corpora.len() > 1).then(|| corpus.clone()),
            tree: tree.clone(),
            category: category.clone(),
            language: language.clone(),
            relevant: relevant.iter().map(RelevantLine::new).collect(),
        }
    }

    fn to_line(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers serialise to JSON") + "\n"
    }
}

impl RelevantLine {
    fn into_relevant(self) -> Result<Relevant, QueryProblem> {
        let Self { path, start_line, end_line, grade } = self;
        let lines = match (start_line, end_line) {
            (None, None) => None,
            (Some(start), Some(end)) if 0 < start && start <= end => Some(Lines { start, end }),
            _ => return Err(QueryProblem::Lines { path }),
        };
        if DocPath::new(&path).is_err() {
            return Err(QueryProblem::Path { path });
        }
        match grade.unwrap_or(1) {
            0 => Err(QueryProblem::NoGrade { path }),
            grade => Ok(Relevant { path, lines, grade }),
        }
    }

    fn new(relevant: &Relevant) -> Self {
        let Relevant { path, lines, grade } = relevant;
        Self {
            path: path.clone(),
            start_line: lines.map(|lines| lines.start),
            end_line: lines.map(|lines| lines.end),
            grade: (*grade != 1).then_some(*grade),
        }
    }
}

/// The corpus of a manifest that does not list any.
const ONLY_CORPUS: &str = "corpus";

/// The contents of `dataset.toml`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: String,
    description: String,
    licence: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    corpora: BTreeMap<String, PathBuf>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    repositories: BTreeMap<String, PathBuf>,
}

impl Manifest {
    fn read(path: &Path) -> Result<Self, DatasetError> {
        let manifest: Self = toml::from_str(&read(path)?)
            .map_err(|source| DatasetError::Manifest { path: path.to_owned(), source: Box::new(source) })?;
        match manifest.corpora.keys().find(|name| manifest.repositories.contains_key(*name)) {
            Some(name) => Err(DatasetError::TwoCorpora { path: path.to_owned(), name: name.clone() }),
            None => Ok(manifest),
        }
    }

    /// Converts the manifest of a folder to a dataset without queries.
    fn into_dataset(self, folder: &Path) -> Dataset {
        let Self { name, description, licence, mut corpora, repositories } = self;
        if corpora.is_empty() && repositories.is_empty() {
            corpora.insert(ONLY_CORPUS.to_owned(), PathBuf::from(ONLY_CORPUS));
        }
        let placed = |paths: BTreeMap<String, PathBuf>, kind| {
            paths.into_iter().map(move |(name, path)| (name, Corpus { path: folder.join(path), kind }))
        };
        let folders = placed(corpora, CorpusKind::Folder);
        let corpora = folders.chain(placed(repositories, CorpusKind::Repository)).collect();
        Dataset { name, description, licence, corpora, queries: Vec::new() }
    }

    fn new(dataset: &Dataset) -> Self {
        let Dataset { name, description, licence, corpora, queries: _ } = dataset;
        let of_kind = |kind| {
            let of_kind = corpora.iter().filter(move |(_, corpus)| corpus.kind == kind);
            of_kind.map(|(name, corpus)| (name.clone(), corpus.path.clone())).collect()
        };
        Self {
            name: name.clone(),
            description: description.clone(),
            licence: licence.clone(),
            corpora: of_kind(CorpusKind::Folder),
            repositories: of_kind(CorpusKind::Repository),
        }
    }

    fn to_text(&self) -> String {
        toml::to_string(self).expect("strings and maps of strings serialise to TOML")
    }
}

/// Reads a file of a dataset.
fn read(path: &Path) -> Result<String, DatasetError> {
    fs::read_to_string(path).map_err(|source| DatasetError::Read { path: path.to_owned(), source })
}

/// Queries with known answers, and the corpora in which they are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The licence of its texts.
    pub licence: String,
    /// The corpora by name; at least one.
    pub corpora: BTreeMap<String, Corpus>,
    /// The queries, in the order of the file; at least one.
    pub queries: Vec<Query>,
}

/// The files in which queries are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// The path of the folder or repository.
    pub path: PathBuf,
    /// Whether it is a folder or a repository.
    pub kind: CorpusKind,
}

/// The kind of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusKind {
    /// A folder of files.
    Folder,
    /// A git repository; each query names the commit in whose tree it is asked.
    Repository,
}

/// A query with its relevant files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The id, unique in the dataset.
    pub id: String,
    /// The text.
    pub text: String,
    /// The name of the corpus.
    pub corpus: String,
    /// The commit in whose tree it is asked, if the corpus is a repository.
    pub tree: Option<String>,
    /// The kind of query.
    pub category: String,
    /// The language of the relevant files or of the query, as the dataset defines it.
    pub language: Option<String>,
    /// The relevant files; at least one, without repetition.
    pub relevant: Vec<Relevant>,
}

/// A relevant file, or a relevant part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relevant {
    /// The path below the corpus.
    pub path: String,
    /// The relevant lines; `None` for the whole file.
    pub lines: Option<Lines>,
    /// The grade of relevance: 1, or more for better answers.
    pub grade: u32,
}

/// A range of lines, from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub start: u32,
    /// The last line, at least `start`.
    pub end: u32,
}

impl Lines {
    /// Whether two ranges share a line.
    pub fn overlap(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}
