//! What puts candidates in order: the rankers, the schema of their features, and factors of scores.

mod factor;

pub use factor::Factor;
