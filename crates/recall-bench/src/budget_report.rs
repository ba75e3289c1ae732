//! What context windows with one budget have, as it is measured and shown.

use std::time::Duration;

/// What the windows with one budget have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BudgetReport {
    pub(crate) budget_tokens: u32,
    /// The mean share of the relevant files among the hits packed whole in their order.
    pub(crate) in_order: f64,
    /// The mean share in the window, at least as a line with the file's place and signature.
    pub(crate) window: f64,
    /// The mean share in the window with text of the file.
    pub(crate) with_text: f64,
    /// The number of windows above their budget.
    pub(crate) above: usize,
    /// The median time of a call.
    pub(crate) median: Duration,
}
