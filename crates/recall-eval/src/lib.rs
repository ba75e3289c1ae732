//! How good are the answers, and on which questions is that known?
//!
//! A [`Dataset`] is questions with known answers, read from a folder; [`mine`] makes them out of a git repository's own
//! history, and puts the tree of any of its commits into a folder. A [`Run`] is what was answered. [`Scores`] says how
//! good that is, by [`Metric`], [`Summary`] over which questions, and [`compare()`] whether one run is better than
//! another or only luckier.
//!
//! Knows no engine and no daemon: whoever measures asks them, and brings the answers here.

mod compare;
mod dataset;
mod measure;
pub mod mine;
mod run;
mod scores;
mod summary;

pub use compare::{Comparison, compare};
pub use dataset::{Corpus, CorpusKind, Dataset, DatasetError, Lines, Query, QueryProblem, Relevant};
pub use measure::{Measure, Metric, MetricError};
pub use run::{Answer, Run, RunError};
pub use scores::{ForeignQuery, Row, Scores};
pub use summary::{Group, Grouping, Summary};
