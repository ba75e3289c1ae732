//! Errors of reading and writing datasets.

use std::path::PathBuf;

/// A dataset cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The manifest does not have the format.
    #[error("`{}` is not a valid dataset manifest", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The parse error, with its position.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A folder and a repository have the same name.
    #[error("`{}` defines the corpus `{name}` twice", path.display())]
    TwoCorpora {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A line does not have the format.
    #[error("{}:{line}: not a valid query", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The parse error, with its position.
        #[source]
        source: serde_json::Error,
    },
    /// A query has the right format but is invalid.
    #[error("{}:{line}: {problem}", path.display())]
    Query {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: QueryProblem,
    },
    /// There are no queries.
    #[error("`{}` contains no queries", path.display())]
    NoQueries {
        /// The file.
        path: PathBuf,
    },
    /// The file exists and would be overwritten.
    #[error("`{}` already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

/// The reason why a query is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    /// A text is empty or blank.
    #[error("`{field}` is empty")]
    Empty {
        /// The field.
        field: &'static str,
    },
    /// An earlier line has the same id.
    #[error("the id `{id}` is used by an earlier line")]
    RepeatedId {
        /// The id.
        id: String,
    },
    /// The manifest has several corpora, and the query does not say which.
    #[error("`corpus` is missing, and the dataset has several")]
    NoCorpus,
    /// The manifest has no such corpus.
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
    /// The corpus is a folder, which has no trees.
    #[error("`tree` is given, and the corpus `{corpus}` is a folder")]
    TreeOfFolder {
        /// The corpus.
        corpus: String,
    },
    /// The query has no relevant files.
    #[error("`relevant` is empty")]
    NothingRelevant,
    /// The range of lines is invalid.
    #[error("`{path}` needs both `start_line` and `end_line`, with 1 ≤ `start_line` ≤ `end_line`")]
    Lines {
        /// The relevant path.
        path: String,
    },
    /// The grade is 0.
    #[error("the grade of `{path}` is 0, expected at least 1")]
    NoGrade {
        /// The relevant path.
        path: String,
    },
    /// The same place is relevant twice.
    #[error("`{path}` is relevant twice with the same lines")]
    RepeatedRelevant {
        /// The relevant path.
        path: String,
    },
    /// A path is not below its corpus.
    #[error("`{path}` is not a path below the corpus")]
    Path {
        /// The relevant path.
        path: String,
    },
    /// A relevant file does not exist.
    #[error("query `{id}`: the relevant file `{path}` is not in `{}`", folder.display())]
    MissingFile {
        /// The query.
        id: String,
        /// The relevant path.
        path: String,
        /// The folder that was searched.
        folder: PathBuf,
    },
}
