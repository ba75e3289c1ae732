//! The formats of `dataset.toml` and of a line of `queries.jsonl`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_text::DocPath;
use serde::{Deserialize, Serialize};

use super::error::{DatasetError, QueryProblem};
use super::types::{Corpus, CorpusKind, Dataset, Lines, Query, Relevant};

/// A line of `queries.jsonl`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryLine {
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
    pub(super) fn read(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Validates a line against the corpora of its dataset, without checking that the files exist.
    pub(super) fn into_query(self, corpora: &BTreeMap<String, Corpus>) -> Result<Query, QueryProblem> {
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

    pub(super) fn new(query: &Query, corpora: &BTreeMap<String, Corpus>) -> Self {
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

    pub(super) fn to_line(&self) -> String {
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
pub(super) struct Manifest {
    name: String,
    description: String,
    licence: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    corpora: BTreeMap<String, PathBuf>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    repositories: BTreeMap<String, PathBuf>,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Self, DatasetError> {
        let manifest: Self = toml::from_str(&read(path)?)
            .map_err(|source| DatasetError::Manifest { path: path.to_owned(), source: Box::new(source) })?;
        match manifest.corpora.keys().find(|name| manifest.repositories.contains_key(*name)) {
            Some(name) => Err(DatasetError::TwoCorpora { path: path.to_owned(), name: name.clone() }),
            None => Ok(manifest),
        }
    }

    /// Converts the manifest of a folder to a dataset without queries.
    pub(super) fn into_dataset(self, folder: &Path) -> Dataset {
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

    pub(super) fn new(dataset: &Dataset) -> Self {
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

    pub(super) fn to_text(&self) -> String {
        toml::to_string(self).expect("strings and maps of strings serialise to TOML")
    }
}

/// Reads a file of a dataset.
pub(super) fn read(path: &Path) -> Result<String, DatasetError> {
    fs::read_to_string(path).map_err(|source| DatasetError::Read { path: path.to_owned(), source })
}
