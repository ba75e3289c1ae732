//! What can be wrong with a dataset?

use std::path::PathBuf;

/// A dataset cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The manifest is not of its format.
    #[error("{} is no description of a dataset", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// One name stands for a folder and for a repository.
    #[error("{} names two corpora `{name}`", path.display())]
    TwoCorpora {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A line is not of its format.
    #[error("{}:{line} is no query", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// A query is of the right format and cannot be used.
    #[error("{}:{line}: {problem}", path.display())]
    Query {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: QueryProblem,
    },
    /// There is nothing to ask.
    #[error("{} holds no query", path.display())]
    NoQueries {
        /// The file.
        path: PathBuf,
    },
    /// A file would be lost.
    #[error("{} is there already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Why a query cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    /// A text is empty or blank.
    #[error("`{field}` is empty")]
    Empty {
        /// The field.
        field: &'static str,
    },
    /// Another line has the same id.
    #[error("the id `{id}` is taken by a line before")]
    RepeatedId {
        /// The id.
        id: String,
    },
    /// The manifest names several corpora, and the query none of them.
    #[error("`corpus` is missing, and the dataset has several")]
    NoCorpus,
    /// The manifest names no such corpus.
    #[error("the dataset has no corpus `{corpus}`")]
    UnknownCorpus {
        /// The name.
        corpus: String,
    },
    /// The corpus is a repository, and the query does not say in which tree it is asked.
    #[error("`tree` is missing, and the corpus `{corpus}` is a repository")]
    NoTree {
        /// The corpus.
        corpus: String,
    },
    /// The corpus is a folder, which has but one state.
    #[error("`tree` is given, and the corpus `{corpus}` is a folder")]
    TreeOfFolder {
        /// The corpus.
        corpus: String,
    },
    /// Nothing answers the query.
    #[error("`relevant` is empty")]
    NothingRelevant,
    /// The lines are none.
    #[error("the lines of `{path}` are not `start_line` ≤ `end_line`, both given and from 1")]
    Lines {
        /// The relevant path.
        path: String,
    },
    /// A grade says that the file does not answer.
    #[error("the grade of `{path}` is 0")]
    NoGrade {
        /// The relevant path.
        path: String,
    },
    /// The same place answers twice.
    #[error("`{path}` is relevant twice with the same lines")]
    RepeatedRelevant {
        /// The relevant path.
        path: String,
    },
    /// A path leads out of its corpus.
    #[error("`{path}` is no path below a corpus")]
    Path {
        /// The relevant path.
        path: String,
    },
    /// A relevant file is not in its corpus.
    #[error("query `{id}`: the relevant file `{path}` is not in {}", folder.display())]
    MissingFile {
        /// The query.
        id: String,
        /// The relevant path.
        path: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
}
