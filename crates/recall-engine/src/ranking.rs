//! The learned rankers, the table of their features, and the factors of scores.
//!
//! In a hand-tuned sum, each signal needs a weight, and each weight depends on all others. Here small regression trees are learned
//! from the histories of other repositories, and read a row of features for each document (ADR 6). Code and prose have a ranker each,
//! since the signals of one mean little for the other; that of prose also orders memories. The relevance, a third one, estimates a
//! probability that compares all kinds (ADR 22). Each has a version for words only and one that reads cosines too.
//!
//! What the training data cannot teach, such as that a memory no longer holds, is a [`Factor`] on odds, not on scores: most scores
//! are near 1, so a factor on them would move only what is certain (ADR 12).
//!
//! A ranker finds its features by name, so a table with more features stays compatible; one that splits on an unknown feature is
//! rejected. Begin with `features`, `inputs` and `rankers`.

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
