//! Settings of remote models.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Duration;

/// Where remote models are, and how they are asked.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteSettings {
    /// The address of Ollama.
    pub ollama: String,
    /// The address of OpenAI, or of what stands in for it.
    pub openai: String,
    /// The address of Voyage.
    pub voyage: String,
    /// The address of Anthropic.
    pub anthropic: String,
    /// The addresses of further servers that speak OpenAI's format, by name.
    pub compatible: BTreeMap<String, String>,
    /// How long a search waits for the embedding of its query.
    pub query_wait: Duration,
    /// How long a request for the embeddings of documents may take.
    pub timeout: Duration,
    /// How often a failed request is sent again at once.
    pub retries: u32,
    /// The most texts of one request.
    pub batch_texts: NonZero<usize>,
    /// The most tokens of one request, by estimate.
    pub batch_tokens: u32,
    /// The most tokens that are sent in a day; `None` for no limit.
    pub daily_tokens: Option<u32>,
    /// Dollars per million tokens, by the names of models; they take precedence over the built-in prices.
    pub prices: BTreeMap<String, f64>,
}

impl Default for RemoteSettings {
    fn default() -> Self {
        Self {
            ollama: "http://127.0.0.1:11434".to_owned(),
            openai: "https://api.openai.com/v1".to_owned(),
            voyage: "https://api.voyageai.com/v1".to_owned(),
            anthropic: "https://api.anthropic.com".to_owned(),
            compatible: BTreeMap::new(),
            query_wait: Duration::from_secs(1),
            timeout: Duration::from_mins(1),
            retries: 3,
            batch_texts: NonZero::new(64).expect("64 is not zero"),
            batch_tokens: 50_000,
            daily_tokens: Some(20_000_000),
            prices: BTreeMap::new(),
        }
    }
}
