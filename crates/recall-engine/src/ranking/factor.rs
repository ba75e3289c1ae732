//! A factor of a score.

/// A factor by which a prior multiplies a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The name of the prior.
    pub name: &'static str,
    /// What the score or its odds are multiplied by; below 1 it demotes.
    pub value: f64,
}
