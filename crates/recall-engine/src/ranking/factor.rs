//! A factor of a score.

/// A named factor that a prior multiplied a score with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The prior.
    pub name: &'static str,
    /// The factor.
    pub value: f64,
}
