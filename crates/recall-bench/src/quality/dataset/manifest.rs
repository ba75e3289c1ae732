//! The format of `dataset.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::DatasetError;
use super::types::{Corpus, CorpusKind, Dataset};

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
