//! The learned rankers, the schema of their features, and the factors of scores.

mod factor;
mod kind;
mod rankers;
pub(crate) mod schema;

pub use factor::Factor;
pub use kind::{Basis, Kind};
pub use rankers::{RankerError, RankerUse, Rankers};
