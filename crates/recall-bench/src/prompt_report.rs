//! What the hook of a prompt shows, as it is measured and shown.

/// What the hook shows for the prompts of a history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromptReport {
    /// The name of the history.
    pub(crate) dataset: String,
    /// The number of prompts. For each of them something relevant exists.
    pub(crate) prompts: usize,
    /// The number of prompts that name a relevant file themselves: what an agent knows without the hook.
    pub(crate) named: usize,
    /// The token budget of an answer.
    pub(crate) budget_tokens: u32,
    /// A row a threshold, ascending.
    pub(crate) rows: Vec<ThresholdRow>,
    /// The same for memories.
    pub(crate) memories: MemoryReport,
}

/// Which memories the hook shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryReport {
    /// The number of prompts for which there is a relevant memory.
    pub(crate) known: usize,
    /// The number of prompts for which there is none.
    pub(crate) unknown: usize,
    /// A row a threshold, ascending.
    pub(crate) rows: Vec<MemoryRow>,
}

/// Which memories the hook shows with a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MemoryRow {
    /// The least confidence of what is shown.
    pub(crate) threshold: f64,
    /// The number of shown memories.
    pub(crate) shown: usize,
    /// The number of relevant ones among them.
    pub(crate) relevant: usize,
    /// The number of prompts with their relevant memory.
    pub(crate) helped: usize,
    /// The number of prompts without a relevant memory that got one nevertheless.
    pub(crate) alarms: usize,
}

impl MemoryRow {
    /// The share of relevant ones among the shown memories; `None` if none was shown.
    pub(crate) fn precision(&self) -> Option<f64> {
        (self.shown > 0).then(|| self.relevant as f64 / self.shown as f64)
    }
}

/// What the hook shows with a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ThresholdRow {
    /// The least confidence of what is shown.
    pub(crate) threshold: f64,
    /// The number of shown places.
    pub(crate) shown: usize,
    /// The number of relevant ones among them.
    pub(crate) relevant: usize,
    /// The number of prompts with an answer.
    pub(crate) answered: usize,
    /// The number of prompts with a relevant place.
    pub(crate) helped: usize,
    /// The tokens of all answers.
    pub(crate) tokens: u64,
    /// The tokens of the longest answer.
    pub(crate) most_tokens: u32,
}

impl ThresholdRow {
    /// The share of relevant ones among the shown places; `None` if none was shown.
    pub(crate) fn precision(&self) -> Option<f64> {
        (self.shown > 0).then(|| self.relevant as f64 / self.shown as f64)
    }

    /// The share of prompts without a relevant place.
    pub(crate) fn misses(&self, prompts: usize) -> f64 {
        1.0 - self.helped as f64 / prompts.max(1) as f64
    }

    /// The mean tokens of a prompt, with or without an answer.
    pub(crate) fn tokens_per_prompt(&self, prompts: usize) -> f64 {
        self.tokens as f64 / prompts.max(1) as f64
    }
}
