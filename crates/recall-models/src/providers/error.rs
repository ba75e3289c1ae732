//! The errors of requests to providers.

use std::time::Duration;

/// A provider returned no result.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider needs a key, and the environment has none.
    #[error("there is no key for `{provider}`: the variable {variable} is not set")]
    NoKey {
        /// The provider.
        provider: String,
        /// The environment variable that would have the key.
        variable: String,
    },
    /// The key would be readable on the network.
    #[error("the key for {address} would cross the network unencrypted")]
    ExposedKey {
        /// The address.
        address: String,
    },
    /// The server could not be reached, or the connection broke.
    #[error("cannot reach {address}")]
    Network {
        /// The address.
        address: String,
        /// The client's error.
        source: Box<crate::http::ureq::Error>,
    },
    /// The response did not arrive in time.
    #[error("{address} did not answer within {} ms", waited.as_millis())]
    Late {
        /// The address.
        address: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The server is overloaded or has failed; the same request may succeed later.
    #[error("{address} answered with status {status}{}", server_message(message))]
    Busy {
        /// The address.
        address: String,
        /// The HTTP status of the answer.
        status: u16,
        /// What the server said; empty for nothing.
        message: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The server refused the request; the same request will not succeed later.
    #[error("{address} refused the request with status {status}{}", server_message(message))]
    Refused {
        /// The address.
        address: String,
        /// The HTTP status of the answer.
        status: u16,
        /// What the server said; empty for nothing.
        message: String,
    },
    /// The response cannot be used.
    #[error("{address} sent an answer that cannot be used: {problem}")]
    BadAnswer {
        /// The address.
        address: String,
        /// What is wrong with the response.
        problem: BadAnswer,
    },
    /// Requests are paused after failures.
    #[error("requests to {address} are paused for {} s: {reason}", left.as_secs().max(1))]
    Paused {
        /// The address.
        address: String,
        /// The rest of the pause.
        left: Duration,
        /// The failure that led to it.
        reason: String,
    },
    /// The budget of the day is used up.
    #[error("the budget of {budget} tokens a day for remote models is used up; it begins again at 00:00 UTC")]
    BudgetSpent {
        /// The budget in tokens.
        budget: u64,
    },
    /// The provider has no models for embeddings.
    #[error("`{provider}` has no models for embeddings")]
    NoEmbeddings {
        /// The provider.
        provider: String,
    },
    /// The provider has no language models.
    #[error("`{provider}` has no language models")]
    NoLanguageModels {
        /// The provider.
        provider: String,
    },
    /// The client for HTTP cannot be created.
    #[error("invalid proxy `{proxy}`")]
    Proxy {
        /// The proxy's address, without its password.
        proxy: String,
        /// The client's error.
        source: Box<crate::http::ureq::Error>,
    },
}

impl ProviderError {
    /// Returns whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Network { source, .. } => is_transient(source),
            Self::Late { .. }
            | Self::Busy { .. }
            | Self::BadAnswer { .. }
            | Self::Paused { .. }
            | Self::BudgetSpent { .. } => true,
            Self::NoKey { .. }
            | Self::ExposedKey { .. }
            | Self::Refused { .. }
            | Self::NoEmbeddings { .. }
            | Self::NoLanguageModels { .. }
            | Self::Proxy { .. } => false,
        }
    }

    /// Returns whether every request with this key is refused, whatever its model and its texts.
    pub(crate) fn is_about_the_key(&self) -> bool {
        matches!(self, Self::Refused { status: 401..=403, .. })
    }

    /// Returns whether a smaller request may succeed: the server found it too large or disliked its content.
    pub(crate) fn asks_for_less(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 400 | 413 | 422),
            // Some versions of Ollama and of llama.cpp report a text that exceeds the window as an internal error.
            Self::Busy { status: 500, message, .. } => is_about_length(message),
            _ => false,
        }
    }

    /// Returns whether the server found a text too long, so that a shorter one may succeed.
    pub(crate) fn asks_for_a_shorter_text(&self) -> bool {
        match self {
            Self::Refused { status: 413, .. } => true,
            Self::Refused { message, .. } => is_about_length(message),
            _ => self.asks_for_less(),
        }
    }
}

/// Returns whether a failure of the client may not happen again.
fn is_transient(error: &crate::http::ureq::Error) -> bool {
    use crate::http::ureq::Error;
    matches!(
        error,
        Error::Io(_)
            | Error::Timeout(_)
            | Error::HostNotFound
            | Error::ConnectionFailed
            | Error::Protocol(_)
            | Error::ConnectProxyFailed(_)
            | Error::BodyStalled
    )
}

/// Returns whether a server speaks about the length of a text, in the words of the known ones.
fn is_about_length(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["context length", "too long", "too large", "maximum", "exceed", "tokens"]
        .iter()
        .any(|words| message.contains(words))
}

fn server_message(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// It is not the JSON that was expected.
    #[error("it is not the expected JSON ({reason})")]
    Malformed {
        /// The parser's error, without what the server sent.
        reason: String,
    },
    /// A language model did not give one score for each text.
    #[error("it has not one score from 0 to 10 for each of {expected} texts")]
    WrongScores {
        /// The number of texts.
        expected: usize,
    },
    /// A language model did not describe a text.
    #[error("it is not a description in the form that was asked for")]
    NoDescription,
    /// A language model did not say how two texts relate.
    #[error("it is not a verdict in the form that was asked for")]
    NoVerdict,
    /// A language model stopped before the end of its answer, or gave none.
    #[error("it is not a whole reply")]
    NoReply,
    /// It has not one vector for each text.
    #[error("it has {found} vectors for {expected} texts")]
    WrongCount {
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
    /// Its vectors are not numbered from 0 to the last text.
    #[error("it has no vector, or more than one, for text {index}")]
    WrongIndex {
        /// The number of the text, or the number that no text has.
        index: usize,
    },
    /// A vector has another number of dimensions than the model.
    #[error("a vector has {found} dimensions instead of {expected}")]
    WrongDimensions {
        /// The model's dimensions.
        expected: usize,
        /// The number of components that it has.
        found: usize,
    },
    /// A vector has more dimensions than can be stored, or none.
    #[error("a vector has {found} dimensions; from 1 to {most} are supported", most = recall_core::Quantised::MOST_DIMENSIONS)]
    UnsupportedDimensions {
        /// The vector's dimensions.
        found: usize,
    },
    /// A component is infinite or not a number.
    #[error("a vector has a component that is not a finite number")]
    NotFinite,
    /// All components are zero.
    #[error("a vector is all zero")]
    Zero,
}
