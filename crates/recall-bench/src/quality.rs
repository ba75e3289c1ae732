//! Evaluation of search quality on queries with known answers.
//!
//! A [`Dataset`] holds queries with their relevant files, read from a folder; [`mine`] derives one from the history of
//! a git repository, and checks out the tree of any of its commits into a folder. A [`Run`] holds the answers to the
//! queries. [`Scores`] rates the answers by [`Metric`], [`Summary`] averages over groups of queries, and [`compare()`]
//! tests whether one run is significantly better than another.
//!
//! The module does not know the engine or the daemon: the caller runs the queries and passes the answers.

mod dataset;
mod measure;
pub mod mine;
mod run;
mod summary;

pub use dataset::{Corpus, CorpusKind, Dataset, DatasetError, Lines, Query, QueryProblem, Relevant};
pub use measure::{ForeignQuery, Measure, Metric, MetricError, Row, Scores};
pub use run::{Answer, Decision, JudgeWorth, Run, RunError};
pub use summary::{Comparison, Group, Grouping, Summary, compare};
