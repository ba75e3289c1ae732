//! Where providers are, and how requests are sent.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Duration;

/// The addresses of the providers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The address of Ollama.
    pub ollama: String,
    /// Of OpenAI, or of what stands in for it, such as a gateway.
    pub openai: String,
    /// The address of Voyage.
    pub voyage: String,
    /// The address of Anthropic.
    pub anthropic: String,
    /// Of further servers that speak OpenAI's format, by name.
    pub compatible: BTreeMap<String, String>,
}

impl Default for Addresses {
    fn default() -> Self {
        Self {
            ollama: "http://127.0.0.1:11434".to_owned(),
            openai: "https://api.openai.com/v1".to_owned(),
            voyage: "https://api.voyageai.com/v1".to_owned(),
            anthropic: "https://api.anthropic.com".to_owned(),
            compatible: BTreeMap::new(),
        }
    }
}

/// How requests are sent.
#[derive(Clone, Debug)]
pub struct LinkSettings {
    /// How long a search waits for the embedding of its query.
    pub query_wait: Duration,
    /// How long a request for the embeddings of documents may take.
    pub request_timeout: Duration,
    /// How often a failed request is sent again at once. Later attempts are the caller's.
    pub retries: u32,
    /// The delay before the first retry. It doubles with each further one, and varies by half.
    pub retry_after: Duration,
    /// The most texts of one request.
    pub batch_texts: NonZero<usize>,
    /// The most tokens of one request, by estimate. A single text may have more.
    pub batch_tokens: usize,
    /// The number of consecutive failures after which requests are paused.
    pub failures: u32,
    /// The first pause. It doubles up to [`longest_pause`](Self::longest_pause) while the server keeps failing.
    pub pause: Duration,
    /// The longest pause. A server that asks for a longer one is not asked before that has passed.
    pub longest_pause: Duration,
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self {
            query_wait: Duration::from_secs(2),
            request_timeout: Duration::from_mins(1),
            retries: 3,
            retry_after: Duration::from_millis(250),
            batch_texts: NonZero::new(64).expect("64 is not zero"),
            batch_tokens: 50_000,
            failures: 3,
            pause: Duration::from_secs(5),
            longest_pause: Duration::from_mins(5),
        }
    }
}
