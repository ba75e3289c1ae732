//! The contents of a dataset.

use std::collections::BTreeMap;
use std::path::PathBuf;

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
