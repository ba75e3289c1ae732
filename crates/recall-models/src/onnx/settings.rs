//! How are networks run?

use std::time::Duration;

use recall_core::Provider;

/// How networks are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnnxSettings {
    /// The providers to try, the best first. The processor is always the last, whether it is named or not.
    pub providers: Vec<Provider>,
    /// How many threads compute one batch.
    pub threads: usize,
    /// How many tokens a batch has at most, padding included; a longer text is a batch of its own.
    ///
    /// It bounds the memory, and how long a query waits for a batch of documents that has begun.
    pub batch_tokens: usize,
    /// After how long without a request a network gives back the memory that its runs needed, and keeps its weights.
    pub rest: Duration,
    /// After how long without a request a network is unloaded; `None` keeps it.
    pub idle: Option<Duration>,
    /// After how long a network that could not be loaded is tried again.
    pub retry: Duration,
}

impl Default for OnnxSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            threads: 1,
            batch_tokens: 1024,
            rest: Duration::from_secs(2),
            idle: Some(Duration::from_mins(5)),
            retry: Duration::from_secs(10),
        }
    }
}
