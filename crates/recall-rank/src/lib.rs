//! Learning to rank: gradient-boosted trees trained on judged queries with LambdaMART.
//!
//! A [`Ranker`] is a sum of small regression trees over named features, with one row per candidate. It is decoded from
//! bytes ([`Ranker::read`]), scores the candidates of a query in microseconds ([`Ranker::score`]), explains a score
//! ([`Ranker::contributions`]) and estimates the probability of relevance ([`Ranker::confidence`]). [`train`] trains
//! one on [`Judged`] queries; [`cross_validate()`] measures it on held-out groups of queries.
//!
//! The crate computes no features, knows nothing of documents or query text, and does no I/O: bytes and text are passed
//! as slices. [`Ranker::over`] adapts a ranker to the features of the caller by name.

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
mod split;
#[cfg(test)]
mod strategies;
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
