//! The learned rankers, the table of their features, and the factors of scores.

mod content_kind;
mod factor;
pub(crate) mod features;
pub(crate) mod inputs;
mod rankers;
mod zscore;

pub use content_kind::{ContentKind, FeatureSet};
pub use factor::Factor;
pub use features::{Feature, FeatureGroup};
pub use rankers::{RankerError, RankerUse, Rankers};
pub(crate) use zscore::ZScore;
