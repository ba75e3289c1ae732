//! How do features become an order, and how is that learnt from judged queries?
//!
//! A [`Ranker`] is a sum of small regression trees over named features, one row a candidate. It is read from bytes
//! ([`Ranker::read`]), scores the candidates of a query in microseconds ([`Ranker::score`]), says what each feature
//! contributed ([`Ranker::contributions`]) and how sure it is ([`Ranker::confidence`]). [`train`] learns one from [`Judged`]
//! queries with LambdaMART; [`cross_validate()`] tells what it is worth on groups of queries that it has not seen.
//!
//! It deliberately computes no feature, knows no document and no query text, and does no I/O: bytes and text come in and go
//! out as slices. A ranker is brought onto the features that somebody computes by their names, see [`Ranker::over`].

mod binning;
mod boost;
mod calibrate;
mod columns;
mod contributions;
mod cross_validate;
mod forest;
mod format;
mod grow;
mod histogram;
mod judged;
mod lambda;
mod letor;
mod measure;
mod parameters;
mod ranker;
mod sample;
#[cfg(test)]
mod samples;
mod split;
mod tree;

pub use boost::{Start, TrainError, train, train_from};
pub use calibrate::Calibration;
pub use columns::Columns;
pub use contributions::Contributions;
pub use cross_validate::{CrossValidation, GroupNdcg, cross_validate, cross_validate_from};
pub use format::ReadError;
pub use judged::{Judged, JudgedError, JudgedQuery};
pub use letor::{LetorError, LetorProblem};
pub use measure::ndcg_at;
pub use parameters::{Monotone, Objective, ParameterError, Parameters};
pub use ranker::{MissingFeature, Ranker};
pub use tree::MAX_LEAVES;
