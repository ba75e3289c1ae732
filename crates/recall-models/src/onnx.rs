//! Transformers in ONNX Runtime.
//!
//! Each network has one thread, since a session must not be run by two threads at once. Requests of all callers meet in
//! its queue and are run in batches.

mod encoder;
mod error;
mod network;
mod provider;
mod tokens;
mod worker;

use std::time::Duration;

use recall_core::Provider;

pub use encoder::{OnnxCrossEncoder, OnnxEncoder};
pub use error::{LoadError, RunError};
pub(crate) use network::{Network, OnnxNetwork, Task};
pub use provider::ProviderUse;
pub(crate) use tokens::{TextTokenizer, Tokens};
pub use worker::ModelState;

/// How networks are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnnxSettings {
    /// The providers to try, in order of preference. The CPU is always tried last, whether it is listed or not.
    pub providers: Vec<Provider>,
    /// The number of threads per batch.
    pub threads: usize,
    /// The maximum number of tokens in a batch, including padding; a longer text is a batch of its own.
    ///
    /// It bounds the memory, and the time that a query waits for a running batch of documents.
    pub batch_tokens: usize,
    /// The time without a request after which a network releases the memory of its runs, but keeps its weights.
    pub rest: Duration,
    /// The time without a request after which a network is unloaded; `None` keeps it loaded.
    pub idle: Option<Duration>,
    /// The time after which loading is retried if it failed.
    pub retry: Duration,
}

impl Default for OnnxSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            threads: 1,
            batch_tokens: 1024,
            rest: Duration::from_secs(2),
            idle: Some(Duration::from_mins(30)),
            retry: Duration::from_secs(10),
        }
    }
}
