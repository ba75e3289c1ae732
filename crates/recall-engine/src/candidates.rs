//! Which documents may answer a query, and what does the ranker see of them?

use recall_core::DocPath;

/// A document that may answer, as the learned ranker sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedDocument {
    /// Its path.
    pub path: DocPath,
    /// The lines of the chunk that stands for it.
    pub lines: (u32, u32),
    /// Its features, in the order of [`feature_names`](crate::feature_names).
    pub features: Vec<f32>,
    /// What it was fused to.
    pub fused: f64,
}
