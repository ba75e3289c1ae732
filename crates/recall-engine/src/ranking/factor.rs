//! A factor of a score.

/// A factor by which a prior multiplies a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The name of the prior.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}
