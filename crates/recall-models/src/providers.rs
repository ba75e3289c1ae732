//! Models that are reached over HTTP: embeddings by Ollama, OpenAI, Voyage and servers that speak OpenAI's format, and language
//! models by Anthropic and the same servers.
//!
//! A [`Provider`] is a server with its wire format, and maybe a key. [`probe`] asks a model once and describes it as a
//! [`RemoteModel`], which [`Remembered`] keeps; [`RemoteEncoder`] embeds by it. Everything that a server returns is checked: a
//! vector is finite, not zero, of the model's dimensions and for the text that was sent, or it is refused. Texts are masked
//! before they are sent.
//!
//! Requests are batched and retried, paused by a circuit breaker while a server fails, and counted against a daily budget of
//! tokens ([`Usage`]).
//!
//! The module does not decide which texts are embedded; it does not store embeddings and knows nothing of an index.
//!
//! A server can be slow, wrong, expensive or curious. So nothing is sent to an address that the user did not choose, and failures are
//! bounded at three levels: retries of a request, pauses of a server, and the engine's own intervals (ADR 39).

mod comparer;
mod describer;
mod embed;
mod encoder;
mod error;
mod language;
mod link;
mod model;
mod provider;
mod usage;
mod wire;

pub use comparer::{RemoteComparer, probe_comparer};
pub use describer::{RemoteDescriber, probe_describer};
pub use embed::probe;
pub use encoder::{EncoderState, RemoteEncoder};
pub use error::{BadAnswer, ProviderError};
pub use language::{RemoteJudge, probe_judge};
pub use link::{Link, Network};
pub(crate) use model::known_prefixes;
pub use model::{NameError, RemoteModel, RemoteName};
pub use provider::{Addresses, Key, LinkSettings, Provider, ProviderSetError, Providers, Wire, is_provider_name};
pub use usage::{Remembered, RememberedError, Spent, Usage, UsageError};
