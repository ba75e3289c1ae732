//! Learning to rank: gradient-boosted trees trained on judged queries with LambdaMART.
//!
//! A [`Ranker`] is a sum of small regression trees over named features, with one row per candidate. It is decoded from
//! bytes ([`Ranker::read`]), scores the candidates of a query in microseconds ([`Ranker::score`]), explains a score
//! ([`Ranker::contributions`]) and estimates the probability of relevance ([`Ranker::confidence`]).
//!
//! With the feature `train`, the function `train` trains a ranker on `Judged` queries, and `cross_validate` measures it on
//! held-out groups of queries. Programs that only rank do not compile that half.
//!
//! The crate computes no features, knows nothing of documents or query text, and does no I/O: bytes are passed as slices.
//! [`Ranker::over`] adapts a ranker to the features of the caller by name.
//!
//! A C++ library or a network would be megabytes in the daemon to add up a few hundred small trees, and neither explains a score by
//! its features (ADR 6). Begin with `ranker`, `forest` and `format`.

mod contributions;
mod forest;
mod format;
mod ranker;
#[cfg(test)]
mod strategies;
#[cfg(feature = "train")]
mod training;
mod tree;

pub use contributions::Contributions;
pub use forest::Columns;
pub use format::ReadError;
pub use ranker::{Calibration, MissingFeature, Ranker};
#[cfg(feature = "train")]
pub use training::{
    CrossValidation, GroupNdcg, Judged, JudgedError, JudgedQuery, Monotone, Objective, ParameterError, Parameters,
    Start, TrainError, cross_validate, cross_validate_from, ndcg_at, train, train_from,
};
pub use tree::MAX_LEAVES;
