//! What puts candidates in order: the rankers, the schema of their features, and factors of scores.

mod factor;
mod rankers;
pub(crate) mod schema;

pub use factor::Factor;
pub use rankers::{Basis, Kind, RankerError, RankerUse, Rankers};
