//! Training of rankers: LambdaMART on judged queries, cross-validation and calibration.
//!
//! The features are binned once, and trees grow leaf by leaf from histograms. The objective is the order within a query, by the
//! change in nDCG, or the probability that a candidate is relevant. Cross-validation holds out whole groups of queries, such as a
//! repository. Begin with `boost` and `grow`.

mod binning;
mod boost;
mod cross_validate;
mod grow;
mod judged;
mod parameters;

pub use boost::{Start, TrainError, train, train_from};
pub use cross_validate::{CrossValidation, GroupNdcg, cross_validate, cross_validate_from};
pub use judged::{Judged, JudgedError, JudgedQuery, ndcg_at};
pub use parameters::{Monotone, Objective, ParameterError, Parameters};
